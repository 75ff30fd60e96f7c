package chronus

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/admit"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// recheck asks which promises still hold with what is known now.
func (d *table) recheck() {
	r := d.book.Recheck(d.s, d.Rules.Terms)
	d.book = r.Book
	d.used(r.Steps)
	for _, x := range r.Broken {
		if d.jobs[x.Job].Job.SLO.Class == schedmate.Soft {
			d.lapse(x.Job, string(x.Why))
			continue
		}
		d.tell(x.Job, schedmate.Broken, d.jobs[x.Job].Job.SLO.Tiers[0].Deadline, string(x.Why))
	}
	for _, x := range r.Lapsed {
		d.lapse(x.Job, string(x.Why))
	}
	d.displaced(r.Postponed)
}

// round decides by which tiers soft jobs end, and who has a lease until the next
// boundary. A round whose search finds nothing better within its budget carries out
// the calendar that stands.
func (d *table) round(b scheduler.Budget) {
	steps := b.Iterations
	if steps == 0 {
		steps = d.Rules.Steps
	}
	terms := d.Rules.Terms
	for _, at := range d.book.Rounds(d.s, terms, 1) {
		better := d.improve(&at, steps)
		d.aim(&at)
		if find := d.carried(); find != nil {
			better = rearrange(&at, find) || better
		}
		if better {
			d.book = d.book.Arrange(d.s, terms, &at)
		}
	}
}

// carried is how the calendar that is carried out is made, or nil where the one that
// was planned is.
func (d *table) carried() func(capacity []int, gate *lease.Gate, demands []lease.Demand) (lease.Calendar, []int) {
	switch {
	case d.Rules.Calendar == Planned:
		return nil
	case d.Rules.Calendar == Adaptive && !d.unpromised():
		return lease.LeastLaxity
	}
	return lease.Latest
}

// unpromised reports whether anybody waits who is promised nothing.
func (d *table) unpromised() bool {
	promised := make(map[string]bool)
	for i, all := 0, d.book.Promises(); i < len(all); i++ {
		promised[all[i].Job] = true
	}
	return slices.ContainsFunc(d.s.Waiting, func(j *schedmate.JobStatus) bool { return !promised[j.Job.ID] })
}

// rearrange makes the calendar of a round the one that find makes, where it is one,
// and reports whether it did.
func rearrange(r *admit.Round, find func([]int, *lease.Gate, []lease.Demand) (lease.Calendar, []int)) bool {
	next := *r
	demands := make([]lease.Demand, len(r.Claims))
	for i := range r.Claims {
		demands[i] = lease.Demand{GPUs: r.Claims[i].GPUs, Leases: r.Claims[i].Leases, By: r.Claims[i].By}
	}
	var short []int
	if next.Slots, short = find(r.Rooms[0].GPUs, nil, demands); len(short) > 0 || !next.Holds() {
		return false
	}
	*r = next
	return true
}

// firm reports whether a claim is that of a soft job which is sure of its last tier.
func (d *table) firm(c *admit.Claim) bool {
	return c.Class == schedmate.Strict && d.jobs[c.Job].Job.SLO.Class == schedmate.Soft
}

// aim lets soft jobs that are sure of their last tier ask for the tier by which the
// calendar of the round ends them, so that no other calendar gives it up. The book
// goes on to hold their last.
func (d *table) aim(r *admit.Round) {
	r.Claims = slices.Clone(r.Claims)
	for i := range r.Claims {
		c := &r.Claims[i]
		if n := len(r.Slots[i]); d.firm(c) && n > 0 {
			for _, s := range first(d.steps(c, r.From)) {
				if s.By >= r.Slots[i][n-1] {
					c.By = s.By
					break
				}
			}
		}
	}
}

func first(steps []reward.Step, _ []schedmate.Tier) []reward.Step { return steps }

