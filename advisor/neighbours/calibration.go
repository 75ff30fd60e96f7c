package neighbours

import (
	"fmt"
	"math"
	"slices"

	"schedmate/advisor/history"
)

// calibration keeps how wrong estimates were, as logarithms of actual over
// estimated seconds, and makes intervals of them: split conformal prediction
// in buckets of rung and amount of evidence, with a miss rate that follows what
// was seen (adaptive conformal inference), because sites change.
type calibration struct {
	coverage float64
	buckets  map[string]*bucket
	seen     map[Rung]int // outcomes of each rung
}

type bucket struct {
	errors []float64 // latest last
	miss   float64   // rate of misses to aim at, so that 1-coverage comes out
}

const (
	keptErrors = 400
	fewErrors  = 20    // below, a wider bucket or a rule of thumb serves
	adapts     = 0.005 // change of the aimed rate by one miss
)

// ruleOfThumb are the half-widths of intervals, as logarithms, while a site
// has too little history of its own.
var ruleOfThumb = map[Rung]float64{Exact: 0.6, Scaled: 1, Neighbours: 1.5, Name: 1.5, Prior: 2}

func newCalibration(coverage float64) calibration {
	return calibration{coverage: coverage, buckets: make(map[string]*bucket), seen: make(map[Rung]int)}
}

// bucketNames are the buckets of an estimate, the narrowest first.
func bucketNames(rung Rung, evidence int) []string {
	size := 7 // and more
	for _, n := range []int{1, 3, 6} {
		if evidence <= n {
			size = n
			break
		}
	}
	return []string{fmt.Sprintf("%s/%d", rung, size), string(rung)}
}

func (c *calibration) observe(was *history.Estimated, seconds float64) {
	if was.Seconds <= 0 || seconds <= 0 {
		return
	}
	c.seen[Rung(was.Rung)]++
	missed := seconds < was.Low || seconds > was.High
	for _, name := range bucketNames(Rung(was.Rung), was.Evidence) {
		b := c.buckets[name]
		if b == nil {
			b = &bucket{miss: 1 - c.coverage}
			c.buckets[name] = b
		}
		b.errors = append(b.errors, math.Log(seconds/was.Seconds))
		if len(b.errors) > keptErrors {
			b.errors = b.errors[1:]
		}
		if was.High > was.Low {
			b.miss += adapts * (1 - c.coverage)
			if missed {
				b.miss -= adapts
			}
			b.miss = min(max(b.miss, 0.2*(1-c.coverage)), 2*(1-c.coverage))
		}
	}
}

// interval returns the factors of the lower and upper bound.
func (c *calibration) interval(rung Rung, evidence int) (low, high float64) {
	for _, name := range bucketNames(rung, evidence) {
		if b := c.buckets[name]; b != nil && len(b.errors) >= fewErrors {
			return b.interval()
		}
	}
	w := ruleOfThumb[rung]
	if b := c.buckets[string(rung)]; b != nil { // few errors are better than none
		for _, e := range b.errors {
			w = max(w, math.Abs(e)*0.8)
		}
	}
	return math.Exp(-w), math.Exp(w)
}

// interval leaves as many errors outside on each side as half the rate allows,
// and never leaves the estimate itself outside.
func (b *bucket) interval() (low, high float64) {
	sorted := slices.Sorted(slices.Values(b.errors))
	n := len(sorted)
	outside := int(math.Floor(b.miss / 2 * float64(n+1)))
	at := max(outside-1, 0)
	return math.Exp(min(sorted[at], 0)), math.Exp(max(sorted[n-1-at], 0))
}

// hoped is the share of estimates of a rung within a quarter where a site has
// not measured it; it counts like this many estimates.
var hoped = map[Rung]float64{Exact: 0.8, Scaled: 0.6, Name: 0.35, Neighbours: 0.2, Prior: 0.1}

const hopes = 10

// confidence is the share of past estimates of a rung that were within a quarter.
func (c *calibration) confidence(rung Rung, evidence int) float64 {
	good, n := hopes*hoped[rung], float64(hopes)
	if b := c.buckets[bucketNames(rung, evidence)[0]]; b != nil {
		for _, e := range b.errors { // actual over estimated within 4/5 and 4/3: the estimate within a quarter of the actual
			n++
			if e >= math.Log(0.8) && e <= math.Log(4.0/3) {
				good++
			}
		}
	}
	return good / n
}
