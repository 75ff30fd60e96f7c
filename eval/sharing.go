package eval

import (
	"fmt"

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

// lay adds to a workload what the experiment says about sharing, and returns who
// reads the jobs' logs, or nil.
func (s *SharingSpec) lay(w *sim.Workload, seed int64) sim.Tracker {
	if s == nil {
		return nil
	}
	if s.Mix == gavelMix {
		table := packing.Gavel()
		w.Jobs, w.Pairs = table.Mix(w.Jobs, seed), table.Pairs
	}
	if s.LogEvery == 0 {
		return nil
	}
	return &packing.Logs{Errors: packing.Measured(), Step: s.LogEvery, Silent: s.Silent, Seed: seed}
}
