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
// positive.
type DrawnTrace struct {
	Profile string  `json:"profile" yaml:"profile"`
	Jobs    int     `json:"jobs" yaml:"jobs"`
	Load    float64 `json:"load" yaml:"load"` // GPU time of the jobs that filters leave, over that of the cluster while jobs are submitted
}

func (d *DrawnTrace) validate() error {
	switch {
	case d == nil:
		return nil
	case d.Jobs < 1 || d.Jobs > synthetic.MaxJobs:
		return &schedmate.FieldError{Path: "trace.drawn.jobs", Problem: fmt.Sprintf("must lie in [1, %d], got %d", synthetic.MaxJobs, d.Jobs)}
	case !(d.Load > 0 && d.Load <= 100):
		return &schedmate.FieldError{Path: "trace.drawn.load", Problem: fmt.Sprintf("must lie in (0, 100], got %g", d.Load)}
	}
	return nil
}

// draw makes the trace of a seed.
func (d *DrawnTrace) draw(seed int64, f traces.Filter, gpus int) (*traces.Trace, error) {
	recipe := synthetic.Recipe{Profile: d.Profile, Jobs: d.Jobs, Seed: uint64(seed)}
	var text bytes.Buffer
	if err := synthetic.Load().Write(&text, &recipe); err != nil {
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
	t.Jobs = atLoad(t.Jobs, d.Load, gpus)
	return t, nil
}

// atLoad stretches the time between submissions, from 0 on, until the GPU time
// of the jobs is the given share of the cluster's while they are submitted.
func atLoad(jobs []sim.Job, load float64, gpus int) []sim.Job {
	first, last := jobs[0].Submit, jobs[len(jobs)-1].Submit
	var work float64
	for i := range jobs {
		work += float64(jobs[i].Outcome.Run) * float64(jobs[i].GPUs)
	}
	span := work / (load * float64(gpus))
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
