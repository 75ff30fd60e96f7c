package tracker

import (
	"math"

	"schedmate/logs/series"
)

// endsBar tells whether the two times at c-1 and c are those of a bar, the one
// since its start and the one to its end: (total - n) / n of the first is the
// second.
func (a *analysis) endsBar(c int) bool {
	v := a.main
	b := v.neighbour(c, -1)
	if b < 0 || a.primary.whole < 0 || v.Columns[c].Form != series.Duration || v.Columns[b].Form != series.Duration {
		return false
	}
	hit, n := 0, 0
	for i := max(0, v.Len()-20); i < v.Len(); i++ {
		count, total := v.series[a.primary.column][i], v.series[a.primary.whole][i]
		since, left := v.series[b][i], v.series[c][i]
		if math.IsNaN(since) || math.IsNaN(left) || count <= 0 {
			continue
		}
		n++
		if want := since * (total - count) / count; left <= 2*want+2 && left >= want/2-2 {
			hit++
		}
	}
	return n >= 3 && hit*2 >= n
}

// neighbour is the column of the number that stands by places after (before)
// that of column c in the line, -1 when there is none.
func (v *view) neighbour(c, by int) int {
	for i := range v.Columns {
		if v.Columns[i].Name == v.Columns[c].Name && v.Columns[i].Ordinal == v.Columns[c].Ordinal+by {
			return i
		}
	}
	return -1
}

// startsBar tells whether the time at c is the first of a bar's two.
func (a *analysis) startsBar(c int) bool {
	next := a.main.neighbour(c, 1)
	return next >= 0 && a.endsBar(next)
}

// hasBar tells whether the line counts by itself, out of a total.
func (v *view) hasBar() bool {
	for c := range v.Columns {
		if v.fills(c) {
			return true
		}
	}
	return false
}

// rateOfBar tells whether the rate at c is that at which the bar fills, whatever its
// unit is called: the rest of the total over it is the time that remains.
func (a *analysis) rateOfBar(c int) bool {
	v := a.main
	left := v.neighbour(c, -1)
	if left < 0 || a.primary.whole < 0 || v.Columns[left].Form != series.Duration || v.Columns[c].Name != v.Columns[a.primary.whole].Name {
		return false
	}
	hit, n := 0, 0
	for i := range v.Len() {
		rest, rate, eta := v.series[a.primary.whole][i]-v.series[a.primary.column][i], v.series[c][i], v.series[left][i]
		if math.IsNaN(rest) || math.IsNaN(eta) || !(rate > 0) {
			continue
		}
		n++
		if math.Abs(rest/rate-eta) <= 1.1+0.02*eta {
			hit++
		}
	}
	return n >= 4 && hit*10 >= 9*n
}
