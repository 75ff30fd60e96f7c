package lease

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"schedmate/scheduler/cells"
)

// Verdict is what a search for a calendar found out.
type Verdict int

// A search that was ended early knows nothing.
const (
	Unknown    Verdict = iota
	Found              // here it is
	Impossible         // there is none: proven
)

// Find looks for a calendar that holds all demands: least laxity first, then
// latest slots first, then an exhaustive search. It calls spend before each step and ends with Unknown
// when spend says no.
//
// The search goes from the last slot to the first. Seen from there all windows
// that have opened close together, in slot 1. So of gangs of one size those with
// most leases left go first (swap two leases of a calendar that does otherwise),
// and no slot need leave out a gang that fits (move one of its earlier leases
// there). What is left to try in a slot is how many gangs of each size it holds.
func Find(capacity []int, gate *Gate, demands []Demand, spend func() bool) (Calendar, Verdict) {
	if !spend() {
		return nil, Unknown
	}
	cal, late := LeastLaxity(capacity, gate, demands)
	if len(late) > 0 {
		cal, late = Latest(capacity, gate, demands)
	}
	if len(late) == 0 {
		return cal, Found
	}
	f := newFinder(capacity, gate, demands, spend)
	switch found := f.slot(len(capacity)); {
	case f.ended:
		return nil, Unknown
	case !found:
		return nil, Impossible
	}
	for i := range demands {
		slices.Sort(f.held[i])
	}
	return f.held, Found
}

// finder is one run of the search.
type finder struct {
	capacity []int
	gate     *Gate
	demands  []Demand
	spend    func() bool
	ended    bool

	left    []int // leases that each demand still needs in the slots not yet filled
	classes []class
	held    Calendar
	dead    map[string]bool // states that lead nowhere
	room    rooms
}

// class is the gangs of one size that are alike but for windows and leases.
type class struct {
	gpus   int
	levels cells.Levels
	jobs   []int
}

// deadStates bounds the memory of a search: about 100 bytes each.
const deadStates = 1 << 18

func newFinder(capacity []int, gate *Gate, demands []Demand, spend func() bool) *finder {
	f := &finder{
		capacity: capacity, gate: gate, demands: demands, spend: spend,
		left: make([]int, len(demands)), held: make(Calendar, len(demands)), dead: make(map[string]bool),
	}
	order := make([]int, 0, len(demands))
	for i := range demands {
		if f.left[i] = demands[i].Inside(len(capacity)); f.left[i] > 0 {
			order = append(order, i)
		}
	}
	alike := func(a, b int) int {
		c := cmp.Compare(demands[b].GPUs, demands[a].GPUs)
		if c == 0 && gate != nil {
			c = slices.Compare(demands[b].Cells[:], demands[a].Cells[:])
		}
		return c
	}
	slices.SortStableFunc(order, alike)
	for n, i := range order {
		if n == 0 || alike(order[n-1], i) != 0 {
			f.classes = append(f.classes, class{gpus: demands[i].GPUs, levels: demands[i].Cells.Levels()})
		}
		c := &f.classes[len(f.classes)-1]
		c.jobs = append(c.jobs, i)
	}
	f.room = newRooms(f)
	return f
}

// slot fills slots 1..k and reports whether they hold all that is left.
func (f *finder) slot(k int) bool {
	if !f.spend() {
		f.ended = true
		return false
	}
	if !f.room.enough(k) {
		return false
	}
	if k == 0 {
		return true // enough has seen that nothing is left
	}
	open := make([][]int, len(f.classes)) // released gangs, most leases left first
	forced := make([]int, len(f.classes)) // how many of them must run in every slot
	for c := range f.classes {
		for _, i := range f.classes[c].jobs {
			if f.left[i] > 0 && f.demands[i].By >= k {
				open[c] = append(open[c], i)
			}
		}
		slices.SortFunc(open[c], func(a, b int) int { return cmp.Or(cmp.Compare(f.left[b], f.left[a]), cmp.Compare(a, b)) })
		for forced[c] < len(open[c]) && f.left[open[c][forced[c]]] == k {
			forced[c]++
		}
	}
	state := f.state(k, open)
	if f.dead[state] {
		return false
	}
	for _, counts := range f.fillings(k, open, forced) {
		if f.ended {
			return false
		}
		f.take(k, open, counts, +1)
		if f.slot(k - 1) {
			return true
		}
		f.take(k, open, counts, -1)
	}
	if f.ended {
		return false
	}
	if len(f.dead) < deadStates {
		f.dead[state] = true
	}
	return false
}

// take gives slot k to the first counts of the open gangs, or takes it back.
func (f *finder) take(k int, open [][]int, counts []int, sign int) {
	for c := range open {
		for _, i := range open[c][:counts[c]] {
			f.left[i] -= sign
			if sign > 0 {
				f.held[i] = append(f.held[i], k)
			} else {
				f.held[i] = f.held[i][:len(f.held[i])-1]
			}
		}
	}
}

// state writes down what decides whether slots 1..k can hold what is left:
// gangs that are not released yet are the same whenever k is.
func (f *finder) state(k int, open [][]int) string {
	b := binary.AppendUvarint(nil, uint64(k))
	for c := range open {
		for _, i := range open[c] {
			b = binary.AppendUvarint(b, uint64(f.left[i]))
		}
		b = append(b, 0)
	}
	return string(b)
}

// fillingsPerStep is how many fillings are looked at in one step: in a wide slot
// there are very many.
const fillingsPerStep = 16

// fillings lists every way to fill slot k such that no further gang fits, the
// most urgent work first; not all of them when the search has ended.
func (f *finder) fillings(k int, open [][]int, forced []int) [][]int {
	var out [][]int
	var worth []int
	counts := make([]int, len(open))
	tried := 0
	var fill func(c, free int)
	fill = func(c, free int) {
		if free < 0 || f.ended {
			return
		}
		if c == len(open) {
			if tried++; tried%fillingsPerStep == 0 && !f.spend() {
				f.ended = true
				return
			}
			sum := 0
			for n := range open {
				if counts[n] < len(open[n]) && f.classes[n].gpus <= free {
					return // one more fits
				}
				for _, i := range open[n][:counts[n]] {
					sum += f.classes[n].gpus * f.left[i] * f.left[i]
				}
			}
			out, worth = append(out, slices.Clone(counts)), append(worth, sum)
			return
		}
		for counts[c] = forced[c]; counts[c] <= len(open[c]) && counts[c]*f.classes[c].gpus <= free; counts[c]++ {
			fill(c+1, free-counts[c]*f.classes[c].gpus)
		}
	}
	fill(0, f.capacity[k-1])
	sort.Stable(byWorth{out, worth})
	return out
}

// byWorth sorts fillings by what they are worth, most first.
type byWorth struct {
	counts [][]int
	worth  []int
}

func (w byWorth) Len() int           { return len(w.worth) }
func (w byWorth) Less(i, j int) bool { return w.worth[i] > w.worth[j] }
func (w byWorth) Swap(i, j int) {
	w.counts[i], w.counts[j] = w.counts[j], w.counts[i]
	w.worth[i], w.worth[j] = w.worth[j], w.worth[i]
}
