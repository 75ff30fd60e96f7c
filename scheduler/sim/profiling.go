package sim

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/profile"
)

// Profiling is what came of the measurements of a run.
type Profiling struct {
	Jobs  int // that were measured
	Ended int // of these, those whose work was done in their first measurement

	// Wait is the time from submission to the first measurement, back-offs included;
	// Queue that in the profiler's queue alone. Sums and longest, in seconds.
	Wait, LongestWait, Queue, LongestQueue schedmate.Seconds
	TurnedAway                             int   // jobs that came again at least once
	GPUSeconds                             int64 // that measurements held
	MostNodes                              int   // that were the profiler's at once
	KeptGPUSeconds                         int64 // of the profiler's nodes, until its last measurement is over; where the policy measures itself, as GPUSeconds
}

// stage is the profiler of a run, which is reckoned before anything else happens: it
// does not depend on the policy. A nil stage measures nobody.
type stage struct {
	order    []int               // of arrivals, by index of the workload
	seen     []schedmate.Seconds // when the policy sees each job
	on       []schedmate.Seconds // for how long each was measured
	measured []*profile.Measured // nil: was not
	sizes    []profile.Size      // that are still to come
	nodes    []string            // that can be the profiler's, the first to be taken first
	has      int                 // how many of them are
}

// measure reckons the profiler of the World.
func (e *engine) measure() error {
	o := e.cfg.World.Profiling
	if o == nil {
		return nil
	}
	c := &e.cfg.Cluster
	switch {
	case len(e.parts) != 1:
		return fmt.Errorf("its nodes are taken from one cluster that all share, and this one is parted among VCs: forget them (drop_vc)")
	case o.MostNodes >= len(c.Nodes):
		return fmt.Errorf("most_nodes is %d, which leaves nothing of a cluster of %d nodes", o.MostNodes, len(c.Nodes))
	}
	last := c.Nodes[len(c.Nodes)-1]
	s := &stage{
		order: make([]int, len(e.load.Jobs)), seen: make([]schedmate.Seconds, len(e.load.Jobs)),
		on: make([]schedmate.Seconds, len(e.load.Jobs)), measured: make([]*profile.Measured, len(e.load.Jobs)),
	}
	for i := range o.MostNodes {
		n := &c.Nodes[len(c.Nodes)-1-i]
		if n.GPUs != last.GPUs || n.GPUType != last.GPUType || !n.Takes() {
			return fmt.Errorf("the last %d nodes must be healthy and alike, node %s is not as node %s", o.MostNodes, n.ID, last.ID)
		}
		if slices.ContainsFunc(e.load.Nodes, func(ev NodeEvent) bool { return ev.Node == n.ID }) {
			return fmt.Errorf("node %s, which may be the profiler's, changes its health in the trace", n.ID)
		}
		s.nodes = append(s.nodes, n.ID)
	}
	var requests []profile.Request
	var of []int
	for k := range e.load.Jobs {
		j := &e.load.Jobs[k]
		s.order[k], s.seen[k] = k, j.Submit
		if e.cfg.World.Estimates == scheduler.TraceEstimate && slices.ContainsFunc(j.Facts, func(f schedmate.Fact) bool { return f.Kind == schedmate.RunSeconds }) {
			continue
		}
		if len(j.Stops) > 0 {
			return fmt.Errorf("job %s stops on its way, which the profiler does not know: leave out failures", j.ID)
		}
		run := j.Outcome.Run
		if j.TimeLimit > 0 {
			run = min(run, j.TimeLimit)
		}
		requests = append(requests, profile.Request{User: j.User, GPUs: j.GPUs, Submit: j.Submit, Run: run})
		of = append(of, k)
	}
	measured, sizes := o.Run(last.GPUs, requests)
	e.res.Profiling = &Profiling{}
	for i, k := range of {
		m := &measured[i]
		s.measured[k], s.seen[k] = m, m.End
		if s.on[k] = o.Cost(requests[i].GPUs, last.GPUs).Seconds; m.Ended {
			s.on[k] = m.End - m.Start
		}
		e.res.Profiling.add(&requests[i], m)
	}
	e.res.Profiling.span(sizes, measured, last.GPUs)
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.seen[a], s.seen[b]) })
	s.sizes, e.stage = sizes, s
	return nil
}

