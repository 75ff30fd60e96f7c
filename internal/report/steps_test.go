package report

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
)

func steps(t *rapid.T) []Sample {
	at := schedmate.Seconds(rapid.Int64Range(0, 500).Draw(t, "start"))
	var samples []Sample
	for range rapid.IntRange(0, 40).Draw(t, "samples") {
		samples = append(samples, Sample{At: at, UsedGPUs: rapid.IntRange(0, 16).Draw(t, "used")})
		at += schedmate.Seconds(rapid.Int64Range(1, 50).Draw(t, "length"))
	}
	return samples
}

// secondBySecond integrates without any cleverness.
func secondBySecond(samples []Sample, from, to schedmate.Seconds) int64 {
	var sum int64
	for at := from; at < to; at++ {
		for i := 0; i+1 < len(samples); i++ {
			if samples[i].At <= at && at < samples[i+1].At {
				sum += int64(samples[i].UsedGPUs)
			}
		}
	}
	return sum
}

// Property: the bins of a thinned curve follow each other without gap and each
// holds exactly the GPU-seconds of its stretch, so together they hold all.
func TestThinningMovesNoGPUSecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := steps(t)
		from := schedmate.Seconds(rapid.Int64Range(0, 600).Draw(t, "from"))
		to := from + schedmate.Seconds(rapid.Int64Range(1, 2500).Draw(t, "length"))
		bins := binned(samples, used, from, to, rapid.IntRange(1, 60).Draw(t, "bins"))
		at, sum := from, int64(0)
		for _, b := range bins {
			if b.From != at || b.To <= b.From {
				t.Fatalf("bin [%d, %d) follows %d", b.From, b.To, at)
			}
			if want := secondBySecond(samples, b.From, b.To); b.Area != want {
				t.Fatalf("bin [%d, %d) holds %d GPU-seconds, want %d", b.From, b.To, b.Area, want)
			}
			if mean := b.Mean(); mean < 0 || mean > float64(b.Peak) {
				t.Fatalf("bin has mean %v above its peak %d", mean, b.Peak)
			}
			at, sum = b.To, sum+b.Area
		}
		if at != to {
			t.Fatalf("bins end at %d, want %d", at, to)
		}
		if want := area(samples, used, from, to); sum != want {
			t.Fatalf("bins hold %d GPU-seconds, want %d", sum, want)
		}
	})
}

// Property: the area under the drawn steps is that of the simulation, up to
// the grid of the drawing.
func TestDrawnAreaIsTheSimulatedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := steps(t)
		axis := timeAxis{From: 0, To: 3000}
		bins := binned(samples, used, axis.From, axis.To, usageBins)
		points := coordinates(stepPath(bins, axis, linear(16), false))
		drawn := 0.0
		for i := 1; i < len(points); i++ {
			drawn += float64(points[i].x-points[i-1].x) * float64(gridHeight-points[i].y)
		}
		got := drawn / gridWidth / gridHeight * 16 * 3000
		want := float64(area(samples, used, axis.From, axis.To))
		if math.Abs(got-want) > 16*3000*0.001 {
			t.Fatalf("drawn area is %.1f GPU-seconds, want %.0f", got, want)
		}
	})
}

func TestStepsOfAnHourByHand(t *testing.T) {
	samples := twoPolicies().Runs[1].Usage // 4 GPUs, but 1 from 60 to 120 s
	got := binned(samples, used, 0, 3660, 61)
	want := []bin{{0, 60, 240, 4}, {60, 120, 60, 1}, {120, 180, 240, 4}}
	if diff := cmp.Diff(want, got[:3]); diff != "" {
		t.Errorf("first three minutes (-want +got):\n%s", diff)
	}
	if all := area(samples, used, 0, 3660); all != 14460 {
		t.Errorf("%d GPU-seconds, want 4*60 + 1*60 + 4*3540 = 14460", all)
	}
	path := stepPath(binned(samples, used, 0, 120, 2), timeAxis{0, 120}, linear(4), false)
	if want := fmt.Sprintf("M0 %dV0H5000V%dH10000V%dZ", gridHeight, gridHeight*3/4, gridHeight); path != want {
		t.Errorf("path is %s, want %s", path, want)
	}
}

func TestTimeAxisCountsInOneUnit(t *testing.T) {
	for length, want := range map[schedmate.Seconds][]string{
		8:         {"0", "1 s", "2 s", "3 s", "4 s", "5 s", "6 s", "7 s", "8 s"},
		3660:      {"0", "10 min", "20 min", "30 min", "40 min", "50 min", "60 min"},
		7 * day:   {"0", "1 d", "2 d", "3 d", "4 d", "5 d", "6 d", "7 d"},
		100 * day: {"0", "20 d", "40 d", "60 d", "80 d", "100 d"},
	} {
		var got []string
		for _, tick := range (timeAxis{1000, 1000 + length}).ticks() {
			got = append(got, plain(tick.Label))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ticks over %d s (-want +got):\n%s", length, diff)
		}
	}
	if n := len(timeAxis{0, schedmate.MaxSeconds}.ticks()); n > maxTicks {
		t.Errorf("two centuries have %d ticks", n)
	}
}

func TestCountingAxisEndsAtARoundNumber(t *testing.T) {
	for v, want := range map[float64]int{0: 1, 0.3: 1, 1: 1, 1.2: 2, 2.2: 4, 7: 8, 9: 12, 11: 12, 21: 24, 56: 60, 390: 400, 1122: 1200, 2100: 2400, 8001: 10000} {
		if got := rootTop(v); got != want {
			t.Errorf("rootTop(%v) = %v, want %v", v, got, want)
		}
	}
}

func TestSquareRootAxisLabelsWholeNumbersWhereTheyStand(t *testing.T) {
	for top, want := range map[int][]tick{
		2:    {{"0", "2", false}, {"100", "0", false}},
		60:   {{"0", "60", false}, {"50", "15", false}, {"100", "0", false}},
		1600: {{"0", "1,600", false}, {"50", "400", false}, {"75", "100", false}, {"100", "0", false}},
	} {
		if diff := cmp.Diff(want, rootTicks(top)); diff != "" {
			t.Errorf("ticks up to %d (-want +got):\n%s", top, diff)
		}
	}
	if got := root(1600)(100); got != 0.25 {
		t.Errorf("100 of 1,600 jobs stand at %v of the height, want a quarter", got)
	}
}
