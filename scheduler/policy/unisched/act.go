package unisched

import (
	"schedmate"
	"schedmate/scheduler/dispatch"
)

// carryOut makes the chosen run: those who run stay where they are, the others
// find places, leases first. A lease that finds none has all others placed anew.
// Who was not chosen stays if nobody has taken his GPUs, and what is free in the
// end goes to whoever fits, in the order of the candidates.
func (t *table) carryOut(chosen []candidate) {
	before := t.o.Mark()
	c := &change{t: t, stays: make(map[string]bool, len(chosen)), starts: make(map[string][]schedmate.Allocation)}
	for i := range chosen {
		if chosen[i].j.Attempt != nil {
			c.stays[chosen[i].j.Job.ID] = true
		}
	}
	for _, j := range t.all {
		if j.Attempt != nil && !c.stays[j.Job.ID] && t.movable(j) {
			t.o.Release(&j.Job, j.Attempt.Allocations)
		}
	}
	for i := range chosen {
		if !c.start(&chosen[i]) && chosen[i].class <= granted {
			t.o.Rollback(before)
			t.unbegin()
			t.anew(chosen)
			return
		}
	}
	c.rest()
	c.actions()
}

// change is a set of places in the making.
type change struct {
	t      *table
	stays  map[string]bool
	starts map[string][]schedmate.Allocation
	failed map[shape]bool // while nothing is released, what did not fit does not fit
}

type shape struct {
	vc, gpuType string
	gpus        int
}

// start finds a place for a candidate that waits, and reports whether it has one now.
func (c *change) start(x *candidate) bool {
	t, j := c.t, x.j
	if j.Attempt != nil || c.starts[j.Job.ID] != nil || t.book[j.Job.ID].measured > t.s.Now {
		return true
	}
	key := shape{j.Job.VC, j.Job.GPUType, j.Job.GPUs}
	if x.probe {
		key.gpus = measureGPUs(j)
	}
	switch {
	case c.failed[key]:
		return false
	case x.probe && t.begin(j):
		return true
	case !x.probe:
		if as := t.find(t.o, &j.Job); as != nil {
			t.o.Take(&j.Job, as)
			c.starts[j.Job.ID] = as
			return true
		}
	}
	if c.failed == nil {
		c.failed = make(map[shape]bool)
	}
	c.failed[key] = true
	return false
}

// rest begins the measurements that have GPUs set aside, and gives away what is
// free then, but for what is set aside.
func (c *change) rest() {
	t := c.t
	for _, j := range t.next {
		if t.begin(j) {
			t.aside -= measureGPUs(j)
		}
	}
	free := dispatch.FreeGPUs(t.o) - t.aside
	for i := range t.queue {
		x := &t.queue[i]
		switch j := x.j; {
		case free <= 0:
			return
		case x.gpus > free || c.stays[j.Job.ID] || c.starts[j.Job.ID] != nil:
		case j.Attempt == nil:
			if measured := t.book[j.Job.ID].measured > t.s.Now; !measured && c.start(x) {
				free -= x.gpus
			}
		case t.untouched(j):
			t.o.Take(&j.Job, j.Attempt.Allocations)
			c.stays[j.Job.ID] = true
			free -= x.gpus
		}
	}
}

// untouched reports whether the GPUs of a job that was to give way are all free,
// and the quota of its VC still has room for them.
func (t *table) untouched(j *schedmate.JobStatus) bool {
	shared := 0
	for _, a := range j.Attempt.Allocations {
		i := t.node(a.Node)
		if t.o.Taken(i, a.GPU) > 0 {
			return false
		}
		if t.o.Node(i).VC == "" {
			shared++
		}
	}
	return shared <= t.o.QuotaLeft(j.Job.VC)
}

func (c *change) actions() {
	t := c.t
	for _, j := range t.all {
		if j.Attempt != nil && !c.stays[j.Job.ID] && t.movable(j) {
			t.plan.Actions = append(t.plan.Actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
			t.book[j.Job.ID].until = 0
		}
	}
	for i := range t.queue {
		x := &t.queue[i]
		id := x.j.Job.ID
		as := c.starts[id]
		if as == nil && !c.stays[id] {
			continue
		}
		t.grant(x)
		if as != nil {
			t.plan.Actions = append(t.plan.Actions, schedmate.Action{Kind: schedmate.Start, Job: id, Allocations: as, Lease: t.until(id)})
		}
	}
}

// grant notes the lease of who has one from now on, and what a newcomer may be
// promised on the spot.
func (t *table) grant(x *candidate) {
	e := t.book[x.j.Job.ID]
	switch {
	case x.class == granted && e.until <= t.s.Now:
		e.until = t.s.Now - t.s.Now%t.Lease + t.Lease
		t.assure(x.j, e.until)
	case x.class > granted:
		e.until = 0
		if x.j.Attempt == nil && !x.probe {
			t.assure(x.j, t.s.Now-t.s.Now%t.Spot+t.Spot)
		}
	}
}

// until is what a start says about its lease; 0: it has none.
func (t *table) until(id string) schedmate.Seconds {
	if u := t.book[id].until; u > t.s.Now && u <= schedmate.MaxSeconds {
		return u
	}
	return 0
}

// anew places all that were chosen, the widest first, wherever they are now: whole
// cells pack then.
func (t *table) anew(chosen []candidate) {
	v := t.s.WithHost(t.o, false)
	var wants []dispatch.Want
	for i := range chosen {
		if !chosen[i].probe {
			wants = append(wants, dispatch.Want{Job: chosen[i].j, GPUs: chosen[i].j.Job.GPUs})
		}
	}
	t.plan.Actions = dispatch.Assign(&v, wants, t.find)
	gone := make(map[string]bool)
	started := make(map[string]bool)
	for i := range t.plan.Actions {
		a := &t.plan.Actions[i]
		gone[a.Job] = gone[a.Job] || a.Kind == schedmate.Preempt
		started[a.Job] = started[a.Job] || a.Kind != schedmate.Preempt
	}
	for i := range chosen {
		x := &chosen[i]
		if id := x.j.Job.ID; !x.probe && !gone[id] && (x.j.Attempt != nil || started[id]) {
			t.grant(x)
		}
	}
	for i := range t.plan.Actions {
		if a := &t.plan.Actions[i]; a.Kind != schedmate.Preempt {
			a.Lease = t.until(a.Job)
		}
	}
	for _, j := range t.s.Running {
		if gone[j.Job.ID] {
			t.book[j.Job.ID].until = 0
		}
	}
}
