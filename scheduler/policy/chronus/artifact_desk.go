package chronus

import (
	"cmp"
	"math"
	"slices"

	"schedmate"
	"schedmate/scheduler/dispatch"
)

// state is what the artifact calls the priority of a job. Its numbers are those
// of the artifact, for it sorts by them.
type state int8

const (
	hopeless   state = -1 // its deadline is out of reach
	promised   state = 0
	refused    state = 1 // at submission, or as it has outrun its estimate
	bestEffort state = 2
)

// entry is what the artifact knows about a job.
//
// Invariant: slots ascend, and are none before the next boundary; a job that is
// not planned has none.
type entry struct {
	job   *schedmate.JobStatus
	gpus  int64
	state state

	leased    bool // runs under a lease
	forced    bool // runs, or is to run, to its end without one
	overrun   bool // has outrun its estimate once
	plannable bool // takes part in the planning of leases
	planned   bool
	slots     []int64 // the leases of its plan, by number
	need      int64   // leases to its end, as far as it is known
	due       schedmate.Seconds
	emergence int64 // GPU-seconds; what it means depends on the state

	work     schedmate.Seconds // in sum
	estimate schedmate.Seconds // of work and restarts, and a tenth more
	progress schedmate.Seconds

	before  bool // ran before this plan
	dropped bool // and has lost its GPUs at the boundary of this plan
}

// desk is all that is on the artifact's table while it plans.
//
// Invariant: running and waiting are in the artifact's own orders, which its
// stable sorts depend on. Pinned jobs run on nodes that take no work; nobody
// counts their GPUs, and they are left alone.
type desk struct {
	*artifact
	now      schedmate.Seconds
	snapshot *schedmate.Snapshot
	total    int64 // GPUs that can be had
	running  []*entry
	waiting  []*entry
	arrivals []*entry
	pinned   []*entry
	unmet    int64 // jobs without a promise at the last boundary, and refused since
}

const unknown = schedmate.MaxSeconds / 100 // work of a job without an estimate: more than anybody waits for

// left is how much work is left, restarts not counted.
func (e *entry) left() schedmate.Seconds { return e.work - e.progress }

// leases is how many leases the job needs by its estimate.
func (d *desk) leases(e *entry) int64 {
	return int64(ceilDiv(e.estimate-e.progress, d.Lease))
}

func ceilDiv(a, b schedmate.Seconds) schedmate.Seconds {
	if a <= 0 {
		return a / b // rounds towards 0, which is up
	}
	return (a + b - 1) / b
}

// know fills in what the snapshot says about the job now.
func (d *desk) know(e *entry) {
	j := e.job
	e.gpus = int64(j.Job.GPUs)
	e.before = j.Attempt != nil
	e.progress = j.Held + j.Elapsed(d.now)
	e.work, e.estimate = unknown, unknown
	if f := j.Fact(schedmate.RunSeconds, d.now); f != nil && schedmate.Seconds(f.Value) < unknown {
		e.work = schedmate.Seconds(f.Value)
		e.estimate = d.estimated(e.work, j.Job.GPUs)
	}
}

// estimated is the artifact's estimate in its own floating point: a tenth more
// than the work and one start in each of its leases, in whole steps, rounded
// down.
func (p *artifact) estimated(work schedmate.Seconds, gpus int) schedmate.Seconds {
	const each = 0.4 + 0.1 // a resumption and a checkpoint
	lease := float64(p.Lease) / 60
	coef := 1 + float64(float64(1+math.Log2(float64(gpus)))*each)/lease
	return 60 * schedmate.Seconds(float64(float64(work)/60*coef)*1.1)
}

// recall reads the notes of the last plan. What does not make sense is passed
// over: a job without a note is a newcomer if it waits, and one that was never
// promised anything if it runs.
func (p *artifact) recall(s *schedmate.Snapshot) *desk {
	d := &desk{artifact: p, now: s.Now, snapshot: s, total: int64(capacity(s))}
	jobs := make(map[string]*schedmate.JobStatus, len(s.Running)+len(s.Waiting))
	for _, list := range [][]*schedmate.JobStatus{s.Running, s.Waiting} {
		for _, j := range list {
			jobs[j.Job.ID] = j
		}
	}
	entries := make([]entry, 0, len(jobs))
	add := func(j *schedmate.JobStatus, n *schedmate.Note) {
		entries = append(entries, entry{job: j})
		e := &entries[len(entries)-1]
		d.know(e)
		known := n != nil && e.read(n, p.first(s.Now))
		if !known {
			d.meet(e)
		}
		switch {
		case e.before && !dispatch.Movable(s, j):
			d.pinned = append(d.pinned, e)
		case e.before:
			d.running = append(d.running, e)
		case known:
			e.leased, e.forced = false, false // of a node that has failed
			d.waiting = append(d.waiting, e)
		default:
			d.arrivals = append(d.arrivals, e)
		}
	}
	for i := range s.Memory {
		n := &s.Memory[i]
		if n.Kind == unmetNote && len(n.Numbers) == 1 {
			d.unmet = max(0, n.Numbers[0])
		}
		if j := jobs[n.Job]; j != nil && (n.Kind == runsNote || n.Kind == waitsNote) {
			delete(jobs, n.Job)
			add(j, n)
		}
	}
	strangers := make([]*schedmate.JobStatus, 0, len(jobs))
	for _, j := range jobs { //schedmate:ordered they are sorted below
		strangers = append(strangers, j)
	}
	slices.SortFunc(strangers, func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, j := range strangers {
		add(j, nil)
	}
	return d
}

// meet describes a job about which nothing is remembered.
func (d *desk) meet(e *entry) {
	e.state, e.due = refused, schedmate.MaxSeconds
	if tiers := e.job.Job.SLO.Tiers; len(tiers) > 0 {
		e.due = tiers[0].Deadline
	} else {
		e.state = bestEffort
	}
}

// capacity is how many GPUs can be given away: those of nodes that take work,
// without what jobs hold there that also sit on other nodes.
func capacity(s *schedmate.Snapshot) int {
	gpus := 0
	for i := range s.Cluster.Nodes {
		if n := &s.Cluster.Nodes[i]; n.Takes() {
			gpus += n.GPUs
		}
	}
	for _, j := range s.Running {
		if dispatch.Movable(s, j) {
			continue
		}
		for _, a := range j.Attempt.Allocations {
			if s.Cluster.Node(a.Node).Takes() {
				gpus--
			}
		}
	}
	return gpus
}

// free is what nobody holds.
func (d *desk) free() int64 {
	left := d.total
	for _, e := range d.running {
		left -= e.gpus
	}
	return left
}

// account lets what runs use up its estimate. Who has outrun it is promised
// nothing any more; who runs without a lease needs fewer of them.
func (d *desk) account() {
	for _, e := range d.running {
		if e.progress >= e.estimate && (d.now%d.Lease == 0 || !e.leased) {
			e.state, e.overrun, e.plannable = refused, true, false
			e.unplan()
		}
		if !e.leased && !e.forced && e.state == promised {
			d.recount(e)
		}
	}
}

// recount counts the leases that a job needs, and strikes the earliest of its
// plan for each that it does not.
func (d *desk) recount(e *entry) {
	n := d.leases(e)
	if n != e.need {
		e.strike(e.need - n)
		e.need = n
	}
}

func (e *entry) strike(n int64) {
	if n > 0 {
		e.slots = e.slots[min(int64(len(e.slots)), n):]
	}
}

func (e *entry) unplan() { e.planned, e.slots = false, nil }
