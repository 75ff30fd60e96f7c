package explain

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// Infeasible returns why the job could never run on the cluster even if it were
// empty and healthy, with a change of the request that could, or nil.
func Infeasible(p scheduler.Policy, b scheduler.Budget, c schedmate.Cluster, j schedmate.JobStatus, now schedmate.Seconds) *schedmate.Reason {
	j.Job.SLO = schedmate.SLO{} // a deadline says nothing about room
	alone := newBoard(p, b, schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind,
		Now: now, Cluster: healthy(c), Waiting: []*schedmate.JobStatus{&j},
	}).about(&j)
	if alone.runsInTime(schedmate.Change{}) {
		return nil
	}
	reason := &schedmate.Reason{Job: j.Job.ID, Code: schedmate.ExceedsCluster, Need: j.Job.GPUs}
	if v := c.VC(j.Job.VC); v != nil && v.QuotaGPUs > 0 && v.QuotaGPUs < j.Job.GPUs {
		change := schedmate.Change{Quota: j.Job.GPUs}
		if alone.runsInTime(change) {
			reason.Code, reason.Limit, reason.Change = schedmate.ExceedsQuota, v.QuotaGPUs, change
			return number(reason, v.QuotaGPUs)
		}
	}
	// The request must change: fewer GPUs if that is enough, else another type
	// or another VC, whichever allows the largest gang.
	requests := []schedmate.Change{{}}
	if j.Job.GPUType != "" {
		requests = append(requests, schedmate.Change{AnyType: true})
	}
	for _, v := range c.VCs {
		requests = append(requests, schedmate.Change{VC: v.Name})
		if j.Job.GPUType != "" {
			requests = append(requests, schedmate.Change{VC: v.Name, AnyType: true})
		}
	}
	best := 0
	for i, change := range requests {
		most := alone.largest(change)
		if i == 0 {
			reason.Limit = most
		}
		if most > best {
			best = most
			if most < j.Job.GPUs {
				change.Resize = most
			}
			reason.Change = change
		}
		if best == j.Job.GPUs || reason.Limit > 0 {
			break
		}
	}
	return number(reason, reason.Limit)
}

func number(r *schedmate.Reason, free int) *schedmate.Reason {
	r.Free = free
	r.Short = max(0, r.Need-free)
	return r
}

func healthy(c schedmate.Cluster) schedmate.Cluster {
	c.Nodes = slices.Clone(c.Nodes)
	for i := range c.Nodes {
		c.Nodes[i].Health = schedmate.Healthy
	}
	return c
}

// largest returns the largest gang, up to the job's own, that would run. On an
// empty cluster whatever is smaller than a gang that runs would run, too.
func (a *asker) largest(c schedmate.Change) int {
	runs := func(gpus int) bool {
		c.Resize = gpus
		return a.runsInTime(c)
	}
	lo, hi := 0, min(a.job.Job.GPUs, a.snapshot.Cluster.GPUs())
	for lo < hi {
		if mid := (lo + hi + 1) / 2; runs(mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// patience is how many times a policy that starts nobody now is asked again at
// the instant it asks to be woken at.
const patience = 4

// runsInTime reports whether the job, alone in the snapshot, runs now or at an
// instant to which the policy puts it off: some policies decide at their own
// times only.
func (a *asker) runsInTime(c schedmate.Change) bool {
	id := a.job.Job.ID
	s := Apply(a.snapshot, id, c)
	for range 1 + patience {
		plan := scheduler.Plan(a.policy, s.WithHost(nil, false), a.budget)
		if plan.Started(id) != nil {
			return true
		}
		if plan.Wake == 0 {
			return false
		}
		s.Now, s.Memory = plan.Wake, plan.Memory
	}
	return false
}
