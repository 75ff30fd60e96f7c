package lease

import (
	"cmp"
	"slices"

	"schedmate/scheduler/cells"
)

// Latest fills slots from the last to the first, each with the gangs that have
// most leases left, then the larger gang, then the smaller index. Seen from the
// end all open windows close together, so for gangs of one size this finds a
// calendar whenever there is one, however the capacity rises and falls. It leaves
// slot 1 as empty as it can, which is a waste where nobody else wants it: use it
// where LeastLaxity fails. The answer is as LeastLaxity's.
func Latest(capacity []int, gate *Gate, demands []Demand) (Calendar, []int) {
	slots := len(capacity)
	cal := make(Calendar, len(demands))
	left := make([]int, len(demands))
	opens := make([][]int, slots+1) // demands by the last slot of their window
	order := func(a, b int) int {
		return cmp.Or(cmp.Compare(left[b], left[a]), cmp.Compare(demands[b].GPUs, demands[a].GPUs), cmp.Compare(a, b))
	}
	for i := range demands {
		if left[i] = demands[i].Inside(slots); left[i] > 0 {
			last := demands[i].Window(slots)
			opens[last] = append(opens[last], i)
			cal[i] = make([]int, 0, left[i])
		}
	}
	var queue, ran, waited, both []int
	for k := slots; k >= 1; k-- {
		slices.SortFunc(opens[k], order)
		both = merge(both[:0], queue, opens[k], order)
		free := capacity[k-1]
		var open cells.Levels
		if gate != nil {
			open = gate.Free
		}
		ran, waited = ran[:0], waited[:0]
		for _, i := range both {
			d := &demands[i]
			if d.GPUs > free || k == 1 && gate != nil && !open.Holds(d.Cells.Levels()) {
				waited = append(waited, i)
				continue
			}
			free -= d.GPUs
			if k == 1 {
				open = open.Sub(d.Cells.Levels())
			}
			cal[i] = append(cal[i], k)
			if left[i]--; left[i] > 0 {
				ran = append(ran, i)
			}
		}
		queue = merge(queue[:0], ran, waited, order)
	}
	var late []int
	for i := range demands {
		slices.Reverse(cal[i])
		if left[i] > 0 {
			late = append(late, i)
		}
	}
	return cal, late
}
