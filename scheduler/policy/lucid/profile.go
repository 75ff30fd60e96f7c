package lucid

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/place"
)

// lab is the nodes that are left to the profiler: the last ones that take work,
// and none of a cluster of which they would be more than a quarter.
func (p *policy) lab(o *schedmate.Occupancy) []int {
	if p.Profiler.Nodes == 0 || o.Len() < 4*p.Profiler.Nodes {
		return nil
	}
	var lab []int
	for i := o.Len() - 1; i >= 0 && len(lab) < p.Profiler.Nodes; i-- {
		if o.Node(i).Takes() {
			lab = append(lab, i)
		}
	}
	return lab
}

// finish takes the GPUs of jobs back whose profiles are over, or of which somebody
// has said meanwhile what a profile would, and returns those jobs: they wait again,
// and may start in the same plan.
func (p *policy) finish(s *schedmate.Snapshot, d *desk) []*schedmate.JobStatus {
	var back []*schedmate.JobStatus
	for _, j := range s.Running {
		until, measuring := d.until[j.Job.ID]
		if !measuring || until > s.Now && (!p.told(j, s.Now) || hearsay(j, s.Now)) {
			continue
		}
		delete(d.until, j.Job.ID)
		d.profiled[j.Job.ID] = true
		d.actions = append(d.actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
		d.occupancy.Release(&j.Job, j.Attempt.Allocations)
		back = append(back, j)
	}
	return back
}

// profile starts profiles, the jobs with the fewest GPUs first, and holds those
// back that have to wait for theirs.
func (p *policy) profile(s *schedmate.Snapshot, d *desk) {
	o := d.occupancy
	var queue []*schedmate.JobStatus
	for _, j := range s.Waiting {
		if p.unmeasured(j, s.Now, d.memory) && fits(o, d.lab, &j.Job) {
			queue = append(queue, j)
		}
	}
	until := s.Now + p.Profiler.Window
	if len(queue) == 0 || until > schedmate.MaxSeconds {
		return
	}
	slices.SortFunc(queue, func(a, b *schedmate.JobStatus) int {
		return cmp.Or(cmp.Compare(a.Job.GPUs, b.Job.GPUs), cmp.Compare(a.Seq, b.Seq))
	})
	unlock := lock(o, func(i int) bool { return !d.inLab(i) })
	defer unlock()
	d.held = make(map[string]bool, len(queue))
	for _, j := range queue {
		d.held[j.Job.ID] = true
		if heard := j.Job.Submit + p.hear; s.Now < heard {
			d.wakeAt(heard)
			continue
		}
		as := place.Consolidated(o, &j.Job)
		if as == nil {
			d.wakeAt(j.Job.Submit + p.Profiler.Window)
			continue
		}
		o.Take(&j.Job, as)
		d.until[j.Job.ID] = until
		d.actions = append(d.actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as, Lease: until, Profile: true})
	}
}

// unmeasured reports whether the job shall be profiled: it is small, has not been
// yet, has not waited too long for it, and nobody but a trace says what a profile
// would.
func (p *policy) unmeasured(j *schedmate.JobStatus, now schedmate.Seconds, m *memory) bool {
	if j.Job.GPUs > p.Profiler.MostGPUs || m.profiled[j.Job.ID] || now >= j.Job.Submit+p.Profiler.Window {
		return false
	}
	return !p.told(j, now) || hearsay(j, now)
}

// fits reports whether a node of the profiler would hold the job if it were empty.
func fits(o *schedmate.Occupancy, lab []int, j *schedmate.Job) bool {
	return slices.ContainsFunc(lab, func(i int) bool { return o.Admits(i, j) && o.Node(i).GPUs >= j.GPUs })
}

// nobody is the job that locks nodes.
var nobody = &schedmate.Job{ID: "nobody"}

// lock takes all free GPUs of some nodes until they are unlocked.
func lock(o *schedmate.Occupancy, which func(i int) bool) (unlock func()) {
	var all []schedmate.Allocation
	for i := range o.Len() {
		if which(i) {
			all = o.Pick(all, i, o.Free(i))
		}
	}
	o.Take(nobody, all)
	return func() { o.Release(nobody, all) }
}
