package tracker

import (
	"fmt"
	"math"
	"slices"

	"schedmate/logs"
	"schedmate/logs/series"
)

// stepTime is the answer to "how long does a step take".
type stepTime struct {
	seconds    float64
	method     string
	confidence float64
	view       *view
	column     int       // where it is printed, or -1
	series     []float64 // step times by record of the view, for the slowdown
	batch      float64   // samples a step, when the counter counts samples
}

// agreement is how far a printed step time may be from the clock's and still
// be the same thing.
const agreement = 0.15

// stepTime finds the present step time. The clock comes first: it measures
// what the counter does, whatever the log calls it. A printed number that
// agrees is finer and is preferred; one that disagrees with a good clock is a
// running mean, a part of the step, or mislabelled.
func (a *analysis) stepTime() (stepTime, bool) {
	interval := math.Max(a.primary.how.step, 1)
	readings := slices.DeleteFunc(a.readings(), func(r reading) bool {
		if a.plausibleReading(r, interval) {
			return false
		}
		a.note(false, "reading "+r.name, "%.4g s: no step takes so long by the other clocks, or at all", r.recent(a.window(), interval))
		return true
	})
	var best estimate
	var bestClock clock
	for _, c := range a.clocks() {
		e := a.measure(c)
		if !e.ok() {
			continue
		}
		if c.derived {
			e.errors = math.Max(e.errors, e.scatter) // what is no mean rate scatters more and more when it is undone
		}
		a.note(true, "clock", "%s: %.4g s a count (± %.0f %%, %d differences over %d records)", c.name, e.seconds, 100*e.errors, e.n, e.lag)
		if !best.ok() || e.errors < best.errors/3 && best.errors > 0.05 {
			best, bestClock = e, c
		}
	}
	for i := range readings {
		r := &readings[i]
		a.note(true, "reading "+r.name, "could be the step time (weight %.1f), %s: %.4g s", r.weight, r.means, r.recent(a.window(), interval))
	}
	if !best.ok() {
		return a.withoutClock(readings, interval)
	}
	tolerance := agreement + math.Min(best.errors, 0.5)
	if best.lag == 1 && best.errors < 0.03 {
		tolerance = 0.06 + best.errors // a clock this good needs no help
	}
	// a printed time that its unit or name declares and the clock confirms
	for i := range readings {
		r := &readings[i]
		if r.weight < 1 {
			continue
		}
		for _, m := range meaningsOf(r.means) {
			t := *r
			t.means = m
			x := t.recent(a.window(), interval)
			low, high := tolerance, tolerance
			if best.lag > 1 && r.weight >= 2.4 {
				low, high = 0.45, 0.9 // a coarse clock counts pauses in, and looks further back
			}
			if !math.IsNaN(x) && x/best.seconds-1 <= high && x/best.seconds-1 >= -low {
				a.note(true, "step time", "%s as %s agrees with %s", t.name, t.means, bestClock.name)
				return stepTime{seconds: x, method: fmt.Sprintf("printed (%s), agrees with %s", t.means, bestClock.name), confidence: 0.95, view: t.view, column: t.latest(), series: t.values(interval)}, true
			}
		}
	}
	// a counter of samples beside the time of a batch
	if s, ok := a.batchTime(readings, best, interval); ok {
		return s, true
	}
	if best.errors <= 0.12 {
		confidence := 0.85
		if found := a.verified(best, agreement+best.errors); len(found) > 0 {
			confidence = 0.92
			a.note(true, "step time", "%s as %s agrees with %s", found[0].name, found[0].means, bestClock.name)
		}
		if len(readings) > 0 && readings[0].weight >= 2.4 {
			a.note(false, "reading "+readings[0].name, "%.4g s disagrees with the clock: a running mean, or another thing", readings[0].recent(a.window(), interval))
			confidence -= 0.1
		}
		return stepTime{seconds: best.seconds, method: bestClock.name, confidence: confidence, column: -1}, true
	}
	if s, ok := a.withoutClock(readings, interval); ok {
		if a.primary.unit == unitSample || a.primary.unit == unitEnv || s.confidence >= 0.8 || best.allows(s.seconds) { // pauses count for the clock, and not for a rate
			return s, true
		}
		a.note(false, "step time", "%.4g s, %s: even a coarse clock contradicts it", s.seconds, s.method)
	}
	if best.errors <= 0.35 {
		return stepTime{seconds: best.seconds, method: bestClock.name + " (coarse)", confidence: 0.5, column: -1}, true
	}
	return stepTime{}, false
}

// meaningsOf are the other things that a number of this meaning may be.
func meaningsOf(m meaning) []meaning {
	switch m {
	case seconds:
		return []meaning{seconds, perInterval}
	case rate:
		return []meaning{rate, intervalRate}
	}
	return []meaning{m}
}

