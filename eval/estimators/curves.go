package estimators

import (
	"errors"
	"math"
	"slices"

	"schedmate/scheduler/estimate"
)

// targets of a performance-based job, as the best metric of the whole run times
// a factor; an error rate or a loss is divided by it. The first two are those of
// the paper (Fig. 1). The last is never met, and the right answer is that it
// will not be.
var targets = []struct {
	name   string
	factor float64
}{{"best", 1}, {"99% of best", 0.99}, {"beyond best", 1.02}}

// seenShares are how much of the run to its stop is visible.
var seenShares = []float64{0.25, 0.5, 0.75}

// CurveReport compares predicted ends of training runs with the real ones.
type CurveReport struct {
	Runs     int      `json:"runs"`
	Repeated []string `json:"repeated,omitempty"` // applications left out: they repeat another's points
	Cells    []Cell   `json:"cells"`
	// MidRun is all runs and both targets that are met, with half of the run seen.
	MidRun Cell `json:"mid_run"`
	// Whole is all shares seen and all targets.
	Whole Cell `json:"whole"`
	// ByApp splits MidRun.
	ByApp []Cell `json:"by_app"`
	// Noise and Pull are what all applications together would choose.
	Noise float64 `json:"noise"`
	Pull  float64 `json:"pull"`
}

// Cell is the figures of one target, one share seen, one application, or all.
type Cell struct {
	App    string  `json:"app,omitempty"`
	Target string  `json:"target,omitempty"`
	Seen   float64 `json:"seen,omitempty"`

	Unanswered int `json:"unanswered"` // too few points by then
	// Duration is the error of the whole run's iterations, as the paper has it:
	// |predicted - real| / real.
	Duration Errors `json:"duration"`
	// Remaining is the error of what is left: |predicted - real| / real.
	Remaining Errors `json:"remaining"`
	// Limit is the error of the duration if the user's limit is the prediction.
	Limit Errors `json:"limit"`
	// Outlooks that said right whether the target would be met.
	Right int `json:"right"`
	Of    int `json:"of"`
	// Interval is that of 90 %, its width from the other applications; Raw is
	// the ensemble's own.
	Interval Coverage `json:"interval"`
	Raw      Coverage `json:"raw"`
}

// forecast is one prediction and its truth.
type forecast struct {
	run          *trained
	target       string
	seen         float64
	done, truth  float64 // iterations run, iterations left
	met          bool
	answered     bool
	raw, widened estimate.Remaining
	again        func(estimate.Manner) (estimate.Remaining, error)
}

// Curves measures the forecast of ends on Sia's learning curves. Only points up
// to the moment of the prediction are visible.
func Curves(open Open) (*CurveReport, error) {
	runs, repeated, err := readTrained(open)
	if err != nil {
		return nil, err
	}
	var all []*forecast
	for _, t := range runs {
		for _, goal := range targets {
			target := t.best() * goal.factor
			if t.curve.LowerIsBetter {
				target = t.best() / goal.factor
			}
			for _, seen := range seenShares {
				f, err := foresee(t, target, seen)
				if err != nil {
					return nil, err
				}
				f.target = goal.name
				all = append(all, f)
			}
		}
	}
	manner, err := foretell(all)
	if err != nil {
		return nil, err
	}
	r := curveReport(all, len(runs), repeated)
	r.Noise, r.Pull = manner.Noise, manner.Pull
	return r, nil
}

// foresee predicts the end of a run when a share of it has been seen.
func foresee(t *trained, target, seen float64) (*forecast, error) {
	stop, met := t.stop(target)
	visible := t.until(seen * stop)
	f := &forecast{run: t, seen: seen, met: met}
	if n := len(visible.Points); n > 0 {
		f.done = visible.Points[n-1].Iteration
		f.truth = stop - f.done
	}
	ensemble, err := estimate.Fit(visible)
	if errors.Is(err, estimate.ErrMissing) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	f.again = func(how estimate.Manner) (estimate.Remaining, error) { return ensemble.Until(target, how) }
	f.answered = true
	return f, nil
}

