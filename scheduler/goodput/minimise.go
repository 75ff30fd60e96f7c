package goodput

import (
	"math"
	"slices"
)

type vector = [constants]float64

const (
	tolerance   = 1e-5 // of the decrease in one step, and of the projected gradient
	mostSteps   = 500
	mostPairs   = 10 // steps whose curvature is remembered
	mostLineTry = 20
)

// minimise looks for a minimum of f between bounds, from x on, by the method of
// L-BFGS-B (Byrd, Lu, Nocedal and Zhu, 1995): the first minimum of a quadratic
// model along the projected gradient, the model's minimum over the constants that
// are free there, and a search along the line to it. There are only seven
// constants, so the model's matrix is kept whole.
func minimise(f func(x, grad *vector) float64, x, low, high vector) vector {
	var g vector
	value := f(&x, &g)
	var pairs [][2]vector
	b, scale := identity(), 1.0
	for range mostSteps {
		if projected(&x, &g, &low, &high) <= tolerance {
			break
		}
		at, free := cauchy(&b, &x, &g, &low, &high)
		if len(pairs) > 0 {
			subspace(&b, &x, &g, &at, free, &low, &high)
		}
		d := minus(&at, &x)
		next, grad, lower, ok := search(f, &x, &g, &d, value, &low, &high, len(pairs) == 0 && scale == 1)
		if !ok {
			if len(pairs) == 0 {
				break
			}
			pairs, b, scale = nil, identity(), 1 // forget the curvature, it leads nowhere
			continue
		}
		s, y := minus(&next, &x), minus(&grad, &g)
		drop := value - lower
		size := max(math.Abs(value), math.Abs(lower), 1)
		x, g, value = next, grad, lower
		if drop <= tolerance*size {
			break
		}
		if sy := dot(&s, &y); sy > 0x1p-52*dot(&y, &y) {
			if len(pairs) == mostPairs {
				pairs = slices.Delete(pairs, 0, 1)
			}
			pairs = append(pairs, [2]vector{s, y})
			scale = dot(&y, &y) / sy
			b = curvature(pairs, scale)
		}
	}
	return x
}

// projected is the largest component of the gradient that does not lead out of
// the bounds.
func projected(x, g, low, high *vector) float64 {
	most := 0.0
	for i := range g {
		step := g[i]
		if step < 0 {
			step = max(x[i]-high[i], step)
		} else {
			step = min(x[i]-low[i], step)
		}
		most = max(most, math.Abs(step))
	}
	return most
}

type matrix = [constants]vector

func identity() (b matrix) {
	for i := range b {
		b[i][i] = 1
	}
	return b
}

// curvature is the BFGS matrix of the pairs of steps and changes of gradient.
func curvature(pairs [][2]vector, scale float64) matrix {
	b := identity()
	for i := range b {
		b[i][i] = scale
	}
	for k := range pairs {
		s, y := &pairs[k][0], &pairs[k][1]
		bs := times(&b, s)
		sbs, sy := dot(s, &bs), dot(s, y)
		for i := range b {
			for j := range b[i] {
				b[i][j] += y[i]*y[j]/sy - bs[i]*bs[j]/sbs
			}
		}
	}
	return b
}

// cauchy follows the projected gradient to the first minimum of the model, and
// says which constants are between their bounds there.
func cauchy(b *matrix, x, g, low, high *vector) (at vector, free [constants]bool) {
	var d, until vector
	var order []int
	for i := range g {
		switch {
		case g[i] < 0 && !math.IsInf(high[i], 1):
			until[i] = (x[i] - high[i]) / g[i]
		case g[i] > 0:
			until[i] = (x[i] - low[i]) / g[i]
		default:
			until[i] = math.Inf(1)
		}
		if until[i] > 0 && g[i] != 0 {
			d[i] = -g[i]
			if !math.IsInf(until[i], 1) {
				order = append(order, i)
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case until[i] < until[j]:
			return -1
		case until[i] > until[j]:
			return 1
		}
		return 0
	})
	at = *x
	passed := 0.0
	for {
		z := minus(&at, x)
		bd := times(b, &d)
		slope, bend := dot(g, &d)+dot(&z, &bd), dot(&d, &bd)
		step := 0.0
		if slope < 0 && bend > 0 {
			step = -slope / bend
		}
		if len(order) == 0 || passed+step < until[order[0]] || slope >= 0 {
			for i := range at {
				at[i] += step * d[i]
			}
			break
		}
		ahead := until[order[0]] - passed
		for i := range at {
			at[i] += ahead * d[i]
		}
		passed = until[order[0]]
		for len(order) > 0 && until[order[0]] <= passed {
			i := order[0]
			order = order[1:]
			if d[i] > 0 {
				at[i] = high[i]
			} else {
				at[i] = low[i]
			}
			d[i] = 0
		}
	}
	for i := range at {
		at[i] = min(max(at[i], low[i]), high[i])
		free[i] = at[i] > low[i] && at[i] < high[i]
	}
	return at, free
}

// subspace moves at to the model's minimum over the free constants, within the
// bounds.
func subspace(b *matrix, x, g, at *vector, free [constants]bool, low, high *vector) {
	var list []int
	for i, is := range free {
		if is {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return
	}
	z := minus(at, x)
	bz := times(b, &z)
	a, r := make([][]float64, len(list)), make([]float64, len(list))
	for k, i := range list {
		a[k] = make([]float64, len(list))
		for l, j := range list {
			a[k][l] = b[i][j]
		}
		r[k] = -(g[i] + bz[i])
	}
	if !solve(a, r) {
		return
	}
	inside := *at
	for k, i := range list {
		inside[i] = min(max(at[i]+r[k], low[i]), high[i])
	}
	if d := minus(&inside, x); dot(&d, g) <= 0 {
		*at = inside
		return
	}
	share := 1.0 // the projected point leads upwards: stop at the first bound instead
	for k, i := range list {
		switch {
		case r[k] > 0 && at[i]+r[k] > high[i]:
			share = min(share, (high[i]-at[i])/r[k])
		case r[k] < 0 && at[i]+r[k] < low[i]:
			share = min(share, (low[i]-at[i])/r[k])
		}
	}
	for k, i := range list {
		at[i] = min(max(at[i]+share*r[k], low[i]), high[i])
	}
}

// solve replaces r by the solution of a times it, and reports whether there is one.
func solve(a [][]float64, r []float64) bool {
	n := len(r)
	for c := range n {
		pivot := c
		for i := c + 1; i < n; i++ {
			if math.Abs(a[i][c]) > math.Abs(a[pivot][c]) {
				pivot = i
			}
		}
		if a[pivot][c] == 0 {
			return false
		}
		a[c], a[pivot] = a[pivot], a[c]
		r[c], r[pivot] = r[pivot], r[c]
		for i := c + 1; i < n; i++ {
			m := a[i][c] / a[c][c]
			for j := c; j < n; j++ {
				a[i][j] -= m * a[c][j]
			}
			r[i] -= m * r[c]
		}
	}
	for c := n - 1; c >= 0; c-- {
		for j := c + 1; j < n; j++ {
			r[c] -= a[c][j] * r[j]
		}
		r[c] /= a[c][c]
	}
	return true
}

func dot(a, b *vector) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func minus(a, b *vector) (d vector) {
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

func times(b *matrix, v *vector) (p vector) {
	for i := range b {
		p[i] = dot(&b[i], v)
	}
	return p
}
