package eval

import (
	"cmp"
	"slices"
)

// Diff compares two runs over the same jobs: which jobs moved, and why.
type Diff struct {
	A    RunID `json:"a"`
	B    RunID `json:"b"`
	Jobs int   `json:"jobs"` // in both

	OnlyA          int `json:"only_a"` // jobs that the other run does not have
	OnlyB          int `json:"only_b"`
	Same           int `json:"same"`    // with the same start, end and state
	Earlier        int `json:"earlier"` // end earlier or later in B; never is later than ever
	Later          int `json:"later"`
	OtherwiseMoved int `json:"otherwise_moved"` // another start or state, the same end

	Ended           int     `json:"ended"` // in both; the means are over these
	MeanJCTA        float64 `json:"mean_jct_a_s"`
	MeanJCTB        float64 `json:"mean_jct_b_s"`
	NowMissed       int     `json:"now_missed"`        // meet their deadline in A alone
	NowMet          int     `json:"now_met"`           // meet it in B alone
	MovedGPUSeconds int64   `json:"moved_gpu_seconds"` // GPUs times the change of completion time, summed without its sign

	Moves []Move `json:"moves"` // the largest changes of completion time first
}

// Move is a job that one run treats differently than the other.
type Move struct {
	Job  string `json:"job"`
	GPUs int    `json:"gpus"`
	A    JobRow `json:"a"`
	B    JobRow `json:"b"`

	JCTChange   *int64  `json:"jct_change_s"`   // B - A; nil when it does not end in both
	QueueChange *int64  `json:"queue_change_s"` // the part of it that is waiting; the rest is run time and its overhead
	Causes      []Cause `json:"causes"`
}

// CauseKind is why a job moved, as far as two tables of jobs tell it.
type CauseKind string

// The kinds of causes.
const (
	Overtaken   CauseKind = "overtaken"      // others that started after it in the other run start before it in this one
	StillHeld   CauseKind = "gpus-held"      // others that were there before it in both runs end later in this one
	MorePreempt CauseKind = "more-preempted" // it is preempted more often in this one
	LongerRun   CauseKind = "longer-run"     // it holds its GPUs longer in this one
	StateChange CauseKind = "other-end"      // it ends in another state, or not at all
)

// Cause is one reason of a move. It speaks of the run in which the job ends
// later.
type Cause struct {
	Kind    CauseKind `json:"kind"`
	Jobs    []string  `json:"jobs,omitempty"`    // the others, those with most GPUs first; at most mostNamed
	Others  int       `json:"others,omitempty"`  // how many there are
	GPUs    int       `json:"gpus,omitempty"`    // that they hold together
	Count   int       `json:"count,omitempty"`   // more preemptions
	Seconds int64     `json:"seconds,omitempty"` // longer run
}

const mostNamed = 3

// MostMoves is how many moves can be explained: each is looked for among all
// jobs.
const MostMoves = 1000

// Compare compares two runs and explains the largest moves, at most so many and
// never more than MostMoves.
func Compare(a, b *RunJobs, moves int) *Diff {
	d := &Diff{A: a.RunID, B: b.RunID}
	inB := make(map[string]*JobRow, len(b.Rows))
	for i := range b.Rows {
		inB[b.Rows[i].Job] = &b.Rows[i]
	}
	var jctA, jctB float64
	both := make([]pair, 0, len(a.Rows))
	for i := range a.Rows {
		x := &a.Rows[i]
		y, ok := inB[x.Job]
		if !ok {
			d.OnlyA++
			continue
		}
		d.Jobs++
		both = append(both, pair{x, y})
		d.count(x, y)
		if x.End != NoInstant && y.End != NoInstant {
			d.Ended++
			jctA, jctB = jctA+float64(x.JCT), jctB+float64(y.JCT)
		}
		if x.Start != y.Start || x.End != y.End || x.State != y.State || x.Preemptions != y.Preemptions {
			d.Moves = append(d.Moves, move(x, y))
		}
	}
	d.OnlyB = len(b.Rows) - d.Jobs
	if d.Ended > 0 {
		d.MeanJCTA, d.MeanJCTB = jctA/float64(d.Ended), jctB/float64(d.Ended)
	}
	slices.SortStableFunc(d.Moves, func(p, q Move) int {
		return cmp.Or(cmp.Compare(q.size(), p.size()), cmp.Compare(p.Job, q.Job))
	})
	d.Moves = d.Moves[:min(len(d.Moves), max(0, min(moves, MostMoves)))]
	for i := range d.Moves {
		d.Moves[i].explain(both)
	}
	return d
}

