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
	named := stepWords.in(before.After) || len(words) > 0 && stepWords.has(words[0]) && strings.HasSuffix(words[0], "s")
	return named && before.Form == series.Number && before.Integer && v.how[c-1].min > 0
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
