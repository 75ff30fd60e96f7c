package roundfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
	"schedmate/scheduler/verify/calendar"
)

// Answer is what one case is answered with; fields that were not asked for are
// left out.
type Answer struct {
	Name         string         `json:"name"`
	Objective    *float64       `json:"objective,omitempty"`
	Admit        *bool          `json:"admit,omitempty"`
	PrefixTest   *bool          `json:"prefix_test,omitempty"`
	BindingSlot  int            `json:"binding_slot,omitempty"`
	ShortBy      int            `json:"short_by,omitempty"`
	Fits         *bool          `json:"fits,omitempty"`
	FreeAligned  map[string]int `json:"free_aligned,omitempty"`
	NeedAligned  map[string]int `json:"need_aligned,omitempty"`
	ExpectedRuns *float64       `json:"expected_runs,omitempty"`

	Bound      *float64 `json:"bound,omitempty"`
	Gap        *float64 `json:"gap,omitempty"`
	Engine     string   `json:"engine,omitempty"`
	BudgetUsed int64    `json:"budget_used,omitempty"`
	CPU        *float64 `json:"cpu_s,omitempty"` // filled in by whoever has a clock
	Solver     *Solver  `json:"solver,omitempty"`
	Calendar   []Entry  `json:"calendar,omitzero"`

	// Of a plan: how many jobs with deadlines are promised one of their steps, and
	// how many are late.
	Promised *int `json:"promised,omitempty"`
	Late     *int `json:"late,omitempty"`
}

// Solver says what an exact solver was asked about, and what became of it.
type Solver struct {
	Name            string  `json:"name"`
	ObjectiveBefore float64 `json:"objective_before"` // what the plan earned that it was given,
	BoundBefore     float64 `json:"bound_before"`     // and the bound without it
	Error           string  `json:"error,omitempty"`  // why it gave no answer, or none that is believed
}

// Options are what answers depend on besides the case.
type Options struct {
	milp.Options

	// Solver is asked about plans that are further from their bound than
	// Limits.RelativeGap; nil: nobody is.
	Solver milp.Solver
	Limits milp.Limits
}

// Entry is a lease: [job, slot, policy] or [job, slot, policy, sub-slot].
type Entry struct {
	Job          string
	Slot, Policy int
	Sub          int // 0: a whole slot
}

// MarshalJSON writes the entry as a list.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.Sub == 0 {
		return json.Marshal([]any{e.Job, e.Slot, e.Policy})
	}
	return json.Marshal([]any{e.Job, e.Slot, e.Policy, e.Sub})
}

// Solve answers a case. Calendars have passed the independent checker. A solver
// that gives no answer is no error: the plan stands without it, and says why.
func Solve(text json.RawMessage, options Options) (*Answer, error) {
	var c Case
	if err := json.Unmarshal(text, &c); err != nil {
		return &Answer{}, fmt.Errorf("case: %w", err)
	}
	a := &Answer{Name: c.Name}
	switch {
	case len(c.Round) > 0 && len(c.New) > 0:
		return a, c.admit(a, options)
	case len(c.Round) > 0:
		return a, c.plan(a, options)
	case c.NodesFree != nil:
		return a, c.fits(a)
	case c.Leases != nil && c.Slots != nil:
		return a, c.runs(a)
	}
	return a, errors.New("case: give round, round and new, nodes_free and cells, or leases and slots")
}

func (c *Case) plan(a *Answer, options Options) error {
	m, err := c.model()
	if err != nil {
		return err
	}
	p := milp.Solve(m, options.Options)
	if options.Solver != nil && !p.Proven() && p.Gap() > options.Limits.RelativeGap {
		a.Solver = &Solver{ObjectiveBefore: rounded(p.Value.Value()), BoundBefore: rounded(p.Bound.Value())}
		if p, err = milp.Improve(m, p, options.Solver, options.Limits); err != nil {
			a.Solver.Error = err.Error()
		}
		a.Solver.Name = options.Solver.Name()
	}
	if err := check(m, p, int64(p.Value)); err != nil {
		return err
	}
	objective, bound, gap := rounded(p.Value.Value()), rounded(p.Bound.Value()), p.Gap()
	a.Objective, a.Bound, a.Gap, a.Engine, a.BudgetUsed = &objective, &bound, &gap, p.Engine, p.Steps
	promised, late := 0, 0
	for j := range p.Jobs {
		switch {
		case p.Jobs[j].Step >= 0:
			promised++
		case len(m.Jobs[j].Steps) > 0:
			late++
		}
	}
	a.Promised, a.Late = &promised, &late
	a.Calendar = entries(m, p)
	return nil
}

