package milp

import "math"

// relaxation is the linear program of the rows: each job shares itself out among
// its open options and nothing at all, within the rows that have been added so
// far. It is solved by the dual simplex method with one key column a job (Dantzig
// and Van Slyke's generalized upper bounds), so that the working basis has one
// line for each row in use, not for each job. Only its prices are believed: what
// they prove is counted anew by bound.
//
// Products are converted to float64 before they are added, as in prices.
type relaxation struct {
	b    *board
	gain []float64 // by column: options, then one column of nothing for each job
	set  []int     // job of each column
	open []bool

	rows  []*row
	price []float64 // of each row
	value []float64 // of each column: gain less what it pays; kept for live columns and keys
	key   []int     // of each job: the column that takes what the others leave
	place []int     // of each column: line of the basis, or notBasic, or isKey
	basic []line
	inv   [][]float64 // of the working basis: lines by rows
	x     []float64   // of each line
	y     []float64   // of each column: its share; see point

	free    []int   // jobs that are not settled
	settled []int   // columns of those that are
	base    float64 // what they earn

	live     []int // open columns of jobs with a choice, and all keys
	weight   []float64
	line     []float64
	entering []float64
	sum      []float64 // by job
	fair     []float64 // by column; see assess
	pivots   int       // since the basis was inverted
	spend    func() bool
	ended    bool
}

// line is what a line of the basis holds: a column, or the slack of a row.
type line struct {
	column int
	row    *row // not nil: its slack
}

const (
	notBasic = -1
	isKey    = -2
)

// row is a sum over options that may not exceed most.
type row struct {
	need  []float64 // by option
	which []int     // options that need something, if listed
	most  float64
	held  float64 // what settled jobs need
	at    int     // in rows
	basic bool    // its slack is in the basis
}

// How far numbers may be off: values of columns, lines of the basis, pivots.
const (
	feasible   = 1e-7
	pivotLeast = 1e-7
	mostPivots = 80 // before the basis is inverted anew
)

func newRelaxation(b *board, spend func() bool) *relaxation {
	n, jobs := len(b.options), len(b.m.Jobs)
	r := &relaxation{
		b: b, gain: make([]float64, n+jobs), set: make([]int, n+jobs), open: make([]bool, n+jobs),
		value: make([]float64, n+jobs), key: make([]int, jobs), place: make([]int, n+jobs),
		weight: make([]float64, n+jobs), y: make([]float64, n+jobs), sum: make([]float64, jobs), fair: make([]float64, n+jobs), spend: spend,
	}
	for i := range b.options {
		r.gain[i], r.set[i], r.open[i] = gainOf(&b.options[i]), b.options[i].job, true
	}
	for job := range b.m.Jobs {
		r.set[n+job], r.open[n+job] = job, r.optional(job)
	}
	r.reset()
	return r
}

// columns is how many columns a job has, column the n-th of them: its options, best
// first, and nothing at last.
func (r *relaxation) columns(job int) int { return r.b.first[job+1] - r.b.first[job] + 1 }

func (r *relaxation) column(job, n int) int {
	if from, to := r.b.of(job); n < to-from {
		return from + n
	}
	return len(r.b.options) + job
}

// optional says that a job may have nothing. A promised job that has no options is
// seen before.
func (r *relaxation) optional(job int) bool {
	from, to := r.b.of(job)
	return !r.b.m.Jobs[job].Must || from == to
}

// reset begins without rows: every job has its best column.
func (r *relaxation) reset() {
	r.rows, r.price, r.basic, r.inv, r.x = nil, nil, nil, nil, nil
	for c := range r.place {
		r.place[c] = notBasic
	}
	r.free, r.settled, r.base = r.free[:0], r.settled[:0], 0
	clear(r.y)
	for job := range r.key {
		r.free = append(r.free, job)
		best := -1
		for n := range r.columns(job) {
			if c := r.column(job, n); r.open[c] && (best < 0 || r.gain[c] > r.gain[best]) {
				best = c
			}
		}
		if best < 0 {
			best = len(r.b.options) + job // nothing is open: resolve will say so
		}
		r.key[job], r.place[best] = best, isKey
	}
	copy(r.value, r.gain)
	r.enliven()
}

// enliven lists the columns that can still matter.
func (r *relaxation) enliven() {
	r.live = r.live[:0]
	for _, job := range r.free {
		k := r.key[job]
		r.live = append(r.live, k)
		for n := range r.columns(job) {
			if c := r.column(job, n); c != k && (r.open[c] || r.place[c] >= 0) {
				r.live = append(r.live, c)
			}
		}
	}
}

func (q *row) of(c int) float64 {
	if c < len(q.need) {
		return q.need[c]
	}
	return 0
}

// hat is what a column needs of a row beyond what the key of its job does.
func (r *relaxation) hat(q *row, c int) float64 { return q.of(c) - q.of(r.key[r.set[c]]) }

