package milp

import (
	"iter"
	"math"
	"slices"
)

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

	live   []int // open columns of jobs with a choice, and all keys
	weight []float64
	line   []float64
	column []float64
	sum    []float64 // by job
	fair   []float64 // by column; see assess
	pivots int       // since the basis was inverted
	spend  func() bool
	ended  bool
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
	at    int  // in rows
	basic bool // its slack is in the basis
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

// columns are those of a job: its options, best first, and nothing.
func (r *relaxation) columns(job int) iter.Seq[int] {
	return func(yield func(int) bool) {
		from, to := r.b.of(job)
		for c := from; c < to; c++ {
			if !yield(c) {
				return
			}
		}
		yield(len(r.b.options) + job)
	}
}

// optional says that a job may have nothing. A promised job that has no options is
// seen before.
func (r *relaxation) optional(job int) bool {
	from, to := r.b.of(job)
	return !r.b.m.Jobs[job].Must || from == to
}

func (r *relaxation) list(job int) []int { return slices.Collect(r.columns(job)) }

// reset begins without rows: every job has its best column.
func (r *relaxation) reset() {
	r.rows, r.price, r.basic, r.inv, r.x = nil, nil, nil, nil, nil
	for c := range r.place {
		r.place[c] = notBasic
	}
	for job := range r.key {
		best := -1
		for c := range r.columns(job) {
			if r.open[c] && (best < 0 || r.gain[c] > r.gain[best]) {
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
	for job, k := range r.key {
		r.live = append(r.live, k)
		for c := range r.columns(job) {
			if c != k && (r.open[c] || r.place[c] >= 0) {
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
	left := q.most
	for _, k := range r.key {
		left -= q.of(k)
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
	sum := 0.0
	for t, q := range r.rows {
		sum += float64(r.price[t] * q.most)
	}
	for _, k := range r.key {
		sum += r.value[k]
	}
	return sum
}

// bound is what the prices prove: no choice of open columns within the rows
// earns more.
func (r *relaxation) bound() float64 {
	sum := 0.0
	for t, q := range r.rows {
		if p := math.Max(0, r.price[t]); p > 0 {
			sum += float64(p * q.most)
		}
	}
	for job := range r.key {
		best := math.Inf(-1)
		for c := range r.columns(job) {
			if r.open[c] {
				best = math.Max(best, r.worth(c))
			}
		}
		sum += best
	}
	return sum
}

// assess is bound, and leaves in fair what each open column is worth and in sum
// the most of each job.
func (r *relaxation) assess() float64 {
	sum := 0.0
	for t, q := range r.rows {
		if p := math.Max(0, r.price[t]); p > 0 {
			sum += float64(p * q.most)
		}
	}
	for job := range r.key {
		best := math.Inf(-1)
		for c := range r.columns(job) {
			if r.open[c] {
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

// leaving chooses a column that must change: a line of the basis (from 0), or
// the key of a job (-1 - job). Up says that it lies below 0, else it is closed
// and above.
func (r *relaxation) leaving() (l int, up, ok bool) {
	most := 0.0
	clear(r.sum)
	for p, b := range r.basic {
		x, shut := r.x[p], false
		if b.row == nil {
			r.sum[r.set[b.column]] += x
			shut = !r.open[b.column]
		}
		off, under := -x, true
		if shut && x > 0 {
			off, under = x, false
		}
		if off > feasible {
			norm := 1.0
			for _, v := range r.inv[p] {
				norm += float64(v * v)
			}
			if s := off * off / norm; s > most {
				most, l, up, ok = s, p, under, true
			}
		}
	}
	for job, k := range r.key {
		x := 1 - r.sum[job]
		off, under := -x, true
		if !r.open[k] && x > 0 {
			off, under = x, false
		}
		if off > feasible {
			norm := 2.0
			if r.sum[job] != 0 {
				r.gather(job)
				for _, v := range r.line {
					norm += float64(v * v)
				}
			}
			if s := off * off / norm; s > most {
				most, l, up, ok = s, -1-job, under, true
			}
		}
	}
	return l, up, ok
}

// gather makes in r.line the line of a job's key: minus the sum of the lines of
// its other columns.
func (r *relaxation) gather(job int) {
	r.line = append(r.line[:0], make([]float64, len(r.rows))...)
	for p, b := range r.basic {
		if b.row == nil && r.set[b.column] == job {
			for t, v := range r.inv[p] {
				r.line[t] -= v
			}
		}
	}
}

type pivotal int

const (
	pivoted pivotal = iota
	stuck           // no column can take over
)

// pivot takes a column out of the basis, or its place as key, and another one in.
func (r *relaxation) pivot(l int, up bool) pivotal {
	if l < 0 {
		job := -1 - l
		if l = r.rekey(job); l < 0 {
			return r.exchange(job)
		}
	}
	r.line = append(r.line[:0], r.inv[l]...)
	clear(r.weight)
	for t, v := range r.line {
		if v == 0 {
			continue
		}
		need := r.rows[t].need
		for _, c := range r.live {
			if c < len(need) {
				r.weight[c] += float64(v * need[c])
			}
		}
	}
	sign := 1.0
	if up {
		sign = -1
	}
	enter, row, ratio, size := -1, -1, math.Inf(1), 0.0
	better := func(slack, alpha float64) bool {
		q := slack / alpha
		return q < ratio-1e-12 || q < ratio+1e-12 && alpha > size
	}
	for _, c := range r.live {
		if r.place[c] != notBasic || !r.open[c] {
			continue
		}
		k := r.key[r.set[c]]
		alpha := sign * (r.weight[c] - r.weight[k])
		if alpha <= pivotLeast {
			continue
		}
		if slack := math.Max(0, r.value[k]-r.value[c]); better(slack, alpha) {
			enter, row, ratio, size = c, -1, slack/alpha, alpha
		}
	}
	for t := range r.rows {
		alpha := sign * r.line[t]
		if alpha <= pivotLeast || r.rows[t].basic {
			continue
		}
		if slack := math.Max(0, r.price[t]); better(slack, alpha) {
			enter, row, ratio, size = -1, t, slack/alpha, alpha
		}
	}
	if enter < 0 && row < 0 {
		return stuck
	}
	r.replace(l, enter, row, -sign*ratio)
	return pivoted
}
