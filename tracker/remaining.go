package tracker

import (
	"cmp"
	"math"
	"slices"

	"schedmate/logs/series"
)

// What a printed remaining time says of the step time.

// weighByRemaining prefers the times that the printed remaining time was worked out
// of, and tells by it what they are of: a step, or all steps since the last record.
// It is too coarse a clock for more.
func (a *analysis) weighByRemaining(readings []reading, interval float64) {
	rough, ok := a.fromRemaining()
	if !ok {
		return
	}
	for i := range readings {
		for _, m := range meaningsOf(readings[i].means) {
			r := readings[i]
			r.means = m
			if x := r.recent(a.window(), interval) / rough; x > 1/1.5 && x < 1.5 {
				r.weight++
				readings[i] = r
				a.note(true, "reading "+r.name, "%s goes with the remaining time", r.means)
				break
			}
		}
	}
	slices.SortStableFunc(readings, func(x, y reading) int { return cmp.Compare(y.weight, x.weight) })
}

// laterSteps tells of a record how many steps later epochs have, when the line
// counts epochs out of a total: what remains is of the whole run then.
func (a *analysis) laterSteps() func(record int) float64 {
	v := a.main
	for e := range v.Columns {
		w := v.wholeOf(e)
		if e == a.primary.column || w < 0 || v.Columns[e].Form != series.Part || !isEpoch(v.words[e]) || v.how[w].distinct != 1 || !v.how[e].slow() {
			continue
		}
		first := 1.0 // epochs count from 0 or 1
		if v.how[e].min <= 0 {
			first = 0
		}
		return func(i int) float64 {
			return math.Max(0, v.series[w][i]-v.series[e][i]-(1-first)) * v.series[a.primary.whole][i]
		}
	}
	return func(int) float64 { return 0 }
}

// remainsOfEpoch tells whether a remaining time is that of the counter's own total
// and not of the epochs behind it: it grows where the counter begins anew, or is
// what the time of the bar so far lets expect.
func (a *analysis) remainsOfEpoch(c int) bool {
	grown, fallen := 0, 0
	prev, count := math.NaN(), math.NaN()
	for i, n := range a.main.series[a.primary.column] {
		x := a.main.series[c][i]
		if math.IsNaN(x) || math.IsNaN(n) {
			continue
		}
		if n < count {
			if x > prev {
				grown++
			} else {
				fallen++
			}
		}
		prev, count = x, n
	}
	return grown > fallen || grown+fallen == 0 && a.endsBar(c)
}

// fromRemaining divides a printed remaining time by the remaining steps.
func (a *analysis) fromRemaining() (float64, bool) {
	if a.primary.whole < 0 {
		return 0, false
	}
	v := a.main
	for c := range v.Columns {
		later := a.laterSteps()
		if a.remainsOfEpoch(c) {
			later = func(int) float64 { return 0 }
		}
		if v.Columns[c].Form != series.Duration || !remainingWords.in(v.words[c]) && !a.endsBar(c) && !(v.how[c].down >= 5 && v.how[c].down >= 4*v.how[c].up) {
			continue
		}
		var out []float64
		for i := v.Len() - 1; i >= 0 && len(out) < 20; i-- {
			left := v.series[a.primary.whole][i] - v.series[a.primary.column][i] + later(i)
			eta := v.series[c][i]
			if left >= 1 && eta >= 3*resolutionOf(&v.Columns[c]) {
				out = append(out, eta/left)
			}
		}
		if len(out) >= 3 {
			return median(out), true
		}
	}
	return 0, false
}
