package estimators

import (
	"slices"

	"schedmate/scheduler/estimate"
)

// curvesTable is Sia's table of validations, in the data folder.
const curvesTable = "sia/validation"

// trained is a whole run of one application with one batch.
type trained struct {
	app, batch string
	curve      estimate.Curve // all of it, limit = its last iteration
}

// readTrained reads the curves. Which way is better is what a user knows of the
// metric; the table does not say it, and the end of the run does. A run that
// repeats another application's points under its own name (gpt_pmp has those of
// bert) is left out and named.
func readTrained(open Open) (runs []*trained, repeated []string, err error) {
	columns := []string{"iteration", "metric", "app", "batch_size"}
	byKey := map[[2]string]*trained{}
	err = table(open, curvesTable+".csv.gz", columns, func(_ int, c []string) error {
		iteration, err := positive("iteration", c[0])
		if err != nil {
			return err
		}
		metric, err := positive("metric", c[1])
		if err != nil {
			return err
		}
		key := [2]string{c[2], c[3]}
		t := byKey[key]
		if t == nil {
			t = &trained{app: c[2], batch: c[3]}
			byKey[key] = t
			runs = append(runs, t)
		}
		t.curve.Points = append(t.curve.Points, estimate.Point{Iteration: iteration, Metric: metric})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	var kept []*trained
	for _, t := range runs {
		points := t.curve.Points
		t.curve.Limit = points[len(points)-1].Iteration
		t.curve.LowerIsBetter = points[len(points)-1].Metric < points[0].Metric
		if err := t.curve.Validate(); err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(kept, func(k *trained) bool { return k.app != t.app && slices.Equal(k.curve.Points, points) }) {
			if !slices.Contains(repeated, t.app) {
				repeated = append(repeated, t.app)
			}
			continue
		}
		kept = append(kept, t)
	}
	return kept, repeated, nil
}

// best is the best metric of the whole run.
func (t *trained) best() float64 {
	best := t.curve.Points[0].Metric
	for _, p := range t.curve.Points {
		if t.curve.LowerIsBetter {
			best = min(best, p.Metric)
		} else {
			best = max(best, p.Metric)
		}
	}
	return best
}

// stop is when a validation first meets the target, or when the run ends.
func (t *trained) stop(target float64) (iteration float64, met bool) {
	for _, p := range t.curve.Points {
		if t.curve.LowerIsBetter && p.Metric <= target || !t.curve.LowerIsBetter && p.Metric >= target {
			return p.Iteration, true
		}
	}
	return t.curve.Limit, false
}

// until is what is visible of the run at an iteration: no later point.
func (t *trained) until(iteration float64) estimate.Curve {
	c := t.curve
	n := 0
	for n < len(c.Points) && c.Points[n].Iteration <= iteration {
		n++
	}
	c.Points = slices.Clone(c.Points[:n])
	return c
}
