package verify

import (
	"fmt"
	"slices"

	"schedmate"
)

// statements: what a reason says agrees with the snapshot and with itself.
func (l *Ledger) statements(s *schedmate.Snapshot, p *schedmate.Plan) {
	for i := range p.Reasons {
		r := &p.Reasons[i]
		e := l.jobs[r.Job]
		if e == nil {
			l.refuse(OnePlace, r.Job, "has a reason but is not known")
			continue
		}
		if i > 0 && p.Reasons[i-1].Job > r.Job {
			l.refuse(Form, r.Job, "reasons must be sorted by job, %s comes before", p.Reasons[i-1].Job)
		}
		if problem := l.reason(s, e, r); problem != "" {
			l.refuse(Form, r.Job, "reason %s: %s", r.Code, problem)
		}
	}
}

// complete: after the actions, exactly one reason for each job that waits.
func (l *Ledger) complete(s *schedmate.Snapshot, p *schedmate.Plan) {
	explained := make(map[string]bool, len(p.Reasons))
	for i := range p.Reasons {
		id := p.Reasons[i].Job
		e := l.jobs[id]
		switch {
		case e == nil: // reported above
		case explained[id]:
			l.refuse(OnePlace, id, "has two reasons")
		case e.running != nil:
			l.refuse(OnePlace, id, "runs and has a reason to wait")
		}
		explained[id] = true
	}
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} { // preempted ones wait, too
		for _, j := range list {
			if id := j.Job.ID; l.jobs[id].running == nil && !explained[id] {
				l.refuse(NoJobLost, id, "waits without a reason")
			}
		}
	}
}

func (l *Ledger) reason(s *schedmate.Snapshot, e *entry, r *schedmate.Reason) string {
	free, limit := l.free(e), 0
	quota, held := l.quotas[e.job.VC], l.shared[e.job.VC]-l.sharedOf(e)
	switch r.Code {
	case schedmate.ExceedsCluster:
		if limit = r.Limit; limit < 0 || limit >= r.Need {
			return fmt.Sprintf("limit must lie in [0, need), got %d of %d", r.Limit, r.Need)
		}
		free = limit
	case schedmate.ExceedsQuota:
		free, limit = quota, quota
	case schedmate.QuotaUsed:
		free, limit = max(0, quota-held), quota
	case schedmate.NodesUnavailable, schedmate.NotEnoughFree, schedmate.Fragmented, schedmate.BehindInQueue, schedmate.HeldBack:
	default:
		return "is not declared"
	}
	enough := r.Free >= r.Need
	switch {
	case r.Need != e.job.GPUs:
		return fmt.Sprintf("need must be the gang of %d GPUs, got %d", e.job.GPUs, r.Need)
	case r.Free != free || r.Short != max(0, r.Need-free) || r.Limit != limit:
		return fmt.Sprintf("free, short and limit must be %d, %d and %d, got %d, %d and %d", free, max(0, r.Need-free), limit, r.Free, r.Short, r.Limit)
	case enough && (r.Code == schedmate.QuotaUsed || r.Code == schedmate.ExceedsQuota || r.Code == schedmate.NotEnoughFree):
		return fmt.Sprintf("%d GPUs are enough for %d", r.Free, r.Need)
	case !enough && r.Code == schedmate.Fragmented:
		return fmt.Sprintf("%d GPUs are not enough for %d", r.Free, r.Need)
	case (r.Code == schedmate.NodesUnavailable) != (len(r.Nodes) > 0), len(r.Nodes) > 0 && !slices.Equal(r.Nodes, r.Change.Restore):
		return "nodes must be those that the change brings back, and are named for unavailable nodes only"
	case !r.Change.Alone && !slices.Equal(slices.Sorted(slices.Values(r.Blockers)), r.Change.Hold):
		return "blockers must be the jobs that the change holds"
	case !r.Change.Alone && r.Ahead != len(r.Blockers),
		r.Change.Alone && (r.Ahead < len(r.Blockers) || r.Ahead > len(s.Waiting) || len(r.Change.Hold) > 0):
		return fmt.Sprintf("ahead must count the jobs that step aside, got %d with %d named and %d waiting", r.Ahead, len(r.Blockers), len(s.Waiting))
	case !each(slices.Sorted(slices.Values(r.Blockers)), l.othersThatWait(e)):
		return "blockers must be other jobs that wait, each once"
	case r.Until != 0 && (r.Until <= s.Now || r.Until > schedmate.MaxSeconds):
		return fmt.Sprintf("until_s %d must lie after now_s %d and not after %d", r.Until, s.Now, schedmate.MaxSeconds)
	}
	if problem := l.change(e, r); problem != "" {
		return "change: " + problem
	}
	return ""
}

