package unisched

import (
	"cmp"
	"slices"

	"schedmate"
)

// A measurement holds one or two GPUs for its window and runs nothing that counts as
// work. No action starts it: the plan says that it begins, the GPUs are kept free in
// later plans, and the notes say for whom. Until it has been measured a job has no run time and does not run.

// unmeasured reports whether the job must be measured before it may run.
func (t *table) unmeasured(j *schedmate.JobStatus) bool {
	if t.Profiling.Mode == NoProfiling || j.Attempt != nil || j.Held > 0 {
		return false
	}
	e := t.book[j.Job.ID]
	return e.measured == 0 || e.measured > t.s.Now
}

// measureGPUs is what a measurement takes: a pair shows what communication costs.
func measureGPUs(j *schedmate.JobStatus) int { return min(2, j.Job.GPUs) }

// hold takes the GPUs of a measurement that goes on. Where they are not free any
// more, or their node is gone, it is given up and begins anew.
func (t *table) hold(j *schedmate.JobStatus, e *entry) {
	for _, a := range e.on {
		i := t.node(a.Node)
		if i < 0 || !t.o.Admits(i, &j.Job) || a.GPU < 0 || a.GPU >= t.o.Node(i).GPUs || t.o.Taken(i, a.GPU) > 0 {
			e.measured, e.on = 0, nil
			return
		}
	}
	t.o.Take(&j.Job, e.on)
}

func (t *table) node(id string) int {
	i, ok := slices.BinarySearchFunc(t.s.Cluster.Nodes, id, func(n schedmate.Node, id string) int { return cmp.Compare(n.ID, id) })
	if !ok {
		return -1
	}
	return i
}

// measures reports whether anybody is being measured.
func (t *table) measures() bool {
	return slices.ContainsFunc(t.all, func(j *schedmate.JobStatus) bool { return t.book[j.Job.ID].measured > t.s.Now })
}

// setAside decides who is measured on GPUs that are set aside for it, first come
// first served, and how many GPUs are not given to anybody else until the next
// boundary. Unified runs compete with the others instead.
func (t *table) setAside() {
	mode := t.Profiling.Mode
	if mode != Fixed && mode != Dynamic {
		return
	}
	busy, wanted := 0, 0
	var queue []*schedmate.JobStatus
	for _, j := range t.all {
		switch e := t.book[j.Job.ID]; {
		case j.Attempt != nil:
		case e.measured > t.s.Now:
			busy += len(e.on)
		case t.unmeasured(j):
			queue = append(queue, j)
			wanted += measureGPUs(j)
		}
	}
	t.aside = max(0, t.Profiling.GPUs-busy)
	if mode == Dynamic {
		t.aside = min(t.aside, wanted)
	}
	slices.SortStableFunc(queue, func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Job.Submit, b.Job.Submit) })
	room := t.aside
	for _, j := range queue {
		if g := measureGPUs(j); g <= room {
			t.next = append(t.next, j)
			room -= g
		}
	}
}

// begin starts a measurement where there is a place for it now.
func (t *table) begin(j *schedmate.JobStatus) bool {
	small := j.Job
	small.GPUs, small.Sizes = measureGPUs(j), nil
	as := t.find(t.o, &small)
	if as == nil {
		return false
	}
	e := t.book[j.Job.ID]
	e.measured, e.on = t.s.Now+t.Profiling.Window, as
	t.o.Take(&j.Job, as)
	t.plan.Measures = append(t.plan.Measures, schedmate.Measurement{Job: j.Job.ID, Allocations: as, Until: e.measured})
	return true
}

// unbegin forgets the measurements that this plan has begun, whose GPUs are free again.
func (t *table) unbegin() {
	for i := range t.plan.Measures {
		e := t.book[t.plan.Measures[i].Job]
		e.measured, e.on = 0, nil
	}
	t.plan.Measures = nil
}
