package milp

import (
	"math"
	"slices"
)

// replace puts a column, or the slack of a row, into a line of the basis; theta
// is by how much prices change along the old line.
func (r *relaxation) replace(l, enter, row int, theta float64) {
	m := len(r.rows)
	r.column = append(r.column[:0], make([]float64, m)...)
	if enter >= 0 {
		for t, q := range r.rows {
			if h := r.hat(q, enter); h != 0 {
				for p := range r.inv {
					r.column[p] += float64(h * r.inv[p][t])
				}
			}
		}
	} else {
		for p := range r.inv {
			r.column[p] = r.inv[p][row]
		}
	}
	if theta != 0 {
		for t, v := range r.line {
			r.price[t] += float64(theta * v)
		}
		for _, c := range r.live {
			r.value[c] -= float64(theta * r.weight[c])
		}
	}
	pivot := r.column[l]
	step := r.x[l] / pivot
	top := r.inv[l]
	for t := range top {
		top[t] /= pivot
	}
	for p := range r.inv {
		if f := r.column[p]; p != l && f != 0 {
			r.x[p] -= float64(f * step)
			into := r.inv[p]
			for t, v := range top {
				into[t] -= float64(f * v)
			}
		}
	}
	r.x[l] = step
	if old := r.basic[l]; old.row != nil {
		old.row.basic = false
	} else {
		r.place[old.column] = notBasic
	}
	if enter >= 0 {
		r.basic[l] = line{column: enter}
		r.place[enter] = l
	} else {
		r.basic[l] = line{column: -1, row: r.rows[row]}
		r.rows[row].basic = true
	}
	r.pivots++
}

// rekey lets the largest other basic column of a job take the place of its key,
// which goes into that line; it returns the line, or -1 when there is none.
func (r *relaxation) rekey(job int) int {
	at := -1
	for p, b := range r.basic {
		if b.row == nil && r.set[b.column] == job && (at < 0 || r.x[p] > r.x[at]) {
			at = p
		}
	}
	if at < 0 {
		return -1
	}
	rest := 1.0
	r.gather(job)
	for p, b := range r.basic {
		if b.row == nil && r.set[b.column] == job {
			rest -= r.x[p]
		}
	}
	old, fresh := r.key[job], r.basic[at].column
	copy(r.inv[at], r.line)
	r.x[at] = rest
	r.basic[at] = line{column: old}
	r.key[job], r.place[fresh], r.place[old] = fresh, isKey, at
	return at
}

// exchange replaces the closed key of a job that has no other basic column.
func (r *relaxation) exchange(job int) pivotal {
	old, best := r.key[job], -1
	for c := range r.columns(job) {
		if r.open[c] && (best < 0 || r.value[c] > r.value[best]) {
			best = c
		}
	}
	if best < 0 {
		return stuck
	}
	for t, q := range r.rows {
		if h := q.of(old) - q.of(best); h != 0 {
			for p := range r.inv {
				r.x[p] += float64(h * r.inv[p][t])
			}
		}
	}
	r.key[job], r.place[best], r.place[old] = best, isKey, notBasic
	return pivoted
}

// invert computes the inverse, the point, the prices and the values anew from
// what the basis holds. It reports false when the basis is singular.
func (r *relaxation) invert() bool {
	m := len(r.rows)
	r.pivots = 0
	r.work(m * (m*m + len(r.live) + len(r.key)))
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
		left[t] = q.most
		for _, k := range r.key {
			left[t] -= q.of(k)
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
	clear(r.y)
	for _, k := range r.key {
		r.y[k] = 1
	}
	for p, b := range r.basic {
		if b.row == nil {
			r.y[b.column] = r.x[p]
			r.y[r.key[r.set[b.column]]] -= r.x[p]
		}
	}
	return r.y
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
