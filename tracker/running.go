package tracker

import (
	"math"
	"slices"
)

// runningWindows are the lengths of running means that programs use; 0 is a
// mean since the start.
var runningWindows = []int{0, 10, 20, 50, 100, 200, 500, 1000}

// undoRunningMean turns a series of running means back into what was averaged.
// It returns nil unless the series behaves as a mean since its first value: its
// moves die down as one over the number of values, which no measured series
// does. The window that leaves the smoothest series is taken.
//
// The k-th value of a mean since the start is m[k] = (x[1]+...+x[k])/k, so
// x[k] = k m[k] - (k-1) m[k-1]; of a mean over w values, from w on,
// x[k] = x[k-w] + w (m[k] - m[k-1]).
func undoRunningMean(m []float64) []float64 {
	n := len(m)
	if n < 24 || slices.ContainsFunc(m, func(v float64) bool { return math.IsNaN(v) || v <= 0 }) {
		return nil
	}
	if n < 50 && observe(m).rough > 0.45 {
		return nil // so few values die down by chance; a mean that a slow start pulls up falls steadily
	}
	moves := func(from, to int) float64 {
		var d []float64
		for k := from; k < to; k++ {
			d = append(d, math.Abs(m[k]/m[k-1]-1))
		}
		return median(d)
	}
	end := min(n, 100)
	early, late := moves(2, 10), moves(end/2, end)
	expected := 6 / (0.75 * float64(end))
	if !(early > 0.01) || late > early*math.Min(0.35, 3*expected) {
		return nil
	}
	scaled := func(from, to int) float64 { // moves times the number of values: constant
		var d []float64
		for k := from; k < to; k++ {
			d = append(d, math.Abs(m[k]-m[k-1])*float64(k+1))
		}
		return median(d)
	}
	if r := scaled(end/2, end) / scaled(4, end/3); !(r > 0.05 && r < 1.6) {
		return nil
	}
	var best []float64
	least := math.Inf(1)
	for _, w := range runningWindows {
		if w >= n || w > 0 && w < 10 {
			continue
		}
		x := undo(m, w)
		// a wrong window shows where the first values leave the mean
		var sum float64
		for k := n / 2; k < n; k++ {
			sum += math.Abs(x[k] - x[k-1])
		}
		rough := sum / float64(n-n/2)
		if rough < least*0.95 {
			best, least = x, rough
		}
	}
	if best != nil && (!(least < 0.3*median(slices.Clone(best))) || slices.Min(best) <= 0) {
		return nil // what comes out is no step time
	}
	return best
}

func undo(m []float64, w int) []float64 {
	x := make([]float64, len(m))
	for k := range m {
		switch {
		case k == 0:
			x[k] = m[k]
		case w == 0 || k < w:
			x[k] = float64(k+1)*m[k] - float64(k)*m[k-1]
		default:
			x[k] = x[k-w] + float64(w)*(m[k]-m[k-1])
		}
	}
	return x
}