func (p *Profiling) add(q *profile.Request, m *profile.Measured) {
	p.Jobs++
	if m.Ended {
		p.Ended++
	}
	wait, queue := m.Start-q.Submit, m.Start-m.Queued
	p.Wait, p.LongestWait = p.Wait+wait, max(p.LongestWait, wait)
	p.Queue, p.LongestQueue = p.Queue+queue, max(p.LongestQueue, queue)
	if m.Queued > q.Submit {
		p.TurnedAway++
	}
	p.GPUSeconds += m.GPUs
}

// measureBy counts the measurements that a policy begins itself, as its plan says. They
// hold their GPUs until they are over, or the same job is measured anew.
func (e *engine) measureBy(plan *schedmate.Plan) error {
	for i := range plan.Measures {
		m := &plan.Measures[i]
		if m.Until <= e.now || m.Until > schedmate.MaxSeconds {
			return fmt.Errorf("measures job %s at %d s until %d s, which is over or beyond all times", m.Job, e.now, m.Until)
		}
		if e.res.Profiling == nil {
			e.res.Profiling = &Profiling{}
		}
		r, p := e.live[m.Job], e.res.Profiling
		gpus := int64(len(m.Allocations))
		held := int64(m.Until-e.now) * gpus
		if old := r.out.Profile; old == nil {
			wait := e.now - r.job.Submit
			p.Jobs++
			p.Wait, p.LongestWait = p.Wait+wait, max(p.LongestWait, wait)
			p.Queue, p.LongestQueue = p.Queue+wait, max(p.LongestQueue, wait)
			r.out.Profile = &Profile{Start: e.now}
		} else if old.End > e.now {
			held -= int64(old.End-e.now) * gpus // it holds as many GPUs each time
		}
		r.out.Profile.End = m.Until
		e.res.HeldGPUSeconds += held
		p.GPUSeconds, p.KeptGPUSeconds = p.GPUSeconds+held, p.KeptGPUSeconds+held
		e.emit(Event{At: e.now, Kind: Measuring, Job: m.Job, Allocations: m.Allocations, Lease: m.Until})
	}
	return nil
}

// span sums what the profiler's nodes were taken for.
func (p *Profiling) span(sizes []profile.Size, measured []profile.Measured, nodeGPUs int) {
	end := schedmate.Seconds(0)
	for i := range measured {
		end = max(end, measured[i].End)
	}
	for i, s := range sizes {
		until := end
		if i+1 < len(sizes) {
			until = min(end, sizes[i+1].At)
		}
		p.MostNodes = max(p.MostNodes, s.Nodes)
		p.KeptGPUSeconds += int64(max(0, until-s.At)) * int64(s.Nodes*nodeGPUs)
	}
}

// arrival is the index of the next job that the policy comes to see, and when.
func (e *engine) arrival() (int, schedmate.Seconds) {
	if e.stage == nil {
		return e.next, e.load.Jobs[e.next].Submit
	}
	k := e.stage.order[e.next]
	return k, e.stage.seen[k]
}

// held is for how long a job was measured: it did not wait then.
func (s *stage) held(k int) schedmate.Seconds {
	if s == nil {
		return 0
	}
	return s.on[k]
}

// instant is when the profiler's nodes change next.
func (s *stage) instant() schedmate.Seconds {
	if s == nil || len(s.sizes) == 0 {
		return schedmate.Forever
	}
	return s.sizes[0].At
}

// profilers takes nodes for the profiler, or gives them back. What runs on a node that
// is taken is saved first, and owes a restart.
func (e *engine) profilers() error {
	s := e.stage
	for s != nil && len(s.sizes) > 0 && s.sizes[0].At <= e.now {
		want := s.sizes[0].Nodes
		s.sizes = s.sizes[1:]
		for ; s.has < want; s.has++ {
			if err := e.change(s.nodes[s.has], schedmate.Down, true); err != nil {
				return err
			}
		}
		for ; s.has > want; s.has-- {
			if err := e.change(s.nodes[s.has-1], schedmate.Healthy, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// ended reports a job whose work was done in its first measurement.
func (e *engine) ended(k int) bool {
	if e.stage == nil || e.stage.measured[k] == nil {
		return false
	}
	m, out := e.stage.measured[k], &e.res.Jobs[k]
	out.Measured = true
	if !m.Ended {
		return false
	}
	out.Start, out.End, out.Queue = m.Start, m.End, m.Start-out.Job.Submit
	r := record{job: out.Job, work: m.End - m.Start}
	out.State = r.endState()
	e.res.Last = max(e.res.Last, out.End)
	e.emit(Event{At: e.now, Kind: Ended, Job: out.Job.ID, State: out.State})
	return true
}
