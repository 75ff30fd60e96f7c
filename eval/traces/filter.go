package traces

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Filter cuts a trace down to what an experiment wants. The zero value changes
// nothing. The steps are taken in the order of the fields, so FirstJobs counts
// jobs of the chosen VCs, sizes and window only, and the window speaks of the
// times in the file, before ShiftTo.
type Filter struct {
	// VCs keeps the jobs of these VCs only, ExcludeVCs drops those of others.
	// At most one of the two may be set, and each VC must occur in the trace.
	VCs        []string `json:"vcs,omitempty" yaml:"vcs,omitempty"`
	ExcludeVCs []string `json:"exclude_vcs,omitempty" yaml:"exclude_vcs,omitempty"`

	// MaxGPUs drops jobs that ask for more; 0: no limit.
	MaxGPUs int `json:"max_gpus,omitempty" yaml:"max_gpus,omitempty"`

	// FromSeconds and ToSeconds keep the jobs submitted in [From, To); To 0: to the end.
	FromSeconds schedmate.Seconds `json:"from_s,omitempty" yaml:"from_s,omitempty"`
	ToSeconds   schedmate.Seconds `json:"to_s,omitempty" yaml:"to_s,omitempty"`

	// FirstJobs keeps so many jobs, in the order of Trace.Jobs; 0: all. Rows
	// that the loader dropped are no jobs and do not count.
	FirstJobs int `json:"first_jobs,omitempty" yaml:"first_jobs,omitempty"`

	// CapRunSeconds cuts longer runs to this; 0: no cap. Where speeds are known the
	// work is cut in proportion. Deadlines, estimates and end states stay as they are. Trace.Capped counts the jobs.
	CapRunSeconds schedmate.Seconds `json:"cap_run_s,omitempty" yaml:"cap_run_s,omitempty"`

	// LoadMilli offers the same jobs at so many thousandths of the rate: the time
	// between submissions is that much shorter. SlackMilli is the time by which
	// deadlines lie after the end of a job that begins at once, in thousandths of what
	// it was. 0: as in the trace.
	LoadMilli  int `json:"load_milli,omitempty" yaml:"load_milli,omitempty"`
	SlackMilli int `json:"slack_milli,omitempty" yaml:"slack_milli,omitempty"`

	// VCAsUser takes the VC for the user of jobs that name none.
	VCAsUser bool `json:"vc_as_user,omitempty" yaml:"vc_as_user,omitempty"`

	// DropVC forgets the VCs, so that all jobs share one partition.
	DropVC bool `json:"drop_vc,omitempty" yaml:"drop_vc,omitempty"`

	// ShiftTo moves all times together so that the first job is submitted at
	// this second; nil: leave them. Deadlines and facts move along.
	ShiftTo *schedmate.Seconds `json:"shift_to_s,omitempty" yaml:"shift_to_s,omitempty"`
}

// Validate checks that the filter makes sense by itself. A nil error does not
// mean that it fits a trace; Apply finds that out.
func (f *Filter) Validate() error {
	bad := func(field, format string, args ...any) error {
		return fmt.Errorf("trace filter: %w", &schedmate.FieldError{Path: field, Problem: fmt.Sprintf(format, args...)})
	}
	switch {
	case len(f.VCs) > 0 && len(f.ExcludeVCs) > 0:
		return bad("exclude_vcs", "cannot stand beside vcs; use one of them")
	case slices.Contains(f.VCs, "") || slices.Contains(f.ExcludeVCs, ""):
		return bad("vcs", "a name is empty; remove it")
	case f.MaxGPUs < 0:
		return bad("max_gpus", "must not be negative, got %d; use 0 for no limit", f.MaxGPUs)
	case f.FromSeconds < 0 || f.FromSeconds > schedmate.MaxSeconds:
		return bad("from_s", "must lie in [0, %d], got %d; count seconds as the trace does", schedmate.MaxSeconds, f.FromSeconds)
	case f.ToSeconds < 0 || f.ToSeconds > schedmate.MaxSeconds:
		return bad("to_s", "must lie in [0, %d], got %d; use 0 for the end of the trace", schedmate.MaxSeconds, f.ToSeconds)
	case f.ToSeconds != 0 && f.ToSeconds <= f.FromSeconds:
		return bad("to_s", "must lie after from_s %d, got %d; use 0 for the end of the trace", f.FromSeconds, f.ToSeconds)
	case f.FirstJobs < 0:
		return bad("first_jobs", "must not be negative, got %d; use 0 for all", f.FirstJobs)
	case f.CapRunSeconds < 0 || f.CapRunSeconds > schedmate.MaxSeconds:
		return bad("cap_run_s", "must lie in [0, %d], got %d; use 0 for no cap", schedmate.MaxSeconds, f.CapRunSeconds)
	case f.LoadMilli < 0 || f.LoadMilli > mostLoadMilli:
		return bad("load_milli", "must lie in [0, %d], got %d; use 0 for the load of the trace", mostLoadMilli, f.LoadMilli)
	case f.SlackMilli < 0 || f.SlackMilli > mostSlackMilli:
		return bad("slack_milli", "must lie in [0, %d], got %d; use 0 for the deadlines of the trace", mostSlackMilli, f.SlackMilli)
	case f.ShiftTo != nil && (*f.ShiftTo < 0 || *f.ShiftTo > schedmate.MaxSeconds):
		return bad("shift_to_s", "must lie in [0, %d], got %d; leave it out to keep the times", schedmate.MaxSeconds, *f.ShiftTo)
	}
	return nil
}

