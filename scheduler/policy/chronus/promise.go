package chronus

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/admit"
	"schedmate/scheduler/milp"
)

// promise answers the newcomers, in the order of their submission. Whoever is
// refused runs in Spot.
func (d *table) promise() {
	slices.SortStableFunc(d.fresh, func(x, y *schedmate.JobStatus) int {
		return cmp.Or(cmp.Compare(x.Job.Submit, y.Job.Submit), cmp.Compare(x.Seq, y.Seq))
	})
	var answers []admit.Answer
	d.book, answers = d.book.Take(d.s, d.asked(), d.Rules.Terms)
	for i := range answers {
		a := &answers[i]
		switch {
		case a.Code == admit.Guaranteed && d.jobs[a.Job].Job.SLO.Class == schedmate.Strict:
			d.tell(a.Job, schedmate.Promised, a.Deadline, "")
		case a.Code == admit.Guaranteed, a.Code == admit.Expected:
			d.tell(a.Job, schedmate.Expected, a.Deadline, "")
		default:
			d.tell(a.Job, schedmate.Refused, a.Deadline, string(a.Code))
		}
		d.displaced(a.Displaced)
		d.used(a.Steps)
	}
}

// asked is what newcomers ask for. With LastTier a soft job asks for its last tier as
// a strict one does for its deadline; the book then holds it as such.
func (d *table) asked() []*schedmate.JobStatus {
	if d.Rules.SoftTier != LastTier {
		return d.fresh
	}
	out := slices.Clone(d.fresh)
	for i, j := range out {
		if t := j.Job.SLO.Tiers; j.Job.SLO.Class == schedmate.Soft {
			firm := *j
			firm.Job.SLO = schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: t[len(t)-1].Deadline, Reward: schedmate.FullReward}}}
			out[i] = &firm
		}
	}
	return out
}

// displaced tells those whose expectations had to give way.
func (d *table) displaced(list []admit.Displaced) {
	for _, x := range list {
		if x.Deadline > 0 {
			d.tell(x.Job, schedmate.Expected, x.Deadline, "")
		} else {
			d.lapse(x.Job, string(admit.Overruled))
		}
	}
}

func (d *table) lapse(job, cause string) {
	tiers := d.jobs[job].Job.SLO.Tiers
	d.tell(job, schedmate.Lapsed, tiers[len(tiers)-1].Deadline, cause)
}

// tell adds to what the plan says; the last word to a job holds. A job that is told
// and untold in one plan is told what came last.
func (d *table) tell(job string, state schedmate.PromiseState, deadline schedmate.Seconds, cause string) {
	c := schedmate.PromiseChange{Job: job, State: state, Deadline: deadline, Cause: cause}
	at := slices.IndexFunc(d.plan.Promises, func(x schedmate.PromiseChange) bool { return x.Job == job })
	if at < 0 {
		d.plan.Promises = append(d.plan.Promises, c)
		return
	}
	d.plan.Promises[at] = c
}

// used counts the steps of searches. A plan that has searched follows no rule.
func (d *table) used(steps int64) {
	d.plan.BudgetUsed += steps
	if d.plan.BudgetUsed > 0 && d.plan.Engine == schedmate.RuleEngine {
		d.plan.Engine = milp.EngineSearch
	}
}

// leased reports whether the job has a lease of the slot that has begun.
func (d *table) leased(p *admit.Promise) bool {
	_, is := slices.BinarySearch(p.Leases, d.s.Now-d.s.Now%d.Lease)
	return is
}