// pair is a job in both runs.
type pair struct{ a, b *JobRow }

func (d *Diff) count(x, y *JobRow) {
	switch {
	case x.Start == y.Start && x.End == y.End && x.State == y.State:
		d.Same++
	case x.End == y.End:
		d.OtherwiseMoved++
	case x.End == NoInstant || y.End != NoInstant && y.End < x.End:
		d.Earlier++
	default:
		d.Later++
	}
	if x.End != NoInstant && y.End != NoInstant {
		change := int64(y.JCT-x.JCT) * int64(x.GPUs)
		d.MovedGPUSeconds += max(change, -change)
	}
	if x.HasDeadline && y.HasDeadline {
		switch {
		case !x.Missed && y.Missed:
			d.NowMissed++
		case x.Missed && !y.Missed:
			d.NowMet++
		}
	}
}

func move(x, y *JobRow) Move {
	m := Move{Job: x.Job, GPUs: x.GPUs, A: *x, B: *y}
	if x.End != NoInstant && y.End != NoInstant {
		jct, queue := int64(y.JCT-x.JCT), int64(y.Queue-x.Queue)
		m.JCTChange, m.QueueChange = &jct, &queue
	}
	return m
}

// size orders moves: jobs that end in one run alone come first.
func (m *Move) size() int64 {
	if m.JCTChange == nil {
		return 1 << 62
	}
	return max(*m.JCTChange, -*m.JCTChange)
}

// Later reports whether the job ends later in B than in A.
func (m *Move) Later() bool {
	return m.B.End == NoInstant || m.A.End != NoInstant && (m.B.End > m.A.End || m.B.End == m.A.End && m.B.Start > m.A.Start)
}

// explain finds the causes: what the run in which the job ends later did
// otherwise.
func (m *Move) explain(both []pair) {
	early, late := &m.A, &m.B
	if !m.Later() {
		early, late = late, early
	}
	if early.State != late.State {
		m.Causes = append(m.Causes, Cause{Kind: StateChange})
	}
	if early.Start != NoInstant && (late.Start == NoInstant || late.Start > early.Start) {
		m.Causes = append(m.Causes, m.holders(both)...)
	}
	if n := late.Preemptions - early.Preemptions; n > 0 {
		m.Causes = append(m.Causes, Cause{Kind: MorePreempt, Count: n})
	}
	if m.JCTChange != nil {
		if longer := (late.JCT - late.Queue) - (early.JCT - early.Queue); longer > 0 {
			m.Causes = append(m.Causes, Cause{Kind: LongerRun, Seconds: int64(longer)})
		}
	}
}

// holders are the jobs that were under way in the late run, and not in the
// early one, at the instant when the job started in the early one.
func (m *Move) holders(both []pair) []Cause {
	at := m.A.Start
	if !m.Later() {
		at = m.B.Start
	}
	under := func(r *JobRow) bool {
		return r.Start != NoInstant && r.Start <= at && (r.End == NoInstant || r.End > at)
	}
	var overtook, stayed []*JobRow // as they are in A: only name and GPUs count
	for _, p := range both {
		x, y := p.a, p.b
		if x.Job == m.Job {
			continue
		}
		inEarly, inLate := x, y
		if !m.Later() {
			inEarly, inLate = y, x
		}
		if !under(inLate) || under(inEarly) {
			continue
		}
		if inEarly.Start == NoInstant || inEarly.Start > at {
			overtook = append(overtook, x)
		} else {
			stayed = append(stayed, x)
		}
	}
	var causes []Cause
	for _, c := range []struct {
		kind CauseKind
		jobs []*JobRow
	}{{Overtaken, overtook}, {StillHeld, stayed}} {
		if len(c.jobs) == 0 {
			continue
		}
		slices.SortStableFunc(c.jobs, func(p, q *JobRow) int { return cmp.Or(cmp.Compare(q.GPUs, p.GPUs), cmp.Compare(p.Job, q.Job)) })
		cause := Cause{Kind: c.kind, Others: len(c.jobs)}
		for i, j := range c.jobs {
			cause.GPUs += j.GPUs
			if i < mostNamed {
				cause.Jobs = append(cause.Jobs, j.Job)
			}
		}
		causes = append(causes, cause)
	}
	return causes
}
