package explain

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// Infeasible returns why the job could never run on the cluster even if it were
// empty and healthy, with a change of the request that could, or nil.
func Infeasible(p scheduler.Policy, b scheduler.Budget, c schedmate.Cluster, j schedmate.JobStatus, now schedmate.Seconds) *schedmate.Reason {
	alone := newAsker(p, b, schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind,
		Now: now, Cluster: healthy(c), Waiting: []*schedmate.JobStatus{&j},
	}, j.Job.ID)
	if alone.runs(schedmate.Change{}) {
		return nil
	}
	reason := &schedmate.Reason{Job: j.Job.ID, Code: schedmate.ExceedsCluster, Need: j.Job.GPUs}
	if v := c.VC(j.Job.VC); v != nil && v.QuotaGPUs > 0 && v.QuotaGPUs < j.Job.GPUs {
		change := schedmate.Change{Quota: j.Job.GPUs}
		if alone.runs(change) {
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

// asker puts what-if questions about one job to a policy.
type asker struct {
	policy   scheduler.Policy
	budget   scheduler.Budget
	snapshot schedmate.Snapshot
	job      string
	ranked   bool // snapshot.Waiting is in the policy's order
}

// newAsker puts the waiting jobs into the policy's order, if it has one.
func newAsker(p scheduler.Policy, b scheduler.Budget, s schedmate.Snapshot, job string) *asker {
	r, ranked := p.(scheduler.Ranker)
	if ranked {
		s.Waiting = scheduler.Sorted(s.Waiting, s.Now, r.Rank)
	}
	return &asker{policy: p, budget: b, snapshot: s, job: job, ranked: ranked}
}

// runs reports whether the job holds GPUs after the policy has planned for the
// changed snapshot.
func (a *asker) runs(c schedmate.Change) bool {
	s := Apply(a.snapshot, a.job, c)
	if a.ranked && c.Resize == 0 && !c.AnyType && c.VC == "" { // nobody's rank has changed
		s = s.WithHost(nil, true)
	}
	plan := scheduler.Plan(a.policy, s, a.budget)
	if plan.Started(a.job) != nil {
		return true
	}
	preempted := slices.ContainsFunc(plan.Actions, func(act schedmate.Action) bool {
		return act.Kind == schedmate.Preempt && act.Job == a.job
	})
	return s.Find(a.job).Attempt != nil && !preempted
}

// largest returns the largest gang, up to the job's own, that would run.
func (a *asker) largest(c schedmate.Change) int {
	j := a.snapshot.Find(a.job)
	for gpus := min(j.Job.GPUs, a.snapshot.Cluster.GPUs()); gpus > 0; gpus-- {
		c.Resize = gpus
		if a.runs(c) {
			return gpus
		}
	}
	return 0
}
