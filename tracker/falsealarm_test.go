package tracker

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
)

// disturbance is one way in which the step times of a steady job move.
type disturbance struct {
	name string
	rate float64 // stated false alarms, a share of the jobs
	draw func(rng *rand.Rand, n int) []float64
}

// memory draws log step times that remember their neighbours with correlation
// rho and have standard deviation sd.
func memory(rng *rand.Rand, n int, rho, sd float64) []float64 {
	out := make([]float64, n)
	v := sd * rng.NormFloat64()
	for i := range out {
		out[i] = math.Exp(v)
		v = rho*v + sd*math.Sqrt(1-rho*rho)*rng.NormFloat64()
	}
	return out
}

// The stated rates are measured with 20,000 jobs of each kind, rounded up.
var disturbances = []disturbance{
	{"lognormal, 2 to 25 %", 0.0002, func(rng *rand.Rand, n int) []float64 {
		return memory(rng, n, 0, 0.02+0.23*rng.Float64())
	}},
	{"neighbours correlated by 0.5, 2 to 15 %", 0.0005, func(rng *rand.Rand, n int) []float64 {
		return memory(rng, n, 0.5, 0.02+0.13*rng.Float64())
	}},
	{"smoothed as a bar does, 15 %", 0.001, func(rng *rand.Rand, n int) []float64 {
		x := memory(rng, n, 0, 0.15)
		for i := 1; i < n; i++ {
			x[i] = 0.3*x[i] + 0.7*x[i-1]
		}
		return x
	}},
	{"heavy tails, Student's t of 3 degrees", 0.0003, func(rng *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			square := 0.0
			for range 3 {
				z := rng.NormFloat64()
				square += z * z
			}
			x[i] = math.Exp(0.05 * rng.NormFloat64() / math.Sqrt(square/3))
		}
		return x
	}},
	{"a pause every 5 to 45 records", 0.0002, func(rng *rand.Rand, n int) []float64 {
		x, every := memory(rng, n, 0, 0.05), 5+rng.IntN(40)
		for i := every; i < n; i += every {
			x[i] *= 20
		}
		return x
	}},
	{"a warm-up that dies away", 0.0002, func(rng *rand.Rand, n int) []float64 {
		x, length := memory(rng, n, 0, 0.05), 2+10*rng.Float64()
		for i := range x {
			x[i] *= 1 + 4*math.Exp(-float64(i)/length)
		}
		return x
	}},
	{"one to four spikes", 0.0002, func(rng *rand.Rand, n int) []float64 {
		x := memory(rng, n, 0, 0.05)
		for range 1 + rng.IntN(4) {
			x[rng.IntN(n)] *= 3 + 10*rng.Float64()
		}
		return x
	}},
	{"two paces in turn, the slow one in a third of the records", 0.014, func(rng *rand.Rand, n int) []float64 {
		x := memory(rng, n, 0, 0.03)
		for i := range x {
			if rng.IntN(3) == 0 {
				x[i] *= 1.5
			}
		}
		return x
	}},
}

// simulate counts the series of which found is true, with two workers.
func simulate(series int, seed uint64, found func(rng *rand.Rand) bool) int {
	var wg sync.WaitGroup
	hits := make([]int, 2)
	for w := range hits {
		wg.Go(func() {
			for i := w; i < series; i += len(hits) {
				if found(rand.New(rand.NewPCG(seed, uint64(i)))) {
					hits[w]++
				}
			}
		})
	}
	wg.Wait()
	return hits[0] + hits[1]
}

// A steady job of 60 to 600 records is said to be slower no more often than
// stated at slowScore.
func TestFalseAlarms(t *testing.T) {
	series := 20_000 / len(disturbances)
	if underRaceDetector {
		series /= 10
	}
	all, total := 0, 0
	for i, d := range disturbances {
		alarms := simulate(series, uint64(i), func(rng *rand.Rand) bool {
			k, _, _, _ := changePoint(d.draw(rng, 60+rng.IntN(541)), 1)
			return k >= 0
		})
		t.Logf("%-60s %d of %d", d.name, alarms, series)
		if allowed := d.rate*float64(series) + 3*math.Sqrt(d.rate*float64(series)); float64(alarms) > allowed {
			t.Errorf("%s: %d false alarms in %d steady jobs, stated are %g %%", d.name, alarms, series, 100*d.rate)
		}
		all, total = all+alarms, total+series
	}
	t.Logf("all: %d of %d, %.3f %%", all, total, 100*float64(all)/float64(total))
}

// A lasting slowdown is found within a few records of where it began. The
// stated shares are measured with 2,000 jobs each and rounded down.
func TestSlowdownsAreFound(t *testing.T) {
	for _, c := range []struct {
		ratio        float64
		n, after     int
		sd, rho      float64
		atLeast      float64 // share of the jobs
		howFarFromIt int     // records
	}{
		{1.15, 200, 80, 0.04, 0, 0.99, 12},
		{1.15, 200, 30, 0.04, 0, 0.99, 12},
		{1.15, 200, 80, 0.04, 0.5, 0.99, 20},
		{1.15, 60, 20, 0.04, 0, 0.99, 6},
		{1.15, 200, 80, 0.1, 0, 0.98, 20},
		{1.25, 200, 80, 0.1, 0, 0.99, 20},
		{1.25, 60, 20, 0.04, 0.5, 0.99, 8},
		{1.5, 200, 30, 0.1, 0.5, 0.99, 20},
		{1.5, 60, 20, 0.1, 0, 0.99, 6},
		{1.5, 200, 80, 0.25, 0, 0.99, 20},
		{2, 60, 10, 0.1, 0, 0.99, 6},
		{3, 60, 8, 0.1, 0, 0.99, 6},
		{3, 600, 8, 0.1, 0, 0.99, 6},
	} {
		name := fmt.Sprintf("times %g, the last %d of %d records, noise of %g %%, correlation %g", c.ratio, c.after, c.n, 100*c.sd, c.rho)
		const series = 200
		hits := simulate(series, math.Float64bits(c.ratio), func(rng *rand.Rand) bool {
			x := memory(rng, c.n, c.rho, c.sd)
			for i := c.n - c.after; i < c.n; i++ {
				x[i] *= c.ratio
			}
			k, _, before, after := changePoint(x, 1)
			return k >= 0 && max(k-(c.n-c.after), c.n-c.after-k) <= c.howFarFromIt && math.Abs(after/before/c.ratio-1) < 0.15
		})
		t.Logf("%s: found in %d of %d", name, hits, series)
		if share := float64(hits) / series; share < c.atLeast-3*math.Sqrt(c.atLeast*(1-c.atLeast)/series) {
			t.Errorf("%s: found in %d of %d jobs, stated are %g %%", name, hits, series, 100*c.atLeast)
		}
	}
}
