package admit_test

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/admit"
)

// world is a tiny instance, told without anything of the package: nodes, and what
// every promised job needs by when.
type world struct {
	nodes  []int          // GPUs of each
	limits map[string]int // GPUs that a VC may hold at once
	wants  []want
	rounds bool
}

type want struct {
	vc           string
	gpus         int
	leases, slot int // so many by the end of that slot
}

// feasible tries everything: every set of gangs in every slot, and every way to
// put their cells on nodes.
func (w *world) feasible() bool {
	left := make([]int, len(w.wants))
	last := 0
	for i, x := range w.wants {
		left[i] = x.leases
		last = max(last, x.slot)
	}
	dead := make(map[string]bool)
	var slot func(k int) bool
	slot = func(k int) bool {
		if !slices.ContainsFunc(left, func(n int) bool { return n > 0 }) {
			return true
		}
		if k > last {
			return false
		}
		key := string(rune(k))
		for _, n := range left {
			key += string(rune(n))
		}
		if dead[key] {
			return false
		}
		var run []int
		var choose func(i int) bool
		choose = func(i int) bool {
			if i == len(left) {
				return w.placed(run) && slot(k+1)
			}
			if left[i] > 0 && w.wants[i].slot >= k {
				left[i]--
				run = append(run, i)
				if choose(i + 1) {
					return true
				}
				run = run[:len(run)-1]
				left[i]++
			}
			return choose(i + 1)
		}
		ok := choose(0)
		dead[key] = !ok
		return ok
	}
	return slot(1)
}

// placed reports whether these gangs run at the same time.
func (w *world) placed(run []int) bool {
	held := make(map[string]int)
	sum := 0
	var cells []int
	widest := slices.Max(w.nodes)
	for _, i := range run {
		x := w.wants[i]
		held[x.vc] += x.gpus
		sum += x.gpus
		size := 8
		for size > x.gpus || size > widest {
			size /= 2
		}
		for n := x.gpus; n > 0 && w.rounds; n -= size {
			cells = append(cells, size)
		}
	}
	for vc, most := range w.limits {
		if held[vc] > most {
			return false
		}
	}
	if !w.rounds { // whatever is free will do
		for _, g := range w.nodes {
			sum -= g
		}
		return sum <= 0
	}
	free := slices.Clone(w.nodes)
	var put func(n int) bool
	put = func(n int) bool {
		if n == len(cells) {
			return true
		}
		for i := range free {
			if free[i] >= cells[n] {
				free[i] -= cells[n]
				if put(n + 1) {
					return true
				}
				free[i] += cells[n]
			}
		}
		return false
	}
	slices.SortFunc(cells, func(a, b int) int { return b - a })
	return put(0)
}

// roundUp is the rule of CHRONUS, section 6: 1, 2, 4 or a multiple of 8.
func roundUp(gpus int) int {
	for _, g := range []int{1, 2, 4, 8} {
		if gpus <= g {
			return g
		}
	}
	return (gpus + 7) / 8 * 8
}

// worldOf reads the strict promises of a book, and one more request, off a
// snapshot whose instant is a boundary of slots.
func worldOf(s *schedmate.Snapshot, o *admit.Options, book *admit.Book, more ...*schedmate.JobStatus) *world {
	w := &world{limits: make(map[string]int), rounds: o.RoundUp}
	for _, n := range s.Cluster.Nodes {
		w.nodes = append(w.nodes, n.GPUs)
	}
	for _, v := range s.Cluster.VCs {
		if v.QuotaGPUs > 0 {
			w.limits[v.Name] = v.QuotaGPUs
		}
	}
	add := func(j *schedmate.JobStatus, deadline schedmate.Seconds) {
		gpus := j.Job.GPUs
		if o.RoundUp {
			gpus = roundUp(gpus)
		}
		work := max(1, int64(j.Facts[0].High)-int64(j.Done))
		w.wants = append(w.wants, want{j.Job.VC, gpus, int((work + int64(o.Lease) - 1) / int64(o.Lease)), int((deadline - s.Now) / o.Lease)})
	}
	for _, p := range book.Promises() {
		if j := s.Find(p.Job); j != nil && p.Class == schedmate.Strict && !slices.Contains(more, j) {
			add(j, p.Deadline)
		}
	}
	for _, j := range more {
		add(j, j.Job.SLO.Tiers[0].Deadline)
	}
	return w
}