// add puts rows into the program; they may be broken now.
func (r *relaxation) add(q *row) {
	m := len(r.rows)
	q.at, q.basic = m, true
	r.rows, r.price = append(r.rows, q), append(r.price, 0)
	fresh := make([]float64, m+1)
	r.count(q)
	left := q.most - q.held
	for _, job := range r.free {
		left -= q.of(r.key[job])
	}
	for p, l := range r.basic {
		if l.row != nil {
			continue
		}
		u := r.hat(q, l.column)
		if u == 0 {
			continue
		}
		left -= float64(u * r.x[p])
		for t := range m {
			fresh[t] -= float64(u * r.inv[p][t])
		}
	}
	for p := range r.inv {
		r.inv[p] = append(r.inv[p], 0)
	}
	fresh[m] = 1
	r.inv, r.basic, r.x = append(r.inv, fresh), append(r.basic, line{column: -1, row: q}), append(r.x, left)
}

// addAll puts those of the rows in that are not there yet, and reports whether
// there were any.
func (r *relaxation) addAll(rows []*row) bool {
	before := len(r.rows)
	for _, q := range rows {
		if q.at >= before || q.at < 0 || before == 0 || r.rows[q.at] != q {
			r.add(q)
		}
	}
	return len(r.rows) > before
}

// shed takes rows out that do not bind.
func (r *relaxation) shed() {
	for p := 0; p < len(r.basic); p++ {
		q := r.basic[p].row
		if q == nil || r.x[p] < feasible {
			continue
		}
		last := len(r.basic) - 1
		r.basic[p], r.x[p], r.inv[p] = r.basic[last], r.x[last], r.inv[last]
		r.basic, r.x, r.inv = r.basic[:last], r.x[:last], r.inv[:last]
		if p < last && r.basic[p].row == nil {
			r.place[r.basic[p].column] = p
		}
		at := q.at
		r.rows[at], r.price[at] = r.rows[last], r.price[last]
		r.rows[at].at = at
		r.rows, r.price = r.rows[:last], r.price[:last]
		for n := range r.inv {
			r.inv[n][at] = r.inv[n][last]
			r.inv[n] = r.inv[n][:last]
		}
		p--
	}
}

// outcome is how a run of the simplex method ended.
type outcome int

const (
	solved  outcome = iota
	tooLow          // its bound lies below what is wanted
	nothing         // no point keeps the rows
	unsure          // out of steps, or numbers are off; the prices are valid
)

// resolve makes the program optimal again after rows were added or columns
// closed; it ends early when the bound falls below least.
func (r *relaxation) resolve(least float64) outcome {
	for tries := 0; ; {
		if r.pivots >= mostPivots && !r.invert() {
			return unsure
		}
		if r.objective() < least && r.bound() < least {
			return tooLow
		}
		l, up, ok := r.leaving()
		if !ok {
			if r.pivots > 0 && tries == 0 { // once more on clean numbers
				tries++
				if !r.invert() {
					return unsure
				}
				continue
			}
			return solved
		}
		if !r.spend() {
			r.ended = true
			return unsure
		}
		r.work(len(r.rows) * (len(r.live) + 2*len(r.rows)))
		switch r.pivot(l, up) {
		case pivoted:
			tries = 0
		case stuck:
			if tries++; tries > 1 {
				if r.proves(least) {
					return nothing
				}
				return unsure
			}
			if !r.invert() {
				return unsure
			}
		}
	}
}

// work counts additions and comparisons: a thousand are a step.
func (r *relaxation) work(n int) {
	for range n / 1000 {
		r.spend()
	}
}

// objective is the value of the program at its prices.
func (r *relaxation) objective() float64 {
	sum := r.base
	for t, q := range r.rows {
		sum += float64(r.price[t] * (q.most - q.held))
	}
	for _, job := range r.free {
		sum += r.value[r.key[job]]
	}
	return sum
}

// bound is what the prices prove: no choice of open columns within the rows
// earns more.
func (r *relaxation) bound() float64 {
	sum := r.paid()
	for _, job := range r.free {
		best := math.Inf(-1)
		for n := range r.columns(job) {
			if c := r.column(job, n); r.open[c] {
				best = math.Max(best, r.worth(c))
			}
		}
		sum += best
	}
	return sum
}

// paid is what settled jobs earn and the rest of the rows is worth.
func (r *relaxation) paid() float64 {
	sum := r.base
	for t, q := range r.rows {
		if p := r.price[t]; p > 0 {
			sum += float64(p * (q.most - q.held))
		}
	}
	return sum
}

// assess is bound, and leaves in fair what each open column is worth and in sum
// the most of each job.
func (r *relaxation) assess() float64 {
	sum := r.paid()
	for _, job := range r.free {
		best := math.Inf(-1)
		for n := range r.columns(job) {
			if c := r.column(job, n); r.open[c] {
				r.fair[c] = r.worth(c)
				best = math.Max(best, r.fair[c])
			}
		}
		r.sum[job] = best
		sum += best
	}
	return sum
}

// worth is the gain of a column less what it pays.
func (r *relaxation) worth(c int) float64 {
	v := r.gain[c]
	if c >= len(r.b.options) {
		return v
	}
	for t, q := range r.rows {
		if p := r.price[t]; p > 0 {
			v -= float64(p * q.need[c])
		}
	}
	return v
}
