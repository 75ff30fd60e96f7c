package yarncs

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

type byShare struct {
	find     place.Func
	blocking dispatch.Blocking
}

func (p *byShare) Name() string { return "yarncs" }

// Order is the submission time, which counts within a VC.
func (p *byShare) Order(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	return bySubmission(j, now)
}

// tenant is a VC, or all jobs that belong to none.
type tenant struct {
	held     int // GPUs
	entitled int // GPUs, at least 1
	queue    []*schedmate.JobStatus
}

func (p *byShare) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}}
	free := dispatch.FreeGPUs(o)
	tenants := p.tenants(&s)
	for free > 0 && len(tenants) > 0 {
		t := slices.MinFunc(tenants, compareTurn)
		j := t.queue[0]
		t.queue = t.queue[1:]
		if as := p.find(o, &j.Job); as != nil {
			o.Take(&j.Job, as)
			free -= j.Job.GPUs
			t.held += j.Job.GPUs
			plan.Actions = append(plan.Actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as})
		} else if p.blocking == dispatch.HeadOfLine && j.Job.GPUs <= o.Capacity(&j.Job) {
			t.queue = nil
		}
		tenants = slices.DeleteFunc(tenants, func(t *tenant) bool { return len(t.queue) == 0 })
	}
	return plan
}

// compareTurn puts the tenant first that holds the smallest part of what it is
// entitled to, of equal ones that whose first job was submitted first.
func compareTurn(a, b *tenant) int {
	x, y := a.queue[0], b.queue[0]
	return cmp.Or(
		cmp.Compare(int64(a.held)*int64(b.entitled), int64(b.held)*int64(a.entitled)),
		cmp.Compare(x.Job.Submit, y.Job.Submit), cmp.Compare(x.Seq, y.Seq),
	)
}

// tenants lists those that have waiting jobs.
func (p *byShare) tenants(s *schedmate.Snapshot) []*tenant {
	var out []*tenant
	byVC := make(map[string]*tenant, len(s.Cluster.VCs)+1)
	for _, j := range scheduler.Sorted(s.Waiting, s.Now, p.Order) {
		t := byVC[j.Job.VC]
		if t == nil {
			t = &tenant{entitled: entitled(&s.Cluster, j.Job.VC)}
			byVC[j.Job.VC] = t
			out = append(out, t)
		}
		t.queue = append(t.queue, j)
	}
	for _, j := range s.Running {
		if t := byVC[j.Job.VC]; t != nil {
			t.held += j.Job.GPUs
		}
	}
	return out
}

// entitled returns the GPUs that a VC can count on.
func entitled(c *schedmate.Cluster, vc string) int {
	gpus, all := 0, 0
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.VC == vc && vc != "" {
			gpus += n.GPUs
		}
		all += c.Nodes[i].GPUs
	}
	if v := c.VC(vc); v != nil {
		gpus += v.QuotaGPUs
	}
	if gpus == 0 {
		gpus = all / max(1, len(c.VCs))
	}
	return max(1, gpus)
}
