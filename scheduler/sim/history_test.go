package sim_test

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// history keeps the books of a run from its events alone: who waits, who runs
// where, and what each job has done. It shares nothing with the simulator, and
// complains about events that cannot follow each other.
type history struct {
	cluster schedmate.Cluster
	world   scheduler.World
	jobs    map[string]*past
	order   []*past // as submitted
	seq     int64
	now     schedmate.Seconds
	left    schedmate.Seconds // when the last job so far has left its GPUs

	held int64 // GPU-seconds on GPUs, of attempts that are over
	work int64 // of these, work that counted
	cost int64 // restart work
	lag  int64 // waiting for the end lag
	lost int64 // work done again because a node went down
	gift int64 // of what was done, by jobs that did not run yet
	test int64 // GPU-seconds on which waiting jobs are measured
	both int64 // GPU-seconds that count for a second job on the same GPU
}

type past struct {
	job      *sim.Job
	status   schedmate.JobStatus
	total    schedmate.Seconds // work in sum
	since    schedmate.Seconds // when it came to wait or run
	over     schedmate.State   // empty while it waits or runs
	first    schedmate.Seconds // start of the first attempt
	end      schedmate.Seconds
	queue    schedmate.Seconds
	extra    schedmate.Seconds // waits that are only reported
	attempts int
	preempts int
	profile  *sim.Profile
}

func newHistory(c schedmate.Cluster, w *sim.Workload, world scheduler.World) *history {
	c.Nodes = slices.Clone(c.Nodes)
	h := &history{cluster: c, world: world, jobs: map[string]*past{}}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		p := &past{job: j, total: j.Outcome.Run, first: sim.NoTime, end: sim.NoTime}
		if j.TimeLimit > 0 && j.TimeLimit < p.total {
			p.total = j.TimeLimit
		}
		h.jobs[j.ID] = p
	}
	return h
}

