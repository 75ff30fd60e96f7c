package estimate_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate/scheduler/estimate"
)

func s(seconds float64) *float64 { return &seconds }

// near allows for the order of floating-point sums.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// A job takes 1 s on one GPU, 1.1 s on two of a node, 1.4 s on two nodes. By
// hand: four of a node 1 + 0.1 log2(4) = 1.2; two nodes of four 1 + 0.2 + 0.4 *
// 2 (width 4 to the power of 1/2) = 2.0; CHRONUS's law on eight GPUs of two
// nodes 1 + 0.4 * 3 = 2.2.
func TestStepTimesByHand(t *testing.T) {
	samples := estimate.Samples{Alone: s(1), Together: s(1.1), Apart: s(1.4)}
	shape := estimate.Shape{Inside: 1, Nodes: 0, Width: 0.5}
	for _, c := range []struct {
		shape estimate.Shape
		on    estimate.Placement
		want  float64
	}{
		{shape, estimate.Placement{1}, 1},
		{shape, estimate.Placement{2}, 1.1},
		{shape, estimate.Placement{1, 1}, 1.4},
		{shape, estimate.Placement{4}, 1.2},
		{shape, estimate.Placement{4, 4}, 2.0},
		{estimate.PaperShape, estimate.Placement{4}, 1.2},
		{estimate.PaperShape, estimate.Placement{4, 4}, 2.2},
	} {
		got, err := estimate.Speed{Samples: samples, Shape: c.shape}.StepOn(c.on)
		if err != nil || !near(got.Seconds, c.want) {
			t.Errorf("%v on %v: %v s, %v; want %v s", c.shape, c.on, got.Seconds, err, c.want)
		}
	}
}

// Only one GPU and a pair in one node were measured: one node can be told, two
// nodes cannot, and the error says what to measure.
func TestWhatWasNotMeasuredIsNotGuessed(t *testing.T) {
	speed := estimate.Speed{Samples: estimate.Samples{Alone: s(1), Together: s(1.1)}, Shape: estimate.DefaultShape}
	if _, err := speed.StepOn(estimate.Placement{8}); err != nil {
		t.Errorf("eight GPUs of a node: %v", err)
	}
	_, err := speed.StepOn(estimate.Placement{4, 4})
	if !errors.Is(err, estimate.ErrMissing) || !strings.Contains(err.Error(), "two GPUs on two nodes") {
		t.Errorf("two nodes: %v; want an error that names the missing sample", err)
	}
}

func drawSamples(t *rapid.T) estimate.Samples {
	second := rapid.Float64Range(1e-3, 1e3)
	return estimate.Samples{Alone: s(second.Draw(t, "alone")), Together: s(second.Draw(t, "together")), Apart: s(second.Draw(t, "apart"))}
}

// More GPUs of one node never make an iteration faster at the same batch on each,
// predictions scale with the clock, and the interval holds the prediction.
func TestStepTimesAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speed := estimate.Speed{Samples: drawSamples(t), Shape: estimate.DefaultShape, Spread: estimate.Spread{Low: -1, High: 2}}
		n := rapid.IntRange(1, 64).Draw(t, "gpus")
		few, err1 := speed.StepOn(estimate.Placement{n})
		more, err2 := speed.StepOn(estimate.Placement{n + 1})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if more.Seconds < few.Seconds-1e-9 {
			t.Errorf("%d GPUs take %v s, %d take %v s", n, few.Seconds, n+1, more.Seconds)
		}
		if !(few.Low <= few.Seconds && few.Seconds <= few.High) {
			t.Errorf("interval %v to %v lacks %v", few.Low, few.High, few.Seconds)
		}
		double := speed
		double.Samples = estimate.Samples{Alone: s(2 * *speed.Samples.Alone), Together: s(2 * *speed.Samples.Together), Apart: s(2 * *speed.Samples.Apart)}
		if twice, err := double.StepOn(estimate.Placement{n}); err != nil || !near(twice.Seconds, 2*few.Seconds) {
			t.Errorf("with all times doubled: %v s, %v; want %v s", twice.Seconds, err, 2*few.Seconds)
		}
	})
}

// Nineteen misses of 1 to 19: an interval of 90 % must reach from the least to
// the largest (rank ceil(20 * 0.95) = 19); eighteen are too few.
func TestCalibrationCountsItsOwnUncertainty(t *testing.T) {
	var misses []float64
	for i := range 19 {
		misses = append(misses, float64(19-i))
	}
	if got, err := estimate.Calibrate(misses, 0.9); err != nil || got != (estimate.Spread{Low: 1, High: 19}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := estimate.Calibrate(misses[1:], 0.9); !errors.Is(err, estimate.ErrMissing) {
		t.Errorf("eighteen misses: %v", err)
	}
}

func FuzzParsePlacement(f *testing.F) {
	for _, seed := range []string{"44", "1", "", "40", "4x", "999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := estimate.ParsePlacement(text)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q parses to what cannot be: %v", text, err)
		}
		if len(p) != len(text) {
			t.Errorf("%q has %d nodes", text, len(p))
		}
	})
}
