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

// coarse is the step time by a clock whose ticks are longer than most
// differences: their mean, without those that are pauses.
func coarse(ds []difference, resolution float64, lag int) estimate {
	var kept []difference
	typical := medianCounts(ds)
	for _, d := range ds {
		if d.counts <= 3*typical { // a resumed count jumps
			kept = append(kept, d)
		}
	}
	var seconds, counts float64
	for range 3 {
		seconds, counts = 0, 0
		for _, d := range kept {
			seconds += d.seconds
			counts += d.counts
		}
		if counts == 0 || seconds == 0 {
			return estimate{}
		}
		limit := 2*resolution + 3*seconds/float64(len(kept))
		var rest []difference
		for _, d := range kept {
			if d.seconds <= limit {
				rest = append(rest, d)
			}
		}
		if len(rest) == len(kept) {
			break
		}
		kept = rest
	}
	off := math.Sqrt(float64(stretches(ds))) * resolution
	return estimate{seconds: seconds / counts, errors: off / math.Max(seconds, off), lag: lag, n: len(kept)}
}

// stretches counts the runs of differences in which a clock goes on: where it begins
// anew with the bar of another epoch, the time until its next tick is lost.
func stretches(ds []difference) int {
	n := 1
	for i := 1; i < len(ds); i++ {
		if ds[i].from != ds[i-1].at && ds[i-1].from != ds[i].at {
			n++
		}
	}
	return n
}
