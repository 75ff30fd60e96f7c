package milp

import (
	"slices"

	"schedmate/scheduler/reward"
)

// Plan is what a round decides.
type Plan struct {
	// Jobs says what each job of the model is promised and when it runs.
	Jobs []Promise

	// Value is what the plan earns; Bound is proven: no plan earns more. Both
	// count the rewards of late jobs.
	Value, Bound reward.Points

	// Engine is what made the plan: "prefix" (rows and least laxity), "search"
	// (calendars), "exact" (branch and bound), "standing" (last round's calendar
	// is as good), or the name of a solver.
	Engine string

	// Steps is the budget used. The same model, seed and budget of that many
	// steps give the same plan.
	Steps int64

	// Relaxed says that the promises of Must jobs could not all be kept (proven,
	// or none found within the budget): they counted for their rewards only.
	Relaxed bool
}

// Promise is what one job is promised: the step of its list (-1: none), under
// which policy (-1: it does not run), in which slots, from 1 and ascending. A
// spot job has sub-slots of slot 1 instead, and step -1.
type Promise struct {
	Step, Policy int
	Slots        []int
	Subs         []int
}

// The engines of this package.
const (
	EnginePrefix   = "prefix"
	EngineSearch   = "search"
	EngineExact    = "exact"
	EngineStanding = "standing"
)

// Proven reports whether no plan is better.
func (p *Plan) Proven() bool { return p.Value >= p.Bound }

// Gap is how far the value can be from the best, as a share of the bound.
func (p *Plan) Gap() float64 {
	if p.Bound <= p.Value {
		return 0
	}
	return float64(p.Bound-p.Value) / float64(p.Bound)
}

// plan writes a draft down.
func (d *draft) plan() *Plan {
	p := &Plan{Jobs: make([]Promise, len(d.pick)), Value: d.b.m.late() + d.total()}
	for j := range p.Jobs {
		p.Jobs[j] = Promise{Step: -1, Policy: -1}
		if i := d.pick[j]; i >= 0 {
			o := &d.b.options[i]
			p.Jobs[j] = Promise{Step: o.step, Policy: o.policy, Slots: slices.Clone(d.slots[j])}
		} else if d.spots != nil && len(d.spots[j].subs) > 0 {
			p.Jobs[j] = Promise{Step: -1, Policy: d.spots[j].policy, Subs: slices.Clone(d.spots[j].subs)}
		}
	}
	return p
}
