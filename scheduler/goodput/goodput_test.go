package goodput

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
)

// Gain by hand: without noise a larger batch teaches nothing more, with nothing
// but noise as much as it has samples, in between 3 / (2/4 + 1) = 2.
func TestGain(t *testing.T) {
	for _, c := range []struct{ noise, x, want float64 }{{0, 8, 1}, {math.Inf(1), 8, 8}, {2, 4, 2}, {5, 1, 1}} {
		if got := Gain(c.noise, c.x); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("noise %g, %g times the batch: %g, want %g", c.noise, c.x, got, c.want)
		}
	}
}

// A step by hand: 0.01 + 0.001 * 40 = 0.05 s of computing; 0.02 + 2 * 0.005 = 0.03 s
// of exchange on four GPUs of two nodes: without overlap 0.08 s, with gamma 2 the
// root of 0.0034.
func TestStep(t *testing.T) {
	m := Model{Compute: 0.01, ComputeSample: 0.001, Across: 0.02, AcrossGPU: 0.005, Within: 0.001, WithinGPU: 0.001, Gamma: 1}
	if got := Step(&m, 2, 4, 40); math.Abs(got-0.08) > 1e-12 {
		t.Errorf("got %g", got)
	}
	m.Gamma = 2
	if got := Step(&m, 2, 4, 40); math.Abs(got-math.Sqrt(0.0034)) > 1e-12 {
		t.Errorf("with overlap: got %g", got)
	}
	if got := Step(&m, 1, 1, 40); math.Abs(got-0.05) > 1e-6 {
		t.Errorf("alone: got %g", got)
	}
}

// A fitted model is no farther from the points than where the search began, keeps
// its bounds, and what a snapshot holds of it is valid and the same to six digits
// at least.
//
// More is not true: what is minimised, the artifact's sum of two roots of mean
// squares, has kinks at which the search often ends while the steps of several
// GPUs are still a factor of three off.
func TestFitComesNearer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := func(lo, hi float64, name string) float64 {
			return math.Exp(rapid.Float64Range(math.Log(lo), math.Log(hi)).Draw(t, name))
		}
		truth := Model{
			Compute: log(0.005, 0.2, "compute"), ComputeSample: log(1e-4, 0.01, "sample"),
			Across: log(0.01, 0.3, "across"), AcrossGPU: log(1e-4, 0.01, "more across"),
			Within: log(0.005, 0.1, "within"), WithinGPU: log(1e-4, 0.01, "more within"),
			Gamma: rapid.Float64Range(1, 4).Draw(t, "gamma"),
		}
		var points []Point
		for _, gang := range [][2]int{{1, 1}, {1, 2}, {1, 4}, {2, 8}, {4, 16}} {
			for _, local := range []int{16, 32, 64, 128} {
				step := Step(&truth, gang[0], gang[1], float64(local))
				points = append(points, Point{gang[0], gang[1], local, step, step - Compute(&truth, float64(local))})
			}
		}
		m := Fit(points)
		var none [constants]float64
		from := [constants]float64{0.1, 0.01, 0.1, 0.01, 0.1, 0.01, 1.001}
		to := [constants]float64{m.Compute, m.ComputeSample, m.Across, m.AcrossGPU, m.Within, m.WithinGPU, m.Gamma}
		if before, after := loss(points, &from, &none), loss(points, &to, &none); !(after <= before) {
			t.Fatalf("the search went from %g to %g: %+v", before, after, m)
		}
		for i, v := range to {
			if v < tiny || i == gamma && (v < 1 || v > 10) {
				t.Fatalf("constant %d is %g", i, v)
			}
		}
		report := m.Report()
		if again := Reported(&report); math.Abs(again.Compute/m.Compute-1) > 1e-6 || again.Gamma != math.Round(m.Gamma*1e9)/1e9 {
			t.Fatalf("%+v became %+v", m, again)
		}
		tuning := schedmate.Tuning{Batch: 1, LimitBatch: 1, MostBatch: 1, LeastLocal: 1, Types: []schedmate.TunedType{{MostLocal: 1, OneGPU: 1, MostGPUs: 1, Model: &report}}}
		if err := tuning.Validate("tuning"); err != nil {
			t.Fatal(err)
		}
	})
}

