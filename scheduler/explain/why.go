package explain

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// Effort bounds how many times the policy is asked for one reason. The change
// is always sufficient; with too few probes it may name more than is needed.
// With none it is brief: that all other waiting jobs step aside, and the first
// running jobs to end that make room.
type Effort struct{ Probes int }

// Thorough is enough to make the change of a job minimal among some hundred
// others; Quick leaves out what can be left out at a glance.
var (
	Thorough = Effort{Probes: 1000}
	Quick    = Effort{Probes: 8}
)

// manyJobs is how many jobs a part of the cluster may have for its reasons to
// be searched for the fewest names; beyond, they are brief.
const manyJobs = 2_000

// Why returns why the job does not run after the policy's plan, or nil if it
// does. The job must be in the snapshot.
func Why(p scheduler.Policy, b scheduler.Budget, s schedmate.Snapshot, job string, effort Effort) *schedmate.Reason {
	for _, bd := range boards(p, b, s) {
		j := bd.jobs[job]
		if j == nil {
			continue
		}
		ask := bd.about(j)
		if ask.runs(schedmate.Change{}) {
			return nil
		}
		return ask.why(&s, effort.Probes)
	}
	panic("BUG: job " + job + " is not in the snapshot")
}

// All returns the reasons of every job that does not run after the plan,
// sorted by job, as Plan.Reasons wants them.
func All(p scheduler.Policy, b scheduler.Budget, s schedmate.Snapshot, plan *schedmate.Plan, effort Effort) []schedmate.Reason {
	acted := make(map[string]schedmate.ActionKind, len(plan.Actions))
	for _, a := range plan.Actions {
		acted[a.Job] = a.Kind
	}
	reasons := []schedmate.Reason{}
	for _, bd := range boards(p, b, s) {
		for _, j := range bd.snapshot.Running {
			if acted[j.Job.ID] == schedmate.Preempt {
				reasons = append(reasons, *bd.about(j).why(&s, effort.Probes))
			}
		}
		for at, j := range bd.snapshot.Waiting {
			if acted[j.Job.ID] != schedmate.Start {
				ask := &asker{board: bd, job: j, at: at}
				reasons = append(reasons, *ask.why(&s, effort.Probes))
			}
		}
	}
	slices.SortFunc(reasons, func(a, b schedmate.Reason) int { return cmp.Compare(a.Job, b.Job) })
	return reasons
}

// why finds the reason of a job that is known not to run. The whole snapshot
// may be larger than the board: another VC may be the way out.
func (a *asker) why(whole *schedmate.Snapshot, probes int) *schedmate.Reason {
	var r *schedmate.Reason
	possible := a.possible()
	if !possible {
		r = Infeasible(a.policy, a.budget, whole.Cluster, *a.job, whole.Now)
	}
	if r == nil {
		r = number(&schedmate.Reason{Job: a.job.Job.ID, Need: a.job.Job.GPUs}, a.usable())
		if !possible && !a.onAnEmptyCluster().runs(schedmate.Change{Restore: away(&a.snapshot)}) {
			r.Code = schedmate.HeldBack
			return r
		}
	}
	if r.Change.VC != "" {
		bd := newBoard(a.policy, a.budget, *whole)
		a = bd.about(bd.jobs[r.Job])
	}
	if !possible {
		restore(a.onAnEmptyCluster(), r, probes)
	}
	raise(a, r)
	if probes == 0 || len(a.jobs) > manyJobs {
		brief(a, r)
	} else {
		complete(a, r, probes)
	}
	rest := r.Change
	if rest.Release = nil; rest.Empty() { // it comes about by itself
		r.Until = a.expected(r.Change.Release)
	}
	return r
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
func raise(ask *asker, r *schedmate.Reason) {
	s, j := &ask.snapshot, ask.job
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
		if ask.runs(schedmate.Change{Hold: ask.others(ask.waiting), Release: gone}) {
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
func complete(ask *asker, r *schedmate.Reason, probes int) {
	c := r.Change
	runs := func(hold, over []string) bool {
		c.Hold, c.Release = hold, over
		return ask.runs(c)
	}
	all := ask.others(ask.waiting)
	first := all // those whom the policy serves before the job, as far as that is known
	if ask.at >= 0 && ask.ranked {
		first = all[:ask.at:ask.at]
	}
	ends := ask.others(ask.ends)
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
			now := ask.snapshot.Cluster.VC(ask.job.Job.VC).QuotaGPUs
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
		r.Code = code(r, fits)
	}
	r.Ahead, r.Blockers = len(hold), hold
	c.Hold, c.Release = slices.Sorted(slices.Values(hold)), slices.Sorted(slices.Values(over))
	if len(hold) > maxNamed {
		r.Blockers, c.Hold, c.Alone = hold[:maxNamed], nil, true
	}
	r.Change = c
}

// maxNamed is how many jobs ahead of another a reason names. Where there are
// more, the change is that all other waiting jobs step aside.
const maxNamed = 20

// code tells the reasons apart that have no earlier one; fits says whether the
// job would run if nobody else waited.
func code(r *schedmate.Reason, fits bool) schedmate.ReasonCode {
	switch {
	case fits:
		return schedmate.BehindInQueue
	case r.Free < r.Need:
		return schedmate.NotEnoughFree
	}
	return schedmate.Fragmented
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
func (a *asker) usable() int {
	mark := a.occupancy.Mark()
	defer a.occupancy.Rollback(mark)
	if a.job.Attempt != nil {
		a.occupancy.Release(&a.job.Job, a.job.Attempt.Allocations)
	}
	free := 0
	for i := range a.occupancy.Len() {
		if a.occupancy.Admits(i, &a.job.Job) {
			free += a.occupancy.Free(i)
		}
	}
	return free
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
func (a *asker) expected(jobs []string) schedmate.Seconds {
	now := a.snapshot.Now
	var until schedmate.Seconds
	for _, id := range jobs {
		left, ok := a.jobs[id].Remaining(now)
		if !ok || left == 0 {
			return 0
		}
		until = max(until, now+left)
	}
	return until
}

// EffortFor returns the effort for explaining every job of a queue of that
// length: the probes for all of them together are bounded.
func EffortFor(waiting int) Effort {
	if waiting > 200 {
		return Effort{}
	}
	return Effort{Probes: min(Thorough.Probes, 4_000/max(1, waiting))}
}
