package eval

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Reference is what somebody else's program or paper says about the same
// experiment.
type Reference struct {
	Source  string               `json:"source" yaml:"source"`
	Preset  string               `json:"preset" yaml:"preset"` // the preset that the comparison is for
	Jobs    *JobReference        `json:"jobs,omitempty" yaml:"jobs,omitempty"`
	Figures map[string]FigureSet `json:"figures,omitempty" yaml:"figures,omitempty"` // by policy
	Apart   map[string]string    `json:"apart,omitempty" yaml:"apart,omitempty"`     // by policy: why our figures are not the published ones
	Within  map[string]FigureSet `json:"within,omitempty" yaml:"within,omitempty"`   // by policy of Apart: how far they may be from them all the same
	Costs   map[string]PaidCost  `json:"costs,omitempty" yaml:"costs,omitempty"`     // by policy: what the other program took
}

// PaidCost is what another program took for the same run.
type PaidCost struct {
	CPUSeconds float64 `json:"cpu_s" yaml:"cpu_s"`
	PeakMB     float64 `json:"peak_mb,omitempty" yaml:"peak_mb,omitempty"` // 0: not recorded
}

// FigureSet maps a metric's name in the report to the published number.
type FigureSet map[string]float64

// JobReference is a stored output with one row a policy and job. The columns
// Start, Queue, Restarts and Preemptions are empty when the output has none.
//
// Invariant: either Policy names a column, or Only the policy of all rows;
// 0 <= Unit, Within <= MaxSeconds.
type JobReference struct {
	File     string            `json:"file" yaml:"file"` // below the data folder
	Policy   string            `json:"policy,omitempty" yaml:"policy,omitempty"`
	Only     string            `json:"only,omitempty" yaml:"only,omitempty"`
	Job      string            `json:"job" yaml:"job"`
	Prefix   string            `json:"job_prefix,omitempty" yaml:"job_prefix,omitempty"` // what their job names have before ours
	Start    string            `json:"start,omitempty" yaml:"start,omitempty"`
	End      string            `json:"end" yaml:"end"`
	Queue    string            `json:"queue,omitempty" yaml:"queue,omitempty"`       // all waits in sum
	Restarts string            `json:"restarts,omitempty" yaml:"restarts,omitempty"` // attempts after the first
	Preempts string            `json:"preemptions,omitempty" yaml:"preemptions,omitempty"`
	Policies map[string]string `json:"policies,omitempty" yaml:"policies,omitempty"` // our name -> theirs, where they differ

	// Unit is how many seconds the unit of their times has; 0: one. Within is how
	// far an end may be from the stored one because of the digits that are stored.
	Unit   schedmate.Seconds `json:"unit_s,omitempty" yaml:"unit_s,omitempty"`
	Within schedmate.Seconds `json:"within_s,omitempty" yaml:"within_s,omitempty"`
}

func (r *Reference) validate() error {
	if r == nil {
		return nil
	}
	fail := func(path, problem string) error { return &schedmate.FieldError{Path: path, Problem: problem} }
	for policy, set := range r.Within {
		for metric, far := range set {
			if _, published := r.Figures[policy][metric]; !published || r.Apart[policy] == "" || !(far >= 0) {
				return fail("reference.within", fmt.Sprintf("%s of %s: names a published figure that is apart, and a distance", metric, policy))
			}
		}
	}
	switch {
	case r.Source == "":
		return fail("reference.source", "must not be empty")
	case r.Preset == "":
		return fail("reference.preset", "must not be empty")
	case r.Jobs == nil:
	case r.Jobs.File == "" || r.Jobs.Job == "" || r.Jobs.End == "":
		return fail("reference.jobs", "needs file, and the columns job and end")
	case (r.Jobs.Policy == "") == (r.Jobs.Only == ""):
		return fail("reference.jobs", "needs either the column policy or, in only, the policy of all rows")
	case r.Jobs.Unit < 0 || r.Jobs.Unit > schedmate.MaxSeconds:
		return fail("reference.jobs.unit_s", "must not be negative")
	case r.Jobs.Within < 0 || r.Jobs.Within > schedmate.MaxSeconds:
		return fail("reference.jobs.within_s", "must not be negative")
	}
	return nil
}

// Comparison is a run beside its reference.
type Comparison struct {
	Source    string             `json:"source"`
	Jobs      int                `json:"jobs"`       // in the stored output
	EqualJobs int                `json:"equal_jobs"` // whose start, end, waits and restarts are the stored ones, as far as they are stored
	Figures   []FigureComparison `json:"figures,omitempty"`
}

// FigureComparison is one figure beside the published one.
type FigureComparison struct {
	Metric string  `json:"metric"`
	Theirs float64 `json:"theirs"`
	Ours   float64 `json:"ours"`
}

