package eval

import (
	"fmt"
	"math"

	"schedmate"
	"schedmate/eval/packing"
	"schedmate/scheduler/sim"
)

// SharingSpec says what is known about jobs that share GPUs and is not in the trace.
//
// Invariant: Mix is empty or known; 0 <= LogEvery <= MaxSeconds; 0 <= Silent <= 1000.
type SharingSpec struct {
	// Mix gives every job a workload of a table of measured pairs, drawn from the seed,
	// and the speeds of the table. Empty: those of the trace.
	Mix string `json:"mix,omitempty" yaml:"mix,omitempty"`
	// LogEvery is how often a job that runs alone logs a step, which the tracker reads
	// with its measured errors; 0: logs are not read.
	LogEvery schedmate.Seconds `json:"log_every_s,omitempty" yaml:"log_every_s,omitempty"`
	// Silent is how many of a thousand jobs log no steps.
	Silent int `json:"silent_milli,omitempty" yaml:"silent_milli,omitempty"`
}

// gavelMix is the table that comes with the program.
const gavelMix = "gavel-v100"

func (s *SharingSpec) validate() error {
	fail := func(field, format string, args ...any) error {
		return &schedmate.FieldError{Path: "sharing." + field, Problem: fmt.Sprintf(format, args...)}
	}
	switch {
	case s == nil:
		return nil
	case s.Mix != "" && s.Mix != gavelMix:
		return fail("mix", "unknown table %q: use %s, or leave it out", s.Mix, gavelMix)
	case s.LogEvery < 0 || s.LogEvery > schedmate.MaxSeconds:
		return fail("log_every_s", "must lie in [0, %d], got %d", schedmate.MaxSeconds, s.LogEvery)
	case s.Silent < 0 || s.Silent > 1000:
		return fail("silent_milli", "must lie in [0, 1000], got %d", s.Silent)
	}
	return nil
}

// mix returns the jobs and the speeds of their pairs with what the experiment
// says about sharing.
func (s *SharingSpec) mix(jobs []sim.Job, pairs sim.Pairs, seed int64) ([]sim.Job, sim.Pairs) {
	if s == nil || s.Mix != gavelMix {
		return jobs, pairs
	}
	table := packing.Gavel()
	return table.Mix(jobs, seed), table.Pairs
}

// tracker returns who reads the jobs' logs, or nil. Where there are facts, only
// policies that have an advisor have a tracker, of the quality of their facts.
func (s *SharingSpec) tracker(f *Facts, advised bool, seed int64) sim.Tracker {
	if s == nil || s.LogEvery == 0 || f != nil && !advised {
		return nil
	}
	logs := &packing.Logs{Errors: packing.Measured(), Step: s.LogEvery, Silent: s.Silent, Seed: seed}
	if f != nil {
		t := &f.model.Tracker
		logs.Errors = logs.Errors.Drawn(t.StepTime)
		logs.Silent = 1000 - int(math.Round(float64(1000-s.Silent)*t.Success))
	}
	return logs
}
