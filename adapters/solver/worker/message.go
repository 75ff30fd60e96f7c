package worker

import (
	"fmt"
	"strings"

	"schedmate/scheduler/milp"
)

// hello says which solver waits, and from which file it comes.
type hello struct{ name, path string }

func (h *hello) encode() []byte {
	var w writer
	w.text(h.name)
	w.text(h.path)
	return w
}

func decodeHello(payload []byte) (*hello, error) {
	r := reader{rest: payload}
	h := &hello{name: r.text(), path: r.text()}
	return h, r.end()
}

// question is one call of a solver.
type question struct {
	number  uint64 // counts up; its answer has the same
	limits  milp.Limits
	program *milp.Program
	start   []float64
}

func (q *question) encode() []byte {
	terms := 0
	for i := range q.program.Rows {
		terms += len(q.program.Rows[i].Terms)
	}
	w := make(writer, 0, 64+25*len(q.program.Columns)+20*len(q.program.Rows)+12*terms+8*len(q.start))
	w.uint64(q.number)
	w.floats(q.limits.SoftSeconds, q.limits.HardSeconds, q.limits.RelativeGap, q.limits.AbsoluteGap)
	w.float(q.program.Offset)
	w.uint32(uint32(len(q.program.Columns)))
	for _, c := range q.program.Columns {
		w.floats(c.Objective, c.Lower, c.Upper)
		w.flag(c.Integer)
	}
	w.uint32(uint32(len(q.program.Rows)))
	for _, r := range q.program.Rows {
		w.floats(r.Lower, r.Upper)
		w.uint32(uint32(len(r.Terms)))
		for _, t := range r.Terms {
			w.uint32(uint32(t.Column))
			w.float(t.Value)
		}
	}
	w.list(q.start)
	return w
}

func decodeQuestion(payload []byte) (*question, error) {
	r := reader{rest: payload}
	q := &question{number: r.uint64(), program: &milp.Program{}}
	q.limits = milp.Limits{SoftSeconds: r.float(), HardSeconds: r.float(), RelativeGap: r.float(), AbsoluteGap: r.float()}
	p := q.program
	p.Offset = r.float()
	p.Columns = make([]milp.Column, r.count(25))
	for i := range p.Columns {
		p.Columns[i] = milp.Column{Objective: r.float(), Lower: r.float(), Upper: r.float(), Integer: r.flag()}
	}
	p.Rows = make([]milp.Row, r.count(20))
	for i := range p.Rows {
		row := &p.Rows[i]
		row.Lower, row.Upper = r.float(), r.float()
		row.Terms = make([]milp.Term, r.count(12))
		for k := range row.Terms {
			row.Terms[k] = milp.Term{Column: int(r.uint32()), Value: r.float()}
		}
	}
	q.start = r.list()
	if err := r.end(); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	if q.start != nil && len(q.start) != len(p.Columns) {
		return nil, fmt.Errorf("start: has %d columns, the program %d", len(q.start), len(p.Columns))
	}
	return q, nil
}

// reply answers a question, or says why there is no answer.
type reply struct {
	number     uint64  // 0: of no question, there is no solver
	cpuSeconds float64 // of the child, from its start on
	answer     *milp.Answer
	failure    string // when there is no answer
}

func (y *reply) kind() kind {
	if y.answer == nil {
		return kindFailure
	}
	return kindAnswer
}

func (y *reply) encode() []byte {
	var w writer
	w.uint64(y.number)
	w.float(y.cpuSeconds)
	if y.answer == nil {
		w.text(strings.ToValidUTF8(y.failure[:min(len(y.failure), mostText/2)], ""))
		return w
	}
	w.floats(y.answer.Objective, y.answer.Bound)
	w.flag(y.answer.Optimal)
	w.list(y.answer.Values)
	return w
}

func decodeReply(k kind, payload []byte) (*reply, error) {
	r := reader{rest: payload}
	y := &reply{number: r.uint64(), cpuSeconds: r.float()}
	switch k {
	case kindFailure:
		y.failure = r.text()
	case kindAnswer:
		y.answer = &milp.Answer{Objective: r.float(), Bound: r.float(), Optimal: r.flag(), Values: r.list()}
	default:
		return nil, fmt.Errorf("%v where an answer was expected", k)
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("%v: %w", k, err)
	}
	return y, nil
}

// mostAnswer is the largest answer to a question of so many columns.
func mostAnswer(columns int) uint64 { return max(mostText, 64+8*uint64(columns)) }
