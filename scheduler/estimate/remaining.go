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

// Manner is how an ensemble becomes a forecast. What it holds cannot be seen in
// one job's own points, and is measured on other jobs.
type Manner struct {
	// Noise is how much of the scatter around the curve is believed to carry a
	// validation over the target early, above 0; 1 is all of it.
	Noise float64
	// Pull is how far the forecast is moved towards the user's limit, 0 to 1:
	// users set limits so that jobs just need them, and learning-rate schedules
	// so that the metric is best near the end. It has no effect without limit.
	Pull float64
	// Spread makes the interval. Zero: the middle 90 % of the ensemble.
	Spread Spread
}

// DefaultManner is what is best over all of Sia's curves; docs/estimators.md has
// its errors, measured on other applications than those that chose it.
var DefaultManner = Manner{Noise: 1, Pull: 0.5}

// Validate reports a manner that makes no forecast.
func (m Manner) Validate() error {
	switch {
	case !(m.Noise > 0) || math.IsInf(m.Noise, 0):
		return fmt.Errorf("noise: must be a positive number, got %g", m.Noise)
	case !(m.Pull >= 0 && m.Pull <= 1):
		return fmt.Errorf("pull: must lie in 0 to 1, got %g", m.Pull)
	case !(m.Spread.Low <= m.Spread.High):
		return fmt.Errorf("spread: must have low <= high, got %g and %g", m.Spread.Low, m.Spread.High)
	}
	return nil
}

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
// the weighted sum, moved by the manner's pull, its raw interval the middle 90 %.
func (e *Ensemble) Until(target float64, how Manner) (Remaining, error) {
	if err := how.Validate(); err != nil {
		return Remaining{}, err
	}
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
	stops := e.stops(goal, apart, horizon, how.Noise, checks) // chance to have stopped after k+1 checks

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
	if e.curve.Limit > 0 {
		r.Iterations += how.Pull * (left - r.Iterations)
		r.Low, r.High = min(r.Low, r.Iterations), max(r.High, r.Iterations)
	}
	// What is left of the limit bounds every error; how far the ensemble is of
	// one mind says some more.
	r.doubt = (r.High-r.Low)/4 + min(left, e.last+r.Iterations)/4
	if how.Spread != (Spread{}) {
		// The job does not stop before its next validation, nor after its limit.
		r.Low = min(r.Iterations, max(min(apart, left), r.Iterations+how.Spread.Low*r.doubt))
		r.High = max(r.Iterations, min(left, r.Iterations+how.Spread.High*r.doubt))
	}
	return r, nil
}

// stops returns, for each validation to come, the chance that one so far has
// met the goal. It does not fall along the list.
func (e *Ensemble) stops(goal, apart, horizon, noise float64, checks int) []float64 {
	total := make([]float64, checks)
	for i := range e.members {
		m := &e.members[i]
		if m.weight < 1e-6 {
			continue
		}
		going := 1.0
		for k := range total {
			u, w := e.at(min(horizon, e.last+float64(k+1)*apart))
			going *= 1 - above((goal-m.value(u, w))/(noise*m.sigma))
			total[k] += m.weight * (1 - going)
		}
	}
	return total
}

// above is the chance that a standard normal number is at least z.
func above(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
