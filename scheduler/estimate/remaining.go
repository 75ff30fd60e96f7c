package estimate

import (
	"fmt"
	"math"
)

// Outlook is the kind of answer to when a job will stop.
type Outlook string

const (
	// Counted: the job stops after a number of iterations, however it learns.
	Counted Outlook = "counted"
	// Reached: the metric has met the target.
	Reached Outlook = "reached"
	// Converges: the metric is expected to meet the target.
	Converges Outlook = "converges"
	// Never: the metric is expected not to meet the target before the limit, or
	// as far as anyone can look if there is none.
	Never Outlook = "will not converge"
)

// horizonFactor is how far a job without limit is looked after: that many times
// what it has run. Learning curves say nothing beyond.
const horizonFactor = 20

// mostChecks bounds the work of one answer. A job with more validations to come
// is looked at in wider steps.
const mostChecks = 2000

// Remaining is how many iterations a job has before it.
type Remaining struct {
	Outlook Outlook
	// Iterations until the job stops: until the target is met, or the limit.
	// Without a limit and with outlook Never it is the horizon, which is no
	// prediction; see Ends.
	Iterations float64
	Low, High  float64 // of the interval; Low <= Iterations <= High
	// Chance that the target is met before the limit or the horizon, 0 to 1.
	Chance float64
	// Ends reports whether Iterations is when the job stops. It is false only
	// without limit, when the target will not be met.
	Ends bool

	doubt float64 // one unit of spread, in iterations
}

// Miss is by how many units of doubt the true number of iterations lies above
// the prediction. Spreads are calibrated on it.
func (r Remaining) Miss(iterations float64) float64 {
	if r.doubt == 0 {
		return 0
	}
	return (iterations - r.Iterations) / r.doubt
}

// CountedLeft is what is left of a job that stops after a number of iterations.
func CountedLeft(limit, done float64) (Remaining, error) {
	if !(done >= 0) || !(limit >= done) || math.IsInf(limit, 0) {
		return Remaining{}, fmt.Errorf("iterations: must have done <= limit, got %g of %g", done, limit)
	}
	left := limit - done
	return Remaining{Outlook: Counted, Iterations: left, Low: left, High: left, Ends: true}, nil
}

// Until predicts when the job stops that stops once a validation meets target.
//
// A validation does not lie on the curve but around it, and the first one that
// meets the target ends the job. Each member of the ensemble therefore gives the
// chance that the job stops at the next validation, the one after, and so on,
// with validations as far apart as they were so far; the answer is the median of
// the weighted sum, its raw interval the middle 90 %. The spread, if not zero,
// replaces the raw interval.
func (e *Ensemble) Until(target float64, spread Spread) (Remaining, error) {
	if math.IsNaN(target) || math.IsInf(target, 0) {
		return Remaining{}, fmt.Errorf("target: must be a number, got %g", target)
	}
	goal := e.sign * target
	for _, p := range e.curve.Points {
		if e.sign*p.Metric >= goal {
			return Remaining{Outlook: Reached, Chance: 1, Ends: true}, nil
		}
	}
	horizon := e.curve.Limit
	if horizon == 0 {
		horizon = horizonFactor * e.last
	}
	left := horizon - e.last
	if left == 0 {
		return Remaining{Outlook: Never, Ends: true}, nil
	}
	apart := (e.last - e.curve.Points[0].Iteration) / float64(len(e.curve.Points)-1)
	checks := min(int(math.Ceil(left/apart-1e-9)), mostChecks)
	apart = max(apart, left/float64(checks))
	stops := e.stops(goal, apart, horizon, checks) // chance to have stopped after k+1 checks

	quantile := func(q float64) float64 {
		for k, p := range stops {
			if p >= q {
				return min(left, float64(k+1)*apart)
			}
		}
		return left
	}
	r := Remaining{Outlook: Converges, Chance: stops[len(stops)-1], Iterations: quantile(0.5), Low: quantile(0.05), High: quantile(0.95), Ends: true}
	if r.Chance < 0.5 {
		r.Outlook, r.Ends = Never, e.curve.Limit > 0
	}
	r.doubt = (r.High-r.Low)/2 + 0.05*(e.last+r.Iterations)
	if spread != (Spread{}) {
		// The job does not stop before its next validation, nor after its limit.
		r.Low = min(r.Iterations, max(min(apart, left), r.Iterations+spread.Low*r.doubt))
		r.High = max(r.Iterations, min(left, r.Iterations+spread.High*r.doubt))
	}
	return r, nil
}

// stops returns, for each validation to come, the chance that one so far has
// met the goal. It does not fall along the list.
func (e *Ensemble) stops(goal, apart, horizon float64, checks int) []float64 {
	total := make([]float64, checks)
	for i := range e.members {
		m := &e.members[i]
		if m.weight < 1e-6 {
			continue
		}
		going := 1.0
		for k := range total {
			u, w := e.at(min(horizon, e.last+float64(k+1)*apart))
			going *= 1 - above((goal-m.value(u, w))/m.sigma)
			total[k] += m.weight * (1 - going)
		}
	}
	return total
}

// above is the chance that a standard normal number is at least z.
func above(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
