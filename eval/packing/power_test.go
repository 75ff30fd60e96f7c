package packing

import (
	"math"
	"testing"

	"schedmate/scheduler/pack"
)

// The figures that are promised of undoing, with the errors that the tracker makes: a
// pair that is twice as slow is found within 8 logged steps (median), and of pairs
// that are 1.1 times as slow fewer than one in 1,000 pair-hours is taken apart. The
// seed is fixed; 4,000 pairs of six hours.
func TestPromisesOfUndoing(t *testing.T) {
	o := pack.Sequential()
	c := Case{Before: 32, Steps: 64, Every: 60, Hours: 6, Pairs: 4_000, Seed: 1}
	for _, tolerated := range []int{o.ToleratedIfRoom, o.Tolerated} {
		test := pack.Test{Tolerated: tolerated, OneIn: 2 * o.OneIn, Least: o.LeastBefore}
		for _, p := range Measure(Measured(), test.Judge, c, 1000, 1100, 1500, 2000, 3000) {
			t.Logf("tolerated %d: %+v", tolerated, p)
			if p.Slowdown == 2000 && (p.Median < 1 || p.Median > 8) {
				t.Errorf("tolerated %d: twice as slow is found after %d steps", tolerated, p.Median)
			}
			if p.Slowdown <= 1100 && p.PerHours >= 1 {
				t.Errorf("tolerated %d: %.3f of 1,000 pair-hours at %d", tolerated, p.PerHours, p.Slowdown)
			}
		}
	}
	paper := pack.Paper()
	for _, p := range Measure(Measured(), pack.FixedRatio{Threshold: paper.Threshold, Steps: paper.Steps}.Judge, c, 1100, 2000, 3000) {
		t.Logf("fixed ratio: %+v", p)
	}
}

// The shape has the root mean square that it states: 0.129.
func TestErrorsAreTheMeasuredOnes(t *testing.T) {
	if got := Measured().RMSRE(); math.Abs(got-0.129) > 0.001 {
		t.Errorf("the errors have a root mean square of %.4f", got)
	}
}
