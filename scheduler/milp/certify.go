package milp

import "schedmate/scheduler/lease"

// Certify asks whether all promises of a round can be kept together: the first
// steps of its Must jobs; other jobs are left out. A yes comes with the calendar
// as certificate, and a no is a proof. Unknown means that the budget ended first.
// With the no comes the first shortage of the prefix sums, if they show one; its
// GPUs are 0 when only whole gangs do not fit.
func Certify(m *Model, budget Budget) (*Plan, lease.Verdict, lease.Shortage) {
	only := &Model{Capacity: m.Capacity, Sub: 1, Gate: m.Gate}
	var at []int
	for j := range m.Jobs {
		if job := m.Jobs[j]; job.Must {
			only.Jobs, at = append(only.Jobs, job), append(at, j)
		}
	}
	t := newMeter(m, budget)
	demands, single := only.firsts()
	if s, short := only.short(demands, single); short {
		return nil, lease.Impossible, s
	}
	if single && m.Gate == nil {
		if cal, late := lease.LeastLaxity(m.Capacity, nil, demands); len(late) == 0 {
			return kept(m, at, cal), lease.Found, lease.Shortage{}
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

// firsts lists what the first steps demand, by job and policy, and reports whether
// every job has a single policy.
func (m *Model) firsts() (demands []lease.Demand, single bool) {
	single = true
	for j := range m.Jobs {
		job := &m.Jobs[j]
		single = single && len(job.Policies) == 1
		for c := range job.Policies {
			demands = append(demands, lease.Demand{GPUs: job.Policies[c].GPUs, Leases: job.Policies[c].Leases, By: job.Steps[0].By})
		}
	}
	return demands, single
}

// short is the prefix test of the promised jobs. Of a job with a choice of policies
// it counts in each prefix what the policy needs that needs least there.
func (m *Model) short(demands []lease.Demand, single bool) (lease.Shortage, bool) {
	if single {
		return lease.Short(m.Capacity, demands)
	}
	left := 0
	for k, g := range m.Capacity {
		left += g
		need, of := 0, demands
		for j := range m.Jobs {
			least := 0
			for c := range m.Jobs[j].Policies {
				if n := of[c].GPUs * of[c].Need(k+1); c == 0 || n < least {
					least = n
				}
			}
			need, of = need+least, of[len(m.Jobs[j].Policies):]
		}
		if need > left {
			return lease.Shortage{Slot: k + 1, GPUs: need - left}, true
		}
	}
	return lease.Shortage{}, false
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
	for j := range m.Jobs {
		if from, to := b.of(j); m.Jobs[j].Must && from == to {
			return nil, lease.Impossible // even alone
		}
	}
	s := newDeadlines(b, leastPoints, spend)
	s.run()
	switch {
	case s.found:
	case s.complete() && !s.ended:
		return nil, lease.Impossible
	default:
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
