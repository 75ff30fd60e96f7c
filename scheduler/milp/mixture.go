package milp

import (
	"cmp"
	"math"
	"slices"

	"schedmate/scheduler/lease"
)

// mixture asks whether slots that are split in time could hold some demands: a
// slot is any mixture of sets of whole gangs that fit into it together. Gangs do
// not split there, so it sees far more than the prefix rows do. It is a linear
// program whose columns, the sets, are made when they pay (Gilmore and Gomory
// 1961); each stretch of slots in which the same gangs may run has a key column as
// in relaxation. It minimises the GPU-leases that are not held; its prices, as
// weights of the gangs, prove a shortage.
type mixture struct {
	jobs      []claim // latest window first
	rows      int     // of the first jobs; the others weigh their GPUs
	stretches []stretch
	widest    int // of the slots

	column [][]int // sets of jobs, ascending, by number
	of     []int   // stretch of each
	key    []int   // of each stretch: its column
	basic  []mixed // of each line
	inv    [][]float64
	x      []float64
	price  []float64 // of each job
	best   [][]float64
	start  []lease.Calendar // by claim
}

// claim is a gang, or a share of one, that wants so many leases up to a slot.
type claim struct {
	job, gpus, window int
	leases            float64
}

// stretch is slots of one capacity in which the first open jobs may run.
type stretch struct {
	slots    float64
	capacity int
	open     int
}

// mixed is what a line of the basis holds: a column, or what a job lacks, or what
// it has too much.
type mixed struct {
	column   int // -1: none
	job      int
	too, not bool
}

// newMixture is the mixture of some claims, latest window first.
func newMixture(capacity []int, claims []claim) *mixture {
	x := &mixture{jobs: claims}
	open := 0
	for k := len(capacity); k >= 1; k-- {
		for open < len(x.jobs) && x.jobs[open].window >= k {
			open++
		}
		x.widest = max(x.widest, capacity[k-1])
		if last := len(x.stretches) - 1; last >= 0 && x.stretches[last].open == open && x.stretches[last].capacity == capacity[k-1] {
			x.stretches[last].slots++
		} else {
			x.stretches = append(x.stretches, stretch{1, capacity[k-1], open})
		}
	}
	return x
}

// begin sets the rows and takes for each stretch, from the last one on, the jobs
// with most leases left; two calendars that hold nearly everything offer more
// sets. What a job needs is lowered by a little that differs, or else many lines
// would reach 0 at once.
func (x *mixture) begin(rows int) {
	x.rows, x.column, x.of, x.key, x.basic, x.inv, x.x = rows, nil, nil, nil, nil, nil, nil
	left := make([]float64, len(x.jobs))
	for j := range left {
		left[j] = x.jobs[j].leases - float64(1e-5*float64(1+j*7919%101))
	}
	for s := range x.stretches {
		st := &x.stretches[s]
		order := make([]int, st.open)
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(left[b], left[a]), cmp.Compare(x.jobs[b].gpus, x.jobs[a].gpus))
		})
		free := st.capacity
		var set []int
		for _, j := range order {
			if left[j] > 0 && x.jobs[j].gpus <= free {
				free -= x.jobs[j].gpus
				left[j] -= st.slots
				set = append(set, j)
			}
		}
		slices.Sort(set)
		x.key = append(x.key, x.add(s, set))
	}
	for j := range rows {
		line := make([]float64, rows)
		if left[j] >= 0 {
			line[j] = 1
			x.basic, x.x = append(x.basic, mixed{column: -1, job: j, not: true}), append(x.x, left[j])
		} else {
			line[j] = -1
			x.basic, x.x = append(x.basic, mixed{column: -1, job: j, too: true}), append(x.x, -left[j])
		}
		x.inv = append(x.inv, line)
	}
	for _, cal := range x.start {
		x.offerCalendar(cal)
	}
	x.reprice()
}

// offerCalendar adds the sets of a calendar.
func (x *mixture) offerCalendar(cal lease.Calendar) {
	sets := make(map[int][]int)
	k := 0 // the last slot
	for j := range x.jobs {
		for _, slot := range cal[j] {
			sets[slot] = append(sets[slot], j)
		}
	}
	for s := range x.stretches {
		k += int(x.stretches[s].slots)
	}
	for s := range x.stretches {
		first := len(x.column)
		for range int(x.stretches[s].slots) {
			if set := sets[k]; !slices.ContainsFunc(x.column[first:], func(c []int) bool { return slices.Equal(c, set) }) {
				x.add(s, set)
			}
			k--
		}
	}
}

func (x *mixture) add(s int, set []int) int {
	x.column, x.of = append(x.column, set), append(x.of, s)
	return len(x.column) - 1
}

