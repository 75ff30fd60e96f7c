package adaptive

import "math"

// around returns the corners of the simplex of the Delaunay triangulation of the
// points that holds the origin, and their weights there. Of several simplices,
// as on a grid, it is always the same one.
//
// Lifted onto the paraboloid the triangulation is the lower hull, so the simplex
// is the optimal basis of
//
//	minimise sum w |p|^2,  sum w = 1,  sum w p = 0,  w >= 0
//
// which is solved in two phases by Bland's rule.
func around(points [][3]float64) (corners []int, weights []float64, ok bool) {
	n := len(points)
	column := func(i int) [4]float64 {
		if i >= n {
			var unit [4]float64
			unit[i-n] = 1
			return unit
		}
		return [4]float64{1, points[i][0], points[i][1], points[i][2]}
	}
	lifted := make([]float64, n)
	largest := 1.0
	for i, p := range points {
		lifted[i] = p[0]*p[0] + p[1]*p[1] + p[2]*p[2]
		largest = max(largest, lifted[i])
	}
	basis := [4]int{n, n + 1, n + 2, n + 3} // artificial columns
	x := [4]float64{1, 0, 0, 0}
	for phase := 1; phase <= 2; phase++ {
		cost := func(i int) float64 {
			switch {
			case i >= n && phase == 1:
				return 1
			case i >= n || phase == 1:
				return 0
			}
			return lifted[i]
		}
		slack := 1e-9
		if phase == 2 {
			slack = 1e-9 * largest
		}
		for range 10_000 {
			inverse, regular := invert([4][4]float64{column(basis[0]), column(basis[1]), column(basis[2]), column(basis[3])})
			if !regular {
				return nil, nil, false
			}
			for k := range x {
				x[k] = max(0, inverse[k][0])
			}
			var price [4]float64
			for k, b := range basis {
				for r := range price {
					price[r] += cost(b) * inverse[k][r]
				}
			}
			enter := -1
			for i := range n {
				c := column(i)
				if cost(i)-price[0]*c[0]-price[1]*c[1]-price[2]*c[2]-price[3]*c[3] < -slack {
					enter = i
					break
				}
			}
			if enter < 0 {
				break
			}
			c := column(enter)
			leave, least := -1, math.Inf(1)
			for k := range basis {
				d := inverse[k][0]*c[0] + inverse[k][1]*c[1] + inverse[k][2]*c[2] + inverse[k][3]*c[3]
				ratio := math.Inf(1)
				switch {
				case d > 1e-9:
					ratio = x[k] / d
				case phase == 2 && basis[k] >= n && d < -1e-9:
					ratio = 0 // an artificial column must not come back
				}
				if ratio < least-1e-12 || ratio < math.Inf(1) && math.Abs(ratio-least) <= 1e-12 && basis[k] < basis[leave] {
					leave, least = k, ratio
				}
			}
			if leave < 0 {
				return nil, nil, false
			}
			basis[leave] = enter
		}
		if phase == 1 {
			for k, b := range basis {
				if b >= n && x[k] > 1e-9 {
					return nil, nil, false // the origin is outside
				}
			}
		}
	}
	for k, b := range basis {
		if b < n && x[k] > 0 {
			corners, weights = append(corners, b), append(weights, x[k])
		}
	}
	return corners, weights, true
}

// invert returns the inverse of the matrix with these columns.
func invert(columns [4][4]float64) (inverse [4][4]float64, ok bool) {
	var a [4][8]float64
	for r := range a {
		for c := range columns {
			a[r][c] = columns[c][r]
		}
		a[r][4+r] = 1
	}
	for c := range 4 {
		pivot := c
		for r := c + 1; r < 4; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[pivot][c]) {
				pivot = r
			}
		}
		if math.Abs(a[pivot][c]) < 1e-12 {
			return inverse, false
		}
		a[c], a[pivot] = a[pivot], a[c]
		for r := range a {
			if r == c {
				continue
			}
			m := a[r][c] / a[c][c]
			for k := c; k < 8; k++ {
				a[r][k] -= m * a[c][k]
			}
		}
	}
	for r := range inverse {
		for c := range inverse[r] {
			inverse[r][c] = a[r][4+c] / a[r][r]
		}
	}
	return inverse, true
}
