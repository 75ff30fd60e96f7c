package tracker

import "math"

// A step time that nothing confirms must at least be possible beside what the log
// says of time elsewhere; else it is another number that was read as a time.

const (
	shortestStep = 1e-7       // seconds: no machine does less
	longestStep  = 86400      // seconds: nobody waits a day for one step,
	longestEpoch = 30 * 86400 // or a month for one epoch
	farOff       = 10         // times the mean by the clock: no pause and no slowdown does that
)

// plausible tells whether a step can take so long: within what machines do, and
// not ten times as long as the stamps around the records leave room for, since the
// median of times is at most twice their mean. (That it is much shorter than that
// mean may be by pauses.)
func (a *analysis) plausible(seconds float64) bool {
	longest := float64(longestStep)
	if a.primary.unit == unitEpoch {
		longest = longestEpoch
	}
	if !(seconds >= shortestStep && seconds <= longest) {
		return false
	}
	if a.primary.unit == unitSample || a.primary.unit == unitEnv {
		return true // a step is many counts
	}
	rough := a.borrowed()
	return rough <= 0 || seconds <= farOff*rough
}

// plausibleReading tells whether one of the things that a number may be is plausible.
func (a *analysis) plausibleReading(r reading, interval float64) bool {
	for _, m := range meaningsOf(r.means) {
		r.means = m
		if x := r.recent(a.window(), interval); math.IsNaN(x) || a.plausible(x) {
			return true
		}
	}
	return false
}