// withoutClock believes the best declared reading. The time of an interval and
// that of a step cannot be told apart without a clock; a bare time is believed
// only when each record is a step, or its name says what it is of.
func (a *analysis) withoutClock(readings []reading, interval float64) (stepTime, bool) {
	samples := a.primary.unit == unitSample // the time of a sample is not that of a step
	a.weighByRemaining(readings, interval)
	a.weighByEpochs(readings, interval)
	a.weighByCounts(readings, interval)
	for i := range readings {
		r := &readings[i]
		need := 2.0
		if interval == 1 {
			need = 1.4
		}
		if h := &r.view.how[r.column]; r.weight < 2.4 && h.n >= 4 && h.distinct == 1 && resolutionOf(&r.view.Columns[r.column]) < 0.04*h.last {
			continue // a time that never changes is a setting, unless its digits are too few to show it
		}
		if r.weight < need || samples && r.sparse {
			continue // a summary that calls samples steps
		}
		if a.primary.unit == unitEpoch && a.ofSteps(r) && !sharesWord(a.counterWords(), logs.Words(r.name)) {
			continue // of a step, where epochs are counted
		}
		x := r.recent(a.window(), interval)
		if math.IsNaN(x) || x <= 0 {
			continue
		}
		if sum, ok := a.sumOfParts(r); ok {
			a.note(true, "step time", "%s is the sum of %d times beside it", r.name, sum)
		}
		values := r.values(interval)
		s := stepTime{seconds: x, method: "printed (" + r.means.String() + ")", confidence: math.Min(0.9, 0.5+0.13*r.weight), view: r.view, column: r.latest(), series: values}
		if undone := undoRunningMean(values); undone != nil && r.view.Count == r.view.Len() {
			s.series, s.seconds, s.method = undone, median(tail(undone, a.window())), s.method+", a running mean undone"
		}
		a.note(true, "step time", "%s is declared as %s; there is no clock to check it", r.name, s.method)
		return s, true
	}
	// the whole of several parts is the step
	for i := range readings {
		r := &readings[i]
		if _, ok := a.sumOfParts(r); ok && r.means == seconds {
			x := r.recent(a.window(), interval)
			return stepTime{seconds: x, method: "printed, the sum of its parts", confidence: 0.8, view: r.view, column: r.column, series: r.values(interval)}, true
		}
	}
	if s, ok := a.byBorrowedClock(readings, interval); ok {
		return s, true
	}
	if s, ok := a.byItems(); ok {
		return s, true
	}
	// (total - counter) steps take the remaining time
	if samples {
		return stepTime{}, false
	}
	if x, ok := a.fromRemaining(); ok {
		return stepTime{seconds: x, method: "remaining time over remaining steps", confidence: 0.6, column: -1}, true
	}
	last := append(a.clocksBeside(), a.unnamedClock()...)
	if k, ok := a.countdown(); ok {
		last = append(last, k)
	}
	for _, k := range last {
		if e := a.measure(k); e.ok() && e.errors < 0.2 {
			return stepTime{seconds: e.seconds, method: k.name, confidence: 0.5, column: -1}, true
		}
	}
	return stepTime{}, false
}

// byBorrowedClock tells what a declared time is of, by the stamps of lines around
// that are not the job's own: too coarse for a step time, and good enough to tell
// a step from a hundred of them.
func (a *analysis) byBorrowedClock(readings []reading, interval float64) (stepTime, bool) {
	if interval <= 1 || a.primary.unit != unitStep {
		return stepTime{}, false
	}
	rough := a.borrowed()
	if rough <= 0 {
		return stepTime{}, false
	}
	for i := range readings {
		r := readings[i]
		if r.sparse || r.weight < 1.4 || r.weight >= 2.4 || r.means != seconds {
			continue
		}
		of, x := r, r.recent(a.window(), interval)
		of.means = perInterval
		y := of.recent(a.window(), interval)
		if near, far := math.Abs(math.Log(x/rough)), math.Abs(math.Log(y/rough)); math.Min(near, far) < math.Ln2 && math.Max(near, far) > math.Log(5) {
			if far < near {
				r, x = of, y
			}
			a.note(true, "step time", "%s as %s agrees with the stamps of other lines", r.name, r.means)
			return stepTime{seconds: x, method: "printed (" + r.means.String() + "), agrees with stamps of other lines", confidence: 0.7, view: r.view, column: r.latest(), series: r.values(interval)}, true
		}
	}
	return stepTime{}, false
}

