package milp

import (
	"slices"

	"schedmate/scheduler/reward"
)

// exactSteps is how many steps the search for a proof may take; 0: none. Few rounds
// take so many: of up to 50 jobs nearly all need some thousands. More are of no use
// in large rounds, which are tenths of a per mille from a proof without; and those
// with spot jobs need a search for each [region].
func exactSteps(m *Model) int64 {
	jobs := len(m.Jobs)
	switch {
	case jobs <= 60:
		return 2000000
	case jobs <= 200:
		return 500000
	case jobs <= 400:
		return 40000
	case jobs <= 1000 && !m.spots():
		return 24000
	}
	return 0
}

// Options are what a run depends on besides the model.
type Options struct {
	Seed   uint64
	Budget Budget

	// Standing is the calendar of the round before, shifted by the slots that
	// have passed, for the same jobs in the same order; nil when there is none.
	// It is kept when no better plan is found; and of a better one, jobs keep their
	// slots as far as that costs nothing.
	Standing []Promise
}

// Solve plans a round. The model must be valid.
func Solve(m *Model, o Options) *Plan {
	r := &run{meter: newMeter(m, o.Budget), rnd: &random{state: o.Seed}, standing: o.Standing}
	p := r.solve(m)
	if p == nil {
		p = r.solve(m.unpromised())
		p.Relaxed = true
	}
	p.Steps = r.meter.used
	return p
}

// unpromised is the same round without promises.
func (m *Model) unpromised() *Model {
	loose := *m
	loose.Jobs = slices.Clone(m.Jobs)
	for j := range loose.Jobs {
		loose.Jobs[j].Must = false
	}
	return &loose
}

// run is one call of Solve.
type run struct {
	meter    *meter
	rnd      *random
	standing []Promise
}

// How many steps the parts of a run may take. They do not depend on the budget,
// so that a run of a smaller budget is the beginning of one of a larger.
const (
	priceRounds    = 2
	priceSteps     = 150
	ruinPatience   = 1500
	fewJobs        = 400 // of more, options that only tight calendars need are left out at first
	searchPatience = 3000
	spotPatience   = 120
	promiseSteps   = 20000
)

// solve returns nil when it finds no plan that keeps all promises.
func (r *run) solve(m *Model) *Plan {
	few := len(m.Jobs) <= fewJobs
	b := newBoard(m, !few)
	spend := r.meter.spend

	p := newPrices(b)
	p.evaluate()
	s := newSelection(b, p)
	s.greedy()
	for range priceRounds {
		// A better value makes for better steps.
		value := float64(s.value) / float64(reward.One)
		p.descend(priceSteps, value, spend)
		again := newSelection(b, p)
		again.greedy()
		if again.value > s.value {
			s = again
		}
	}
	bound := b.most()
	if p.bound < float64(bound)/float64(reward.One) {
		bound = min(bound, b.floor(p.bound))
	}
	patience := ruinPatience
	if few {
		patience = min(patience, 50+10*len(m.Jobs)) // branch and bound finds the rest
	}
	s.improve(bound, patience, r.rnd, spend)
	if b.falls() {
		s, bound = r.addSets(b, p, s, bound, patience)
	}

	d, engine := r.realise(b, s, bound)
	if d == nil {
		return nil
	}
	if steps := exactSteps(m); steps > 0 && d.total() < bound {
		full := b
		if !few {
			full = newBoard(m, false)
		}
		better, proven := full.exact(d.total(), bound, steps, r.meter.upTo(steps))
		bound = max(proven, d.total())
		if better != nil {
			d, engine = better, EngineExact
		} else if bound == d.total() {
			engine = EngineExact
		}
	}
	d.settle()
	if r.standing != nil {
		if old := b.stand(r.standing); old.keepsPromises() {
			old.settle()
			old.fillSpots(0, r.rnd, spend)
			if old.total() >= d.total() {
				d, engine = old, EngineStanding
			}
		}
		if engine != EngineStanding {
			if s := d.steady(r.standing, spend); s != nil {
				d = s
			}
		}
	}
	plan := d.plan()
	plan.Engine, plan.Bound = engine, max(m.late()+bound, plan.Value)
	return plan
}

