package eval

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"schedmate"
	"schedmate/eval/synthetic"
	"schedmate/eval/traces"
	"schedmate/scheduler/sim"
)

// DrawnTrace is a synthetic trace that is drawn anew for each seed: jobs as
// published aggregates describe them, submitted at a rate that offers the
// experiment's cluster a stated load.
//
// Invariant: Profile is a published one; 1 <= Jobs <= synthetic.MaxJobs; Load is
// positive; Burst lies in [0, 1] and, as InfeasibleGroups, which are not negative,
// stands beside Deadlines.
type DrawnTrace struct {
	Profile string  `json:"profile" yaml:"profile"`
	Jobs    int     `json:"jobs" yaml:"jobs"`
	Load    float64 `json:"load" yaml:"load"` // GPU time of the jobs that filters leave, over that of the cluster while jobs are submitted

	// Deadlines is a preset of those that trace generate has; empty: none. Burst is the
	// share of the jobs that come on the day before one date, which is when they are
	// due; InfeasibleGroups are of three strict jobs besides, each of more than half of
	// the experiment's cluster, of which one at most can meet its deadline.
	Deadlines        string  `json:"deadlines,omitempty" yaml:"deadlines,omitempty"`
	Burst            float64 `json:"burst,omitempty" yaml:"burst,omitempty"`
	InfeasibleGroups int     `json:"infeasible_groups,omitempty" yaml:"infeasible_groups,omitempty"`
}

func (d *DrawnTrace) validate() error {
	switch {
	case d == nil:
		return nil
	case d.Jobs < 1 || d.Jobs > synthetic.MaxJobs:
		return &schedmate.FieldError{Path: "trace.drawn.jobs", Problem: fmt.Sprintf("must lie in [1, %d], got %d", synthetic.MaxJobs, d.Jobs)}
	case !(d.Load > 0 && d.Load <= 100):
		return &schedmate.FieldError{Path: "trace.drawn.load", Problem: fmt.Sprintf("must lie in (0, 100], got %g", d.Load)}
	case !(d.Burst >= 0 && d.Burst <= 1):
		return &schedmate.FieldError{Path: "trace.drawn.burst", Problem: fmt.Sprintf("must lie in [0, 1], got %g", d.Burst)}
	case d.InfeasibleGroups < 0 || d.InfeasibleGroups > synthetic.MaxJobs/3:
		return &schedmate.FieldError{Path: "trace.drawn.infeasible_groups", Problem: fmt.Sprintf("must lie in [0, %d], got %d", synthetic.MaxJobs/3, d.InfeasibleGroups)}
	case d.Deadlines == "" && (d.Burst > 0 || d.InfeasibleGroups > 0):
		return &schedmate.FieldError{Path: "trace.drawn.deadlines", Problem: "must be named: a burst and infeasible groups are of jobs with deadlines"}
	}
	return nil
}

// draw makes the trace of a seed.
func (d *DrawnTrace) draw(seed int64, f traces.Filter, gpus int) (*traces.Trace, error) {
	recipe := synthetic.Recipe{Profile: d.Profile, Jobs: d.Jobs, Seed: uint64(seed)}
	t, err := d.write(&recipe, f)
	if err != nil || d.Deadlines == "" {
		if err == nil {
			t.Jobs = atLoad(t.Jobs, d.Load, gpus)
		}
		return t, err
	}
	// Deadlines belong to the time of a job's submission, so the trace is not stretched
	// but drawn again: the same jobs, over as many days as they need.
	recipe.Days = float64(gpuTime(t.Jobs)) / (d.Load * float64(gpus) * 86400)
	recipe.Deadlines, recipe.Burst = d.Deadlines, d.Burst
	recipe.InfeasibleGroups, recipe.GroupGPUs = d.InfeasibleGroups, gpus/2+1
	return d.write(&recipe, f)
}

// write makes a trace by a recipe, and applies the filter.
func (d *DrawnTrace) write(recipe *synthetic.Recipe, f traces.Filter) (*traces.Trace, error) {
	var text bytes.Buffer
	if err := synthetic.Load().Write(&text, recipe); err != nil {
		return nil, fmt.Errorf("draw a trace: %w", err)
	}
	t, err := traces.Read(&text, d.Profile+" (drawn)", "synthetic")
	if err != nil {
		return nil, fmt.Errorf("draw a trace: %w", err)
	}
	if t, err = t.Apply(f); err != nil {
		return nil, err
	}
	if len(t.Jobs) == 0 {
		return nil, fmt.Errorf("draw a trace of %s: the filter leaves no job; widen it", d.Profile)
	}
	return t, nil
}

// gpuTime is what the jobs need, in GPU-seconds.
func gpuTime(jobs []sim.Job) int64 {
	sum := int64(0)
	for i := range jobs {
		sum += int64(jobs[i].Outcome.Run) * int64(jobs[i].GPUs)
	}
	return sum
}

// atLoad stretches the time between submissions, from 0 on, until the GPU time
// of the jobs is the given share of the cluster's while they are submitted.
func atLoad(jobs []sim.Job, load float64, gpus int) []sim.Job {
	first, last := jobs[0].Submit, jobs[len(jobs)-1].Submit
	span := float64(gpuTime(jobs)) / (load * float64(gpus))
	out := slices.Clone(jobs)
	for i := range out {
		share := 0.0
		if last > first {
			share = float64(out[i].Submit-first) / float64(last-first)
		}
		out[i].Submit = schedmate.Seconds(math.Round(share * span))
	}
	return out
}