// cost is what a line costs: the GPUs of a lease that is not held, or what its
// column holds less than its key of jobs without a row.
func (x *mixture) cost(m mixed) float64 {
	switch {
	case m.not:
		return float64(x.jobs[m.job].gpus)
	case m.too:
		return 0
	}
	return x.rest(x.key[x.of[m.column]]) - x.rest(m.column)
}

// rest is the GPUs that a column holds for jobs without a row.
func (x *mixture) rest(column int) float64 {
	sum := 0
	for _, j := range x.column[column] {
		if j >= x.rows {
			sum += x.jobs[j].gpus
		}
	}
	return float64(sum)
}

func (x *mixture) reprice() {
	x.price = append(x.price[:0], make([]float64, x.rows)...)
	for p, m := range x.basic {
		if c := x.cost(m); c != 0 {
			for j, v := range x.inv[p] {
				x.price[j] += float64(c * v)
			}
		}
	}
	for j := x.rows; j < len(x.jobs); j++ {
		x.price = append(x.price, float64(x.jobs[j].gpus))
	}
}

// short is how many GPU-leases are not held.
func (x *mixture) short() float64 {
	sum := 0.0
	for j := x.rows; j < len(x.jobs); j++ {
		sum += float64(float64(x.jobs[j].gpus) * x.jobs[j].leases)
	}
	for s, c := range x.key {
		sum -= float64(x.rest(c) * x.stretches[s].slots)
	}
	for p, m := range x.basic {
		sum += float64(x.cost(m) * x.x[p])
	}
	return sum
}

// solve runs until no set pays, or the prices prove half of what is short. It
// reports whether they prove a shortage.
func (x *mixture) solve(rows int, work func(n int) bool) bool {
	work(20 * len(x.stretches) * len(x.jobs))
	x.begin(rows)
	for pivots := 0; ; {
		for e, ok := x.most(); ok; e, ok = x.most() {
			if pivots++; pivots > mostExchanges*rows {
				return false
			}
			if !work(2*rows*rows+60*rows+30*len(x.column)) || !x.enter(e, 0) {
				return false
			}
		}
		short := x.short()
		if short < 1e-6 || !work(len(x.jobs)*x.widest) {
			return false
		}
		x.table()
		if x.shown() > short/2 {
			return true
		}
		if !x.offer() {
			return x.shown() > 1e-6
		}
	}
}

// mostExchanges bounds the changes of the basis, for each row: about ten are
// usual.
const mostExchanges = 200

// most is what saves most of what there is.
func (x *mixture) most() (mixed, bool) {
	best, at := 1e-7, mixed{}
	try := func(e mixed) {
		if g := x.gap(e); g > best {
			best, at = g, e
		}
	}
	for j := range x.rows {
		try(mixed{column: -1, job: j, not: true})
		try(mixed{column: -1, job: j, too: true})
	}
	keys := make([]float64, len(x.key))
	for s, c := range x.key {
		keys[s] = x.worth(c)
	}
	for c := range x.column {
		if g := x.worth(c) - keys[x.of[c]]; g > best {
			best, at = g, mixed{column: c}
		}
	}
	return at, best > 1e-7
}

// weight is the price of a job as a weight: between nothing and its GPUs.
func (x *mixture) weight(j int) float64 {
	return math.Max(0, math.Min(x.price[j], float64(x.jobs[j].gpus)))
}

// table computes the most weight that the first jobs can put into so much
// capacity.
func (x *mixture) table() {
	if x.best == nil {
		x.best = make([][]float64, len(x.jobs)+1)
		for j := range x.best {
			x.best[j] = make([]float64, x.widest+1)
		}
	}
	for j := range x.jobs {
		from, to, g, w := x.best[j], x.best[j+1], x.jobs[j].gpus, x.weight(j)
		copy(to, from)
		for c := g; c <= x.widest; c++ {
			to[c] = math.Max(to[c], from[c-g]+w)
		}
	}
}

// shown is the shortage that the weights prove.
func (x *mixture) shown() float64 {
	sum := 0.0
	for j := range x.jobs {
		sum += float64(x.weight(j) * x.jobs[j].leases)
	}
	for s := range x.stretches {
		st := &x.stretches[s]
		sum -= float64(st.slots * x.best[st.open][st.capacity])
	}
	return sum
}

// offer adds the best set of each stretch by the table, if it pays.
func (x *mixture) offer() bool {
	before := len(x.column)
	for s := range x.stretches {
		st := &x.stretches[s]
		var set []int
		c := st.capacity
		sum := 0.0
		for j := st.open - 1; j >= 0; j-- {
			if x.best[j+1][c] > x.best[j][c] {
				set = append(set, j)
				sum += x.price[j]
				c -= x.jobs[j].gpus
			}
		}
		if sum <= x.worth(x.key[s])+1e-7 {
			continue
		}
		slices.Reverse(set)
		x.add(s, set)
	}
	return len(x.column) > before
}