func (c *Case) admit(a *Answer, options Options) error {
	m, err := c.model()
	if err != nil {
		return err
	}
	p, verdict, short := milp.Certify(m, options.Budget)
	if verdict == lease.Unknown {
		return errors.New("admission: the budget has ended before an answer; give more with --budget")
	}
	yes, prefix := verdict == lease.Found, short.GPUs == 0
	a.Admit, a.PrefixTest, a.BindingSlot, a.ShortBy = &yes, &prefix, short.Slot, short.GPUs
	if !yes {
		return nil
	}
	value := int64(0)
	for j := range m.Jobs {
		value += int64(m.Jobs[j].Steps[0].Reward)
	}
	if err := check(m, p, value); err != nil {
		return err
	}
	a.Engine, a.BudgetUsed, a.Calendar = p.Engine, p.Steps, entries(m, p)
	return nil
}

func (c *Case) fits(a *Answer) error {
	nodes := make([]cells.Node, len(c.NodesFree))
	for i, text := range c.NodesFree {
		var err error
		if nodes[i], err = cells.ParseNode(text); err != nil {
			return fmt.Errorf("nodes_free[%d]: %w", i, err)
		}
	}
	want, err := sizes(c.Cells)
	if err != nil {
		return fmt.Errorf("cells: %w", err)
	}
	free := cells.Free(nodes)
	_, fits := cells.Place(nodes, []cells.Count{want})
	if fits != free.Holds(want.Levels()) {
		return errors.New("BUG: the level test and the placement disagree; please report it with the case")
	}
	a.Fits, a.FreeAligned, a.NeedAligned = &fits, bySize(free), bySize(want.Levels())
	return nil
}

func bySize(l cells.Levels) map[string]int {
	return map[string]int{"1": l[0], "2": l[1], "4": l[2], "8": l[3]}
}

func (c *Case) runs(a *Answer) error {
	runs, err := lease.ExpectedRuns(*c.Leases, *c.Slots)
	if err != nil {
		return err
	}
	runs = rounded(runs)
	a.ExpectedRuns = &runs
	return nil
}

// rounded gives six digits behind the point.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// entries lists the leases of a plan.
func entries(m *milp.Model, p *milp.Plan) []Entry {
	out := []Entry{}
	for j := range p.Jobs {
		for _, k := range p.Jobs[j].Slots {
			out = append(out, Entry{m.Jobs[j].ID, k, p.Jobs[j].Policy, 0})
		}
		for _, q := range p.Jobs[j].Subs {
			out = append(out, Entry{m.Jobs[j].ID, 1, p.Jobs[j].Policy, q})
		}
	}
	return out
}

// check lets the independent checker judge a plan.
func check(m *milp.Model, p *milp.Plan, value int64) error {
	var list []calendar.Entry
	for j := range p.Jobs {
		for _, k := range p.Jobs[j].Slots {
			list = append(list, calendar.Entry{Job: j, Slot: k, Policy: p.Jobs[j].Policy})
		}
		for _, q := range p.Jobs[j].Subs {
			list = append(list, calendar.Entry{Job: j, Slot: 1, Policy: p.Jobs[j].Policy, Sub: q})
		}
	}
	if err := calendar.Check(Plain(m), list, value); err != nil {
		return fmt.Errorf("BUG: %w; please report it with the round", err)
	}
	return nil
}

// Plain writes a model down as the checker wants it: plain numbers.
func Plain(m *milp.Model) *calendar.Round {
	r := &calendar.Round{Capacity: m.Capacity, Sub: max(1, m.Sub)}
	if m.Gate != nil {
		free := [4]int(m.Gate.Free)
		r.FreeCells = &free
	}
	for i := range m.Jobs {
		j := &m.Jobs[i]
		spot := j.Kind == reward.Spot || j.Kind == reward.Profiling
		out := calendar.Job{ID: j.ID, Spot: spot, Late: int64(j.Late), Must: j.Must}
		for _, s := range j.Steps {
			out.Steps = append(out.Steps, calendar.Step{By: s.By, Reward: int64(s.Reward)})
		}
		for _, p := range j.Policies {
			q := calendar.Policy{GPUs: p.GPUs, Cells: p.Cells, Leases: p.Leases}
			if p.Cells == (cells.Count{}) {
				q.Cells = cells.Shape(p.GPUs)
			}
			switch j.Kind {
			case reward.Spot:
				q.Each = int64(reward.BestEffort(p.Leases))
			case reward.Profiling:
				q.Each = int64(reward.Profiler)
			}
			out.Policies = append(out.Policies, q)
		}
		r.Jobs = append(r.Jobs, out)
	}
	return r
}
