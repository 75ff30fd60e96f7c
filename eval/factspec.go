package eval

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/eval/facts"
	"schedmate/scheduler/sim"
)

// FactSpec says what facts the policies of an experiment are told, and what is
// assumed of the jobs for that.
type FactSpec struct {
	Model string `json:"model" yaml:"model"` // a shipped one

	facts.World `yaml:",inline"`
}

// FactOverlay changes single figures for one policy.
type FactOverlay struct {
	Model      string   `json:"model,omitempty" yaml:"model,omitempty"`
	Repeated   *float64 `json:"repeated,omitempty" yaml:"repeated,omitempty"`
	Hit        *float64 `json:"hit,omitempty" yaml:"hit,omitempty"`
	FalseHit   *float64 `json:"false_hit,omitempty" yaml:"false_hit,omitempty"`
	Tracked    *float64 `json:"tracked,omitempty" yaml:"tracked,omitempty"`
	Recall     *float64 `json:"recall,omitempty" yaml:"recall,omitempty"`
	FalseAlarm *float64 `json:"false_alarm,omitempty" yaml:"false_alarm,omitempty"`

	// Service is how many GPUs its models hold, out of the cluster's own.
	Service *int `json:"service_gpus,omitempty" yaml:"service_gpus,omitempty"`
}

// FactsTold is what a run's facts were made from, for the report.
type FactsTold struct {
	Model       string  `json:"model"`
	SHA256      string  `json:"sha256"` // of the figures, with the changes of the policy
	Repeated    float64 `json:"repeated"`
	Hit         float64 `json:"hit"`
	Tracked     float64 `json:"tracked"`
	Recall      float64 `json:"recall"`
	FalseAlarm  float64 `json:"false_alarm"`
	ServiceGPUs int     `json:"service_gpus"`
}

// Facts are the model and the assumptions behind what one policy is told. Of a
// nil one nothing is told.
type Facts struct {
	model facts.Model
	world facts.World
}

// NewFacts returns facts of the quality of a shipped model.
func NewFacts(model string, w facts.World) (*Facts, error) {
	m, err := facts.Load(model)
	if err != nil {
		return nil, err
	}
	f := &Facts{*m, w}
	return f, f.world.Validate()
}

// Model is the model, to be changed before it is used.
func (f *Facts) Model() *facts.Model { return &f.model }

func (e *Experiment) factsFor(p PolicySpec) (*Facts, error) {
	if e.Facts == nil {
		if p.Facts != nil {
			return nil, fmt.Errorf("policy %s: facts: the experiment has none to change; name a model in its own facts", p.Name)
		}
		return nil, nil
	}
	name, o := e.Facts.Model, p.Facts
	if o == nil {
		o = &FactOverlay{}
	}
	if o.Model != "" {
		name = o.Model
	}
	m, err := facts.Load(name)
	if err != nil {
		return nil, fmt.Errorf("policy %s: facts: %w", p.Name, err)
	}
	f := &Facts{*m, e.Facts.World}
	for _, x := range []struct {
		to   *float64
		from *float64
	}{
		{&f.world.Repeated, o.Repeated}, {&f.model.Advisor.Hit, o.Hit}, {&f.model.Advisor.FalseHit, o.FalseHit},
		{&f.model.Tracker.Success, o.Tracked}, {&f.model.Handler.Recall, o.Recall}, {&f.model.Handler.FalseAlarm, o.FalseAlarm},
	} {
		if x.from != nil {
			*x.to = *x.from
		}
	}
	if o.Service != nil {
		f.model.Service.GPUs = *o.Service
	}
	if err := f.model.Validate(); err != nil {
		return nil, fmt.Errorf("policy %s: facts: %w", p.Name, err)
	}
	if err := f.world.Validate(); err != nil {
		return nil, fmt.Errorf("policy %s: facts: %w", p.Name, err)
	}
	return f, nil
}

// Told says what the facts are made from.
func (f *Facts) Told() *FactsTold {
	if f == nil {
		return nil
	}
	m := &f.model
	return &FactsTold{m.Name, m.Hash(), f.world.Repeated, m.Advisor.Hit, m.Tracker.Success, m.Handler.Recall, m.Handler.FalseAlarm, m.Service.GPUs}
}

// Apply gives the jobs their facts.
func (f *Facts) Apply(jobs []sim.Job, seed int64) []sim.Job {
	if f == nil {
		return jobs
	}
	return facts.Apply(jobs, &f.model, f.world, seed)
}

// Served returns the cluster without the GPUs that the models hold. They come
// off its last nodes.
func (f *Facts) Served(c schedmate.Cluster) (schedmate.Cluster, error) {
	if f == nil || f.model.Service.GPUs == 0 {
		return c, nil
	}
	c.Nodes = slices.Clone(c.Nodes)
	left := f.model.Service.GPUs
	for i := len(c.Nodes) - 1; i >= 0 && left > 0; i-- {
		n := &c.Nodes[i]
		taken := min(left, n.GPUs-1) // a node keeps one, so that it stays a node
		n.GPUs -= taken
		left -= taken
	}
	if left > 0 {
		return c, fmt.Errorf("the models need %d GPUs, and the cluster has not that many to spare", f.model.Service.GPUs)
	}
	return c, nil
}
