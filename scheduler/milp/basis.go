package milp

import (
	"math"
	"slices"
)

// invert computes the inverse, the point, the prices and the values anew from
// what the basis holds. It reports false when the basis is singular.
func (r *relaxation) invert() bool {
	m := len(r.rows)
	r.pivots = 0
	r.work(m * (m*m + len(r.live) + len(r.free)))
	a := make([][]float64, m) // rows by lines, beside the unit matrix
	for t, q := range r.rows {
		a[t] = make([]float64, 2*m)
		a[t][m+t] = 1
		for p, b := range r.basic {
			if b.row == q {
				a[t][p] = 1
			} else if b.row == nil {
				a[t][p] = r.hat(q, b.column)
			}
		}
	}
	for p := range m {
		at := p
		for t := p + 1; t < m; t++ {
			if math.Abs(a[t][p]) > math.Abs(a[at][p]) {
				at = t
			}
		}
		if math.Abs(a[at][p]) < 1e-9 {
			return false
		}
		a[p], a[at] = a[at], a[p]
		f := a[p][p]
		for t := p; t < 2*m; t++ {
			a[p][t] /= f
		}
		for q := range m {
			if g := a[q][p]; q != p && g != 0 {
				for t := p; t < 2*m; t++ {
					a[q][t] -= float64(g * a[p][t])
				}
			}
		}
	}
	r.inv = r.inv[:0]
	for p := range m {
		r.inv = append(r.inv, a[p][m:])
	}
	left := make([]float64, m)
	for t, q := range r.rows {
		left[t] = q.most - q.held
		for _, job := range r.free {
			left[t] -= q.of(r.key[job])
		}
	}
	r.x = append(r.x[:0], make([]float64, m)...)
	clear(r.price)
	for p, b := range r.basic {
		for t := range m {
			r.x[p] += float64(r.inv[p][t] * left[t])
		}
		if b.row == nil {
			c := r.gain[b.column] - r.gain[r.key[r.set[b.column]]]
			for t := range m {
				r.price[t] += float64(c * r.inv[p][t])
			}
		}
	}
	r.appraise()
	return true
}

// appraise computes the values of the live columns.
func (r *relaxation) appraise() {
	for _, c := range r.live {
		v := r.gain[c]
		if c < len(r.b.options) {
			for t, q := range r.rows {
				v -= float64(r.price[t] * q.need[c])
			}
		}
		r.value[c] = v
	}
}

// proves follows the last line as far as it takes for the bound to show that
// nothing is left that is wanted; prices go back if it does not.
func (r *relaxation) proves(least float64) bool {
	before := slices.Clone(r.price)
	for _, far := range [...]float64{1, 100, 1e4, 1e6} {
		for _, sign := range [...]float64{1, -1} {
			for t := range r.price {
				r.price[t] = before[t]
				if t < len(r.line) {
					r.price[t] += float64(sign * far * r.line[t])
				}
			}
			if r.bound() < least {
				copy(r.price, before)
				return true
			}
		}
	}
	copy(r.price, before)
	return false
}

// point writes down how much of its job each column takes.
func (r *relaxation) point() []float64 {
	for _, job := range r.free {
		for n := range r.columns(job) {
			r.y[r.column(job, n)] = 0
		}
		r.y[r.key[job]] = 1
	}
	for p, b := range r.basic {
		if b.row == nil {
			r.y[b.column] = r.x[p]
			r.y[r.key[r.set[b.column]]] -= r.x[p]
		}
	}
	return r.y
}

// settle takes jobs that have one open column left out of the program: they have
// it for good.
func (r *relaxation) settle() {
	r.point()
	free := r.free[:0]
	for _, job := range r.free {
		open := 0
		for n := range r.columns(job) {
			if c := r.column(job, n); r.open[c] || r.place[c] >= 0 {
				open++
			}
		}
		if open > 1 || !r.open[r.key[job]] {
			free = append(free, job)
			continue
		}
		r.settled = append(r.settled, r.key[job])
		r.base += r.gain[r.key[job]]
	}
	r.free = free
	for _, q := range r.rows {
		r.count(q)
	}
	r.enliven()
}

// count adds up what settled jobs need of a row.
func (r *relaxation) count(q *row) {
	q.held = 0
	for _, k := range r.settled {
		q.held += q.of(k)
	}
}

// basis is what a basis holds, to come back to.
type basis struct {
	key   []int
	basic []line
	rows  []*row
}

func (r *relaxation) save() *basis {
	return &basis{slices.Clone(r.key), slices.Clone(r.basic), slices.Clone(r.rows)}
}

// load comes back to a basis; the open columns must be set before.
func (r *relaxation) load(s *basis) bool {
	for c := range r.place {
		r.place[c] = notBasic
	}
	r.key, r.basic, r.rows = slices.Clone(s.key), slices.Clone(s.basic), slices.Clone(s.rows)
	r.price, r.inv, r.x = make([]float64, len(r.rows)), make([][]float64, 0, len(r.rows)), nil
	for _, k := range r.key {
		r.place[k] = isKey
	}
	for t, q := range r.rows {
		q.at, q.basic = t, false
		r.count(q)
	}
	for p, b := range r.basic {
		if b.row != nil {
			b.row.basic = true
		} else {
			r.place[b.column] = p
		}
	}
	r.enliven()
	return r.invert()
}
