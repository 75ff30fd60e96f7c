package eval

import (
	"math"
	"testing"
)

// Student's 97.5 % quantiles are 12.706 for two values and 2.776 for five.
func TestIntervalsAreStudents(t *testing.T) {
	for _, c := range []struct {
		figures    []float64
		mean, half float64
	}{
		{[]float64{20, 40}, 30, 12.706 * 10}, // deviation 14.14 over √2
		{[]float64{1, 2, 3, 4, 5}, 3, 2.776 * math.Sqrt(2.5/5)},
		{[]float64{7, 7, 7}, 7, 0},
	} {
		got := IntervalOf(c.figures)
		if math.Abs(got.Mean-c.mean) > 1e-9 || math.Abs(got.High-got.Mean-c.half) > c.half*1e-3+1e-12 || math.Abs(got.Mean-got.Low-c.half) > c.half*1e-3+1e-12 {
			t.Errorf("%v: %+v, want %v ± %v", c.figures, got, c.mean, c.half)
		}
	}
}

// Only policies with several seeds have a spread, and seeds of another
// experiment or preset are not theirs.
func TestSpreadsAreOverTheSeedsOfOnePolicy(t *testing.T) {
	run := func(experiment, policy string, seed int64, jct float64, wdmr *float64) Run {
		r := Run{RunID: RunID{experiment, policy, "default", seed}}
		r.MeanJCT, r.WDMR = jct, wdmr
		return r
	}
	half := 0.5
	got := Spreads([]Run{
		run("x", "fifo", 1, 10, &half), run("x", "sjf", 1, 5, nil), run("x", "fifo", 2, 30, &half), run("y", "fifo", 1, 99, nil),
	})
	if len(got) != 1 || got[0].Policy != "fifo" || got[0].Experiment != "x" || got[0].Seeds != 2 || got[0].MeanJCT.Mean != 20 || got[0].WDMR == nil || got[0].WDMR.Mean != 0.5 {
		t.Errorf("%+v", got)
	}
}
