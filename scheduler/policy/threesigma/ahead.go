package threesigma

import "schedmate"

// ahead is the GPUs that are not planned for, by slot. Slots beyond the list
// have all of them.
type ahead struct {
	all  int
	left []int
}

// newAhead returns the GPUs of nodes that take work, in every slot.
func newAhead(o *schedmate.Occupancy) *ahead {
	a := &ahead{}
	for i := range o.Len() {
		if o.Node(i).Takes() {
			a.all += o.Node(i).GPUs
		}
	}
	return a
}

// take plans the GPUs for the slots [from, to), as far as they lie ahead.
func (a *ahead) take(from, to, gpus int) {
	to = min(to, maxSlots)
	for len(a.left) < to {
		a.left = append(a.left, a.all)
	}
	for k := max(0, from); k < to; k++ {
		a.left[k] -= gpus
	}
}

// maxSlots bounds what is remembered of jobs that never end.
const maxSlots = 1 << 16

// earliest takes the first need slots in a row before the slot window that have
// the GPUs, and returns the first of them, or -1.
func (a *ahead) earliest(need, window, gpus int) int {
	if gpus > a.all {
		return -1
	}
	for first := 0; first+need <= window; first++ {
		k := first
		for k < first+need && (k >= len(a.left) || a.left[k] >= gpus) {
			k++
		}
		if k == first+need {
			a.take(first, k, gpus)
			return first
		}
		first = k // the slot that is too full
	}
	return -1
}
