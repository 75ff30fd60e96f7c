package unisched

import (
	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// round is the program of one lease: which deadlines are kept, who has a lease
// until the next boundary, and, where all are chosen together, who of the others
// runs in its spot leases.
func (t *table) round(b scheduler.Budget) {
	r := t.lay()
	if len(r.m.Jobs) == 0 {
		return
	}
	steps := b.Iterations
	if steps == 0 {
		steps = t.Steps
	}
	sol := milp.Solve(r.m, milp.Options{Standing: r.standing(), Budget: milp.Budget{Steps: steps}})
	value, bound := int64(sol.Value), int64(sol.Bound)
	t.plan.Value, t.plan.Bound, t.plan.Engine, t.plan.BudgetUsed = &value, &bound, sol.Engine, sol.Steps
	r.adopt(sol)
}

// program is one round in the making: the model, and what its jobs stand for.
type program struct {
	t     *table
	m     *milp.Model
	jobs  []*schedmate.JobStatus
	tiers [][]schedmate.Tier // of each step
}

// lay writes the model of the round.
func (t *table) lay() *program {
	r := &program{t: t, m: &milp.Model{Sub: int(t.Lease / t.Spot)}}
	largest := 0
	for _, j := range t.all {
		if j.Attempt != nil && !t.movable(j) {
			continue
		}
		if j.Job.SLO.HasDeadline() {
			largest = max(largest, t.planned(j))
		}
		switch {
		case t.knows(j):
			if r.deadline(j) || t.Selector == Apart {
				continue
			}
			r.spot(j, reward.Spot, j.Job.GPUs, t.spotLeases(j))
		case t.unmeasured(j) && t.Selector == Joint && t.Profiling.Mode == Unified && t.book[j.Job.ID].measured == 0:
			r.spot(j, reward.Profiling, measureGPUs(j), 1)
		}
	}
	capacity := max(t.total*(1000-t.Rules.ReserveMilli)/1000, min(largest, t.total))
	r.m.Capacity = make([]int, t.Horizon)
	for k := range r.m.Capacity {
		r.m.Capacity[k] = max(0, capacity-t.aside)
	}
	r.m.Capacity[0] = max(0, r.m.Capacity[0]-t.pinned())
	return r
}

// pinned counts the GPUs of nodes that take work which nobody can be given now:
// those of jobs that stay where they are, and of measurements.
func (t *table) pinned() int {
	sum := 0
	for _, j := range t.s.Running {
		if t.movable(j) {
			continue
		}
		for _, a := range j.Attempt.Allocations {
			if t.s.Cluster.Node(a.Node).Takes() {
				sum++
			}
		}
	}
	for _, j := range t.s.Waiting {
		if e := t.book[j.Job.ID]; e.measured > t.s.Now {
			sum += len(e.on)
		}
	}
	return sum
}

// deadline adds a job that can still meet one of its deadlines, or reports false.
// The leases that it needs are those for its earliest deadline that is not out of
// reach; for later ones it may need more, as its leases spread over more slots, and
// that is seen when the round is made anew.
func (r *program) deadline(j *schedmate.JobStatus) bool {
	t := r.t
	left := t.left(j)
	job := milp.Job{ID: j.Job.ID, Kind: reward.Strict, Late: reward.One}
	if j.Job.SLO.Class == schedmate.Soft {
		job.Kind = reward.Soft
	}
	var tiers []schedmate.Tier
	leases := 0
	for _, x := range t.tiers(j) {
		by, n := t.fits(j, left, x.Deadline)
		if n == 0 {
			continue
		}
		points := reward.Points(x.Reward) * reward.One * reward.Points(t.DeadlineReward) / schedmate.FullReward
		if k := len(job.Steps); k > 0 && (job.Steps[k-1].By >= by || by < leases) {
			continue
		}
		leases = max(leases, min(n, by))
		job.Steps = append(job.Steps, reward.Step{By: by, Reward: max(points, job.Late)})
		tiers = append(tiers, x)
	}
	if len(tiers) == 0 {
		return false
	}
	job.Must = t.Rules.Keep && t.book[j.Job.ID].told == schedmate.Promised
	job.Policies = []milp.Policy{{GPUs: t.planned(j), Leases: leases}}
	r.m.Jobs, r.jobs, r.tiers = append(r.m.Jobs, job), append(r.jobs, j), append(r.tiers, tiers)
	return true
}

// fits returns by the end of which slot, from 1, a job can meet a deadline, and the
// leases that it needs; 0 when it cannot. A deadline within a slot is as good as one
// at its beginning, unless the job has no time to wait: then it holds all slots from
// now on, and its end cuts the last one short.
func (t *table) fits(j *schedmate.JobStatus, left, deadline schedmate.Seconds) (by, leases int) {
	room := deadline - t.s.Now
	if left > room {
		return 0, 0
	}
	whole := int(room / t.Lease)
	const paid = true // the first run: what it costs, if anything, is owed and in what is left
	if n, ok := lease.ForWork(left, t.resume(j.Job.GPUs), t.Lease, whole, paid); ok {
		return whole, n
	}
	n := int((left + t.Lease - 1) / t.Lease)
	return n, n
}

// spotLeases is how many spot leases a job needs, with the resumptions to expect:
// at each boundary it is cut off with probability 1/2.
func (t *table) spotLeases(j *schedmate.JobStatus) int {
	left := t.left(j)
	n := int((left + t.Spot - 1) / t.Spot)
	again := schedmate.Seconds(lease.SpotResumes(n-1) * float64(t.resume(j.Job.GPUs)))
	return int((left + again + t.Spot - 1) / t.Spot)
}

func (r *program) spot(j *schedmate.JobStatus, kind reward.Kind, gpus, leases int) {
	if gpus > r.t.total {
		return
	}
	r.m.Jobs = append(r.m.Jobs, milp.Job{ID: j.Job.ID, Kind: kind, Policies: []milp.Policy{{GPUs: gpus, Leases: leases}}})
	r.jobs, r.tiers = append(r.jobs, j), append(r.tiers, nil)
}

// standing is what the round before has chosen, as a calendar of this one: a round
// that has no steps left to find a better one carries it out.
func (r *program) standing() []milp.Promise {
	out := make([]milp.Promise, len(r.jobs))
	var demands []lease.Demand
	var of []int
	for i, j := range r.jobs {
		out[i] = milp.Promise{Step: -1, Policy: -1}
		chosen := r.t.book[j.Job.ID].chosen
		for s, x := range r.tiers[i] {
			if chosen == x.Deadline {
				p := r.m.Jobs[i].Policies[0]
				out[i] = milp.Promise{Step: s, Policy: 0}
				demands, of = append(demands, lease.Demand{GPUs: p.GPUs, Leases: p.Leases, By: r.m.Jobs[i].Steps[s].By}), append(of, i)
			}
		}
	}
	if len(of) == 0 {
		return nil
	}
	calendar, _ := lease.LeastLaxity(r.m.Capacity, nil, demands)
	for k, i := range of {
		out[i].Slots = calendar[k]
	}
	return out
}

// adopt notes what was chosen, tells it, and gives out leases and spot leases.
func (r *program) adopt(sol *milp.Plan) {
	t := r.t
	t.leases, t.picked = make(map[string]bool), make(map[string]bool)
	var demands []lease.Demand
	var of []int
	for i, j := range r.jobs {
		p, e := &sol.Jobs[i], t.book[j.Job.ID]
		e.chosen = 0
		switch {
		case p.Step >= 0:
			e.chosen = r.tiers[i][p.Step].Deadline
			policy := r.m.Jobs[i].Policies[p.Policy]
			demands, of = append(demands, lease.Demand{GPUs: policy.GPUs, Leases: policy.Leases, By: r.m.Jobs[i].Steps[p.Step].By}), append(of, i)
			if t.Rules.Calendar == Early && len(p.Slots) > 0 && p.Slots[0] == 1 {
				t.leases[j.Job.ID] = true
			}
		case len(p.Subs) > 0 && p.Subs[0] == 1:
			t.picked[j.Job.ID] = true
		}
	}
	if t.Rules.Calendar == Late {
		calendar, short := lease.Latest(r.m.Capacity, nil, demands)
		for k, i := range of {
			if len(calendar[k]) > 0 && calendar[k][0] == 1 {
				t.leases[r.jobs[i].Job.ID] = true
			}
		}
		for _, k := range short { // they found not all the room they need, so they begin now
			t.leases[r.jobs[of[k]].Job.ID] = true
		}
	}
	t.inform()
}
