package chronus

import (
	"cmp"
	"slices"

	"schedmate"
)

// act turns what has been decided into actions, and finds the places. Who ran
// and still does keeps his, but that a job which lost its GPUs at a boundary and
// got some back starts anew.
//
// The artifact counts GPUs and always finds a place. Where somebody finds none,
// on clusters that the artifact does not know, he waits on, and those behind him
// are tried in their order.
func (d *desk) act() []schedmate.Action {
	o := d.snapshot.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	actions := []schedmate.Action{}
	var starts []*entry
	for _, e := range d.running {
		if !e.before || e.dropped {
			starts = append(starts, e)
		}
	}
	for _, e := range slices.Concat(starts, d.waiting) {
		if e.before {
			o.Release(&e.job.Job, e.job.Attempt.Allocations)
			actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: e.job.Job.ID})
		}
	}
	start := func(e *entry) bool {
		as := d.find(o, &e.job.Job)
		if as == nil {
			return false
		}
		o.Take(&e.job.Job, as)
		a := schedmate.Action{Kind: schedmate.Start, Job: e.job.Job.ID, Allocations: as}
		if e.leased {
			a.Lease = d.now - d.now%d.Lease + d.Lease
		}
		actions = append(actions, a)
		return true
	}
	slices.SortStableFunc(starts, func(a, b *entry) int { return cmp.Compare(b.gpus, a.gpus) })
	lost := slices.DeleteFunc(starts, start)
	if len(lost) == 0 {
		return actions
	}
	d.running = without(d.running, lost)
	for _, e := range lost {
		e.leased, e.forced = false, false
	}
	var found []*entry
	for _, e := range d.waiting {
		if start(e) {
			found = append(found, e)
		}
	}
	d.start(found)
	d.waiting = append(d.waiting, lost...)
	return actions
}
