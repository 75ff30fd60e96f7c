package estimate

import (
	"fmt"
	"math"
)

// Samples are measured seconds of one iteration of one job, all with the same
// batch on each GPU. Nil says that it was not measured. Values are positive.
type Samples struct {
	Alone    *float64 // one GPU: the computation
	Together *float64 // two GPUs of one node: and the exchange inside it
	Apart    *float64 // two GPUs on two nodes: and the exchange between them
}

// Validate reports a sample that is no time.
func (s Samples) Validate() error {
	for _, f := range []struct {
		name  string
		value *float64
	}{{"alone", s.Alone}, {"together", s.Together}, {"apart", s.Apart}} {
		if v := f.value; v != nil && !(*v > 0 && *v < math.MaxFloat32) {
			return fmt.Errorf("sample %s: must be a positive number of seconds, got %g", f.name, *v)
		}
	}
	return nil
}

// Shape says how the exchange grows with the placement. The seconds of an
// iteration on a placement of m nodes, n GPUs, at most k of them on a node, are
//
//	alone + (together - alone) log2(k)^Inside                       one node
//	alone + (together - alone) log2(k)^Inside
//	      + (apart - alone) (m/2)^Nodes k^Width                     more nodes
//
// A difference below zero counts as zero: two GPUs that measure faster than one
// are noise; otherwise all three samples are met exactly. The exponents are what
// two GPUs cannot tell, and come from other jobs.
type Shape struct {
	Inside float64 `json:"inside"` // of log2 of the GPUs on the fullest node
	Nodes  float64 `json:"nodes"`  // of the nodes
	Width  float64 `json:"width"`  // of the GPUs that share a node's network

	// Paper replaces all this by one law: alone + d log2(n), d from the sample
	// that is like the placement (CHRONUS: t_n = t_1 + log2(n) (t_2 - t_1)).
	Paper bool `json:"paper,omitempty"`
}

// DefaultShape has the exponents with the least mean error over the tables of
// Sia and Titan, applications weighing the same; docs/estimators.md has the
// errors, measured with exponents from the other applications.
var DefaultShape = Shape{Inside: 0.75, Nodes: 0, Width: 0.25}

// PaperShape is the law of the papers.
var PaperShape = Shape{Paper: true}

// Step is the predicted time of one iteration.
type Step struct {
	Seconds   float64
	Low, High float64 // of the interval; Low <= Seconds <= High
	Exchange  float64 // share of Seconds that is not computation, 0 to 1
}

// Speed predicts iterations of one job.
type Speed struct {
	Samples Samples
	Shape   Shape
	// Spread makes the interval, in units of ln(seconds) for each unit of
	// doubt; see doubt.
	Spread Spread
}

// StepOn predicts an iteration on a placement. It is an error that wraps
// ErrMissing if a sample that the placement needs is absent: one GPU needs
// Alone, one node Together as well, several nodes Apart as well, and several
// with more than one GPU on some node all three (the paper's law: Alone and the
// sample that is like the placement).
func (s Speed) StepOn(p Placement) (Step, error) {
	if err := p.Validate(); err != nil {
		return Step{}, err
	}
	if err := s.Samples.Validate(); err != nil {
		return Step{}, err
	}
	across, wide := len(p) > 1, p.widest() > 1
	needed := []struct {
		name  string
		value *float64
		is    bool
	}{
		{"one GPU", s.Samples.Alone, true},
		{"two GPUs of one node", s.Samples.Together, wide && !(across && s.Shape.Paper)},
		{"two GPUs on two nodes", s.Samples.Apart, across},
	}
	for _, n := range needed {
		if n.is && n.value == nil {
			return Step{}, fmt.Errorf("step time on %v: %w: an iteration on %s", []int(p), ErrMissing, n.name)
		}
	}
	alone := *s.Samples.Alone
	over := func(sample *float64) float64 { return max(0, *sample-alone) }
	seconds := alone
	switch {
	case s.Shape.Paper && across:
		seconds += over(s.Samples.Apart) * math.Log2(float64(p.GPUs()))
	case s.Shape.Paper && wide:
		seconds += over(s.Samples.Together) * math.Log2(float64(p.GPUs()))
	default:
		if wide {
			seconds += over(s.Samples.Together) * math.Pow(math.Log2(float64(p.widest())), s.Shape.Inside)
		}
		if across {
			seconds += over(s.Samples.Apart) * math.Pow(float64(len(p))/2, s.Shape.Nodes) * math.Pow(float64(p.widest()), s.Shape.Width)
		}
	}
	step := Step{Seconds: seconds, Exchange: (seconds - alone) / seconds}
	d := step.doubt()
	step.Low = min(seconds, seconds*math.Exp(s.Spread.Low*d))
	step.High = max(seconds, seconds*math.Exp(s.Spread.High*d))
	return step, nil
}

// doubt is by what errors of a step scale: computation is measured, the exchange
// is extrapolated.
func (s Step) doubt() float64 { return 0.05 + s.Exchange }

// Miss is by how many units of doubt ln(measured seconds) lies above the
// prediction. Spreads are calibrated on it.
func (s Step) Miss(seconds float64) float64 { return math.Log(seconds/s.Seconds) / s.doubt() }
