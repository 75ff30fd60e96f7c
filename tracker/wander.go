package tracker

import (
	"math"

	"schedmate/logs/series"
)

// wanders tells whether values go up and down as a random walk does, a price or a
// position: as often up as down, no move says anything of the next (the correlation of
// neighbouring moves is within two standard errors), and they lead no further than two
// standard deviations of their sum. What is measured with noise goes back after a move,
// and what is learned falls on.
func wanders(values []float64) bool {
	v := tail(values, len(values))
	if len(v) < 64 {
		return false
	}
	up, n := 0, len(v)-1
	var squares, products float64
	for i := 1; i <= n; i++ {
		d := v[i] - v[i-1]
		if d > 0 {
			up++
		}
		squares += d * d
		if i > 1 {
			products += d * (v[i-1] - v[i-2])
		}
	}
	share := float64(up) / float64(n)
	return share > 0.35 && share < 0.65 && math.Abs(products) < 2/math.Sqrt(float64(n))*squares && math.Abs(v[n]-v[0]) < 2*math.Sqrt(squares)
}

// stands tells whether all that the line has of quality by name, beside the counter,
// scatters and goes nowhere: answers that are scored one after the other, and no loss.
func (v *view) stands(counter int) bool {
	quality := false
	for c := range v.Columns {
		col, words := &v.Columns[c], v.words[c]
		if c == counter || col.Form != series.Number && col.Form != series.Percent {
			continue
		}
		switch {
		case lossWords.in(words) || errorWords.in(words) || trainWords.in(words) || gradWords.in(words) || isLearningRate(words):
			return false
		case metricWords.in(words):
			if v.how[c].n < 12 || v.how[c].integers || v.moves(c, 5) {
				return false
			}
			quality = true
		case !v.how[c].integers && v.moves(c, 5):
			return false
		}
	}
	return quality
}

// moves tells whether a number rises or falls over the records by so many times its
// scatter.
func (v *view) moves(c int, times float64) bool {
	if trendsBy(v.series[c], times) {
		return true
	}
	turned := make([]float64, len(v.series[c]))
	for i, x := range v.series[c] {
		turned[i] = -x
	}
	return trendsBy(turned, times)
}
