package tracker

import (
	"math"
	"slices"
	"strings"

	"schedmate/logs"
	"schedmate/logs/series"
)

// Times that are said of several steps.

// ofInterval tells whether a time is that of the steps named before it, and these
// are the steps between two records: `100 steps take 4.131 seconds`.
func (a *analysis) ofInterval(v *view, c int) bool {
	if c == 0 || a.primary.how.step <= 1 {
		return false
	}
	return stepsBefore(v, c) && v.how[c-1].last == a.primary.how.step && v.how[c-1].distinct <= 2
}

// ofIntervals tells whether the words name the time of an interval: time/interval.
func ofIntervals(words []string) bool {
	return slices.Contains(words, "interval") && timeWords.in(words)
}

// sinceLast tells whether the words name a time that has gone by since something. One
// that is not since the start is since the last record: `time lapse 0.22s`.
func sinceLast(words []string) bool {
	return slices.Contains(words, "lapse") || slices.Contains(words, "lapsed") || slices.Contains(words, "elapsed") && !stepWords.in(words)
}

// stepsBefore tells whether a number of steps stands before a time: `10 rounds in 13.03s`.
func stepsBefore(v *view, c int) bool {
	if c == 0 {
		return false
	}
	before, words := &v.Columns[c-1], v.words[c]
	if len(words) > 1 && trainWords.has(words[0]) {
		words = words[1:] // 100 train steps in 12.34 secs
	}
	named := stepWords.in(before.After) || len(words) > 0 && stepWords.has(words[0]) && strings.HasSuffix(words[0], "s")
	return named && before.Form == series.Number && before.Integer && before.Unit.Kind == logs.UnitNone && !slices.Equal(before.After, []string{"mb"}) && v.how[c-1].min > 0
}

// weighByCounts tells of a time that may be of a step or of all steps since the last
// record which it is, by the records behind fewer steps than usual: those that open an
// epoch, or end it. Beside a count of samples a bare time is of all since the last
// record, since nobody times a single one.
func (a *analysis) weighByCounts(readings []reading, interval float64) {
	if interval <= 1 {
		return
	}
	counts := a.main.series[a.primary.column]
	for i := range readings {
		r := &readings[i]
		if r.view != a.main || r.means != seconds || r.weight < 1.4 || r.weight >= 2.4 {
			continue
		}
		times := r.view.series[r.column]
		var usual []float64
		for k := 1; k < len(counts); k++ {
			if counts[k]-counts[k-1] == interval && times[k] > 0 {
				usual = append(usual, times[k])
			}
		}
		whole := median(usual)
		few, one := 0, 0 // records for and against
		for k := range counts {
			d := counts[k]
			if k > 0 && counts[k] > counts[k-1] {
				d = counts[k] - counts[k-1]
			} else if k == 0 && a.main.Count > a.main.Len() {
				continue
			}
			if d > interval/4 || !(times[k] > 0) {
				continue
			}
			if times[k] < whole/2 {
				few++
			} else if times[k] > 0.7*whole {
				one++
			}
		}
		switch {
		case few >= 2 && few >= 4*one, a.primary.unit == unitSample && one == 0:
			r.means, r.weight = perInterval, math.Max(r.weight, 2.4)
			a.note(true, "reading "+r.name, "%s: it is less where fewer are counted", r.means)
		case one >= 2 && one >= 4*few:
			r.weight += 0.6
		}
	}
}

// weighByEpochs tells of a time that may be of a step or of all steps since the last
// record which it is, by a line that ends each epoch and says how long that took: it
// is about the sum of the one or of the other.
func (a *analysis) weighByEpochs(readings []reading, interval float64) {
	if interval < 4 || a.primary.how.resets == 0 {
		return
	}
	for i := range readings {
		r := &readings[i]
		if r.view != a.main || r.means != seconds && r.means != perInterval || r.weight < 1 || r.weight >= 2.9 {
			continue
		}
		for _, m := range a.mates {
			for c := range m.Columns {
				if col := &m.Columns[c]; m.heldOut || m.every || m.own || !a.isTime(m.view, c) || col.Ordinal&15 != 0 || m.Len() > a.primary.how.resets+1 {
					continue
				}
				share := a.epochOverSum(m.view, c, r.column)
				if of := share / interval; of > 0.9 && of < 1.5 {
					r.means, r.weight = seconds, math.Max(r.weight, 2.4)
				} else if share > 0.9 && share < 1.5 {
					r.means, r.weight = perInterval, math.Max(r.weight, 2.4)
				} else {
					continue
				}
				a.note(true, "reading "+r.name, "%s: over an epoch they sum up to %q", r.means, m.Columns[c].Name)
			}
		}
	}
}

// isTime tells whether a column is a time that does not say that it is to come.
func (a *analysis) isTime(v *view, c int) bool {
	col := &v.Columns[c]
	return (col.Form == series.Duration || col.Form == series.Number && !col.Integer && timeWords.in(v.words[c])) && !remainingWords.in(v.words[c])
}

// epochOverSum is the median, over the lines of v, of the time that a line tells and
// the sum of column r over the records since the one before; NaN for fewer than two.
func (a *analysis) epochOverSum(v *view, c, r int) float64 {
	var shares []float64
	j := 0
	for i := range v.Len() {
		sum, n := 0.0, 0
		for ; j < a.main.Len() && a.main.At(j).Sequence < v.At(i).Sequence; j++ {
			if x := a.main.series[r][j]; x > 0 {
				sum += x
				n++
			}
		}
		if x := v.series[c][i]; n >= 3 && x > 0 && (i > 0 || a.main.Count == a.main.Len()) {
			shares = append(shares, x/sum)
		}
	}
	if len(shares) < 2 {
		return math.NaN()
	}
	return median(shares)
}

// countsRanges tells whether the counter is the end of a range, and the next range
// begins behind it: 321-330, 331-340.
func (a *analysis) countsRanges() bool {
	c := a.primary.column
	if c == 0 || a.primary.how.step <= 1 {
		return false
	}
	p, q := &a.main.Columns[c-1], &a.main.Columns[c]
	return p.Name == q.Name && q.Ordinal == p.Ordinal+1 && a.main.how[c-1].step == a.primary.how.step && math.Abs(a.primary.how.last-a.main.how[c-1].last-a.primary.how.step) <= 1
}
