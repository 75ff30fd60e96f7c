package lease

import "schedmate/scheduler/cells"

// rooms are the quick proofs that slots 1..k cannot hold what is left. Gangs
// without slack hold their GPUs in every slot of their window. Of the rest, for
// each size h among the gangs, the prefix sums must hold when a gang counts as
// floor(gpus/h) and a slot as floor(free/h): gangs of h GPUs and more do not
// share a room of h. Only slots that are wide enough for a gang count as slots
// in which its leases could lie later.
type rooms struct {
	f     *finder
	sizes []int // 1 and the sizes of the gangs
	free  []int
	least int // of free
	use   []int
	could []int
}

func newRooms(f *finder) rooms {
	slots := len(f.capacity)
	r := rooms{f: f, sizes: []int{1}, free: make([]int, slots+2), use: make([]int, slots+2), could: make([]int, slots+2)}
	for _, c := range f.classes {
		if c.gpus > 1 && c.gpus != r.sizes[len(r.sizes)-1] {
			r.sizes = append(r.sizes, c.gpus)
		}
	}
	return r
}

func (r *rooms) enough(k int) bool {
	f := r.f
	clear(r.free)
	var now cells.Levels // what must run in slot 1
	for c := range f.classes {
		for _, i := range f.classes[c].jobs {
			left, window := f.left[i], min(f.demands[i].By, k)
			if left > window {
				return false
			}
			if left > 0 && left == window {
				r.free[1] -= f.classes[c].gpus
				r.free[window+1] += f.classes[c].gpus
				now = now.Add(f.classes[c].levels)
			}
		}
	}
	if f.gate != nil && !f.gate.Free.Holds(now) {
		return false
	}
	taken := 0
	r.least = 0
	for t := 1; t <= k; t++ {
		taken += r.free[t]
		if r.free[t] = f.capacity[t-1] + taken; r.free[t] < 0 {
			return false
		}
		if t == 1 || r.free[t] < r.least {
			r.least = r.free[t]
		}
	}
	for _, h := range r.sizes {
		if !r.holds(k, h) {
			return false
		}
	}
	return true
}

// holds is the prefix test with everything counted in whole rooms of h GPUs.
func (r *rooms) holds(k, h int) bool {
	f := r.f
	use, could := r.use[:k+2], r.could[:k+2]
	clear(use)
	clear(could)
	for c := range f.classes {
		weight := f.classes[c].gpus / h
		if weight == 0 {
			break // classes are sorted, largest first
		}
		for _, i := range f.classes[c].jobs {
			left, window := f.left[i], min(f.demands[i].By, k)
			if left == 0 || left == window {
				continue
			}
			could[window] += weight
			if f.classes[c].gpus <= r.least {
				use[window-left+1] += weight
				use[window+1] -= weight
			} else if !r.latest(use, f.classes[c].gpus, left, window, weight) {
				return false
			}
		}
	}
	for t := k - 1; t >= 1; t-- {
		could[t] += could[t+1]
	}
	used, left := 0, 0
	for t := 1; t <= k; t++ {
		used += use[t]
		if left += min(r.free[t]/h, could[t]) - used; left < 0 {
			return false
		}
	}
	return true
}

// latest books the leases of a gang in the last slots that are wide enough, and
// reports whether there are as many.
func (r *rooms) latest(use []int, gpus, left, window, weight int) bool {
	for t := window; t >= 1 && left > 0; t-- {
		if r.free[t] >= gpus {
			use[t] += weight
			use[t+1] -= weight
			left--
		}
	}
	return left == 0
}
