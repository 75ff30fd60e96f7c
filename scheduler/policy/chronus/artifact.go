package chronus

import (
	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/place"
)

// artifact is CHRONUS as its public simulator has it. Its host counts in steps
// (minutes). In each it does, in this order, what is due:
//
//	account   every step        what runs uses up its estimate
//	lease     every lease       promised jobs get the leases of their plans
//	admit     every cycle       newcomers are promised their deadlines, or refused
//	spot      every cycle       the GPUs without a lease go to whom they help most
//	fill      every odd step    and what is still free to anybody
//
// A fact that the artifact has from the trace (the run time) is the run-time
// fact of the job; without one it is promised nothing and served last.
type artifact struct {
	Options
	find place.Func
}

func (p *artifact) Name() string { return "chronus" }

func (p *artifact) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}}
	switch {
	case s.Now%p.Step != 0:
		plan.Memory = s.Memory
	case s.Now%p.Cycle != 0:
		p.fill(&s, &plan)
	default:
		p.cycle(&s, b, &plan)
	}
	plan.Wake = p.wake(&s, &plan)
	return plan
}

// cycle is a step at which all or nearly all is due.
func (p *artifact) cycle(s *schedmate.Snapshot, b scheduler.Budget, plan *schedmate.Plan) {
	d := p.recall(s)
	d.account()
	if s.Now%p.Lease == 0 {
		d.lease(b, plan)
	}
	d.admit()
	d.spot()
	plan.Actions = d.act()
	if d.free() > 0 {
		sortForFill(d.waiting) // the next odd step does, and until then nobody looks at the order
	}
	plan.Memory = d.notes()
}

// wake is when to look again: a step from now to fill, at the next cycle as long
// as somebody waits, and else when the next lease begins.
func (p *artifact) wake(s *schedmate.Snapshot, plan *schedmate.Plan) schedmate.Seconds {
	waiting, running := len(s.Waiting), len(s.Running)
	for _, a := range plan.Actions {
		switch a.Kind {
		case schedmate.Start:
			waiting, running = waiting-1, running+1
		case schedmate.Preempt:
			waiting, running = waiting+1, running-1
		}
	}
	var at schedmate.Seconds
	switch next := func(every schedmate.Seconds) schedmate.Seconds { return s.Now - s.Now%every + every }; {
	case waiting == 0 && running == 0:
		return 0
	case waiting == 0:
		at = next(p.Lease)
	case running == 0 && !p.helps(s):
		return 0 // nobody has a place, and time alone makes none
	case p.fits(s):
		at = next(p.Step)
	default:
		at = next(p.Cycle)
	}
	if at > schedmate.MaxSeconds {
		return 0
	}
	return at
}

// fits reports whether somebody waits for GPUs that are free, at a time at which
// they were not to be given away.
func (p *artifact) fits(s *schedmate.Snapshot) bool {
	if s.Now%p.Step == 0 && (s.Now%p.Cycle == 0 || p.odd(s.Now)) {
		return false
	}
	left := free(s)
	for _, j := range s.Waiting {
		if left > 0 && j.Job.GPUs <= left {
			return true
		}
	}
	return false
}

// helps reports whether one of those who wait would find a place if nobody ran.
func (p *artifact) helps(s *schedmate.Snapshot) bool {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	for _, j := range s.Running {
		o.Release(&j.Job, j.Attempt.Allocations)
	}
	for _, j := range s.Waiting {
		if p.find(o, &j.Job) != nil {
			return true
		}
	}
	return false
}
