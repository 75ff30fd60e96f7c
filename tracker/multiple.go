package tracker

import (
	"math"
	"slices"

	"schedmate/logs"
	"schedmate/logs/series"
)

// tellsQuality tells whether a number of this name is what is learned, or a time, and no
// count: a reward that rises by the same each time counts nothing.
func (v *view) tellsQuality(c int) bool {
	words := v.words[c]
	if timeWords.in(v.Columns[c].Words) && !stepWords.in(words) && !isEpoch(words) && !otherCounts.in(words) {
		return true // whole seconds go by as regularly as steps
	}
	return v.Columns[c].Form == series.Number && !v.Columns[c].Integer && measured(words) && !stepWords.in(words) && !isEpoch(words) && !otherCounts.in(words)
}

// multiplies tells whether column c rises by the same multiple of what a count called
// a step or an epoch rises by, in its line or in another of its record: it counts what
// a step is made of.
func (a *analysis) multiplies(v *view, c int) bool {
	for _, w := range a.views {
		if w != v && (w.Rank != v.Rank || max(w.Len(), v.Len()) > min(w.Len(), v.Len())+1 || v.Len() < 3 || !interleaved(v, w) || w.heldOut) {
			continue
		}
		for d := range w.Columns {
			col, words := &w.Columns[d], w.Columns[d].Words
			if w == v && d == c || col.Form != series.Number || col.Unit.Kind != logs.UnitNone || len(words) == 0 || len(words) > 2 || !stepWords.in(words) && !isEpoch(words) && !updates.in(words) || !w.how[d].counts() || w.how[d].up < w.Len()-1 {
				continue
			}
			if rises(v.series[c], w.series[d]) {
				return true
			}
		}
	}
	return false
}

// rises tells whether x rises by one multiple of what y rises by, twice or more, in
// nearly all records in which both rise.
func rises(x, y []float64) bool {
	var times []float64
	for i := 1; i < len(x) && i < len(y); i++ {
		if dx, dy := x[i]-x[i-1], y[i]-y[i-1]; dx > 0 && dy > 0 {
			times = append(times, dx/dy)
		}
	}
	if len(times) < 3 {
		return false
	}
	k, share := commonest(slices.Clone(times))
	return share >= 0.9 && k >= 2 && k == math.Trunc(k)
}
