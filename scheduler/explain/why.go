package explain

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// Effort bounds how many times the policy is asked for one reason. The change
// is always sufficient; with too few probes it may name more than is needed.
type Effort struct{ Probes int }

// Thorough is enough to make the change of a job minimal among some hundred
// others; Quick keeps the reasons of a long queue cheap.
var (
	Thorough = Effort{Probes: 1000}
	Quick    = Effort{Probes: 40}
)

// Why returns why the job does not run after the policy's plan, or nil if it
// does. The job must be in the snapshot.
func Why(p scheduler.Policy, b scheduler.Budget, s schedmate.Snapshot, job string, effort Effort) *schedmate.Reason {
	ask := asker{policy: p, budget: b, snapshot: s, job: job}
	if ask.runs(schedmate.Change{}) {
		return nil
	}
	j := s.Find(job)
	r := Infeasible(p, b, s.Cluster, *j, s.Now)
	if r == nil {
		r = bind(&ask, j, effort.Probes)
	} else {
		complete(&ask, r, effort.Probes)
	}
	if c := &r.Change; len(c.Hold) == 0 && c.Resize == 0 && len(c.Release) > 0 {
		r.Until = expected(&s, c.Release)
	}
	return r
}

// All returns the reasons of every job that does not run after the plan,
// sorted by job, as Plan.Reasons wants them.
func All(p scheduler.Policy, b scheduler.Budget, s schedmate.Snapshot, plan *schedmate.Plan, effort Effort) []schedmate.Reason {
	started := make(map[string]bool, len(plan.Actions))
	reasons := []schedmate.Reason{}
	add := func(id string) {
		if r := Why(p, b, s, id, effort); r != nil {
			reasons = append(reasons, *r)
		}
	}
	for _, a := range plan.Actions {
		if a.Kind == schedmate.Preempt {
			add(a.Job)
		} else {
			started[a.Job] = true
		}
	}
	for _, j := range s.Waiting {
		if !started[j.Job.ID] {
			add(j.Job.ID)
		}
	}
	slices.SortFunc(reasons, func(a, b schedmate.Reason) int { return cmp.Compare(a.Job, b.Job) })
	return reasons
}

// bind finds the reason of a job that could run on the healthy, empty cluster.
func bind(ask *asker, j *schedmate.JobStatus, probes int) *schedmate.Reason {
	s := &ask.snapshot
	r := &schedmate.Reason{Job: ask.job, Need: j.Job.GPUs}
	free, quota := usable(s, &j.Job)
	number(r, free)

	alone := *ask
	alone.snapshot = Apply(*s, ask.job, schedmate.Change{Hold: others(s.Waiting, ask.job), Release: others(s.Running, ask.job)})
	if j.Attempt == nil && !alone.runs(schedmate.Change{}) {
		r.Code = schedmate.NodesUnavailable
		r.Change.Restore = shrink(away(s), &probes, func(ids []string) bool {
			return alone.runs(schedmate.Change{Restore: ids})
		})
		r.Nodes = r.Change.Restore
	}
	if v := s.Cluster.VC(j.Job.VC); v != nil && v.QuotaGPUs > 0 && quota < j.Job.GPUs && r.Code == 0 {
		r.Code, r.Limit = schedmate.QuotaUsed, v.QuotaGPUs
		r.Change.Quota = v.QuotaGPUs - quota + j.Job.GPUs
		number(r, quota)
	}
	complete(ask, r, probes)
	if r.Code == 0 {
		switch {
		case len(r.Change.Release) == 0:
			r.Code = schedmate.BehindInQueue
		case r.Free < r.Need:
			r.Code = schedmate.NotEnoughFree
		default:
			r.Code = schedmate.Fragmented
		}
	}
	return r
}

// complete adds to the reason's change the fewest jobs that must step aside or
// end for the job to run. With all of them gone it runs.
func complete(ask *asker, r *schedmate.Reason, probes int) {
	if ask.runs(r.Change) {
		return
	}
	s := &ask.snapshot
	with := func(hold, release []string) schedmate.Change {
		c := r.Change
		c.Hold, c.Release = hold, release
		return c
	}
	hold, release := others(ahead(ask.policy, s, ask.job), ask.job), []string(nil)
	if !ask.runs(with(hold, nil)) {
		ends := others(byExpectedEnd(s.Running, s.Now), ask.job)
		if !ask.runs(with(hold, ends)) {
			hold = others(s.Waiting, ask.job) // the rank does not tell who goes first
		}
		if ask.runs(with(nil, ends)) {
			hold = nil // waiting for others to end is enough
		}
		release = soonest(ends, func(ids []string) bool { return ask.runs(with(hold, ids)) })
		release = shrink(release, &probes, func(ids []string) bool { return ask.runs(with(hold, ids)) })
	}
	hold = shrink(hold, &probes, func(ids []string) bool { return ask.runs(with(ids, release)) })
	r.Change = with(hold, release)
	r.Blockers = slices.Clone(hold)
	slices.Sort(r.Change.Hold)
	slices.Sort(r.Change.Release)
}

// soonest returns a shortest prefix of ends that satisfies ok, if ok grows with
// the prefix; in any case one that satisfies it. ok(ends) must hold.
func soonest(ends []string, ok func([]string) bool) []string {
	lo, hi := 0, len(ends)
	for lo < hi {
		mid := (lo + hi) / 2
		if ok(ends[:mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if !ok(ends[:hi]) {
		return ends
	}
	return ends[:hi]
}

// ahead returns the waiting jobs that the policy serves before the job, in its
// order, or all of them if it does not rank.
func ahead(p scheduler.Policy, s *schedmate.Snapshot, job string) []*schedmate.JobStatus {
	ranker, ok := p.(scheduler.Ranker)
	if !ok {
		return s.Waiting
	}
	queue := scheduler.Sorted(s.Waiting, s.Now, ranker.Rank)
	if i := slices.IndexFunc(queue, func(j *schedmate.JobStatus) bool { return j.Job.ID == job }); i >= 0 {
		return queue[:i]
	}
	return queue
}

// usable counts the free GPUs that the job's VC and type allow, and what its
// quota leaves. A running job's own GPUs count as free to it.
func usable(s *schedmate.Snapshot, j *schedmate.Job) (free, quota int) {
	o := s.Occupancy()
	for i := range o.Len() {
		if o.Admits(i, j) {
			free += o.Free(i)
		}
	}
	if own := s.Find(j.ID); own != nil && own.Attempt != nil {
		free += len(own.Attempt.Allocations)
	}
	return free, o.QuotaLeft(j.VC)
}

func others(jobs []*schedmate.JobStatus, job string) []string {
	var ids []string
	for _, j := range jobs {
		if j.Job.ID != job {
			ids = append(ids, j.Job.ID)
		}
	}
	return ids
}

func away(s *schedmate.Snapshot) []string {
	var ids []string
	for i := range s.Cluster.Nodes {
		if !s.Cluster.Nodes[i].Takes() {
			ids = append(ids, s.Cluster.Nodes[i].ID)
		}
	}
	return ids
}

// expected returns when the last of the jobs is estimated to end, or 0.
func expected(s *schedmate.Snapshot, jobs []string) schedmate.Seconds {
	var until schedmate.Seconds
	for _, id := range jobs {
		left, ok := s.Find(id).Remaining(s.Now)
		if !ok {
			return 0
		}
		until = max(until, s.Now+left)
	}
	return until
}

// EffortFor returns the effort for explaining every job of a queue of that
// length: long queues get by with few probes a job.
func EffortFor(waiting int) Effort {
	if waiting > 100 {
		return Quick
	}
	return Thorough
}
