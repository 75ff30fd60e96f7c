package lease

import (
	"fmt"

	"schedmate/scheduler/cells"
)

// Demand is a gang that needs Leases leases of GPUs GPUs each, at most one a
// slot, in slots 1 to By. By may lie behind the last slot of the calendar: then
// one lease a slot may follow there, where nobody competes yet.
type Demand struct {
	GPUs, Leases, By int

	// Cells are what a lease takes in slot 1, where cells may be pinned; see Gate.
	Cells cells.Count
}

// Need is how many leases must lie in slots 1..t.
func (d *Demand) Need(t int) int { return max(0, d.Leases-max(0, d.By-t)) }

// Inside is how many leases must lie in the slots of the calendar.
func (d *Demand) Inside(slots int) int { return d.Need(slots) }

// Window is the last slot that counts.
func (d *Demand) Window(slots int) int { return min(d.By, slots) }

// Gate is the room in slot 1, where running leases may be pinned to their
// cells. A nil Gate lets in whatever the capacity holds.
type Gate struct{ Free cells.Levels }

// Pin is a running lease that keeps its GPUs in slots 1..Until.
type Pin struct{ GPUs, Until int }

// Capacity is what can be promised in each slot: healthy GPUs minus those of
// pinned leases.
func Capacity(healthy []int, pins []Pin) ([]int, error) {
	free := append([]int(nil), healthy...)
	for i, p := range pins {
		if p.GPUs < 0 || p.Until < 0 {
			return nil, fmt.Errorf("pinned lease %d: GPUs and last slot must not be negative, got %d and %d", i, p.GPUs, p.Until)
		}
		for k := range min(p.Until, len(free)) {
			if free[k] -= p.GPUs; free[k] < 0 {
				return nil, fmt.Errorf("slot %d: pinned leases hold more GPUs than the %d that are healthy", k+1, healthy[k])
			}
		}
	}
	return free, nil
}

// Shortage says where demands exceed capacity: GPUs leases are missing in slots
// 1..Slot.
type Shortage struct{ Slot, GPUs int }

// Short is the prefix test. A shortage is a proof that no calendar holds all
// demands, and names the first slot by which somebody is due and more must lie
// than there is: two gangs of two leases by slot 2 on one GPU lack two leases by
// slot 2, although slot 1 is too small for both already. Only where capacity falls
// can a slot in between be short and nobody due at a slot that is; then it is the
// first of those. Of a gang that is larger than every slot of its window it names
// the window. Without a shortage there may still be no calendar: gangs do not
// split, and capacity may fall.
func Short(capacity []int, demands []Demand) (Shortage, bool) {
	slots := len(capacity)
	wide := make([]int, slots+1) // the widest of slots 1..t
	for k, g := range capacity {
		wide[k+1] = max(wide[k], g)
	}
	use := make([]int, slots+2) // differences of what latest-first leases use in each slot
	due := make([]bool, slots+1)
	for i := range demands {
		d := &demands[i]
		inside, last := d.Inside(slots), d.Window(slots)
		if inside > last {
			return Shortage{Slot: last, GPUs: d.GPUs * (inside - last)}, true
		}
		if inside > 0 && d.GPUs > wide[last] {
			return Shortage{Slot: last, GPUs: d.GPUs - wide[last]}, true
		}
		use[last-inside+1] += d.GPUs
		use[last+1] -= d.GPUs
		due[last] = true
	}
	used, left := 0, 0
	var first Shortage
	for k := 1; k <= slots; k++ {
		used += use[k]
		left += capacity[k-1] - used
		if left >= 0 {
			continue
		}
		if due[k] {
			return Shortage{Slot: k, GPUs: -left}, true
		}
		if first.GPUs == 0 {
			first = Shortage{Slot: k, GPUs: -left}
		}
	}
	return first, first.GPUs > 0
}

// Covers reports whether leases in these slots, from 1 and ascending, meet the
// demand on a calendar of so many slots.
func (d *Demand) Covers(held []int, slots int) bool {
	n := 0
	for i, k := range held {
		if k < 1 || i > 0 && k <= held[i-1] {
			return false
		}
		if k <= d.Window(slots) {
			n++
		}
	}
	return n >= d.Inside(slots)
}
