package eval

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

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
	Costs   map[string]PaidCost  `json:"costs,omitempty" yaml:"costs,omitempty"`     // by policy: what the other program took
}

// PaidCost is what another program took for the same run.
type PaidCost struct {
	CPUSeconds float64 `json:"cpu_s" yaml:"cpu_s"`
	PeakMB     float64 `json:"peak_mb,omitempty" yaml:"peak_mb,omitempty"` // 0: not recorded
}

// FigureSet maps a metric's name in the report to the published number.
type FigureSet map[string]float64

// JobReference is a stored output with one row a policy and job. Start may be
// empty when the output has none.
type JobReference struct {
	File     string            `json:"file" yaml:"file"` // below the data folder
	Policy   string            `json:"policy" yaml:"policy"`
	Job      string            `json:"job" yaml:"job"`
	Start    string            `json:"start,omitempty" yaml:"start,omitempty"`
	End      string            `json:"end" yaml:"end"`
	Policies map[string]string `json:"policies,omitempty" yaml:"policies,omitempty"` // our name -> theirs, where they differ
}

func (r *Reference) validate() error {
	if r == nil {
		return nil
	}
	fail := func(path, problem string) error { return &schedmate.FieldError{Path: path, Problem: problem} }
	switch {
	case r.Source == "":
		return fail("reference.source", "must not be empty")
	case r.Preset == "":
		return fail("reference.preset", "must not be empty")
	case r.Jobs != nil && (r.Jobs.File == "" || r.Jobs.Policy == "" || r.Jobs.Job == "" || r.Jobs.End == ""):
		return fail("reference.jobs", "needs file, and the columns policy, job and end")
	}
	return nil
}

// Comparison is a run beside its reference.
type Comparison struct {
	Source    string             `json:"source"`
	Jobs      int                `json:"jobs"`       // in the stored output
	EqualJobs int                `json:"equal_jobs"` // whose start and end are the stored ones
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
		if j.Ran() && j.End == want.end && (!want.hasStart || j.Start == want.start) {
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

type storedTimes struct {
	start, end schedmate.Seconds
	hasStart   bool
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
	policy, job, start, end := column(r.Policy), column(r.Job), column(r.Start), column(r.End)
	if policy < 0 || job < 0 || end < 0 || r.Start != "" && start < 0 {
		return nil, fmt.Errorf("read reference %s: needs the columns %q, %q, %q, %q, has %q", r.File, r.Policy, r.Job, r.Start, r.End, header)
	}
	out := make(storedJobs)
	for line := 2; ; line++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read reference %s: %w", r.File, err)
		}
		var t storedTimes
		if t.end, err = wholeSeconds(row[end]); err == nil && start >= 0 {
			t.start, err = wholeSeconds(row[start])
			t.hasStart = true
		}
		if err != nil {
			return nil, fmt.Errorf("read reference %s:%d: %w", r.File, line, err)
		}
		name := row[policy]
		if mine, ok := ours[name]; ok {
			name = mine
		} else if _, renamed := r.Policies[name]; renamed {
			continue // another run of theirs by the name of ours
		}
		out[storedKey{name, row[job]}] = t
	}
}

func wholeSeconds(text string) (schedmate.Seconds, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != float64(int64(v)) {
		return 0, fmt.Errorf("%q is no whole number of seconds", text)
	}
	return schedmate.Seconds(v), nil
}
