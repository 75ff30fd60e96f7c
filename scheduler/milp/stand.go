package milp

import (
	"slices"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
)

// stand builds the draft that keeps a standing calendar as far as it fits, and
// serves further jobs where it leaves room.
func (b *board) stand(standing []Promise) *draft {
	d := newDraft(b)
	for j := range min(len(standing), len(d.pick)) {
		s := &standing[j]
		if s.Policy < 0 || len(s.Slots) == 0 {
			continue
		}
		from, to := b.of(j)
		for i := from; i < to; i++ {
			o := &b.options[i]
			if o.spot() || o.policy != s.Policy {
				continue
			}
			if slots := d.keep(o, s.Slots); slots != nil {
				d.hold(i, slots)
				break
			}
		}
	}
	for _, must := range []bool{true, false} {
		for j := range d.pick {
			if b.m.Jobs[j].Must == must && d.pick[j] < 0 {
				d.insert(j, 0, fullestFirst, nil)
			}
		}
	}
	return d
}

// keep returns those of the slots that the option needs, if they have room.
func (d *draft) keep(o *option, slots []int) []int {
	kept := d.still(o, slots)
	if len(kept) < o.inside() || len(kept) == 0 {
		return nil
	}
	return kept
}

// still returns those of the slots that have room for the option, no more than it
// needs.
func (d *draft) still(o *option, slots []int) []int {
	var kept []int
	for _, k := range slots {
		if k >= 1 && k <= o.window && len(kept) < o.inside() && d.room(o, k, 0) && !slices.Contains(kept, k) {
			kept = append(kept, k)
		}
	}
	slices.Sort(kept)
	return kept
}

// steady makes another calendar for what a draft promises, in which as few jobs as
// can be leave the slots of the standing calendar. It returns nil when it finds
// none.
func (d *draft) steady(standing []Promise, spend func() bool) *draft {
	used := d.used()
	s := newDraft(d.b)
	if len(s.free) > 0 {
		s.free[0] -= used[0]
		s.open = s.open.Sub(used)
	}
	var demands []lease.Demand
	var start lease.Calendar
	var picks []int
	capacity, gate := slices.Clone(s.free), s.gate()
	for j, i := range d.pick {
		if i < 0 {
			continue
		}
		o := &d.b.options[i]
		var kept []int
		if j < len(standing) && standing[j].Policy == o.policy {
			kept = s.still(o, standing[j].Slots)
			s.hold(i, kept)
			s.pick[j] = -1
		}
		demands, picks, start = append(demands, o.demand(d.b.m)), append(picks, i), append(start, kept)
	}
	moves := steadyMoves
	cal := lease.Mend(capacity, gate, demands, start, func() bool { moves--; return moves >= 0 && spend() })
	if cal == nil {
		return nil
	}
	s = newDraft(d.b)
	for n, i := range picks {
		s.hold(i, cal[n])
	}
	s.spots, s.extra = d.spots, d.extra
	return s
}

// steadyMoves is how many leases a standing calendar may be changed by.
const steadyMoves = 1000

// gate is what is open of slot 1, if cells are pinned.
func (d *draft) gate() *lease.Gate {
	if d.b.m.Gate == nil {
		return nil
	}
	return &lease.Gate{Free: d.open}
}

// used is what spot jobs hold of slot 1 in the fullest sub-slot, by size of cell.
func (d *draft) used() cells.Levels {
	var most cells.Levels
	for q := 1; q <= d.b.sub; q++ {
		var use cells.Levels
		for j := range d.spots {
			if slices.Contains(d.spots[j].subs, q) {
				use = use.Add(d.b.m.Jobs[j].Policies[d.spots[j].policy].cells().Levels())
			}
		}
		for n := range use {
			most[n] = max(most[n], use[n])
		}
	}
	return most
}
