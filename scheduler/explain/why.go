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
	ask := newAsker(p, b, s, job)
	if ask.runs(schedmate.Change{}) {
		return nil
	}
	j := s.Find(job)
	alone := *ask
	alone.snapshot = Apply(ask.snapshot, job, schedmate.Change{Hold: others(s.Waiting, job), Release: others(s.Running, job)})
	var r *schedmate.Reason
	possible := alone.runs(schedmate.Change{})
	if !possible {
		r = Infeasible(p, b, s.Cluster, *j, s.Now)
	}
	if r == nil {
		r = number(&schedmate.Reason{Job: job, Need: j.Job.GPUs}, usable(&s, &j.Job))
	}
	if !possible {
		restore(&alone, r, effort.Probes)
	}
	raise(ask, r, j)
	complete(ask, r, j, effort.Probes)
	rest := r.Change
	if rest.Release = nil; rest.Empty() { // it comes about by itself
		r.Until = expected(&s, r.Change.Release)
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

// restore adds the nodes without which the job would not run even if it were
// alone. With all of them back it runs.
func restore(alone *asker, r *schedmate.Reason, probes int) {
	c := r.Change
	runs := func(nodes []string) bool {
		c.Restore = nodes
		return alone.runs(c)
	}
	if runs(nil) {
		return
	}
	r.Change.Restore = shrink(away(&alone.snapshot), &probes, runs)
	if r.Code == 0 {
		r.Code, r.Nodes = schedmate.NodesUnavailable, r.Change.Restore
	}
}

// raise adds a higher quota if the quota keeps the job from running as long as
// its VC holds the shared GPUs that it holds, whatever else ends.
func raise(ask *asker, r *schedmate.Reason, j *schedmate.JobStatus) {
	s := &ask.snapshot
	v := s.Cluster.VC(j.Job.VC)
	if v == nil || v.QuotaGPUs == 0 || r.Change.VC != "" || r.Code != 0 && r.Change.Quota == 0 {
		return
	}
	var gone []string
	held := 0
	for _, other := range s.Running {
		shared := 0
		for _, a := range other.Attempt.Allocations {
			if s.Cluster.Node(a.Node).VC == "" {
				shared++
			}
		}
		switch {
		case other.Job.ID == j.Job.ID:
		case other.Job.VC == v.Name && shared > 0:
			held += shared
		default:
			gone = append(gone, other.Job.ID)
		}
	}
	needed := held + j.Job.GPUs
	if needed <= max(v.QuotaGPUs, r.Change.Quota) {
		return
	}
	if r.Code == 0 {
		if ask.runs(schedmate.Change{Hold: others(s.Waiting, ask.job), Release: gone}) {
			return // its VC's own nodes would do
		}
		r.Code, r.Limit = schedmate.QuotaUsed, v.QuotaGPUs
		number(r, max(0, v.QuotaGPUs-held))
	}
	r.Change.Quota = needed
}

// complete adds the jobs that must step aside or end for the job to run, as few
// as the probes can tell: only such that wait, if that is enough, else only
// such that run, if that is enough. With all of them gone the job runs.
func complete(ask *asker, r *schedmate.Reason, j *schedmate.JobStatus, probes int) {
	s, c := &ask.snapshot, r.Change
	runs := func(hold, over []string) bool {
		c.Hold, c.Release = hold, over
		return ask.runs(c)
	}
	all := others(s.Waiting, ask.job)
	first := all // those whom the policy serves before the job, as far as that is known
	if at := slices.IndexFunc(s.Waiting, func(w *schedmate.JobStatus) bool { return w.Job.ID == ask.job }); at >= 0 && ask.ranked {
		first = all[:at:at]
	}
	ends := others(byExpectedEnd(s.Running, s.Now), ask.job)
	fits := runs(all, nil) // if nobody else waited
	var hold, over []string
	switch {
	case runs(nil, nil):
	case runs(first, nil):
		hold = first
	case fits: // the rank does not tell who goes first
		hold = all
	default:
		switch {
		case runs(nil, ends):
		case runs(first, ends):
			hold = first
		default:
			hold = all
		}
		soonest := least(0, len(ends), func(n int) bool { return runs(hold, ends[:n]) })
		over = ends[:soonest]
	}
	for asked := -1; asked != len(hold)+len(over)+c.Quota; { // until nothing can be left out
		asked = len(hold) + len(over) + c.Quota
		over = shrink(over, &probes, func(ids []string) bool { return runs(hold, ids) })
		hold = shrink(hold, &probes, func(ids []string) bool { return runs(ids, over) })
		if c.Quota > 0 { // the end of jobs may have made some of it unnecessary
			now := s.Cluster.VC(j.Job.VC).QuotaGPUs
			enough := least(now, c.Quota, func(quota int) bool {
				c.Quota = quota
				return runs(hold, over)
			})
			if c.Quota = enough; enough == now {
				c.Quota = 0
			}
		}
	}
	if r.Code == 0 {
		switch {
		case fits:
			r.Code = schedmate.BehindInQueue
		case r.Free < r.Need:
			r.Code = schedmate.NotEnoughFree
		default:
			r.Code = schedmate.Fragmented
		}
	}
	r.Blockers = hold
	c.Hold, c.Release = slices.Sorted(slices.Values(hold)), slices.Sorted(slices.Values(over))
	r.Change = c
}

// least returns the smallest number in [lo, hi] that satisfies ok, if ok grows
// with it; in any case one that satisfies it. ok(hi) must hold.
func least(lo, hi int, ok func(int) bool) int {
	top := hi
	for lo < hi {
		if mid := (lo + hi) / 2; ok(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if hi < top && !ok(hi) {
		return top
	}
	return hi
}

// usable counts the free GPUs that the job's VC and type allow. A running job's
// own GPUs count as free to it.
func usable(s *schedmate.Snapshot, j *schedmate.Job) int {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	if own := s.Find(j.ID); own.Attempt != nil {
		o.Release(j, own.Attempt.Allocations)
	}
	free := 0
	for i := range o.Len() {
		if o.Admits(i, j) {
			free += o.Free(i)
		}
	}
	return free
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

// expected returns when the last of the running jobs is estimated to end, or 0
// if that is not known: an estimate is missing or used up.
func expected(s *schedmate.Snapshot, jobs []string) schedmate.Seconds {
	var until schedmate.Seconds
	for _, id := range jobs {
		left, ok := s.Find(id).Remaining(s.Now)
		if !ok || left == 0 {
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
