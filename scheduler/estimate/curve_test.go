package estimate_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"schedmate/scheduler/estimate"
)

// plain takes the forecast as the ensemble has it.
var plain = estimate.Manner{Noise: 1}

// sampled is a curve of validations every hundred iterations.
func sampled(points int, metric func(iteration float64) float64) estimate.Curve {
	var c estimate.Curve
	for i := 1; i <= points; i++ {
		x := float64(100 * i)
		c.Points = append(c.Points, estimate.Point{Iteration: x, Metric: metric(x)})
	}
	return c
}

// Accuracy follows 0.9 - 4 / sqrt(iterations) exactly. It has 0.8 when sqrt is
// 40, after 1,600 iterations; after 800 there are 800 left.
func TestAPowerLawIsContinued(t *testing.T) {
	e, err := estimate.Fit(sampled(8, func(x float64) float64 { return 0.9 - 4/math.Sqrt(x) }))
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Until(0.8, plain)
	if err != nil || r.Outlook != estimate.Converges || math.Abs(r.Iterations-800) > 100 {
		t.Errorf("got %+v, %v; want about 800 iterations, a validation more or less", r, err)
	}
	// 0.95 lies above what the law ever reaches.
	if r, err = e.Until(0.95, plain); err != nil || r.Outlook != estimate.Never || r.Ends {
		t.Errorf("beyond the asymptote: %+v, %v; want that it will not converge, and no end", r, err)
	}
	// 0.7 was met at 400.
	if r, err = e.Until(0.7, plain); err != nil || r.Outlook != estimate.Reached || r.Iterations != 0 {
		t.Errorf("met before: %+v, %v", r, err)
	}
}

// A user allows 2,000 iterations and wants what 0.9 - 4 / sqrt never gives: the
// job will not converge, and stops at its limit, 1,200 iterations on.
func TestALimitEndsWhatDoesNotConverge(t *testing.T) {
	c := sampled(8, func(x float64) float64 { return 0.9 - 4/math.Sqrt(x) })
	c.Limit = 2000
	e, err := estimate.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := e.Until(1.5, plain); err != nil || r.Outlook != estimate.Never || !r.Ends || r.Iterations != 1200 {
		t.Errorf("got %+v, %v; want an end after 1200 iterations", r, err)
	}
}

func TestTooLittleIsSaidToBeMissing(t *testing.T) {
	for name, c := range map[string]estimate.Curve{
		"three points":  sampled(3, math.Sqrt),
		"a flat line":   sampled(8, func(float64) float64 { return 0.5 }),
		"no points":     {},
		"getting worse": sampled(8, func(x float64) float64 { return -x }),
	} {
		if _, err := estimate.Fit(c); !errors.Is(err, estimate.ErrMissing) {
			t.Errorf("%s: %v; want that it is missing", name, err)
		}
	}
}

func TestIterationsThatAreCountedAreCounted(t *testing.T) {
	r, err := estimate.CountedLeft(1000, 400)
	if err != nil || r.Outlook != estimate.Counted || r.Iterations != 600 || r.Low != 600 || r.High != 600 {
		t.Errorf("got %+v, %v; want 600", r, err)
	}
	if _, err := estimate.CountedLeft(400, 1000); err == nil {
		t.Error("more done than there is: no error")
	}
}

func drawCurve(t *rapid.T) estimate.Curve {
	asymptote, drop := rapid.Float64Range(0.5, 1).Draw(t, "asymptote"), rapid.Float64Range(0.5, 5).Draw(t, "drop")
	c := sampled(rapid.IntRange(4, 30).Draw(t, "points"), func(x float64) float64 { return asymptote - drop/math.Sqrt(x) })
	for i := range c.Points {
		c.Points[i].Metric += rapid.Float64Range(-0.02, 0.02).Draw(t, "noise")
	}
	if rapid.Bool().Draw(t, "limited") {
		c.Limit = c.Points[len(c.Points)-1].Iteration * rapid.Float64Range(1, 5).Draw(t, "limit")
	}
	return c
}

// A harder target is never met sooner; a forecast lies within its interval and
// ends at the limit; a metric turned upside down, with lower for better, gives
// the same forecast; the weights sum to one.
func TestForecastsHangTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCurve(t)
		e, err := estimate.Fit(c)
		if errors.Is(err, estimate.ErrMissing) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		how := estimate.Manner{Noise: 1, Pull: rapid.Float64Range(0, 1).Draw(t, "pull")}
		if rapid.Bool().Draw(t, "calibrated") {
			how.Spread = estimate.Spread{Low: -1, High: 1}
		}
		target := rapid.Float64Range(0, 1.2).Draw(t, "target")
		easy, err1 := e.Until(target, how)
		hard, err2 := e.Until(target+0.05, how)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if hard.Iterations < easy.Iterations || hard.Chance > easy.Chance+1e-9 {
			t.Errorf("a target of %v: %+v; a harder one: %+v", target, easy, hard)
		}
		last := c.Points[len(c.Points)-1].Iteration
		if !(easy.Low <= easy.Iterations && easy.Iterations <= easy.High) || c.Limit > 0 && last+easy.High > c.Limit*(1+1e-12) {
			t.Errorf("%+v after %v iterations, limit %v", easy, last, c.Limit)
		}
		down := c
		down.LowerIsBetter, down.Points = true, nil
		for _, p := range c.Points {
			down.Points = append(down.Points, estimate.Point{Iteration: p.Iteration, Metric: -p.Metric})
		}
		turned, err := estimate.Fit(down)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := turned.Until(-target, how); err != nil || r != easy {
			t.Errorf("upside down: %+v, %v; want %+v", r, err, easy)
		}
		sum := 0.0
		for _, w := range e.Weights() {
			sum += w.Share
		}
		if !near(sum, 1) {
			t.Errorf("weights sum to %v", sum)
		}
	})
}

// Any points, however strange, are refused or answered with numbers.
func FuzzFit(f *testing.F) {
	f.Add(1.0, 0.1, 2.0, 0.2, 3.0, 0.3, 4.0, 0.35, 0.5, 10.0)
	f.Add(1e-300, 1.0, 1.0, 1e30, 1e10, -1e30, 1e300, 0.0, 1e9, 0.0)
	f.Fuzz(func(t *testing.T, x1, y1, x2, y2, x3, y3, x4, y4, target, limit float64) {
		e, err := estimate.Fit(estimate.Curve{Limit: limit, Points: []estimate.Point{{Iteration: x1, Metric: y1}, {Iteration: x2, Metric: y2}, {Iteration: x3, Metric: y3}, {Iteration: x4, Metric: y4}}})
		if err != nil {
			return
		}
		r, err := e.Until(target, estimate.DefaultManner)
		if err != nil {
			return
		}
		if !(r.Iterations >= 0) || !(r.Low <= r.Iterations && r.Iterations <= r.High) || !(r.Chance >= 0 && r.Chance <= 1+1e-9) {
			t.Errorf("%+v is no forecast", r)
		}
	})
}