// compare returns the run beside the reference, or nil when there is none for
// this policy and preset.
func (r *Reference) compare(policy, preset string, stored storedJobs, res *sim.Result, m *Metrics) (*Comparison, error) {
	if r == nil || preset != r.Preset {
		return nil, nil
	}
	c := &Comparison{Source: r.Source}
	for i := range res.Jobs {
		j := &res.Jobs[i]
		want, ok := stored[storedKey{policy, j.Job.ID}]
		if !ok {
			continue
		}
		c.Jobs++
		if j.Ran() && want.equal(j) {
			c.EqualJobs++
		}
	}
	ours, err := byName(m)
	if err != nil {
		return nil, err
	}
	set := r.Figures[policy]
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		v, ok := ours[name].(float64)
		if !ok {
			return nil, fmt.Errorf("reference figure %s of policy %s: the report has no such number: use a metric's name as the JSON report writes it", name, policy)
		}
		c.Figures = append(c.Figures, FigureComparison{Metric: name, Theirs: set[name], Ours: v})
	}
	if c.Jobs == 0 && len(c.Figures) == 0 {
		return nil, nil
	}
	return c, nil
}

func byName(m *Metrics) (map[string]any, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode metrics: %w", err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("re-read metrics: %w", err)
	}
	return out, nil
}

type storedKey struct{ policy, job string }

// storedTimes is one row; nil fields are not stored.
type storedTimes struct {
	end, within                      schedmate.Seconds
	start, queue, restarts, preempts *schedmate.Seconds
}

func (t *storedTimes) equal(j *sim.JobResult) bool {
	is := func(stored *schedmate.Seconds, ours schedmate.Seconds) bool { return stored == nil || *stored == ours }
	return max(j.End-t.end, t.end-j.End) <= t.within && is(t.start, j.Start) && is(t.queue, j.Queue) &&
		is(t.restarts, schedmate.Seconds(j.Restarts)) && is(t.preempts, schedmate.Seconds(j.Preemptions))
}

type storedJobs map[storedKey]storedTimes

// read reads a stored output; times are seconds, possibly written with a
// decimal point.
func (r *JobReference) read(in io.Reader) (storedJobs, error) {
	plain, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("read reference %s: %w; stored outputs are gzip-compressed CSV", r.File, err)
	}
	ours := make(map[string]string, len(r.Policies))
	for name, theirs := range r.Policies {
		ours[theirs] = name
	}
	rows := csv.NewReader(plain)
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read reference %s: header: %w", r.File, err)
	}
	column := func(name string) int { return slices.Index(header, name) }
	policy, job, end := column(r.Policy), column(r.Job), column(r.End)
	for _, name := range []string{r.Policy, r.Job, r.End, r.Start, r.Queue, r.Restarts, r.Preempts} {
		if name != "" && column(name) < 0 {
			return nil, fmt.Errorf("read reference %s: has no column %q, only %q", r.File, name, header)
		}
	}
	start, queue, restarts, preempts := column(r.Start), column(r.Queue), column(r.Restarts), column(r.Preempts)
	unit := max(1, r.Unit)
	out := make(storedJobs)
	for line := 2; ; line++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read reference %s: %w", r.File, err)
		}
		t := storedTimes{within: r.Within}
		t.end, err = wholeSeconds(row[end], unit)
		for _, c := range []struct {
			column int
			unit   schedmate.Seconds
			into   **schedmate.Seconds
		}{{start, unit, &t.start}, {queue, unit, &t.queue}, {restarts, 1, &t.restarts}, {preempts, 1, &t.preempts}} {
			if err == nil && c.column >= 0 {
				var v schedmate.Seconds
				v, err = wholeSeconds(row[c.column], c.unit)
				*c.into = &v
			}
		}
		if err != nil {
			return nil, fmt.Errorf("read reference %s:%d: %w", r.File, line, err)
		}
		name := r.Only
		if policy >= 0 {
			name = row[policy]
		}
		if mine, ok := ours[name]; ok {
			name = mine
		} else if _, renamed := r.Policies[name]; renamed {
			continue // another run of theirs by the name of ours
		}
		id, ok := strings.CutPrefix(row[job], r.Prefix)
		if !ok {
			return nil, fmt.Errorf("read reference %s:%d: job %q does not begin with %q", r.File, line, row[job], r.Prefix)
		}
		out[storedKey{name, id}] = t
	}
}

// wholeSeconds reads a time that is written in a unit of so many seconds.
func wholeSeconds(text string, unit schedmate.Seconds) (schedmate.Seconds, error) {
	v, err := strconv.ParseFloat(text, 64)
	seconds := math.Round(v * float64(unit))
	if err != nil || math.Abs(v*float64(unit)-seconds) > 1e-6 {
		return 0, fmt.Errorf("%q is no whole number of seconds", text)
	}
	return schedmate.Seconds(seconds), nil
}