// foretell gives each forecast its answer, in the manner that is best on the
// other applications and with an interval calibrated on them. It returns the
// manner that is best on all.
func foretell(all []*forecast) (estimate.Manner, error) {
	var apps []string
	for _, f := range all {
		if !slices.Contains(apps, f.run.app) {
			apps = append(apps, f.run.app)
		}
	}
	manners := candidateManners()
	answers := make([]map[*forecast]estimate.Remaining, len(manners))
	for i, how := range manners {
		answers[i] = map[*forecast]estimate.Remaining{}
		for _, f := range all {
			if !f.answered {
				continue
			}
			r, err := f.again(how)
			if err != nil {
				return estimate.Manner{}, err
			}
			answers[i][f] = r
		}
	}
	for _, app := range apps {
		best := bestManner(all, answers, app)
		var misses []float64
		for _, f := range all {
			if f.answered && f.run.app != app {
				misses = append(misses, answers[best][f].Miss(f.truth))
			}
		}
		how := manners[best]
		var err error
		if how.Spread, err = estimate.Calibrate(misses, 0.9); err != nil {
			return estimate.Manner{}, err
		}
		for _, f := range all {
			if !f.answered || f.run.app != app {
				continue
			}
			f.raw = answers[best][f]
			if f.widened, err = f.again(how); err != nil {
				return estimate.Manner{}, err
			}
		}
	}
	return manners[bestManner(all, answers, "")], nil
}

func candidateManners() []estimate.Manner {
	var all []estimate.Manner
	for _, noise := range []float64{0.2, 0.5, 1} {
		for _, pull := range []float64{0, 0.25, 0.5, 0.75} {
			all = append(all, estimate.Manner{Noise: noise, Pull: pull})
		}
	}
	return all
}

// bestManner has the least mean error of the duration over the other
// applications, each weighing the same, on targets that are met.
func bestManner(all []*forecast, answers []map[*forecast]estimate.Remaining, without string) int {
	best, least := 0, math.Inf(1)
	for i := range answers {
		var apps []string // in the order of the forecasts
		sums, of := map[string]float64{}, map[string]float64{}
		for _, f := range all {
			if !f.answered || !f.met || f.run.app == without {
				continue
			}
			if of[f.run.app] == 0 {
				apps = append(apps, f.run.app)
			}
			sums[f.run.app] += missOf(f.done+answers[i][f].Iterations, f.done+f.truth)
			of[f.run.app]++
		}
		cost := 0.0
		for _, app := range apps {
			cost += sums[app] / of[app]
		}
		if cost < least {
			best, least = i, cost
		}
	}
	return best
}

func curveReport(all []*forecast, runs int, repeated []string) *CurveReport {
	r := &CurveReport{Runs: runs, Repeated: repeated}
	for _, goal := range targets {
		for _, seen := range seenShares {
			r.Cells = append(r.Cells, Cell{Target: goal.name, Seen: seen})
		}
	}
	r.MidRun.Seen = 0.5
	for _, f := range all {
		i := slices.IndexFunc(r.Cells, func(c Cell) bool { return c.Target == f.target && c.Seen == f.seen })
		r.Cells[i].add(f)
		r.Whole.add(f)
		if f.seen != 0.5 || !f.met {
			continue
		}
		r.MidRun.add(f)
		i = slices.IndexFunc(r.ByApp, func(c Cell) bool { return c.App == f.run.app })
		if i < 0 {
			i, r.ByApp = len(r.ByApp), append(r.ByApp, Cell{App: f.run.app, Seen: f.seen})
		}
		r.ByApp[i].add(f)
	}
	for _, cells := range [][]Cell{r.Cells, r.ByApp} {
		for i := range cells {
			cells[i].finish()
		}
	}
	r.MidRun.finish()
	r.Whole.finish()
	return r
}

func (c *Cell) add(f *forecast) {
	if !f.answered {
		c.Unanswered++
		return
	}
	stop := f.done + f.truth
	c.Duration.add(missOf(f.done+f.raw.Iterations, stop))
	if f.truth > 0 {
		c.Remaining.add(missOf(f.raw.Iterations, f.truth))
	}
	c.Limit.add(missOf(f.run.curve.Limit, stop))
	c.Of++
	if (f.raw.Outlook != estimate.Never) == f.met {
		c.Right++
	}
	c.Raw.add(f.done+f.raw.Low, f.done+f.raw.Iterations, f.done+f.raw.High, stop)
	c.Interval.add(f.done+f.widened.Low, f.done+f.widened.Iterations, f.done+f.widened.High, stop)
}

func (c *Cell) finish() {
	c.Duration.finish()
	c.Remaining.finish()
	c.Limit.finish()
	c.Raw.finish()
	c.Interval.finish()
}
