package report

import (
	"math"
	"strconv"
)

// The paths of a figure are drawn on a grid of whole numbers that is stretched
// over the plot, whatever its size on the screen.
const (
	gridWidth  = 10000
	gridHeight = 4000
)

// point is a place on the grid, y counting down from the top.
type point struct{ x, y int }

// Curves are judged at the size of a large screen: a curve may leave out what
// lies within tolerance pixels of the line that replaces it.
const (
	screenWidth    = 1200.0
	screenHeight   = 320.0
	tolerance      = 0.2
	maxCurvePoints = 400
)

// simplified leaves out points that nobody would see, and then as many more as
// it takes to keep the curve below maxCurvePoints. First and last point stay.
func simplified(points []point) []point {
	for tol := tolerance; ; tol *= 1.25 {
		if kept := douglasPeucker(points, tol); len(kept) <= maxCurvePoints {
			return kept
		}
	}
}

// douglasPeucker keeps the points without which the curve would move by more
// than tol pixels (Douglas and Peucker, 1973). The result is a subset of the
// points, so a monotone curve stays monotone.
func douglasPeucker(points []point, tol float64) []point {
	if len(points) < 3 {
		return points
	}
	keep := make([]bool, len(points))
	keep[0], keep[len(points)-1] = true, true
	todo := [][2]int{{0, len(points) - 1}}
	for len(todo) > 0 {
		first, last := todo[len(todo)-1][0], todo[len(todo)-1][1]
		todo = todo[:len(todo)-1]
		worst, far := 0, tol
		for i := first + 1; i < last; i++ {
			if d := pixelDistance(points[i], points[first], points[last]); d > far {
				worst, far = i, d
			}
		}
		if worst > 0 {
			keep[worst] = true
			todo = append(todo, [2]int{first, worst}, [2]int{worst, last})
		}
	}
	var kept []point
	for i, p := range points {
		if keep[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

// pixelDistance is how far p lies from the segment between a and b.
func pixelDistance(p, a, b point) float64 {
	const sx, sy = screenWidth / gridWidth, screenHeight / gridHeight
	px, py := float64(p.x-a.x)*sx, float64(p.y-a.y)*sy
	bx, by := float64(b.x-a.x)*sx, float64(b.y-a.y)*sy
	along := 0.0
	if length := bx*bx + by*by; length > 0 {
		along = max(0, min(1, (px*bx+py*by)/length))
	}
	return math.Hypot(px-along*bx, py-along*by)
}

// path writes a polyline in the syntax of SVG.
func path(points []point) string {
	var b []byte
	for i, p := range points {
		b = append(b, "ML"[min(i, 1)])
		b = strconv.AppendInt(b, int64(p.x), 10)
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(p.y), 10)
	}
	return string(b)
}

// grid scales shares of the plot, measured from the bottom left, to the grid.
func grid(x, y float64) point {
	return point{int(math.Round(x * gridWidth)), int(math.Round((1 - y) * gridHeight))}
}
