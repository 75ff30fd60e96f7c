package chronus

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// lease gives the leases that begin now. Everybody who runs lets go first.
func (d *desk) lease(b scheduler.Budget, plan *schedmate.Plan) {
	for _, e := range d.running {
		e.leased, e.forced = false, false
		if e.state == promised {
			if n := d.leases(e); n < e.need {
				e.strike(e.need - n)
				e.need = n
			}
		}
	}
	d.waiting = append(d.waiting, d.running...)
	d.running = nil
	if slices.ContainsFunc(d.waiting, (*entry).wants) {
		d.grant(b, plan)
	}
	kept := d.waiting[:0:0]
	for _, e := range d.waiting {
		switch {
		case e.leased:
			e.need--
			d.running = append(d.running, e)
		default:
			e.dropped = e.before
			kept = append(kept, e)
		}
	}
	d.waiting = kept
	d.unmet = 0
	for _, e := range slices.Concat(d.waiting, d.running) {
		if e.state == refused {
			d.unmet++
		}
	}
}

// wants says whether leases are planned for the job.
func (e *entry) wants() bool { return e.state == promised && e.plannable && e.need > 0 }

// grant plans for those who want leases, and gives leases to those whose plan
// has one now.
func (d *desk) grant(b scheduler.Budget, plan *schedmate.Plan) {
	first := d.first(d.now)
	if d.Selector == MILP && d.optimise(b, first, plan) {
		return
	}
	d.planGreedily(first)
	for _, e := range d.waiting {
		if e.state != promised {
			continue
		}
		if !e.planned {
			e.state = refused
			continue
		}
		d.take(e, first)
	}
}

// take gives a job the lease that begins now if its plan has it.
func (d *desk) take(e *entry, first int64) {
	if len(e.slots) > 0 && e.slots[0] == first {
		e.slots = e.slots[1:]
		e.leased = true
	}
}

// row is one deadline that a job could be promised: need leases of so many GPUs
// among the next horizon ones.
type row struct {
	job           *entry
	gpus          int64
	need, horizon int64
	value         int
}

// rows are the deadlines of a job, if leases begin at first.
func (d *desk) rows(into []row, e *entry, first int64) []row {
	for _, t := range e.job.Job.SLO.Tiers {
		into = append(into, row{e, rounded(e.gpus), e.need, int64(t.Deadline/d.Lease) - first, t.Reward})
	}
	return into
}

// rounded is how many GPUs are planned for a gang. It gets no more than it asked
// for when it runs.
func rounded(gpus int64) int64 {
	switch gpus {
	case 3:
		return 4
	case 5, 6, 7:
		return 8
	}
	return gpus
}

// planGreedily plans for those without a plan, beside the plans there are: most
// reward first, then the largest gang, the least slack and the latest deadline;
// each into the latest leases that have room.
func (d *desk) planGreedily(first int64) {
	rows, room := d.unplanned(d.waiting, first)
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(b.gpus, a.gpus), cmp.Compare(a.horizon-a.need, b.horizon-b.need), cmp.Compare(b.horizon, a.horizon))
	})
	room = extended(room, rows, d.total)
	var slots []int64
	for i := range rows {
		r := &rows[i]
		if r.job.planned {
			continue
		}
		if slots = fill(room, r, slots[:0]); slots == nil {
			continue
		}
		r.job.planned = true
		r.job.slots = make([]int64, len(slots))
		for k, slot := range slots {
			r.job.slots[len(slots)-1-k] = first + slot
		}
	}
}

// unplanned returns the rows of jobs that want leases and have no plan, and the
// GPUs that the plans of the others leave in each lease.
func (d *desk) unplanned(jobs []*entry, first int64) (rows []row, room []int64) {
	for _, e := range jobs {
		if !e.wants() {
			continue
		}
		if !e.planned {
			rows = d.rows(rows, e, first)
			continue
		}
		for _, slot := range e.slots {
			room = longer(room, slot-first+1, d.total)
			room[slot-first] -= e.gpus
		}
	}
	return rows, room
}

func longer(room []int64, length, total int64) []int64 {
	for int64(len(room)) < length {
		room = append(room, total)
	}
	return room
}

func extended(room []int64, rows []row, total int64) []int64 {
	for i := range rows {
		room = longer(room, rows[i].horizon, total)
	}
	return room
}

// fill takes the latest leases that have room for the row, and returns them from
// the last on; nil, and nothing taken, if there are too few.
func fill(room []int64, r *row, slots []int64) []int64 {
	if slots == nil {
		slots = []int64{}
	}
	for i := r.horizon - 1; i >= 0; i-- {
		if room[i] < r.gpus {
			continue
		}
		room[i] -= r.gpus
		if slots = append(slots, i); int64(len(slots)) == r.need {
			return slots
		}
	}
	for _, i := range slots {
		room[i] += r.gpus
	}
	return nil
}