// see books one event.
func (h *history) see(ev *sim.Event) error {
	if ev.At < h.now {
		return fmt.Errorf("%s at %d s after an event at %d s", ev.Kind, ev.At, h.now)
	}
	h.both += int64(ev.At-h.now) * h.shared()
	h.now = ev.At
	if ev.Kind == sim.NodeHealth {
		h.cluster.Node(ev.Node).Health = ev.Health
		return nil
	}
	p := h.jobs[ev.Job]
	if p == nil {
		return fmt.Errorf("%s of job %q, which nobody submitted", ev.Kind, ev.Job)
	}
	s := &p.status
	known := s.Job.ID != ""
	wrong := func(why string) error { return fmt.Errorf("%s of job %s at %d s: %s", ev.Kind, ev.Job, ev.At, why) }
	switch {
	case (ev.Kind == sim.Submitted) == known:
		return wrong("it is submitted once, and before anything else")
	case p.over != "":
		return wrong("it is over")
	case s.Attempt == nil && (ev.Kind == sim.Preempted || ev.Kind == sim.Evicted || ev.Kind == sim.Ended || ev.Kind == sim.Moved):
		return wrong("it does not run")
	case s.Attempt != nil && (ev.Kind == sim.Started || ev.Kind == sim.Parked || ev.Kind == sim.Measuring):
		return wrong("it runs already")
	}
	switch ev.Kind {
	case sim.Submitted:
		*s = schedmate.JobStatus{Job: p.job.Job, Facts: h.facts(p)}
		s.Job.Outcome = nil
		h.order = append(h.order, p)
		h.queue(p)
		if ev.At != p.job.Submit {
			return wrong("not when it was due")
		}
	case sim.Rejected:
		p.over = ev.State
	case sim.Started, sim.Moved:
		start := h.now
		if ev.Kind == sim.Moved { // whose new place another one may leave only now
			h.stop(p)
			s.Owed += h.world.Restart(s.Job.GPUs)
		} else {
			if err := h.room(&s.Job, ev.Allocations); err != nil {
				return wrong(err.Error())
			}
			start = h.counted(p, ev)
			p.queue += start - p.since
			s.Waited = p.queue
		}
		p.attempts++
		if p.first == sim.NoTime {
			p.first = start
		}
		s.Attempt = &schedmate.Attempt{Number: p.attempts, Start: start, Allocations: slices.Clone(ev.Allocations)}
		if ev.Profile {
			p.profile = &sim.Profile{Start: h.now, End: sim.NoTime}
		}
		h.gift += int64(h.now-start) * int64(s.Job.GPUs)
		s.Seq, p.since = h.seq, h.now
		h.seq++
	case sim.Measuring:
		if len(ev.Allocations) == 0 || len(ev.Allocations) > s.Job.GPUs || ev.Lease <= h.now {
			return wrong("a measurement takes GPUs for a while, and no more than the job asks for")
		}
		part := s.Job
		part.GPUs = len(ev.Allocations)
		if err := h.room(&part, ev.Allocations); err != nil {
			return wrong(err.Error())
		}
		if p.profile == nil {
			p.profile = &sim.Profile{Start: h.now}
		}
		for second := h.now; second < ev.Lease; second++ {
			if second >= p.profile.End { // not counted yet
				h.test += int64(len(ev.Allocations))
			}
		}
		p.profile.End = ev.Lease
	case sim.Parked:
		if p.first == sim.NoTime {
			p.first = h.now
		}
	case sim.Preempted:
		h.stop(p)
		if h.world.ForgiveUnpaid {
			s.Owed = 0
		}
		if h.world.Cycle == 0 {
			s.Owed += h.world.Restart(s.Job.GPUs)
		}
		s.Preemptions++
		p.extra += h.world.PreemptionWait
		p.preempts++
		h.queue(p)
	case sim.Evicted:
		before := s.Done
		h.stop(p)
		safe := before
		if every := h.world.Checkpoint; every > 0 && s.Done/every*every > safe {
			safe = s.Done / every * every
		}
		h.lost += int64(s.Done-safe) * int64(s.Job.GPUs)
		h.work -= int64(s.Done-safe) * int64(s.Job.GPUs)
		s.Done = safe
		if h.world.Cycle == 0 {
			s.Owed += h.world.Restart(s.Job.GPUs)
		}
		h.queue(p)
	case sim.Ended:
		due := s.Attempt.Start + s.Owed + p.total - s.Done + h.world.EndLag
		if due > h.now || due < h.now && (h.world.Cycle == 0 || h.now != p.since+1) {
			return wrong(fmt.Sprintf("it is due at %d s", due))
		}
		h.stop(p)
		h.left = h.now
		p.over, p.end = ev.State, due
		if p.profile != nil {
			p.profile.Finished = p.attempts == 1 && p.profile.End == h.now
		}
		if h.world.OmitRestarts {
			p.end = p.job.Submit + p.queue + p.extra + p.total
		}
		if s.Done != p.total || s.Owed != 0 {
			return wrong(fmt.Sprintf("done %d of %d s, %d s of restart work owed", s.Done, p.total, s.Owed))
		}
	}
	return nil
}

// counted is since when a job that starts counts as running. Where the host
// counts in cycles it pays for a start at a count, and gains what has gone by
// since the last one.
func (h *history) counted(p *past, ev *sim.Event) schedmate.Seconds {
	since := h.now
	if cycle := h.world.Cycle; cycle > 0 {
		since = h.now / cycle * cycle
		if since == h.now {
			p.status.Owed += h.world.Restart(p.status.Job.GPUs)
			if ev.Lease > 0 {
				since -= cycle
			}
		}
	}
	if since < p.since {
		return p.since
	}
	return since
}

func (h *history) queue(p *past) {
	p.status.Seq, p.since = h.seq, h.now
	h.seq++
}

// stop books what the attempt did: first the restart work, then the work, and
// what is left is the end lag.
func (h *history) stop(p *past) {
	s := &p.status
	if p.profile != nil && p.profile.End == sim.NoTime {
		p.profile.End = h.now
	}
	for range h.now - s.Attempt.Start {
		switch {
		case s.Owed > 0:
			s.Owed--
			h.cost += int64(s.Job.GPUs)
		case s.Done < p.total:
			s.Done++
			h.work += int64(s.Job.GPUs)
		default:
			h.lag += int64(s.Job.GPUs)
		}
		s.Held++
		h.held += int64(s.Job.GPUs)
	}
	s.Attempt = nil
}

