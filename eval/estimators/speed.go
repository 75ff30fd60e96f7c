package estimators

import (
	"errors"
	"math"
	"slices"

	"schedmate/scheduler/estimate"
)

// SpeedReport compares laws of speed with measured placements.
type SpeedReport struct {
	Tables []SpeedTable `json:"tables"`
	// Shape is what all applications together would choose.
	Shape estimate.Shape `json:"shape"`
}

// SpeedTable is one table's figures.
type SpeedTable struct {
	Table string `json:"table"`
	Jobs  int    `json:"jobs"` // application, GPU and batch with something to predict
	// Unanswered placements lack a sample that they need.
	Unanswered int `json:"unanswered"`

	Paper   Errors `json:"paper"`   // log2 of the GPUs
	Default Errors `json:"default"` // exponents from the other applications
	// Interval is that of 90 % around the default, its width from the other applications.
	Interval Coverage `json:"interval"`
	Groups   []Group  `json:"groups"`
}

// Group is one application on one kind of GPU.
type Group struct {
	App      string   `json:"app"`
	GPU      string   `json:"gpu,omitempty"`
	Paper    Errors   `json:"paper"`
	Default  Errors   `json:"default"`
	Interval Coverage `json:"interval"`
}

// prediction is a placement, its truth and what one law says.
type prediction struct {
	p       *profile
	seconds float64
	step    estimate.Step
}

// Speed measures the speed estimator on all tables.
func Speed(open Open) (*SpeedReport, error) {
	profiles, err := readProfiles(open)
	if err != nil {
		return nil, err
	}
	apps, shapes := appsOf(profiles), candidateShapes()
	costs, err := shapeCosts(profiles, apps, shapes)
	if err != nil {
		return nil, err
	}
	r := &SpeedReport{Shape: shapes[cheapest(costs, "", apps)]}
	tables := map[string]*SpeedTable{}
	for _, name := range SpeedTables {
		r.Tables = append(r.Tables, SpeedTable{Table: name})
	}
	for i := range r.Tables {
		tables[r.Tables[i].Table] = &r.Tables[i]
	}
	for _, app := range apps {
		shape := shapes[cheapest(costs, app, apps)]
		spread, err := spreadWithout(profiles, apps, app, shape)
		if err != nil {
			return nil, err
		}
		for _, p := range profiles {
			if p.app == app {
				if err := tables[p.table].score(p, shape, spread); err != nil {
					return nil, err
				}
			}
		}
	}
	for i := range r.Tables {
		r.Tables[i].finish()
	}
	return r, nil
}

// predict predicts a profile's placements; those without a sample are counted.
func predict(p *profile, shape estimate.Shape, spread estimate.Spread) (answers []prediction, unanswered int, err error) {
	speed := estimate.Speed{Samples: p.samples, Shape: shape, Spread: spread}
	for _, row := range p.rows {
		step, err := speed.StepOn(row.placement)
		switch {
		case errors.Is(err, estimate.ErrMissing):
			unanswered++
			continue
		case err != nil:
			return nil, 0, err
		}
		answers = append(answers, prediction{p, row.seconds, step})
	}
	return answers, unanswered, nil
}

// appsOf lists the applications, each once, in the order of the tables.
func appsOf(profiles []*profile) []string {
	var apps []string
	for _, p := range profiles {
		if !slices.Contains(apps, p.app) {
			apps = append(apps, p.app)
		}
	}
	return apps
}

func candidateShapes() []estimate.Shape {
	var shapes []estimate.Shape
	for _, inside := range []float64{0.5, 0.75, 1, 1.5} {
		for _, nodes := range []float64{0, 0.25, 0.5, 0.75} {
			for _, width := range []float64{0, 0.25, 0.5, 0.75} {
				shapes = append(shapes, estimate.Shape{Inside: inside, Nodes: nodes, Width: width})
			}
		}
	}
	return shapes
}

