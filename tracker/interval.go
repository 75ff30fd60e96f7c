package tracker

import (
	"math"
	"strings"

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
	return named && before.Form == series.Number && before.Integer && v.how[c-1].min > 0
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
