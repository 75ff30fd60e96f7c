package lease

import (
	"cmp"
	"slices"

	"schedmate/scheduler/cells"
)

// Calendar says for each demand in which slots, from 1 and ascending, it holds
// a lease.
type Calendar [][]int

// LeastLaxity fills slot after slot with the gangs that can wait least: by
// By - slot - leases left, then the larger gang, then the smaller index. It
// returns what it could place, and the demands that did not get all leases that
// must lie inside the calendar, in order of index.
//
// It runs in O(slots x demands log demands) and finds a calendar nearly always
// when the capacity is at least eight times the largest gang; with less, gangs
// leave holes and Find can do better.
func LeastLaxity(capacity []int, gate *Gate, demands []Demand) (Calendar, []int) {
	slots := len(capacity)
	cal := make(Calendar, len(demands))
	left := make([]int, len(demands))
	queue := make([]int, 0, len(demands))
	for i := range demands {
		if left[i] = demands[i].Inside(slots); left[i] > 0 {
			queue = append(queue, i)
			cal[i] = make([]int, 0, left[i])
		}
	}
	order := func(a, b int) int {
		return cmp.Or(
			cmp.Compare(demands[a].Window(slots)-left[a], demands[b].Window(slots)-left[b]),
			cmp.Compare(demands[b].GPUs, demands[a].GPUs), cmp.Compare(a, b))
	}
	slices.SortFunc(queue, order)
	var ran, waited []int
	for k := 1; k <= slots && len(queue) > 0; k++ {
		free := capacity[k-1]
		var open cells.Levels
		if k == 1 && gate != nil {
			open = gate.Free
		}
		ran, waited = ran[:0], waited[:0]
		for _, i := range queue {
			d := &demands[i]
			if d.GPUs > free || d.By < k || k == 1 && gate != nil && !open.Holds(d.Cells.Levels()) {
				waited = append(waited, i)
				continue
			}
			free -= d.GPUs
			open = open.Sub(d.Cells.Levels())
			cal[i] = append(cal[i], k)
			if left[i]--; left[i] > 0 {
				ran = append(ran, i)
			}
		}
		// Those that ran gained one slot of laxity on the others: both lists are
		// still sorted, so one merge keeps the order.
		queue = merge(queue[:0], ran, waited, order)
	}
	var late []int
	for i := range demands {
		if left[i] > 0 {
			late = append(late, i)
		}
	}
	return cal, late
}

// merge joins two sorted lists.
func merge(out, a, b []int, order func(a, b int) int) []int {
	for len(a) > 0 && len(b) > 0 {
		if order(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
