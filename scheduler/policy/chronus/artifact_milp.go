package chronus

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// usualSteps is the budget of a round for whom nothing else is said, about a
// hundredth of a second. The artifact gives its solver five seconds.
const usualSteps = 10_000

// keeping is what it is worth to promise a job any of its deadlines. The
// artifact demands one for every job; as a reward far above all others it comes
// to the same where that is possible.
const keeping = 1000 * reward.One

// optimise plans anew for all who want leases, for the most reward. Of plans
// with equal rewards the artifact wants those that use the lease that begins now
// least, if somebody has been refused, and otherwise most. It reports false, and
// changes nothing, if a job would have to go without any deadline.
func (d *desk) optimise(b scheduler.Budget, first int64, plan *schedmate.Plan) bool {
	jobs := slices.DeleteFunc(slices.Clone(d.waiting), func(e *entry) bool { return !e.wants() })
	m := d.model(jobs, first)
	steps := b.Iterations
	if steps == 0 {
		steps = usualSteps
	}
	p := milp.Solve(m, milp.Options{Budget: milp.Budget{Steps: steps}})
	demands := make([]lease.Demand, len(jobs))
	for i, e := range jobs {
		at := p.Jobs[i].Step
		if at < 0 {
			return false
		}
		demands[i] = lease.Demand{GPUs: int(rounded(e.gpus)), Leases: int(e.need), By: m.Jobs[i].Steps[at].By}
	}
	ways := lease.LeastLaxity
	if d.unmet > 0 {
		ways = lease.Latest
	}
	calendar, short := ways(m.Capacity, nil, demands)
	for i, e := range jobs {
		held := p.Jobs[i].Slots
		if len(short) == 0 {
			held = calendar[i]
		}
		e.planned = true
		e.slots = make([]int64, len(held))
		for k, slot := range held {
			e.slots[k] = first + int64(slot) - 1
		}
		d.take(e, first)
	}
	value, bound := int64(p.Value), int64(p.Bound)
	plan.Value, plan.Bound, plan.Engine, plan.BudgetUsed = &value, &bound, p.Engine, p.Steps
	return true
}

// model is the round that begins now. Deadlines that lie too early for a job's
// leases are left out, and of those in one lease the first, which is worth most.
func (d *desk) model(jobs []*entry, first int64) *milp.Model {
	m := &milp.Model{Jobs: make([]milp.Job, len(jobs))}
	slots := int64(0)
	for i, e := range jobs {
		j := milp.Job{ID: e.job.Job.ID, Kind: reward.Soft, Policies: []milp.Policy{{GPUs: int(rounded(e.gpus)), Leases: int(e.need)}}}
		for _, r := range d.rows(nil, e, first) {
			if n := len(j.Steps); r.horizon < e.need || n > 0 && int64(j.Steps[n-1].By) == r.horizon {
				continue
			}
			j.Steps = append(j.Steps, reward.Step{By: int(r.horizon), Reward: keeping + reward.Points(r.value)*reward.One/(schedmate.FullReward/10)})
			slots = max(slots, r.horizon)
		}
		m.Jobs[i] = j
	}
	m.Capacity = make([]int, min(slots, mostSlots))
	for k := range m.Capacity {
		m.Capacity[k] = int(d.total)
	}
	return m
}

// mostSlots bounds the calendar; leases behind it are always to be had.
const mostSlots = 1 << 12
