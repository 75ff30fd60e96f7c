package tracker

import (
	"math"
	"slices"
	"strings"

	"schedmate/logs"
	"schedmate/logs/series"
)

// Where a line counts items beside the steps (frames: 46592) and tells how many of
// them are done in a second (fps: 883), the items of a step over those of a second
// are the time of a step.

// byItems is that step time, for logs without a clock.
func (a *analysis) byItems() (stepTime, bool) {
	v, p := a.main, &a.primary.how
	for c := range v.Columns {
		h := &v.how[c]
		if c == a.primary.column || v.Columns[c].Form != series.Number || !otherCounts.in(own(v, c)) || !h.counts() || h.down > 0 || h.regular < 0.8 || p.regular < 0.8 {
			continue
		}
		rate, ok := v.rateOf(own(v, c))
		if !ok {
			continue
		}
		items := h.step / p.step
		s := stepTime{method: "items a step over items a second", confidence: 0.6, view: v, column: rate}
		for _, x := range v.series[rate] {
			if !(x > 0) {
				x = math.NaN()
			}
			s.series = append(s.series, items/x)
		}
		if s.seconds = median(tail(s.series, a.window())); s.seconds > 0 {
			a.note(true, "step time", "%.4g more of %q a step, over %q", items, v.Columns[c].Name, columnName(&v.Columns[rate]))
			return s, true
		}
	}
	return stepTime{}, false
}

// rateOf is the column that tells how many of the items of this name are done in a
// second. Of several it is the lowest: what is said of a part of the work is faster
// than the whole. There is none when not one is the lowest throughout.
func (v *view) rateOf(items []string) (int, bool) {
	var rates []int
	for c := range v.Columns {
		if v.how[c].distinct > 2 && v.isRateOf(c, items) {
			rates = append(rates, c)
		}
	}
	return v.lowest(rates)
}

// isRateOf tells whether column c is a rate of these items by its unit or by a name
// that begins as theirs: fps is of frames.
func (v *view) isRateOf(c int, items []string) bool {
	col := &v.Columns[c]
	for _, item := range items {
		if !otherCounts.has(item) {
			continue
		}
		switch {
		case col.Form == series.PerTime:
			if u := col.Unit.Item; u != "" && (strings.HasPrefix(u, item) || strings.HasPrefix(item, u)) {
				return true
			}
		case col.Form == series.Number && col.Unit.Kind == logs.UnitNone:
			if slices.ContainsFunc(own(v, c), func(w string) bool { return perSecond(w) && w[0] == item[0] }) {
				return true
			}
		}
	}
	return false
}

// ratesLike are the columns that have their name of a rate in common with column c:
// fps step, fps total.
func (v *view) ratesLike(c int) []int {
	var out []int
	for _, w := range own(v, c) {
		if !perSecond(w) || v.Columns[c].Form != series.Number {
			continue
		}
		for other := range v.Columns {
			if v.Columns[other].Form == series.Number && slices.Contains(own(v, other), w) {
				out = append(out, other)
			}
		}
		break
	}
	return out
}

// lowest is the column whose number is the least of all these in nearly all records.
func (v *view) lowest(columns []int) (int, bool) {
	if len(columns) == 0 {
		return -1, false
	}
	best := columns[0]
	for _, c := range columns[1:] {
		if v.how[c].last < v.how[best].last {
			best = c
		}
	}
	for _, c := range columns {
		above, n := 0, 0
		for i := range v.Len() {
			x, y := v.series[c][i], v.series[best][i]
			if math.IsNaN(x) || math.IsNaN(y) {
				continue
			}
			n++
			if x >= y {
				above++
			}
		}
		if above*20 < n*19 {
			return -1, false
		}
	}
	return best, true
}
