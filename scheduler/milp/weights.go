package milp

import (
	"cmp"
	"math"
	"slices"

	"schedmate/scheduler/lease"
)

// weighed returns a row that claims, latest window first, break if a mixture of
// sets of gangs cannot hold them: with a weight for each gang, slots can hold no
// more weight than their best sets of gangs have, and the claims hold more. Weights
// are made whole, so that the row is exact. They are looked for among the claims
// of so many latest windows; start are calendars of whole claims to begin from.
func (d *deadlines) weighed(claims []claim, start []lease.Calendar, most int) *row {
	x := newMixture(d.b.m.Capacity, claims)
	if x.start = start; len(claims)*x.widest > mostCells {
		return nil
	}
	rows := min(firstRows, len(claims))
	for !x.solve(rows, d.working) {
		if rows >= min(most, len(claims)) {
			return nil
		}
		rows = min(2*rows, len(claims))
	}
	shown := x.shown()
	for _, scale := range [...]float64{1, 2, 12, 120} {
		w := &weights{d: d}
		for j, c := range claims {
			w.gangs = append(w.gangs, weighted{claim: c, weight: int(math.Round(x.weight(j) * scale))})
		}
		if over := w.need() - float64(w.hold()); over > shown*scale/2 {
			w.extend(over / 2)
			return w.row()
		}
	}
	return nil
}

// For how many jobs, those of the latest windows, weights are looked for, at first
// and at last: the others nearly always weigh their GPUs.
const (
	firstRows = 16
	mostRows  = 64
)

// mostCells bounds the tables of sets of gangs: where gangs are small beside the
// cluster, calendars nearly always exist.
const mostCells = 1 << 20

// working counts additions: a thousand are a step.
func (d *deadlines) working(n int) bool {
	for range n / 1000 {
		if !d.spend() {
			return false
		}
	}
	return d.spend()
}

// weights are gangs with weights, and what slots can hold of them.
type weights struct {
	d     *deadlines
	gangs []weighted // latest window first, after hold
	best  [][]int    // of each slot: most weight by GPUs, after hold
}

type weighted struct {
	claim
	weight int
}

// need is the weight that the claims put into slots.
func (w *weights) need() float64 {
	sum := 0.0
	for n := range w.gangs {
		sum += float64(float64(w.gangs[n].weight) * w.gangs[n].leases)
	}
	return sum
}

// hold is the weight that all slots hold at most.
func (w *weights) hold() int {
	b := w.d.b
	slices.SortStableFunc(w.gangs, func(x, y weighted) int { return cmp.Compare(y.window, x.window) })
	w.best = make([][]int, b.slots)
	table, next, sum := make([]int, slices.Max(b.m.Capacity)+1), 0, 0
	for k := b.slots; k >= 1; k-- {
		for ; next < len(w.gangs) && w.gangs[next].window >= k; next++ {
			put(table, table, w.gangs[next].gpus, w.gangs[next].weight)
		}
		w.best[k-1] = slices.Clone(table)
		sum += table[b.m.Capacity[k-1]]
	}
	w.d.working(b.slots * len(table))
	return sum
}

// put improves a table of most weight by GPUs by one more gang, from what it was.
func put(into, from []int, gpus, weight int) {
	if weight == 0 {
		return
	}
	for c := len(into) - 1; c >= gpus; c-- {
		into[c] = max(into[c], from[c-gpus]+weight)
	}
}

// extend makes the row hold for later options of the same jobs, too, as long as
// the claims break it by so much.
func (w *weights) extend(over float64) {
	need := w.need()
	for _, g := range slices.Clone(w.gangs) {
		last := g.window
		from, to := w.d.b.of(g.job)
		for i := from; i < to; i++ {
			if o := &w.d.b.options[i]; o.gpus >= g.gpus {
				last = max(last, o.window)
			}
		}
		if last == g.window || g.weight == 0 {
			continue
		}
		before := slices.Clone(w.gangs)
		w.gangs[slices.Index(w.gangs, g)].window = last
		if need-float64(w.hold()) < over {
			w.gangs = before
		}
	}
	w.hold()
}

// row writes the weights down, and gives options of other jobs what weight they
// can have without any slot holding more.
func (w *weights) row() *row {
	b := w.d.b
	q := &row{need: make([]float64, len(b.options)), most: float64(w.hold())}
	weighs := make([]bool, len(b.m.Jobs))
	for _, g := range w.gangs {
		weighs[g.job] = true
		from, to := b.of(g.job)
		for i := from; i < to; i++ {
			if o := &b.options[i]; o.gpus >= g.gpus && o.window <= g.window {
				q.need[i] = math.Max(q.need[i], float64(g.weight*o.inside()))
			}
		}
	}
	for job := range b.m.Jobs {
		from, to := b.of(job)
		if weighs[job] || from == to {
			continue
		}
		weight := make([]int, to-from)
		for i := from; i < to; i++ {
			o := &b.options[i]
			least := math.MaxInt
			for k := range o.window {
				if g := b.m.Capacity[k]; g >= o.gpus {
					least = min(least, w.best[k][g]-w.best[k][g-o.gpus])
				}
			}
			if weight[i-from] = least; least == math.MaxInt {
				weight[i-from] = 0
			}
			q.need[i] = float64(weight[i-from] * o.inside())
		}
		for k := range w.best {
			before := slices.Clone(w.best[k])
			for i := from; i < to; i++ {
				if o := &b.options[i]; o.window > k {
					put(w.best[k], before, o.gpus, weight[i-from])
				}
			}
		}
		w.d.working(b.slots * len(w.best[0]) * (to - from))
	}
	return q.list()
}