// shapeCosts is the mean relative error of each application under each shape;
// an application without predictions has NaN. Only the tables of whole profiles
// choose the shape: that of CHRONUS's relative speeds rests on an assumption.
func shapeCosts(profiles []*profile, apps []string, shapes []estimate.Shape) (map[string][]float64, error) {
	costs := map[string][]float64{}
	for _, app := range apps {
		costs[app] = make([]float64, len(shapes))
		for i, shape := range shapes {
			sum, of := 0.0, 0
			for _, p := range profiles {
				if p.app != app || p.table == chronusSpeedsTable {
					continue
				}
				answers, _, err := predict(p, shape, estimate.Spread{})
				if err != nil {
					return nil, err
				}
				for _, a := range answers {
					sum += missOf(a.step.Seconds, a.seconds)
				}
				of += len(answers)
			}
			costs[app][i] = sum / float64(of)
		}
	}
	return costs, nil
}

// cheapest is the shape with the least mean cost over all applications but one.
func cheapest(costs map[string][]float64, without string, apps []string) int {
	best, least := 0, math.Inf(1)
	for i := range costs[apps[0]] {
		sum := 0.0
		for _, app := range apps {
			if c := costs[app][i]; app != without && !math.IsNaN(c) {
				sum += c
			}
		}
		if sum < least {
			best, least = i, sum
		}
	}
	return best
}

// perApp is how many misses of an application calibrate at most, evenly chosen:
// one that was measured often does not speak for all.
const perApp = 400

// spreadWithout calibrates the interval of 90 % on all applications but one.
func spreadWithout(profiles []*profile, apps []string, without string, shape estimate.Shape) (estimate.Spread, error) {
	var misses []float64
	for _, app := range apps {
		if app == without {
			continue
		}
		var own []float64
		for _, p := range profiles {
			if p.app != app || p.table == chronusSpeedsTable {
				continue
			}
			answers, _, err := predict(p, shape, estimate.Spread{})
			if err != nil {
				return estimate.Spread{}, err
			}
			for _, a := range answers {
				own = append(own, a.step.Miss(a.seconds))
			}
		}
		misses = append(misses, thinned(own, perApp)...)
	}
	return estimate.Calibrate(misses, 0.9)
}

// thinned takes most of the values, evenly along the list.
func thinned(values []float64, most int) []float64 {
	if len(values) <= most {
		return values
	}
	few := make([]float64, most)
	for i := range few {
		few[i] = values[i*len(values)/most]
	}
	return few
}

func (t *SpeedTable) score(p *profile, shape estimate.Shape, spread estimate.Spread) error {
	ours, unanswered, err := predict(p, shape, spread)
	if err != nil {
		return err
	}
	paper, _, err := predict(p, estimate.PaperShape, estimate.Spread{})
	if err != nil {
		return err
	}
	t.Unanswered += unanswered
	if len(ours) == 0 {
		return nil
	}
	t.Jobs++
	i := slices.IndexFunc(t.Groups, func(g Group) bool { return g.App == p.app && g.GPU == p.gpu })
	if i < 0 {
		i, t.Groups = len(t.Groups), append(t.Groups, Group{App: p.app, GPU: p.gpu})
	}
	g := &t.Groups[i]
	for _, a := range ours {
		g.Default.add(missOf(a.step.Seconds, a.seconds))
		t.Default.add(missOf(a.step.Seconds, a.seconds))
		g.Interval.add(a.step.Low, a.step.Seconds, a.step.High, a.seconds)
		t.Interval.add(a.step.Low, a.step.Seconds, a.step.High, a.seconds)
	}
	for _, a := range paper {
		g.Paper.add(missOf(a.step.Seconds, a.seconds))
		t.Paper.add(missOf(a.step.Seconds, a.seconds))
	}
	return nil
}

func (t *SpeedTable) finish() {
	t.Paper.finish()
	t.Default.finish()
	t.Interval.finish()
	for i := range t.Groups {
		g := &t.Groups[i]
		g.Paper.finish()
		g.Default.finish()
		g.Interval.finish()
	}
}