// shared is how many GPUs are held a second time, third times included.
func (h *history) shared() int64 {
	holders, gpus := int64(0), map[schedmate.Allocation]bool{}
	for _, p := range h.jobs {
		if p.status.Attempt == nil {
			continue
		}
		for _, a := range p.status.Attempt.Allocations {
			holders++
			gpus[schedmate.Allocation{Node: a.Node, GPU: a.GPU}] = true
		}
	}
	return holders - int64(len(gpus))
}

// room says why the job may not have these GPUs now.
func (h *history) room(j *schedmate.Job, as []schedmate.Allocation) error {
	if len(as) != j.GPUs {
		return fmt.Errorf("a gang of %d gets %d GPUs", j.GPUs, len(as))
	}
	shared := 0
	taken := map[schedmate.Allocation]schedmate.Share{}
	quota := map[string]int{}
	for _, p := range h.jobs {
		if p.status.Attempt == nil {
			continue
		}
		for _, a := range p.status.Attempt.Allocations {
			taken[schedmate.Allocation{Node: a.Node, GPU: a.GPU}] += a.Share
			if h.cluster.Node(a.Node).VC == "" {
				quota[p.status.Job.VC]++
			}
		}
	}
	for _, a := range as {
		n := h.cluster.Node(a.Node)
		switch {
		case n == nil || a.GPU < 0 || a.GPU >= n.GPUs:
			return fmt.Errorf("no GPU %d on node %s", a.GPU, a.Node)
		case a.Share < 1 || a.Share != as[0].Share || taken[schedmate.Allocation{Node: a.Node, GPU: a.GPU}]+a.Share > schedmate.WholeGPU:
			return fmt.Errorf("GPU %d of node %s has not %d thousandths left", a.GPU, a.Node, a.Share)
		case n.Health != "" && n.Health != schedmate.Healthy:
			return fmt.Errorf("node %s is %s", a.Node, n.Health)
		case n.VC != "" && n.VC != j.VC:
			return fmt.Errorf("node %s belongs to vc %s", a.Node, n.VC)
		case j.GPUType != "" && j.GPUType != n.GPUType:
			return fmt.Errorf("node %s has %s", a.Node, n.GPUType)
		case n.VC == "":
			shared++
		}
		taken[schedmate.Allocation{Node: a.Node, GPU: a.GPU}] += a.Share
	}
	if v := h.cluster.VC(j.VC); v != nil && v.QuotaGPUs > 0 && shared > 0 && quota[j.VC]+shared > v.QuotaGPUs {
		return fmt.Errorf("vc %s holds %d shared GPUs, its quota is %d", j.VC, quota[j.VC]+shared, v.QuotaGPUs)
	}
	return nil
}

// facts are what the world tells about a job.
func (h *history) facts(p *past) []schedmate.Fact {
	var facts []schedmate.Fact
	for _, f := range p.job.Facts {
		if f.Kind != schedmate.RunSeconds || h.world.Estimates == scheduler.TraceEstimate {
			facts = append(facts, f)
		}
	}
	if h.world.Estimates == scheduler.TrueRunTime {
		run := int64(p.total)
		facts = append(facts, schedmate.Fact{
			Kind: schedmate.RunSeconds, Value: run, Low: run, High: run, ConfidenceMilli: 1000, Source: schedmate.FromTruth,
		})
	}
	return facts
}

// snapshot returns the state as of now.
func (h *history) snapshot(now schedmate.Seconds) schedmate.Snapshot {
	s := schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: now, Cluster: h.cluster}
	s.Cluster.Nodes = slices.Clone(h.cluster.Nodes)
	for _, p := range h.order {
		if p.over != "" {
			continue
		}
		j := p.status
		if j.Attempt == nil {
			s.Waiting = append(s.Waiting, &j)
		} else {
			s.Running = append(s.Running, &j)
		}
	}
	bySeq := func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Seq, b.Seq) }
	slices.SortFunc(s.Waiting, bySeq)
	slices.SortFunc(s.Running, bySeq)
	return s
}
