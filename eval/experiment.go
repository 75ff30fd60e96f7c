package eval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"schedmate"
	"schedmate/eval/traces"
	"schedmate/scheduler"
)

// Experiment is one document: what is simulated, and what it is compared with.
//
// Invariant: Trace names a file or a bundled trace, not both; Policies is not
// empty and has no duplicates; Preset and the values of Presets are not empty.
type Experiment struct {
	APIVersion string `json:"apiVersion" yaml:"apiVersion"`
	Kind       string `json:"kind" yaml:"kind"` // "Experiment"
	Name       string `json:"name" yaml:"name"`
	Title      string `json:"title" yaml:"title"`
	About      string `json:"about,omitempty" yaml:"about,omitempty"`

	Trace     TraceSource   `json:"trace" yaml:"trace"`
	Filter    traces.Filter `json:"filter,omitzero" yaml:"filter,omitempty"`
	Estimates EstimateModel `json:"estimates,omitzero" yaml:"estimates,omitempty"`
	Facts     *FactSpec     `json:"facts,omitempty" yaml:"facts,omitempty"`
	Cluster   ClusterSpec   `json:"cluster" yaml:"cluster"`

	Policies []PolicySpec      `json:"policies" yaml:"policies"`
	Preset   string            `json:"preset" yaml:"preset"`                       // when none is asked for
	Presets  map[string]string `json:"presets,omitempty" yaml:"presets,omitempty"` // what "artifact" means here
	Seeds    []int64           `json:"seeds" yaml:"seeds"`

	Reference *Reference `json:"reference,omitempty" yaml:"reference,omitempty"`
}

// ExperimentKind is the value of Experiment.Kind.
const ExperimentKind = "Experiment"

// TraceSource says where the jobs come from: a file below the data folder, a
// trace that the product carries, or one that is drawn for each seed.
type TraceSource struct {
	File    string        `json:"file,omitempty" yaml:"file,omitempty"`
	Bundled string        `json:"bundled,omitempty" yaml:"bundled,omitempty"`
	Drawn   *DrawnTrace   `json:"drawn,omitempty" yaml:"drawn,omitempty"`
	Format  traces.Format `json:"format,omitempty" yaml:"format,omitempty"` // of a file or a bundled trace

	traces.Options `yaml:",inline"`
}

// one reports whether the source names exactly one trace.
func (t *TraceSource) one() bool {
	named := 0
	for _, is := range [...]bool{t.File != "", t.Bundled != "", t.Drawn != nil} {
		if is {
			named++
		}
	}
	return named == 1
}

// EstimateModel makes run-time estimates for traces that store none: the true
// run time times exp(NoiseSigma * z), z normal, one draw a job from the seed.
type EstimateModel struct {
	NoiseSigma float64 `json:"noise_sigma,omitempty" yaml:"noise_sigma,omitempty"`
}

// PolicySpec is a policy of the experiment. The string that people ask for may
// carry a variant ("name:variant"), so Policy can differ from Name.
type PolicySpec struct {
	Name    string         `json:"name" yaml:"name"`
	Policy  string         `json:"policy,omitempty" yaml:"policy,omitempty"` // in the registry; empty: Name
	Preset  string         `json:"preset,omitempty" yaml:"preset,omitempty"` // the registry's preset that "artifact" means for this policy
	Options map[string]any `json:"options,omitempty" yaml:"options,omitempty"`
	World   *WorldOverlay  `json:"world,omitempty" yaml:"world,omitempty"`
	Facts   *FactOverlay   `json:"facts,omitempty" yaml:"facts,omitempty"`

	// ArtifactWorld is laid over World where "artifact" is asked for: what a
	// stored run did otherwise than its preset.
	ArtifactWorld *WorldOverlay `json:"artifact_world,omitempty" yaml:"artifact_world,omitempty"`
}

// WorldOverlay changes single fields of a preset's World.
type WorldOverlay struct {
	Tick           *schedmate.Seconds   `json:"tick_s,omitempty" yaml:"tick_s,omitempty"`
	EndLag         *schedmate.Seconds   `json:"end_lag_s,omitempty" yaml:"end_lag_s,omitempty"`
	RestartCost    []scheduler.CostStep `json:"restart_cost,omitempty" yaml:"restart_cost,omitempty"`
	PreemptionWait *schedmate.Seconds   `json:"preemption_wait_s,omitempty" yaml:"preemption_wait_s,omitempty"`
	Checkpoint     *schedmate.Seconds   `json:"checkpoint_s,omitempty" yaml:"checkpoint_s,omitempty"`
	Estimates      scheduler.Estimates  `json:"estimates,omitempty" yaml:"estimates,omitempty"`
	Advice         *scheduler.Advice    `json:"advice,omitempty" yaml:"advice,omitempty"`
	Handler        *bool                `json:"handler,omitempty" yaml:"handler,omitempty"`
	RegularCost    *schedmate.Seconds   `json:"regular_cost_s,omitempty" yaml:"regular_cost_s,omitempty"` // of a host in rounds; nothing to others
}

