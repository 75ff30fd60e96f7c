package chronus

import (
	"cmp"
	"slices"
)

// spot gives away what no lease holds. First come refused jobs that end before
// the next leases begin, if they start now: they are forced in, in place of who
// runs without a lease. Then all others, the most urgent first.
func (d *desk) spot() {
	d.force()
	for _, e := range d.waiting {
		d.judge(e, e.state == promised || e.state == refused)
	}
	forced, wanted := []*entry(nil), int64(0)
	for _, e := range d.waiting {
		if e.forced {
			forced = append(forced, e)
			wanted += e.gpus
		}
	}
	d.evict(wanted)
	d.start(forced)
	slices.SortStableFunc(d.waiting, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.state, a.state), cmp.Compare(b.emergence, a.emergence), cmp.Compare(b.job.Job.Submit, a.job.Job.Submit))
	})
	left := d.free()
	if left <= 0 {
		return
	}
	slices.SortStableFunc(d.waiting, func(a, b *entry) int { return compareSpot(b, a) })
	var starting []*entry
	for _, e := range d.waiting {
		if e.gpus <= left {
			left -= e.gpus
			starting = append(starting, e)
		}
	}
	d.start(starting)
}

// compareSpot orders by how much the GPUs help: what has outrun its estimate
// above all, and what has a promise below the rest.
func compareSpot(a, b *entry) int {
	outrun := func(e *entry) int {
		if e.overrun {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(outrun(a), outrun(b)), cmp.Compare(min(a.state, refused), min(b.state, refused)),
		cmp.Compare(a.emergence, b.emergence), cmp.Compare(b.job.Job.Submit, a.job.Job.Submit))
}

// force marks the refused jobs that can end before the next leases begin, the
// least GPU time first. One that came within the present lease is as good as
// promised.
func (d *desk) force() {
	begun := d.now - d.now%d.Lease
	end := begun + d.Lease
	var short []*entry
	room := d.total
	for _, e := range d.running {
		if e.leased || e.forced {
			room -= e.gpus
		}
	}
	for _, e := range d.waiting {
		switch {
		case e.state == refused && d.now+e.left() <= end:
			e.emergence = -int64(e.left()) * e.gpus
			short = append(short, e)
		case e.state == promised && e.forced:
			room -= e.gpus
		}
	}
	slices.SortStableFunc(short, func(a, b *entry) int { return cmp.Compare(b.emergence, a.emergence) })
	for _, e := range short {
		if e.gpus > room {
			continue
		}
		room -= e.gpus
		e.forced, e.plannable = true, false
		if e.job.Job.Submit >= begun {
			e.state = promised
		}
	}
}

// judge says how urgent a job is, and whether its deadline can still be met.
func (d *desk) judge(e *entry, mayGiveUp bool) {
	if mayGiveUp && e.due < d.now+e.left() {
		e.state = hopeless
	}
	if e.state == refused || e.state == bestEffort {
		e.emergence = -int64(e.estimate-e.progress) * e.gpus
	} else {
		e.emergence = -int64(e.due-d.now-e.estimate+e.progress) * e.gpus
	}
}

// evict takes GPUs from jobs without a lease, the least urgent first, until so
// many are free.
func (d *desk) evict(wanted int64) {
	free := d.free()
	if wanted <= free {
		return
	}
	var victims []*entry
	for _, e := range d.running {
		if !e.leased && !e.forced {
			d.judge(e, e.state != bestEffort)
			victims = append(victims, e)
		}
	}
	slices.SortStableFunc(victims, compareSpot)
	for i, e := range victims {
		if wanted <= free {
			victims = victims[:i]
			break
		}
		free += e.gpus
		d.recount(e)
	}
	d.running = without(d.running, victims)
	d.waiting = append(d.waiting, victims...)
}

// start moves jobs from the waiting to the running ones.
func (d *desk) start(jobs []*entry) {
	d.waiting = without(d.waiting, jobs)
	d.running = append(d.running, jobs...)
}

// without returns the list without some of its jobs.
func without(list, gone []*entry) []*entry {
	if len(gone) == 0 {
		return list
	}
	leaves := make(map[*entry]bool, len(gone))
	for _, e := range gone {
		leaves[e] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(e *entry) bool { return leaves[e] })
}
