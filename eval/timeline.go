package eval

import (
	"schedmate"
	"schedmate/scheduler/sim"
)

// Timeline is what a run looked like over time, for figures.
type Timeline struct {
	Usage       []Usage
	Bars        []Bar
	BarsOmitted int // beyond the limit, the later ones
}

// Usage is the state of the cluster from At until the next sample.
type Usage struct {
	At                                           schedmate.Seconds
	UsedGPUs, DownGPUs, WaitingJobs, WaitingGPUs int
}

// Bar is one GPU held by one job without interruption.
type Bar struct {
	Job        string
	Node       string
	GPU        int
	Gang       int
	Start, End schedmate.Seconds
	Preempted  bool
}

// recorder builds a Timeline from a run's events.
type recorder struct {
	cluster *schedmate.Cluster
	gangs   map[string]int
	open    map[string]openBars
	held    map[gpu]int // jobs on it; a GPU that several share is used once
	now     Usage
	begun   bool // something has happened
	limit   int
	out     *Timeline
}

type openBars struct {
	start schedmate.Seconds
	as    []schedmate.Allocation
}

// gpu names one GPU of the cluster.
type gpu struct {
	node  string
	index int
}

// maxBars bounds the memory of a timeline; a page can show no more anyway.
const maxBars = 200_000

func newRecorder(c *schedmate.Cluster, jobs []sim.Job) *recorder {
	r := &recorder{
		cluster: c,
		gangs:   make(map[string]int, len(jobs)),
		open:    make(map[string]openBars),
		held:    make(map[gpu]int),
		limit:   maxBars,
		out:     &Timeline{},
	}
	for i := range jobs {
		r.gangs[jobs[i].ID] = jobs[i].GPUs
	}
	for i := range c.Nodes {
		if !c.Nodes[i].Takes() {
			r.now.DownGPUs += c.Nodes[i].GPUs
		}
	}
	return r
}

func (r *recorder) observe(ev sim.Event) {
	if ev.At != r.now.At && r.begun {
		r.out.Usage = append(r.out.Usage, r.now)
	}
	r.begun = true
	r.now.At = ev.At
	gang := r.gangs[ev.Job]
	switch ev.Kind {
	case sim.Submitted:
		r.wait(gang)
	case sim.Rejected:
		r.wait(-gang)
	case sim.Started:
		r.wait(-gang)
		r.take(ev)
	case sim.Moved:
		r.close(ev, gang, false)
		r.take(ev)
	case sim.Preempted, sim.Evicted:
		r.wait(gang)
		r.close(ev, gang, true)
	case sim.Stopped: // it waits for somebody, not for GPUs
		r.close(ev, gang, true)
	case sim.Resubmitted:
		r.wait(gang)
	case sim.Ended:
		r.close(ev, gang, false)
	case sim.NodeHealth:
		if n := r.cluster.Node(ev.Node); n != nil {
			r.health(n, ev.Health)
		}
	}
}

func (r *recorder) wait(gang int) {
	r.now.WaitingGPUs += gang
	if gang > 0 {
		r.now.WaitingJobs++
	} else {
		r.now.WaitingJobs--
	}
}

func (r *recorder) take(ev sim.Event) {
	for _, a := range ev.Allocations {
		g := gpu{a.Node, a.GPU}
		if r.held[g]++; r.held[g] == 1 {
			r.now.UsedGPUs++
		}
	}
	r.open[ev.Job] = openBars{ev.At, append([]schedmate.Allocation(nil), ev.Allocations...)}
}

func (r *recorder) close(ev sim.Event, gang int, preempted bool) {
	bars := r.open[ev.Job]
	delete(r.open, ev.Job)
	for _, a := range bars.as {
		g := gpu{a.Node, a.GPU}
		if r.held[g]--; r.held[g] == 0 {
			delete(r.held, g)
			r.now.UsedGPUs--
		}
	}
	if bars.start == ev.At {
		return // held for no time
	}
	for _, a := range bars.as {
		if len(r.out.Bars) >= r.limit {
			r.out.BarsOmitted++
			continue
		}
		r.out.Bars = append(r.out.Bars, Bar{ev.Job, a.Node, a.GPU, gang, bars.start, ev.At, preempted})
	}
}

// health follows the node's state in a copy of its own, since the simulator's
// is its own too.
func (r *recorder) health(n *schedmate.Node, h schedmate.Health) {
	if !n.Takes() {
		r.now.DownGPUs -= n.GPUs
	}
	n.Health = h
	if !n.Takes() {
		r.now.DownGPUs += n.GPUs
	}
}

func (r *recorder) timeline() *Timeline {
	if r.begun {
		r.out.Usage = append(r.out.Usage, r.now)
	}
	return r.out
}