// change: it names what can be changed, and of the request only what the code
// says is wrong with it.
func (l *Ledger) change(e *entry, r *schedmate.Reason) string {
	c := &r.Change
	onlyEnds := *c
	onlyEnds.Release = nil
	request := c.Resize != 0 || c.AnyType || c.VC != ""
	runs := func(id string) bool { o := l.jobs[id]; return o != nil && o != e && o.running != nil }
	away := func(id string) bool {
		n := l.nodes[id]
		return n != nil && n.Health != "" && n.Health != schedmate.Healthy
	}
	switch {
	case r.Code == schedmate.HeldBack && !c.Empty():
		return "nothing but time starts a job that is held back"
	case r.Code == schedmate.HeldBack:
		return ""
	case c.Empty():
		return "changes nothing"
	case request != (r.Code == schedmate.ExceedsCluster):
		return "the request is changed exactly if it exceeds the cluster"
	case c.Resize != 0 && (c.Resize < 1 || c.Resize >= e.job.GPUs):
		return fmt.Sprintf("resize_gpus must lie in [1, %d), got %d", e.job.GPUs, c.Resize)
	case c.AnyType && e.job.GPUType == "":
		return "the job takes any GPU type already"
	case c.VC != "" && (c.VC == e.job.VC && !c.AnyType || !l.vcs[c.VC]):
		return fmt.Sprintf("vc %q is not another one of the cluster", c.VC)
	case c.Quota != 0 && (c.Quota <= l.quotas[e.job.VC] || l.quotas[e.job.VC] == 0 || c.Quota > schedmate.MaxGangGPUs):
		return fmt.Sprintf("quota_gpus %d is not above the quota of vc %q, %d", c.Quota, e.job.VC, l.quotas[e.job.VC])
	case c.Quota != 0 && r.Code != schedmate.ExceedsQuota && r.Code != schedmate.QuotaUsed:
		return "the quota is not what the job waits for"
	case !each(c.Hold, l.othersThatWait(e)):
		return "hold_jobs must be other jobs that wait, sorted"
	case !each(c.Release, runs):
		return "release_jobs must be other jobs that run, sorted"
	case !each(c.Restore, away):
		return "restore_nodes must be nodes that take no work, sorted"
	case r.Until != 0 && !onlyEnds.Empty():
		return "it does not come about by itself, so no until_s can be expected"
	}
	return ""
}

func (l *Ledger) othersThatWait(e *entry) func(string) bool {
	return func(id string) bool { o := l.jobs[id]; return o != nil && o != e && o.running == nil }
}

// each reports whether the list is sorted without duplicates and ok holds for
// all of it.
func each(list []string, ok func(string) bool) bool {
	for i, id := range list {
		if !ok(id) || i > 0 && list[i-1] >= id {
			return false
		}
	}
	return true
}

// free counts the GPUs that carry nothing but the job itself, on nodes that may
// take it.
func (l *Ledger) free(e *entry) int {
	free := 0
	for _, id := range l.order {
		n := l.nodes[id]
		if !n.takes(e.job) {
			continue
		}
		for gpu, load := range n.load {
			for _, a := range e.running {
				if a.Node == id && a.GPU == gpu {
					load -= a.Share
				}
			}
			if load == 0 {
				free++
			}
		}
	}
	return free
}

// sharedOf counts the GPUs that the job holds on nodes of no VC.
func (l *Ledger) sharedOf(e *entry) int {
	held := 0
	for _, a := range e.running {
		if l.nodes[a.Node].VC == "" {
			held++
		}
	}
	return held
}
