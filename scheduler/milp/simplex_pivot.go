package milp

import "math"

// leaving chooses a column that must change: a line of the basis (from 0), or
// the key of a job (-1 - job). Up says that it lies below 0, else it is closed
// and above.
func (r *relaxation) leaving() (l int, up, ok bool) {
	most := 0.0
	for _, job := range r.free {
		r.sum[job] = 0
	}
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
	for _, job := range r.free {
		k := r.key[job]
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

// replace puts a column, or the slack of a row, into a line of the basis; theta
// is by how much prices change along the old line.
func (r *relaxation) replace(l, enter, row int, theta float64) {
	m := len(r.rows)
	r.entering = append(r.entering[:0], make([]float64, m)...)
	if enter >= 0 {
		for t, q := range r.rows {
			if h := r.hat(q, enter); h != 0 {
				for p := range r.inv {
					r.entering[p] += float64(h * r.inv[p][t])
				}
			}
		}
	} else {
		for p := range r.inv {
			r.entering[p] = r.inv[p][row]
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
	pivot := r.entering[l]
	step := r.x[l] / pivot
	top := r.inv[l]
	for t := range top {
		top[t] /= pivot
	}
	for p := range r.inv {
		if f := r.entering[p]; p != l && f != 0 {
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
	for n := range r.columns(job) {
		if c := r.column(job, n); r.open[c] && (best < 0 || r.value[c] > r.value[best]) {
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