// Over returns the world with the overlay's fields.
func (o *WorldOverlay) Over(w scheduler.World) scheduler.World {
	if o == nil {
		return w
	}
	for _, f := range []struct{ to, from *schedmate.Seconds }{{&w.Tick, o.Tick}, {&w.EndLag, o.EndLag}, {&w.PreemptionWait, o.PreemptionWait}, {&w.Checkpoint, o.Checkpoint}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if o.RestartCost != nil {
		w.RestartCost = o.RestartCost
	}
	if o.Estimates != "" {
		w.Estimates = o.Estimates
	}
	if o.Advice != nil {
		w.Advice = *o.Advice
	}
	if o.Handler != nil {
		w.Handler = *o.Handler
	}
	if o.RegularCost != nil && w.Rounds != nil {
		rounds := *w.Rounds // the preset's own
		rounds.RegularCost = *o.RegularCost
		w.Rounds = &rounds
	}
	return w
}

// Validate checks the invariant of Experiment.
func (e *Experiment) Validate() error {
	fail := func(path, format string, args ...any) error {
		return &schedmate.FieldError{Path: path, Problem: fmt.Sprintf(format, args...)}
	}
	switch {
	case e.APIVersion != schedmate.APIVersion:
		return fail("apiVersion", "must be %q, got %q", schedmate.APIVersion, e.APIVersion)
	case e.Kind != ExperimentKind:
		return fail("kind", "must be %q, got %q", ExperimentKind, e.Kind)
	case e.Name == "":
		return fail("name", "must not be empty")
	case !e.Trace.one():
		return fail("trace", "must name a file, a bundled trace or one to draw, and no second one")
	case e.Trace.Drawn != nil && e.Trace.Format != "":
		return fail("trace.format", "a trace that is drawn has none; leave it out")
	case e.Trace.Drawn.validate() != nil:
		return e.Trace.Drawn.validate()
	case e.Trace.Drawn == nil && !slices.Contains(traces.Formats(), e.Trace.Format):
		return fail("trace.format", "unknown format %q: use one of %s", e.Trace.Format, traces.FormatNames())
	case e.Trace.Drawn == nil && e.Trace.Options.Validate(e.Trace.Format) != nil:
		return fail("trace", "%v", e.Trace.Options.Validate(e.Trace.Format))
	case !(e.Estimates.NoiseSigma >= 0 && e.Estimates.NoiseSigma <= 10): // NaN is in no range
		return fail("estimates.noise_sigma", "must lie in [0, 10], got %g", e.Estimates.NoiseSigma)
	case e.Facts != nil && e.Estimates.NoiseSigma > 0:
		return fail("estimates.noise_sigma", "says what facts says: leave one of them out")
	case len(e.Policies) == 0:
		return fail("policies", "must name at least one policy")
	case e.Preset == "":
		return fail("preset", "must not be empty: name the preset that runs when none is asked for")
	case len(e.Seeds) == 0:
		return fail("seeds", "must hold at least one seed")
	}
	seen := make(map[string]bool)
	for i, p := range e.Policies {
		at := fmt.Sprintf("policies[%d].name", i)
		if p.Name == "" {
			return fail(at, "must not be empty")
		}
		if seen[p.Name] {
			return fail(at, "policy %s occurs twice", p.Name)
		}
		seen[p.Name] = true
	}
	for i, p := range e.Policies {
		if _, err := e.factsFor(p); err != nil {
			return fail(fmt.Sprintf("policies[%d].facts", i), "%v", err)
		}
	}
	if err := e.Filter.Validate(); err != nil {
		return err
	}
	if err := e.Cluster.validate(); err != nil {
		return err
	}
	return e.Reference.validate()
}

// spec returns the experiment's policy of that name, or one of the registry as
// it is: an experiment can be run with policies that it does not list.
func (e *Experiment) spec(name string, r scheduler.Registry) (PolicySpec, error) {
	names := r.Names()
	for _, p := range e.Policies {
		if p.Name == name {
			return p, nil
		}
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	if _, err := r.Find(name); err != nil {
		return PolicySpec{}, fmt.Errorf("experiment %s: unknown policy %q: use one of %s", e.Name, name, strings.Join(names, ", "))
	}
	return PolicySpec{Name: name}, nil
}

// reading returns the name in the registry of what the asked preset means for
// a policy of this experiment.
func (e *Experiment) reading(p PolicySpec, preset string) string {
	if p.Preset != "" && preset == "artifact" {
		return p.Preset
	}
	if name, ok := e.Presets[preset]; ok {
		return name
	}
	return preset
}

// build makes the policy and its world from the registry, the asked preset, its
// name in the registry and the experiment's own overlays.
func (p PolicySpec) build(r scheduler.Registry, preset, reading string) (scheduler.Policy, scheduler.World, error) {
	name := p.Policy
	if name == "" {
		name = p.Name
	}
	d, err := r.Find(name)
	if err != nil {
		return nil, scheduler.World{}, err
	}
	base, err := d.Preset(reading)
	if err != nil {
		return nil, scheduler.World{}, err
	}
	var overlay []byte
	if len(p.Options) > 0 {
		if overlay, err = json.Marshal(p.Options); err != nil {
			return nil, scheduler.World{}, fmt.Errorf("policy %s: options: %w", p.Name, err)
		}
	}
	options, err := d.Decode(base.Options, overlay)
	if err != nil {
		return nil, scheduler.World{}, err
	}
	policy, err := d.New(options)
	if err != nil {
		return nil, scheduler.World{}, err
	}
	world := p.World.Over(base.World)
	if preset == "artifact" {
		world = p.ArtifactWorld.Over(world)
	}
	if err := world.Validate(); err != nil {
		return nil, scheduler.World{}, fmt.Errorf("policy %s: world: %w", p.Name, err)
	}
	return policy, world, nil
}
