package sim

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/adaptive"
	"schedmate/scheduler/goodput"
)

// pastRuns is what past runs of an application say about one type of GPU.
type pastRuns struct {
	points   []goodput.Point
	model    goodput.Model
	mostGPUs int
}

// memories are the past runs that somebody has been reminded of.
type memories map[*adaptive.Type]pastRuns

// of returns the past runs on the type. They have been on every shape that was
// measured, with the fewest, the most and a middling number of samples a GPU.
func (m memories) of(on *adaptive.Type) pastRuns {
	if p, known := m[on]; known {
		return p
	}
	var p pastRuns
	for _, shape := range on.Placed {
		steps := shape.Steps
		for i, k := range []int{0, len(steps) / 2, len(steps) - 1} {
			if i > 0 && (k == 0 || k == len(steps)/2 && i == 2) {
				continue // counted
			}
			p.points = append(p.points, goodput.Point{
				Nodes: shape.Shape.Nodes(), GPUs: shape.Shape.GPUs(), Local: steps[k].Local, Seconds: steps[k].Seconds, Sync: steps[k].Sync,
			})
		}
		p.mostGPUs = max(p.mostGPUs, shape.Shape.GPUs())
	}
	p.model = goodput.Fit(p.points)
	m[on] = p
	return p
}

// remember makes the job start with the steps of past runs, on every type that
// both know and that it has not run on yet: as if it had made them. What it
// measures itself comes on top.
func (tr *trainee) remember(past *adaptive.Application, runs memories) {
	if tr.past != nil {
		return
	}
	tr.past = past
	for i := range tr.report.Types {
		t := &tr.report.Types[i]
		on := past.On(t.GPUType)
		if on == nil || len(tr.points[t.GPUType]) > 0 {
			continue
		}
		p := runs.of(on)
		report := p.model.Report()
		tr.points[t.GPUType], tr.models[t.GPUType] = slices.Clone(p.points), &p.model
		t.Model, t.MostGPUs = &report, p.mostGPUs
	}
}

// mistaken reports whether a step that the job has made took much else than the
// past runs say: then the job is another one.
func (tr *trainee) mistaken(p goodput.Point) bool {
	m := tr.models[tr.on.Name]
	if tr.past == nil || m == nil {
		return false
	}
	ratio := goodput.Step(m, p.Nodes, p.GPUs, float64(p.Local)) / p.Seconds
	return ratio > surprise || ratio < 1.0/surprise
}

// surprise is how many times longer or shorter than the model says a step is that
// no error of a fit explains.
const surprise = 2

// forget drops what past runs say. Types that the job has run on itself are known
// by its own steps, as it would have found them out.
func (tr *trainee) forget() {
	tr.past = nil
	for i := range tr.report.Types {
		t := &tr.report.Types[i]
		tr.points[t.GPUType] = tr.own[t.GPUType]
		tr.models[t.GPUType], t.Model, t.MostGPUs = nil, nil, 0
		tr.fit(t)
	}
}

// fit makes the model of a type from the steps that are known.
func (tr *trainee) fit(t *schedmate.TunedType) {
	points := tr.points[t.GPUType]
	if len(points) == 0 {
		return
	}
	m := goodput.Fit(points)
	report := m.Report()
	tr.models[t.GPUType], t.Model = &m, &report
	for _, p := range points {
		t.MostGPUs = max(t.MostGPUs, p.GPUs)
	}
}