// borrowed is the rough step time by the stamps of lines before the records; 0
// when they do not tell, or run backwards.
func (a *analysis) borrowed() float64 {
	v := a.main
	counts := v.series[a.primary.column]
	seconds, steps := 0.0, 0.0
	last := -1
	for i := range v.Len() {
		now := v.At(i).NearNanos
		if now == 0 || math.IsNaN(counts[i]) {
			continue
		}
		if last >= 0 {
			d := float64(now-v.At(last).NearNanos) / 1e9
			if d < -2 {
				return 0
			}
			if c := counts[i] - counts[last]; c > 0 {
				seconds += d
				steps += c
			}
		}
		last = i
	}
	if seconds < 20 || steps < 3*a.primary.how.step {
		return 0
	}
	return seconds / steps
}

// sumOfParts tells whether a time is the sum of at least two others in its line.
func (a *analysis) sumOfParts(r *reading) (int, bool) {
	if r.means != seconds {
		return 0, false
	}
	v := r.view
	var parts []int
	for c := range v.Columns {
		if c != r.column && v.Columns[c].Unit == v.Columns[r.column].Unit && v.how[c].last < v.how[r.column].last && (v.Columns[c].Form == series.Duration || v.Columns[c].Form == series.Number && (timeWords.in(v.words[c]) || v.Columns[c].Unit.Kind == logs.UnitTime)) {
			parts = append(parts, c)
		}
	}
	for c := range v.Columns { // a rest without a name of time
		if v.Columns[c].Form == series.Number && !timeWords.in(v.words[c]) && !v.how[c].integers && c != r.column {
			if n, ok := sums(v, r.column, append(parts[:len(parts):len(parts)], c)); ok {
				return n, true
			}
		}
	}
	return sums(v, r.column, parts)
}

func sums(v *view, whole int, parts []int) (int, bool) {
	if len(parts) < 2 {
		return 0, false
	}
	hit, n := 0, 0
	for i := max(0, v.Len()-20); i < v.Len(); i++ {
		w := v.series[whole][i]
		sum := 0.0
		for _, c := range parts {
			if x := v.series[c][i]; !math.IsNaN(x) {
				sum += x
			}
		}
		if math.IsNaN(w) || w <= 0 {
			continue
		}
		n++
		if d := math.Abs(sum/w - 1); d < 0.02 || len(parts) >= 4 && d < 0.05 {
			hit++
		}
	}
	return len(parts), n >= 3 && hit*10 >= n*8
}

// batchTime is for counters that count samples: the time of a batch is a
// constant whole number of samples' times, another number than the samples
// between two records.
func (a *analysis) batchTime(readings []reading, e estimate, interval float64) (stepTime, bool) {
	for i := range readings {
		r := &readings[i]
		if r.means != seconds || r.weight < 1.4 {
			continue
		}
		x := r.recent(a.window(), interval)
		k := x / e.seconds
		if math.IsNaN(k) || k < 1.7 || math.Abs(k-math.Round(k))/k > 0.15+e.errors || k > interval*1.01 && interval > 1 {
			continue
		}
		if a.primary.unit != unitSample && interval/k < 1.5 {
			continue
		}
		a.note(true, "step time", "%s is the time of about %.0f counts: the counter counts samples", r.name, k)
		return stepTime{seconds: x, method: "printed, a batch of samples", confidence: 0.8, view: r.view, column: r.column, series: r.values(interval), batch: math.Round(k)}, true
	}
	return a.followsAsBatch(e, interval)
}

// followsAsBatch is batchTime for a number that no unit or name declares: it
// follows the clock from record to record.
func (a *analysis) followsAsBatch(e estimate, interval float64) (stepTime, bool) {
	v := a.main
	if e.errors > 0.05 || interval <= 1 {
		return stepTime{}, false
	}
	for _, k := range a.clocks() {
		if k.name != "stamps" && k.name != "arrival times" {
			continue
		}
		ds := differences(v.series[a.primary.column], k.seconds, 1, 60)
		for c := range v.Columns {
			if c == a.primary.column || v.Columns[c].Form != series.Number || v.how[c].integers || v.how[c].distinct < 6 || measured(v.words[c]) {
				continue
			}
			r := reading{view: v, column: c, name: columnName(&v.Columns[c]), means: seconds}
			x := r.recent(a.window(), interval)
			n := x / e.seconds
			if n < 1.7 || n > interval/1.5 || math.Abs(n-math.Round(n))/n > 0.1 || agreementOf(ds, v.series[c]) < 0.6 {
				continue
			}
			a.note(true, "step time", "%s follows the clock and is the time of about %.0f counts", r.name, n)
			return stepTime{seconds: x, method: "follows the clock, a batch of samples", confidence: 0.6, view: v, column: c, series: r.values(interval), batch: math.Round(n)}, true
		}
	}
	return stepTime{}, false
}