// mostSets is how many rows of slot sets a run adds, and setSteps the price
// steps after each.
const (
	mostSets = 8
	setSteps = 100
)

// addSets adds rows of slot sets that the selection breaks, one by one, and
// selects again.
func (r *run) addSets(b *board, p *prices, s *selection, bound reward.Points, patience int) (*selection, reward.Points) {
	for range mostSets {
		if r.meter.ended {
			break
		}
		if _, left := b.schedule(s.pick, s.reserve()); len(left) == 0 {
			break
		}
		set := b.violated(s.pick)
		if set == nil {
			break
		}
		b.addSet(set)
		p.grow()
		value := float64(s.value) / float64(reward.One)
		p.descend(setSteps, value, r.meter.spend)
		bound = min(bound, b.floor(p.bound))
		s = newSelection(b, p)
		s.greedy()
		s.improve(bound, patience, r.rnd, r.meter.spend)
	}
	return s, bound
}

// most is what all jobs would earn without any competition.
func (b *board) most() reward.Points {
	var sum reward.Points
	for j := range b.m.Jobs {
		if from, to := b.of(j); from < to {
			sum += b.options[from].gain
		}
	}
	return sum
}

// realise makes a calendar for a selection and fills slot 1 with spot jobs. It
// returns nil when it cannot keep all promises.
func (r *run) realise(b *board, s *selection, bound reward.Points) (*draft, string) {
	reserve := s.reserve()
	d, left := b.schedule(s.pick, reserve)
	engine := EnginePrefix
	if len(left) > 0 || !d.keepsPromises() {
		engine = EngineSearch
		if !d.keepsPromises() {
			if d = b.promises(r.meter.upTo(promiseSteps)); d == nil {
				return nil, ""
			}
		}
		for _, j := range d.hungry() {
			if d.pick[j] < 0 && !d.insert(j, reserve, fullestFirst, nil) {
				d.insert(j, 0, fullestFirst, nil)
			}
		}
		d = d.search(bound-s.spotGain(), reserve, min(searchPatience, 20*len(d.pick), 400000/len(d.pick)), r.rnd, r.meter.spend)
	}
	d.fillSpots(spotPatience, r.rnd, r.meter.spend)
	return d, engine
}

// reserve is the GPUs of slot 1 that the selection's spot jobs need, if their
// sub-slots fill evenly.
func (s *selection) reserve() int {
	sum := 0
	for _, i := range s.pick {
		if i >= 0 && s.b.options[i].spot() {
			sum += s.b.options[i].charge
		}
	}
	return (sum + s.b.sub - 1) / s.b.sub
}

func (s *selection) spotGain() reward.Points {
	var sum reward.Points
	for _, i := range s.pick {
		if i >= 0 && s.b.options[i].spot() {
			sum += s.b.options[i].gain
		}
	}
	return sum
}

func (d *draft) keepsPromises() bool {
	for j := range d.pick {
		if d.b.m.Jobs[j].Must && d.pick[j] < 0 {
			return false
		}
	}
	return true
}

// promises makes a calendar of the promised jobs alone, or returns nil.
func (b *board) promises(spend func() bool) *draft {
	only := &Model{Capacity: b.m.Capacity, Sub: 1, Gate: b.m.Gate, Jobs: make([]Job, len(b.m.Jobs))}
	for j := range only.Jobs {
		only.Jobs[j].Kind = reward.Strict
		if b.m.Jobs[j].Must {
			only.Jobs[j] = b.m.Jobs[j]
		}
	}
	plan, _ := certify(only, spend)
	if plan == nil {
		return nil
	}
	d := newDraft(b)
	for j := range plan.Jobs {
		from, to := b.of(j)
		for i := from; i < to && d.pick[j] < 0; i++ {
			if o := &b.options[i]; plan.Jobs[j].Policy == o.policy && plan.Jobs[j].Step == o.step {
				d.hold(i, plan.Jobs[j].Slots)
			}
		}
	}
	return d
}
