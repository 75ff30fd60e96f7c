package estimate

import (
	"fmt"
	"math"
)

// family is one shape of learning curves. With u = iteration / last iteration
// seen, and w = share of the user's iterations that is still to come, a curve
// that improves upwards is
//
//	metric = c + a1 t1(u, w) + a2 t2(u, w),  a1, a2 >= 0
//
// and all that is not linear in it takes the values of a grid. On each point of
// the grid the best c and a follow from linear least squares; no search can end
// in a wrong valley, and equal points give equal fits.
type family struct {
	name   string
	shapes []shape
	capped bool // uses w: needs the user's limit on iterations
}

// shape is one point of a family's grid.
type shape []func(u, w float64) float64

// families are the curves of Domhan, Springenberg and Hutter (IJCAI 2015) which
// UniSched names (Weibull, log-power "and more"), reduced to those that differ,
// and two whose end is the end of the learning-rate schedule.
var families = makeFamilies()

func makeFamilies() []family {
	power := func(p float64) func(u, w float64) float64 {
		return func(u, _ float64) float64 { return -math.Pow(u, -p) }
	}
	annealed := func(q float64) func(u, w float64) float64 {
		return func(_, w float64) float64 { return -math.Pow(w, q) }
	}
	fs := []family{{name: "power"}, {name: "exponential"}, {name: "weibull"}, {name: "logpower"}, {name: "logarithm"},
		{name: "annealed", capped: true}, {name: "annealed power", capped: true}}
	add := func(f int, s ...func(u, w float64) float64) { fs[f].shapes = append(fs[f].shapes, s) }
	for _, p := range []float64{0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2} {
		add(0, power(p))
	}
	for _, r := range []float64{0.5, 1, 2, 3, 5, 8, 13, 20} {
		add(1, func(u, _ float64) float64 { return -math.Exp(-r * u) })
	}
	for _, r := range []float64{0.3, 1, 3, 10, 30} {
		for _, d := range []float64{0.3, 0.5, 0.75, 1.5} {
			add(2, func(u, _ float64) float64 { return -math.Exp(-math.Pow(r*u, d)) })
		}
	}
	for _, s := range []float64{0.03, 0.1, 0.3, 1, 3} {
		for _, q := range []float64{0.5, 1, 1.5, 2.5} {
			add(3, func(u, _ float64) float64 { return 1 / (1 + math.Pow(u/s, -q)) })
		}
	}
	add(4, func(u, _ float64) float64 { return math.Log(u) })
	for _, q := range []float64{0.5, 1, 1.5, 2, 3} {
		add(5, annealed(q))
	}
	for _, p := range []float64{0.35, 0.75, 1.5} {
		for _, q := range []float64{0.5, 1, 2} {
			add(6, power(p), annealed(q))
		}
	}
	return fs
}

// FamilyNames lists the families of curves in the order of the ensemble.
func FamilyNames() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.name
	}
	return names
}

// linear is the weighted least-squares solution of metric = c + sum a t.
// It reports false if the terms do not tell themselves apart, or if some a is
// negative: such a curve gets worse.
func (s shape) linear(u, w, y, weight []float64) (coefficients []float64, ok bool) {
	n := len(s) + 1
	rows := make([][]float64, n) // normal equations, right side last
	for i := range rows {
		rows[i] = make([]float64, n+1)
	}
	x := make([]float64, n+1)
	for i := range u {
		x[0], x[n] = 1, y[i]
		for j, term := range s {
			x[j+1] = term(u[i], w[i])
		}
		for r := range rows {
			for c := range rows[r] {
				rows[r][c] += weight[i] * x[r] * x[c]
			}
		}
	}
	a, ok := solve(rows)
	if !ok {
		return nil, false
	}
	for _, v := range a[1:] {
		if v < 0 {
			return nil, false
		}
	}
	return a, true
}

// solve is elimination with pivots; it changes rows. It reports false for a
// system without one clear solution.
func solve(rows [][]float64) ([]float64, bool) {
	n := len(rows)
	if n == 0 || len(rows[0]) != n+1 {
		panic(fmt.Sprintf("BUG: a system of %d rows is not square", n))
	}
	scale := make([]float64, n)
	for i := range rows {
		scale[i] = rows[i][i]
	}
	for c := range n {
		best := c
		for r := c + 1; r < n; r++ {
			if math.Abs(rows[r][c]) > math.Abs(rows[best][c]) {
				best = r
			}
		}
		rows[c], rows[best] = rows[best], rows[c]
		scale[c], scale[best] = scale[best], scale[c]
		pivot := rows[c][c]
		if !(math.Abs(pivot) > 1e-12*math.Abs(scale[c])) || math.IsInf(pivot, 0) {
			return nil, false
		}
		for r := range n {
			if r == c {
				continue
			}
			f := rows[r][c] / pivot
			for k := c; k <= n; k++ {
				rows[r][k] -= f * rows[c][k]
			}
		}
	}
	a := make([]float64, n)
	for i := range a {
		a[i] = rows[i][n] / rows[i][i]
	}
	return a, true
}
