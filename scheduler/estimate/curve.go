package estimate

import (
	"fmt"
	"math"
)

// leastPoints is how many validation points the ensemble wants. Three are met by
// a curve of three constants exactly, and say nothing about how well it fits.
const leastPoints = 4

// Point is one validation: the metric after that many iterations.
type Point struct {
	Iteration float64 // positive
	Metric    float64
}

// Curve is what a job has shown of its learning.
type Curve struct {
	// Points in the order of their iterations, strictly rising.
	Points []Point
	// LowerIsBetter for losses and error rates.
	LowerIsBetter bool
	// Limit is after how many iterations the user's job ends in any case. Zero:
	// it has no such limit.
	Limit float64
}

// Validate reports a curve that cannot be.
func (c Curve) Validate() error {
	last := 0.0
	for i, p := range c.Points {
		switch {
		case !(p.Iteration > last) || math.IsInf(p.Iteration, 0):
			return fmt.Errorf("points[%d].iteration: must be a number above %g, got %g", i, last, p.Iteration)
		case math.IsNaN(p.Metric) || math.Abs(p.Metric) > math.MaxFloat32:
			return fmt.Errorf("points[%d].metric: must be a number, got %g", i, p.Metric)
		}
		last = p.Iteration
	}
	if !(c.Limit >= 0) || math.IsInf(c.Limit, 0) || c.Limit > 0 && c.Limit < last {
		return fmt.Errorf("limit: must be zero for none, or not below the last point at %g iterations, got %g", last, c.Limit)
	}
	return nil
}

// member is one fitted curve of the ensemble.
type member struct {
	family       string
	shape        shape
	coefficients []float64
	sigma        float64 // of the points around the curve
	weight       float64 // sums to 1 over the ensemble
}

// Ensemble is all curves that the points allow, each with its weight. A new
// point makes a new ensemble: fits are cheap, and nothing of the old is true.
type Ensemble struct {
	curve   Curve
	sign    float64 // -1 if lower is better: inside, higher is better
	last    float64
	members []member
}

// Fit fits every family to the points. Late points weigh more than early ones,
// in proportion to their iteration: the far end is what is asked for. A family's
// weight is that of its mean likelihood over its grid with the penalty of BIC for
// its constants; the count of points in it is halved, because errors of
// validations that follow each other are not independent. With fewer than four
// points, or when no family improves on them, the error wraps ErrMissing.
func Fit(c Curve) (*Ensemble, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(c.Points) < leastPoints {
		return nil, fmt.Errorf("fit a learning curve: %w: needs %d validation points, got %d", ErrMissing, leastPoints, len(c.Points))
	}
	e := &Ensemble{curve: c, sign: 1, last: c.Points[len(c.Points)-1].Iteration}
	if c.LowerIsBetter {
		e.sign = -1
	}
	n := len(c.Points)
	u, w, y, weight := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	var total, mean float64
	for i, p := range c.Points {
		u[i], w[i] = e.at(p.Iteration)
		y[i], weight[i] = e.sign*p.Metric, u[i]
		total += weight[i]
		mean += weight[i] * y[i]
	}
	mean /= total
	var variance float64
	for i := range y {
		variance += weight[i] * (y[i] - mean) * (y[i] - mean) / total
	}
	// A perfect fit would have all the weight there is. Points are printed with
	// a few digits, so no curve counts as better than a thousandth of their spread.
	floor := 1e-6 * variance
	if variance == 0 {
		return nil, fmt.Errorf("fit a learning curve: %w: the %d validation points are all equal", ErrMissing, n)
	}
	var scores []float64
	for _, f := range families {
		if f.capped && c.Limit == 0 {
			continue
		}
		for _, s := range f.shapes {
			a, ok := s.linear(u, w, y, weight)
			if !ok || len(a)+1 > n {
				continue
			}
			m := member{family: f.name, shape: s, coefficients: a}
			squares := 0.0
			for i := range u {
				d := y[i] - m.value(u[i], w[i])
				squares += weight[i] * d * d / total
			}
			squares = max(squares, floor)
			m.sigma = math.Sqrt(squares * float64(n) / float64(max(1, n-len(a))))
			free := float64(n) / 2 // points that count as independent
			constants := float64(len(a) + len(s))
			score := -free/2*math.Log(squares) - constants/2*math.Log(free) - math.Log(float64(len(f.shapes)))
			if math.IsNaN(score) || math.IsInf(score, 0) {
				continue
			}
			e.members, scores = append(e.members, m), append(scores, score)
		}
	}
	if len(e.members) == 0 {
		return nil, fmt.Errorf("fit a learning curve: %w: no family of curves improves along these %d points", ErrMissing, n)
	}
	e.weigh(scores)
	return e, nil
}

func (e *Ensemble) weigh(scores []float64) {
	best, sum := math.Inf(-1), 0.0
	for _, s := range scores {
		best = max(best, s)
	}
	for i, s := range scores {
		e.members[i].weight = math.Exp(s - best)
		sum += e.members[i].weight
	}
	for i := range e.members {
		e.members[i].weight /= sum
	}
}

// at returns the arguments of shapes at an iteration.
func (e *Ensemble) at(iteration float64) (u, w float64) {
	u = iteration / e.last
	if e.curve.Limit > 0 {
		w = max(0, 1-iteration/e.curve.Limit)
	}
	return u, w
}

func (m *member) value(u, w float64) float64 {
	v := m.coefficients[0]
	for i, term := range m.shape {
		v += m.coefficients[i+1] * term(u, w)
	}
	return v
}

// Metric is what the ensemble expects of the metric after that many iterations,
// which must be positive.
func (e *Ensemble) Metric(iteration float64) (float64, error) {
	if !(iteration > 0) || math.IsInf(iteration, 0) {
		return 0, fmt.Errorf("iteration: must be a positive number, got %g", iteration)
	}
	u, w := e.at(iteration)
	sum := 0.0
	for i := range e.members {
		sum += e.members[i].weight * e.members[i].value(u, w)
	}
	return e.sign * sum, nil
}

// Weight is one family's share of the ensemble.
type Weight struct {
	Family string
	Share  float64 // 0 to 1
}

// Weights returns the shares of the families, in the order of FamilyNames.
func (e *Ensemble) Weights() []Weight {
	shares := make([]Weight, len(families))
	for i, f := range families {
		shares[i].Family = f.name
		for _, m := range e.members {
			if m.family == f.name {
				shares[i].Share += m.weight
			}
		}
	}
	return shares
}
