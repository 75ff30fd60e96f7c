package milp

import (
	"math"

	"schedmate/scheduler/lease"
)

// Certify asks whether all promises of a round can be kept together: the first
// steps of its Must jobs; other jobs are left out. A yes comes with the calendar
// as certificate, and a no is a proof. Unknown means that the budget ended first.
// With the no comes the first shortage of the prefix sums, if they show one; its
// GPUs are 0 when only whole gangs do not fit.
func Certify(m *Model, budget Budget) (*Plan, lease.Verdict, lease.Shortage) {
	only := &Model{Capacity: m.Capacity, Sub: 1, Gate: m.Gate}
	var at []int
	var demands []lease.Demand
	single := true
	for j := range m.Jobs {
		if job := m.Jobs[j]; job.Must {
			only.Jobs, at = append(only.Jobs, job), append(at, j)
			single = single && len(job.Policies) == 1
			for c := range job.Policies {
				demands = append(demands, lease.Demand{GPUs: job.Policies[c].GPUs, Leases: job.Policies[c].Leases, By: job.Steps[0].By})
			}
		}
	}
	t := newMeter(m, budget)
	if single {
		if s, short := lease.Short(m.Capacity, demands); short {
			return nil, lease.Impossible, s
		}
		if m.Gate == nil {
			if cal, late := lease.LeastLaxity(m.Capacity, nil, demands); len(late) == 0 {
				return kept(m, at, cal), lease.Found, lease.Shortage{}
			}
		}
	}
	plan, verdict := certify(only, t.spend)
	if plan == nil {
		return nil, verdict, lease.Shortage{}
	}
	out := &Plan{Jobs: make([]Promise, len(m.Jobs)), Engine: EngineExact, Steps: t.used}
	for j := range out.Jobs {
		out.Jobs[j] = Promise{Step: -1, Policy: -1}
	}
	for n, j := range at {
		out.Jobs[j] = plan.Jobs[n]
	}
	return out, verdict, lease.Shortage{}
}

// kept is the plan of a calendar that holds the first steps of some jobs, each under
// its only policy.
func kept(m *Model, at []int, cal lease.Calendar) *Plan {
	out := &Plan{Jobs: make([]Promise, len(m.Jobs)), Engine: EngineExact}
	for j := range out.Jobs {
		out.Jobs[j] = Promise{Step: -1, Policy: -1}
	}
	for n, j := range at {
		out.Jobs[j] = Promise{Step: 0, Policy: 0, Slots: cal[n]}
	}
	return out
}

// certify keeps the promises of a round in which all jobs are promised, or have
// nothing to choose.
func certify(m *Model, spend func() bool) (*Plan, lease.Verdict) {
	b := newBoard(m, false)
	s := newBranch(b, newPrices(b), newCores(b))
	s.spend = spend
	if math.IsInf(s.bound, -1) {
		return nil, lease.Impossible
	}
	s.once = true
	complete := s.run(math.MinInt64 / 4)
	if s.best == nil {
		if complete {
			return nil, lease.Impossible
		}
		return nil, lease.Unknown
	}
	d := newDraft(b)
	for job, i := range s.best {
		if i >= 0 {
			d.hold(i, s.slots[job])
		}
	}
	return d.plan(), lease.Found
}