func (f *Filter) isZero() bool {
	return len(f.VCs) == 0 && len(f.ExcludeVCs) == 0 && f.MaxGPUs == 0 && f.FromSeconds == 0 && f.ToSeconds == 0 &&
		f.FirstJobs == 0 && f.CapRunSeconds == 0 && f.LoadMilli == 0 && f.SlackMilli == 0 && !f.VCAsUser && !f.DropVC && f.ShiftTo == nil
}

// Apply returns a new trace with the filter's changes and leaves t as it is. The
// two share what the filter does not change.
// What the filter drops is counted in Dropped. It is an error when a VC that
// the filter names does not occur, and when no job is left.
func (t *Trace) Apply(f Filter) (*Trace, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	for _, vc := range slices.Concat(f.VCs, f.ExcludeVCs) {
		if !slices.Contains(t.VCs, vc) {
			return nil, fmt.Errorf("trace filter: trace %s has no vc %q; it has: %s", t.Name, vc, orNone(t.VCs))
		}
	}

	out := *t
	if f.isZero() {
		return &out, nil // a million jobs need not be there twice
	}
	most := len(t.Jobs)
	if f.FirstJobs > 0 {
		most = min(most, f.FirstJobs)
	}
	out.Jobs, out.Dropped = make([]sim.Job, 0, most), slices.Clone(t.Dropped)
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if reason := f.drops(j, len(out.Jobs)); reason != "" {
			out.drop(reason, 1, 0)
			continue
		}
		out.Jobs = append(out.Jobs, *j)
	}
	if len(out.Jobs) == 0 {
		return nil, fmt.Errorf("trace filter: no job of trace %s is left: %s; widen the filter", t.Name, describe(out.Dropped))
	}
	if f.CapRunSeconds > 0 {
		out.Capped += capRuns(out.Jobs, f.CapRunSeconds)
	}
	if f.LoadMilli > 0 {
		if err := press(out.Jobs, f.LoadMilli); err != nil {
			return nil, fmt.Errorf("trace filter: load_milli %d: %w", f.LoadMilli, err)
		}
	}
	if f.SlackMilli > 0 {
		if err := slacken(out.Jobs, f.SlackMilli); err != nil {
			return nil, fmt.Errorf("trace filter: slack_milli %d: %w", f.SlackMilli, err)
		}
	}
	if f.VCAsUser {
		for i := range out.Jobs {
			if j := &out.Jobs[i]; j.User == "" {
				j.User = j.VC
			}
		}
	}
	if f.DropVC {
		for i := range out.Jobs {
			out.Jobs[i].VC = ""
		}
	}
	out.VCs = occurring(out.Jobs)
	if f.ShiftTo != nil {
		if err := shiftAll(out.Jobs, *f.ShiftTo-out.Jobs[0].Submit); err != nil {
			return nil, fmt.Errorf("trace filter: shift_to_s %d: %w; shift to an earlier second", *f.ShiftTo, err)
		}
	}
	return &out, nil
}

// drops says why a job is left out when kept jobs came before it, or nothing.
func (f *Filter) drops(j *sim.Job, kept int) string {
	switch {
	case len(f.VCs) > 0 && !slices.Contains(f.VCs, j.VC):
		return "filter: not of the chosen vcs"
	case slices.Contains(f.ExcludeVCs, j.VC):
		return "filter: of an excluded vc"
	case f.MaxGPUs > 0 && j.GPUs > f.MaxGPUs:
		return fmt.Sprintf("filter: asks more than %d GPUs", f.MaxGPUs)
	case j.Submit < f.FromSeconds:
		return fmt.Sprintf("filter: submitted before second %d", f.FromSeconds)
	case f.ToSeconds > 0 && j.Submit >= f.ToSeconds:
		return fmt.Sprintf("filter: submitted at or after second %d", f.ToSeconds)
	case f.FirstJobs > 0 && kept >= f.FirstJobs:
		return fmt.Sprintf("filter: after the first %d jobs", f.FirstJobs)
	}
	return ""
}

func capRuns(jobs []sim.Job, limit schedmate.Seconds) (capped int) {
	for i := range jobs {
		if jobs[i].Outcome.Run > limit {
			outcome := *jobs[i].Outcome // shared with the trace before
			jobs[i].Speeds = jobs[i].Speeds.Cut(limit, outcome.Run)
			jobs[i].Training = nil // what is left of it is no training to an end
			outcome.Run = limit
			jobs[i].Outcome = &outcome
			capped++
		}
	}
	return capped
}

func shiftAll(jobs []sim.Job, by schedmate.Seconds) error {
	for i := range jobs {
		j := &jobs[i]
		j.SLO.Tiers, j.Facts = slices.Clone(j.SLO.Tiers), slices.Clone(j.Facts)
		shift(j, by)
		if err := validate(j); err != nil {
			return fmt.Errorf("job %s: %w", j.ID, err)
		}
	}
	return nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return list(names)
}
