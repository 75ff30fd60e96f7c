package tracker

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// runningMean is the mean of the last w values, of all values when w is 0.
func runningMean(x []float64, w int) []float64 {
	out := make([]float64, len(x))
	for k := range x {
		from := 0
		if w > 0 {
			from = max(0, k+1-w)
		}
		out[k] = mean(x[from : k+1])
	}
	return out
}

// Undoing the running mean of a positive series returns the series, whatever
// it is.
func TestUndoReturnsTheSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SampledFrom(runningWindows).Draw(t, "window")
		x := rapid.SliceOfN(rapid.Float64Range(0.01, 100), 1, 300).Draw(t, "series")
		for k, got := range undo(runningMean(x, w), w) {
			if math.Abs(got-x[k]) > 1e-8*float64(len(x)) {
				t.Fatalf("window %d, value %d of %d: got %g, want %g", w, k+1, len(x), got, x[k])
			}
		}
	})
}

// A running mean of step times is told by its behaviour, and so is its window.
// Means over 10 or 20 values are not told from values, and need not be: they
// are of the present.
func TestRunningMeansAreUndone(t *testing.T) {
	for _, w := range runningWindows {
		if w == 10 || w == 20 {
			continue
		}
		found := 0
		const series = 60
		for i := range series {
			rng := rand.New(rand.NewPCG(uint64(w), uint64(i)))
			x := memory(rng, min(max(120, 3*w), 1024), 0, 0.08)
			x[0] *= 4 // the first step compiles
			got := undoRunningMean(runningMean(x, w))
			if got == nil {
				continue
			}
			right := true
			for k := len(x) - 20; k < len(x); k++ {
				right = right && math.Abs(got[k]-x[k]) < 0.02*x[k]
			}
			if right {
				found++
			}
		}
		t.Logf("window %d: %d of %d", w, found, series)
		if found < series*8/10 {
			t.Errorf("window %d: %d of %d means are undone", w, found, series)
		}
	}
}

// What is no running mean stays as it is.
func TestOtherSeriesAreLeftAlone(t *testing.T) {
	for _, d := range disturbances {
		undone := simulate(500, 9, func(rng *rand.Rand) bool {
			return undoRunningMean(d.draw(rng, 24+rng.IntN(300))) != nil
		})
		t.Logf("%s: %d of 500", d.name, undone)
		if undone > 5 {
			t.Errorf("%s: %d of 500 series are taken for running means", d.name, undone)
		}
	}
	for name, x := range map[string][]float64{
		"no series":       nil,
		"a short one":     runningMean(memory(rand.New(rand.NewPCG(1, 1)), 23, 0, 0.1), 0),
		"a constant":      runningMean(make([]float64, 100), 0),
		"one with a zero": append(runningMean(memory(rand.New(rand.NewPCG(1, 1)), 99, 0, 0.1), 0), 0),
		"one with a hole": append(runningMean(memory(rand.New(rand.NewPCG(1, 1)), 99, 0, 0.1), 0), math.NaN()),
		"one below zero":  append(runningMean(memory(rand.New(rand.NewPCG(1, 1)), 99, 0, 0.1), 0), -1),
	} {
		if got := undoRunningMean(x); got != nil {
			t.Errorf("%s: undone to %v", name, got)
		}
	}
}

// Undoing the smoothing of a bar returns the seconds of each stretch, when a
// pause shows that they are smoothed.
func TestSmoothingIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, pause := rapid.IntRange(40, 200).Draw(t, "records"), rapid.IntRange(20, 30).Draw(t, "pause at")
		seconds := rapid.SliceOfN(rapid.Float64Range(0.9, 1.1), n, n).Draw(t, "seconds a step")
		counts, shown := make([]float64, n), make([]float64, n)
		count, s, ds := 0.0, 0.0, 0.0
		for k := range seconds {
			d := float64(rapid.IntRange(1, 3).Draw(t, "steps"))
			if k == 0 {
				d = 1
			}
			if k == pause {
				seconds[k] += rapid.Float64Range(8, 60).Draw(t, "pause")
			}
			count += d
			s, ds = 0.3*d+0.7*s, 0.3*d*seconds[k]+0.7*ds
			counts[k], shown[k] = count, ds/s
		}
		got := undoSmoothing(shown, counts)
		if got == nil {
			t.Fatal("not undone")
		}
		for k, want := range seconds {
			if math.Abs(got[k]-want) > 1e-6*want {
				t.Fatalf("stretch %d: got %g s a step, want %g", k, got[k], want)
			}
		}
	})
}

// Times that nobody smoothed are left alone.
func TestUnsmoothedTimesAreLeftAlone(t *testing.T) {
	for _, d := range disturbances {
		if d.name == "smoothed as a bar does, 15 %" {
			continue
		}
		undone := simulate(500, 10, func(rng *rand.Rand) bool {
			x := d.draw(rng, 30+rng.IntN(300))
			counts := make([]float64, len(x))
			for i := range counts {
				counts[i] = float64(i + 1)
			}
			return undoSmoothing(x, counts) != nil
		})
		t.Logf("%s: %d of 500", d.name, undone)
		if undone > 2 {
			t.Errorf("%s: %d of 500 series are taken for smoothed ones", d.name, undone)
		}
	}
}
