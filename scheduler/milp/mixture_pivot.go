package milp

import "math"

func (x *mixture) worth(column int) float64 {
	sum := 0.0
	for _, j := range x.column[column] {
		sum += x.price[j]
	}
	return sum
}

// gap is what a unit of something new would save.
func (x *mixture) gap(e mixed) float64 {
	switch {
	case e.too:
		return -x.price[e.job]
	case e.not:
		return x.price[e.job] - float64(x.jobs[e.job].gpus)
	}
	return x.worth(e.column) - x.worth(x.key[x.of[e.column]])
}

// hat is what something is in the rows of the jobs, beyond its key.
func (x *mixture) hat(e mixed) []float64 {
	a := make([]float64, x.rows)
	switch {
	case e.too:
		a[e.job] = -1
	case e.not:
		a[e.job] = 1
	default:
		for _, j := range x.column[e.column] {
			if j < x.rows {
				a[j]++
			}
		}
		for _, j := range x.column[x.key[x.of[e.column]]] {
			if j < x.rows {
				a[j]--
			}
		}
	}
	return a
}

// enter brings something into the basis; false: numbers are off. Rekeyed says how
// often a key has changed for it: from then on other lines leave first.
func (x *mixture) enter(e mixed, rekeyed int) bool {
	a := x.hat(e)
	alpha := make([]float64, len(x.inv))
	for p, line := range x.inv {
		for j, v := range a {
			if v != 0 {
				alpha[p] += float64(v * line[j])
			}
		}
	}
	rate := make([]float64, len(x.stretches)) // of the keys
	held := make([]float64, len(x.stretches))
	for p, m := range x.basic {
		if m.column >= 0 {
			rate[x.of[m.column]] += alpha[p]
			held[x.of[m.column]] += x.x[p]
		}
	}
	if e.column >= 0 {
		rate[x.of[e.column]]--
	}
	leave, step, size := -1, math.Inf(1), 0.0
	key := -1
	for p := range x.basic {
		if alpha[p] > 1e-9 {
			if t := math.Max(0, x.x[p]) / alpha[p]; t < step-1e-12 || t < step+1e-12 && alpha[p] > size {
				leave, step, size = p, t, alpha[p]
			}
		}
	}
	for s := range x.stretches {
		if rate[s] < -1e-9 {
			t := math.Max(0, x.stretches[s].slots-held[s]) / -rate[s]
			if t < step-1e-12 && (rekeyed == 0 || t < step-1e-9) || rekeyed == 0 && t < step+1e-12 && -rate[s] > size {
				leave, key, step, size = -1, s, t, -rate[s]
			}
		}
	}
	if leave < 0 && key < 0 {
		return false
	}
	if key >= 0 {
		if leave = x.rekey(key); leave < 0 { // nothing else runs in its stretch: the new column takes its place
			for p := range x.inv {
				x.x[p] -= float64(alpha[p] * x.stretches[key].slots)
			}
			x.key[key] = e.column
			x.reprice()
			return true
		}
		return rekeyed < 5 && x.enter(e, rekeyed+1) // now it leaves as one of the others
	}
	top := x.inv[leave]
	for j := range top {
		top[j] /= size
	}
	for p, line := range x.inv {
		if f := alpha[p]; p != leave && f != 0 {
			x.x[p] -= float64(f * step)
			for j, v := range top {
				line[j] -= float64(f * v)
			}
		}
	}
	x.x[leave], x.basic[leave] = step, e
	x.reprice()
	return true
}

// rekey lets the largest other column of a stretch take the place of its key; it
// returns the line that holds the old key, or -1 when there is no other.
func (x *mixture) rekey(s int) int {
	at := -1
	line, rest := make([]float64, x.rows), x.stretches[s].slots
	for p, m := range x.basic {
		if m.column >= 0 && x.of[m.column] == s {
			if at < 0 || x.x[p] > x.x[at] {
				at = p
			}
			rest -= x.x[p]
			for j, v := range x.inv[p] {
				line[j] -= v
			}
		}
	}
	if at >= 0 {
		old := x.key[s]
		x.key[s], x.basic[at] = x.basic[at].column, mixed{column: old}
		x.inv[at], x.x[at] = line, rest
	}
	return at
}
