package tracker

import (
	"math"
	"slices"
)

// A clock of whole seconds tells little of the time between two records, and much
// of the moment at which it ticks: the record that first shows another second was
// written within a record's time of it. From tick to tick the time is nearly exact.

// enoughTicks is the error at which no older ticks are asked: what the step time is
// now matters more.
const enoughTicks = 0.1

// byTicks is the step time by the ticks of the clock: over the last steps, and as
// many more as it takes to know it well.
func (a *analysis) byTicks(c clock) estimate {
	var ticks []difference
	counts := a.main.series[a.primary.column]
	last, prev := -1, -1 // the last tick and the last record
	for i := range counts {
		if math.IsNaN(counts[i]) || math.IsNaN(c.seconds[i]) {
			continue
		}
		switch {
		case prev < 0:
		case counts[i] < counts[prev] || c.seconds[i] < c.seconds[prev]:
			last = -1 // another bar
		case c.seconds[i]-c.seconds[prev] > 1.5*c.resolution:
			last = -1 // a pause
		case c.seconds[i] > c.seconds[prev]:
			if last >= 0 && counts[i] > counts[last] {
				ticks = append(ticks, difference{seconds: c.seconds[i] - c.seconds[last], counts: counts[i] - counts[last], from: last, at: i})
			}
			last = i
		}
		prev = i
	}
	slices.Reverse(ticks)
	interval := math.Max(a.primary.how.step, 1)
	var e estimate
	for n := 5; n <= len(ticks); n++ {
		var seconds, steps float64
		for _, d := range ticks[:n] {
			seconds += d.seconds
			steps += d.counts
		}
		if steps < math.Max(20, 5*interval) {
			continue
		}
		e = coarse(ticks[:n], c.resolution, 2)
		record := e.seconds * interval // at each end of a stretch
		e.errors = math.Sqrt(2*float64(stretches(ticks[:n]))) * record / math.Max(seconds, record)
		if e.errors <= enoughTicks {
			break
		}
	}
	return e
}
