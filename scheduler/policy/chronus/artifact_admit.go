package chronus

import (
	"cmp"
	"slices"

	"schedmate"
)

// admit promises the newcomers their last deadlines if all that is promised and
// not yet planned can be packed together with it, or refuses them.
func (d *desk) admit() {
	if len(d.arrivals) == 0 {
		return
	}
	first := int64(d.now/d.Lease) + 1
	rows, room := d.unplanned(slices.Concat(d.waiting, d.running), first)
	t := newTrial(d.total, room, rows)
	for _, e := range d.arrivals {
		if e.state != bestEffort && e.estimate < unknown {
			e.state, e.plannable, e.need = promised, true, d.leases(e)
			if d.promise(t, e, first); e.state == refused {
				d.unmet++
			}
		}
		d.waiting = append(d.waiting, e)
	}
	d.arrivals = nil
}

// promise decides about one newcomer. The rows of one who is refused stay among
// those that the next ones are tried with, the last of them at the lease by which
// it could have been promised.
func (d *desk) promise(t *trial, e *entry, first int64) {
	rows := d.rows(nil, e, first)
	last := &rows[len(rows)-1]
	for i := range rows {
		t.add(rows[i])
	}
	if e.need <= last.horizon && t.packs() {
		e.due = schedmate.Seconds(first+last.horizon) * d.Lease
		return
	}
	e.state = refused
	low := max(last.horizon, e.need)
	high := max(t.longest(), low, int64(len(t.room))) + e.need + 1
	for low < high {
		middle := low + (high-low)/2
		t.moveLast(middle)
		if t.packs() {
			high = middle
		} else {
			low = middle + 1
		}
	}
	t.moveLast(high)
}

// trial packs rows of jobs: the first row of each job, the largest gang first,
// then the least slack and the longest horizon.
//
// Invariant: rows is in that order, and order of addition where that leaves a
// choice; last is where the row that was added last stands.
type trial struct {
	total   int64
	room    []int64
	rows    []row
	last    int
	tried   []int64
	seen    map[*entry]int // in which packing
	packing int
}

func newTrial(total int64, room []int64, rows []row) *trial {
	t := &trial{total: total, room: room, seen: make(map[*entry]int)}
	t.rows = slices.Clone(rows)
	slices.SortStableFunc(t.rows, compareRows)
	return t
}

func compareRows(a, b row) int {
	return cmp.Or(cmp.Compare(b.gpus, a.gpus), cmp.Compare(a.horizon-a.need, b.horizon-b.need), cmp.Compare(b.horizon, a.horizon))
}

func (t *trial) add(r row) {
	t.last, _ = slices.BinarySearchFunc(t.rows, r, func(a, b row) int {
		if compareRows(a, b) <= 0 {
			return -1
		}
		return 1
	})
	t.rows = slices.Insert(t.rows, t.last, r)
}

// moveLast gives the row that was added last another horizon.
func (t *trial) moveLast(horizon int64) {
	r := t.rows[t.last]
	t.rows = slices.Delete(t.rows, t.last, t.last+1)
	r.horizon = horizon
	t.add(r)
}

func (t *trial) longest() int64 {
	most := int64(0)
	for i := range t.rows {
		most = max(most, t.rows[i].horizon)
	}
	return most
}

// packs reports whether every job finds its leases, each the latest that are
// left.
func (t *trial) packs() bool {
	t.packing++
	t.tried = append(t.tried[:0], t.room...)
	t.tried = extended(t.tried, t.rows, t.total)
	for i := range t.rows {
		r := &t.rows[i]
		if t.seen[r.job] == t.packing {
			continue
		}
		t.seen[r.job] = t.packing
		left := r.need
		for k := r.horizon - 1; k >= 0 && left > 0; k-- {
			if t.tried[k] >= r.gpus {
				t.tried[k] -= r.gpus
				left--
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}