// improve plans one area for the most reward: strict promises are kept, soft jobs earn
// what their tiers are worth. It changes the round and reports true if that earns
// more than the calendar that stands and keeps to all its rooms.
func (d *table) improve(r *admit.Round, steps int64) bool {
	m := &milp.Model{Capacity: r.Rooms[0].GPUs, Jobs: make([]milp.Job, len(r.Claims))}
	standing := make([]milp.Promise, len(r.Claims))
	tiers := make([][]schedmate.Tier, len(r.Claims)) // of each step
	best, extra := true, reward.Points(0)
	for i := range r.Claims {
		c := &r.Claims[i]
		j := milp.Job{ID: c.Job, Kind: reward.Strict, Must: true, Late: reward.Paper.Late,
			Steps:    []reward.Step{{By: c.By, Reward: reward.Paper.Strict[0].Reward}},
			Policies: []milp.Policy{{GPUs: c.GPUs, Leases: c.Leases}}}
		switch {
		case c.Class == schedmate.Soft:
			j.Kind, j.Must = reward.Soft, false
			j.Steps, tiers[i] = d.steps(c, r.From)
			best = best && len(j.Steps) > 0 && j.Steps[0].By == c.By
		case d.firm(c):
			j.Kind, j.Must = reward.Soft, false
			j.Steps, tiers[i] = d.steps(c, r.From)
			for k := range j.Steps {
				j.Steps[k].Reward += sure
			}
			extra += sure
			last := len(r.Slots[i]) - 1
			best = best && len(j.Steps) > 0 && (last < 0 || r.Slots[i][last] <= j.Steps[0].By)
		}
		m.Jobs[i] = j
		standing[i] = milp.Promise{Slots: r.Slots[i]}
	}
	if best {
		return false // all have what is worth most to them
	}
	plan := milp.Solve(m, milp.Options{Standing: standing, Budget: milp.Budget{Steps: steps}})
	value, bound := int64(plan.Value-extra), int64(plan.Bound-extra)
	if d.plan.Value != nil { // of an area before
		value, bound = value+*d.plan.Value, bound+*d.plan.Bound
	}
	d.plan.Value, d.plan.Bound = &value, &bound
	d.plan.Engine, d.plan.BudgetUsed = plan.Engine, d.plan.BudgetUsed+plan.Steps
	if plan.Relaxed || plan.Engine == milp.EngineStanding && same(r, plan) {
		return false
	}
	return d.adopt(r, plan, tiers)
}

// same reports whether a plan is the calendar that stands, tiers included.
func same(r *admit.Round, plan *milp.Plan) bool {
	for i := range r.Claims {
		if !slices.Equal(plan.Jobs[i].Slots, r.Slots[i]) {
			return false
		}
	}
	return true
}

// steps lists the tiers that a soft job can still meet, and what they are worth.
func (d *table) steps(c *admit.Claim, from schedmate.Seconds) (steps []reward.Step, tiers []schedmate.Tier) {
	for _, t := range d.jobs[c.Job].Job.SLO.Tiers {
		by := int((t.Deadline - from) / d.Lease)
		if t.Deadline < from || by < c.Leases || len(steps) > 0 && steps[len(steps)-1].By == by {
			continue
		}
		steps, tiers = append(steps, reward.Step{By: by, Reward: reward.Points(t.Reward) * reward.One}), append(tiers, t)
	}
	return steps, tiers
}

// sure is added to what all tiers of a soft job are worth that is sure of its last:
// more than many others could bring.
const sure = 1000 * reward.One

// adopt makes a plan the calendar of the round if it keeps to its rooms, and tells
// the soft jobs whose tiers it moves.
func (d *table) adopt(r *admit.Round, plan *milp.Plan, tiers [][]schedmate.Tier) bool {
	next := *r
	next.Claims, next.Slots = nil, nil
	var moved []admit.Displaced
	for i, c := range r.Claims {
		step := plan.Jobs[i].Step
		if d.firm(&c) && step < 0 {
			return false // it is sure of a tier
		}
		if c.Class == schedmate.Soft {
			if step < 0 {
				moved = append(moved, admit.Displaced{Job: c.Job})
				continue
			}
			t := tiers[i][step]
			if by := int((t.Deadline - r.From) / d.Lease); by != c.By {
				c.By = by
				moved = append(moved, admit.Displaced{Job: c.Job, Deadline: t.Deadline})
			}
		}
		next.Claims, next.Slots = append(next.Claims, c), append(next.Slots, plan.Jobs[i].Slots)
	}
	if !next.Holds() {
		return false
	}
	*r = next
	d.displaced(moved)
	return true
}