// One step on one GPU: the time that does not depend on the samples is half of
// it, and exchanges cost nothing as long as none was seen.
func TestFitOfOneStep(t *testing.T) {
	m := Fit([]Point{{Nodes: 1, GPUs: 1, Local: 100, Seconds: 0.5, Sync: 0.1}})
	if math.Abs(m.Compute-0.2) > 1e-12 || m.WithinGPU > 2e-8 || m.Across > 2e-8 {
		t.Errorf("got %+v", m)
	}
	if step := Step(&m, 1, 1, 100); step < 0.4-1e-3 || step > 0.5+1e-3 {
		t.Errorf("the step that was seen, 0.5 s with 0.1 s of exchange, takes %g s", step)
	}
}

// The gradient of what the fit minimises is its slope.
func TestLossAndItsGradient(t *testing.T) {
	points := []Point{{1, 1, 32, 0.2, 0.01}, {1, 4, 64, 0.4, 0.1}, {2, 8, 64, 0.5, 0.2}}
	x := [constants]float64{0.03, 0.004, 0.05, 0.002, 0.03, 0.001, 1.7}
	var grad, none [constants]float64
	loss(points, &x, &grad)
	for i := range x {
		up, down := x, x
		h := 1e-6 * x[i]
		up[i], down[i] = x[i]+h, x[i]-h
		slope := (loss(points, &up, &none) - loss(points, &down, &none)) / (2 * h)
		if math.Abs(slope-grad[i]) > 1e-4*max(1, math.Abs(slope)) {
			t.Errorf("constant %d: the gradient is %g, the slope %g", i, grad[i], slope)
		}
	}
}

// Tuning by hand: nothing but noise and 10 ms whatever the batch: the largest
// batch is best, 64 samples on one GPU of 16 in four passes of 10 ms: 1,600 samples
// a second, which teach as much as 1,600 at the initial batch size of 16.
func TestBestByHand(t *testing.T) {
	m := Model{Compute: 0.01, ComputeSample: 1e-12, Gamma: 1, Across: tiny, AcrossGPU: tiny, Within: tiny, WithinGPU: tiny}
	c := Best(Learner{Batch: 16, LeastLocal: 4, Noise: math.Inf(1)}, &m, Gang{Nodes: 1, GPUs: 1, MostLocal: 16}, 64)
	if c.Local != 16 || c.Extra != 3 || math.Abs(c.Goodput-1600) > 1 {
		t.Errorf("got %+v", c)
	}
	// Without noise a larger batch teaches no more: the initial one is best.
	c = Best(Learner{Batch: 16, LeastLocal: 4}, &m, Gang{Nodes: 1, GPUs: 1, MostLocal: 16}, 64)
	if c.Local != 16 || c.Extra != 0 || math.Abs(c.Goodput-1600) > 1 {
		t.Errorf("without noise: got %+v", c)
	}
	if c := Best(Learner{Batch: 16, LeastLocal: 4}, &m, Gang{Nodes: 1, GPUs: 8, MostLocal: 3}, 64); c.Goodput != 0 {
		t.Errorf("less memory than the fewest samples need: got %+v", c)
	}
}

// Gangs on six nodes of four, as the artifact has them, and cut short.
func TestCounts(t *testing.T) {
	if got := Counts(4, 6, 64); !slices.Equal(got, []int{1, 2, 4, 8, 12, 16, 20, 24}) {
		t.Errorf("got %v", got)
	}
	if got := Counts(8, 3, 16); !slices.Equal(got, []int{1, 2, 4, 8, 16}) {
		t.Errorf("got %v", got)
	}
	if got := Counts(6, 1, 64); !slices.Equal(got, []int{1, 2, 4, 6}) {
		t.Errorf("got %v", got)
	}
}
