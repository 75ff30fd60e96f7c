package milptest

import (
	"fmt"
	"math"
	"slices"

	"schedmate/scheduler/milp"
)

// question is a program whose optimum was found by hand.
type question struct {
	name    string
	program milp.Program
	start   []float64
	limits  milp.Limits
	want    float64 // NaN: no point keeps all rows, or the question means nothing
	least   float64 // what the answer must earn; 0: want
}

var (
	yes  = func(objective float64) milp.Column { return milp.Column{Objective: objective, Upper: 1, Integer: true} }
	most = func(upper float64, terms ...milp.Term) milp.Row {
		return milp.Row{Lower: math.Inf(-1), Upper: upper, Terms: terms}
	}
	term = func(column int, value float64) milp.Term { return milp.Term{Column: column, Value: value} }
)

// knapsack: the first two fit (2 + 3 = 5, 4 + 1, 3 + 4 = 7) and earn 9; all three
// break the first row (6 of 5); other pairs earn 8 and 7.
func knapsack() milp.Program {
	return milp.Program{
		Columns: []milp.Column{yes(5), yes(4), yes(3)},
		Rows: []milp.Row{
			most(5, term(0, 2), term(1, 3), term(2, 1)),
			most(11, term(0, 4), term(1, 1), term(2, 2)),
			most(8, term(0, 3), term(1, 4), term(2, 2)),
		},
	}
}

func questions() []question {
	infinite := math.Inf(1)
	return []question{
		{name: "a knapsack", program: knapsack(), want: 9},
		{name: "the same from a start", program: knapsack(), start: []float64{0, 1, 1}, want: 9},
		{name: "any answer will do, but not less than the start's", program: knapsack(), start: []float64{1, 1, 0}, limits: milp.Limits{RelativeGap: 1}, want: 9, least: 9},
		{name: "halves are not whole", want: 1,
			program: milp.Program{Columns: []milp.Column{yes(1), yes(1)}, Rows: []milp.Row{most(3, term(0, 2), term(1, 2))}}},
		{name: "stock: 3y - c with c + 2y = 5 and an offset of 10", want: 15, // y = 2, c = 1
			program: milp.Program{
				Offset:  10,
				Columns: []milp.Column{{Objective: 3, Upper: 10, Integer: true}, {Objective: -1, Upper: infinite}},
				Rows:    []milp.Row{{Lower: 5, Upper: 5, Terms: []milp.Term{term(1, 1), term(0, 2)}}},
			}},
		{name: "below zero", want: -3, // both at least -2, their sum at least -3
			program: milp.Program{
				Columns: []milp.Column{{Objective: -1, Lower: -2, Upper: 5, Integer: true}, {Objective: 1, Lower: -2, Upper: 5, Integer: true}},
				Rows:    []milp.Row{{Lower: -3, Upper: -3, Terms: []milp.Term{term(0, -1), term(1, 1)}}},
			}},
		{name: "no rows", program: milp.Program{Columns: []milp.Column{yes(2), yes(-1)}}, want: 2},
		{name: "no columns", program: milp.Program{Offset: 7}, want: 7},
		{name: "impossible", want: math.NaN(),
			program: milp.Program{Columns: []milp.Column{yes(1)}, Rows: []milp.Row{{Lower: 2, Upper: infinite, Terms: []milp.Term{term(0, 1)}}}}},
		{name: "a number that is none", program: milp.Program{Columns: []milp.Column{yes(math.NaN())}}, want: math.NaN()},
		{name: "a column that is not there", program: milp.Program{Columns: []milp.Column{yes(1)}, Rows: []milp.Row{most(1, term(1, 1))}}, want: math.NaN()},
		{name: "a start of other columns", program: knapsack(), start: []float64{1}, want: math.NaN()},
	}
}

// Contract asks a solver questions whose answers are known, and returns what it
// did that it must not: optimum and bound are what they are, the gaps mean what
// they say, a start is never fallen below, a question that means nothing is an
// error, and what it was given is left as it was.
func Contract(s milp.Solver) []error {
	var wrong []error
	if s.Name() == "" {
		wrong = append(wrong, fmt.Errorf("it has no name"))
	}
	for _, q := range questions() {
		if err := q.ask(s); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", q.name, err))
		}
	}
	return wrong
}

func (q *question) ask(s milp.Solver) error {
	p, start := copied(&q.program), slices.Clone(q.start)
	a, err := s.Maximise(p, start, q.limits)
	if fmt.Sprint(*p) != fmt.Sprint(q.program) || fmt.Sprint(start) != fmt.Sprint(q.start) {
		return fmt.Errorf("the question was changed")
	}
	if math.IsNaN(q.want) {
		if err == nil && a.Values != nil {
			return fmt.Errorf("there is no answer, and it gives %v", a.Values)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.Check(p); err != nil {
		return err
	}
	least := q.least
	if least == 0 {
		least = q.want - q.limits.RelativeGap*math.Abs(q.want)
	}
	const rounding = 1e-5
	if a.Objective < least-rounding || a.Objective > q.want+rounding {
		return fmt.Errorf("the best earns %v, it answers %v", q.want, a.Objective)
	}
	if a.Bound < q.want-rounding {
		return fmt.Errorf("the best earns %v, its bound is %v", q.want, a.Bound)
	}
	if gap := a.Bound - a.Objective; a.Optimal && gap > rounding+max(q.limits.AbsoluteGap, q.limits.RelativeGap*math.Abs(a.Bound)) {
		return fmt.Errorf("it says optimal with a gap of %v", gap)
	}
	if !a.Optimal && q.limits == (milp.Limits{}) {
		return fmt.Errorf("it had no limits and proves nothing")
	}
	return nil
}

func copied(p *milp.Program) *milp.Program {
	c := &milp.Program{Offset: p.Offset, Columns: slices.Clone(p.Columns)}
	for _, r := range p.Rows {
		r.Terms = slices.Clone(r.Terms)
		c.Rows = append(c.Rows, r)
	}
	return c
}
