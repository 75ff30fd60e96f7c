package synthetic

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"schedmate"
	"schedmate/internal/docfile"
)

//go:embed published.yaml
var publishedText []byte

// Published is everything that is known of clusters without a trace.
//
// Invariant: names are unique; a profile's Gangs and Arrivals exist.
type Published struct {
	APIVersion string              `yaml:"apiVersion"`
	Kind       string              `yaml:"kind"` // "TraceProfiles"
	Profiles   []Profile           `yaml:"profiles"`
	Gangs      map[string][]Gang   `yaml:"gangs"`
	Arrivals   map[string]Arrivals `yaml:"arrivals"`
	Deadlines  []Deadlines         `yaml:"deadlines"`
}

// Profile is the aggregates of one cluster over Days days.
type Profile struct {
	Name          string            `yaml:"name" json:"name"`
	Title         string            `yaml:"title" json:"title"`
	Sources       map[string]string `yaml:"sources" json:"sources"`
	Cluster       Machines          `yaml:"cluster" json:"cluster"` // equal nodes that hold at least PublishedGPUs
	PublishedGPUs int               `yaml:"published_gpus" json:"published_gpus"`
	Days          float64           `yaml:"days" json:"days"`
	Jobs          int               `yaml:"jobs" json:"jobs"`
	Run           RunTimes          `yaml:"run" json:"run"`
	GPUs          Sizes             `yaml:"gpus" json:"gpus"`
	States        *ByState          `yaml:"states,omitempty" json:"states,omitempty"`           // shares of the jobs; nil: unknown, all complete
	GPUSeconds    *ByState          `yaml:"gpu_seconds,omitempty" json:"gpu_seconds,omitempty"` // nil: unknown, run times do not depend on gangs and states
	Gangs         string            `yaml:"gangs" json:"gangs"`
	Arrivals      string            `yaml:"arrivals" json:"arrivals"`
	RunPoints     []Point           `yaml:"run_points,omitempty" json:"run_points,omitempty"` // of the distribution of run times, where it is known
}

// Machines is a cluster of equal nodes.
type Machines struct {
	Nodes       int `yaml:"nodes" json:"nodes"`
	GPUsPerNode int `yaml:"gpus_per_node" json:"gpus_per_node"`
}

// GPUs of all nodes.
func (m Machines) GPUs() int { return m.Nodes * m.GPUsPerNode }

// RunTimes in seconds.
type RunTimes struct {
	Median float64 `yaml:"median_s" json:"median_s"`
	Mean   float64 `yaml:"mean_s" json:"mean_s"`
	Max    float64 `yaml:"max_s" json:"max_s"`
}

// Sizes of gangs, in GPUs.
type Sizes struct {
	Median float64 `yaml:"median" json:"median"`
	Mean   float64 `yaml:"mean" json:"mean"`
	Max    float64 `yaml:"max" json:"max"`
}

// ByState is a figure for each end of a job.
type ByState struct {
	Completed float64 `yaml:"completed" json:"completed"`
	Cancelled float64 `yaml:"cancelled" json:"cancelled"`
	Failed    float64 `yaml:"failed" json:"failed"`
}

// states are in the order of ByState.values.
var states = []schedmate.State{schedmate.Completed, schedmate.Cancelled, schedmate.Failed}

func (b *ByState) values() [3]float64 { return [3]float64{b.Completed, b.Cancelled, b.Failed} }

// shares are the values over their sum.
func (b *ByState) shares() [3]float64 {
	v := b.values()
	sum := v[0] + v[1] + v[2]
	return [3]float64{v[0] / sum, v[1] / sum, v[2] / sum}
}

// Gang is a size with its weight. Sizes below one GPU are shares of one, which a
// trace asks whole.
type Gang struct {
	GPUs   float64 `yaml:"gpus"`
	Weight float64 `yaml:"weight"`
}

// Point of a distribution: Share of the values are at most At.
type Point struct {
	At    float64 `yaml:"at" json:"at"`
	Share float64 `yaml:"share" json:"share"`
}

// Arrivals is when jobs are submitted.
type Arrivals struct {
	HourShares    []float64 `yaml:"hour_shares"`    // of the jobs, from midnight on
	WeekdayShares []float64 `yaml:"weekday_shares"` // of the jobs of a week, Monday first
	Ratios        []Point   `yaml:"ratios"`         // jobs in ten minutes over their expectation by hour and weekday
	WindowPoints  []Point   `yaml:"window_points"`  // jobs in ten minutes
}

// Range holds its ends.
type Range struct {
	From float64 `yaml:"from" json:"from"`
	To   float64 `yaml:"to" json:"to"`
}

// Deadlines is how a paper or an artifact gives deadlines to jobs.
type Deadlines struct {
	Name   string  `yaml:"name" json:"name"`
	About  string  `yaml:"about" json:"about"`
	Strict float64 `yaml:"strict,omitempty" json:"strict,omitempty"` // share of the jobs
	Soft   float64 `yaml:"soft,omitempty" json:"soft,omitempty"`
	Factor Range   `yaml:"factor,omitempty" json:"factor,omitempty"` // of the run time, uniform
	Add    Range   `yaml:"add_s,omitempty" json:"add_s,omitempty"`   // seconds on top, uniform

	Rewards []int     `yaml:"rewards,omitempty" json:"rewards,omitempty"` // of soft jobs, first deadline first
	Step    Range     `yaml:"step_s,omitempty" json:"step_s,omitempty"`   // from one soft deadline to the next, at least
	Later   []float64 `yaml:"later,omitempty" json:"later,omitempty"`     // how much later than the first the next ones are, at least, as a share of it
}

var published = sync.OnceValues(func() (*Published, error) {
	var p Published
	if err := docfile.Read("published.yaml", bytes.NewReader(publishedText), &p); err != nil {
		return nil, fmt.Errorf("read the published aggregates: %w", err)
	}
	return &p, nil
})

// Load returns the published aggregates.
func Load() *Published {
	p, err := published()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return p
}

// Profile returns the profile of that name.
func (p *Published) Profile(name string) (*Profile, error) {
	i := slices.IndexFunc(p.Profiles, func(q Profile) bool { return q.Name == name })
	if i < 0 {
		var names []string
		for _, q := range p.Profiles {
			names = append(names, q.Name)
		}
		return nil, fmt.Errorf("unknown profile %q: use one of %s", name, strings.Join(names, ", "))
	}
	return &p.Profiles[i], nil
}

// DeadlinePreset returns the preset of that name.
func (p *Published) DeadlinePreset(name string) (*Deadlines, error) {
	i := slices.IndexFunc(p.Deadlines, func(d Deadlines) bool { return d.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown deadlines %q: use one of %s", name, strings.Join(p.DeadlineNames(), ", "))
	}
	return &p.Deadlines[i], nil
}

// DeadlineNames lists the presets.
func (p *Published) DeadlineNames() (names []string) {
	for _, d := range p.Deadlines {
		names = append(names, d.Name)
	}
	return names
}

// ProfileNames lists the profiles.
func (p *Published) ProfileNames() (names []string) {
	for _, q := range p.Profiles {
		names = append(names, q.Name)
	}
	return names
}

// Validate checks the invariant of Published.
func (p *Published) Validate() error {
	fail := func(path, format string, args ...any) error {
		return &schedmate.FieldError{Path: path, Problem: fmt.Sprintf(format, args...)}
	}
	if p.APIVersion != schedmate.APIVersion || p.Kind != "TraceProfiles" {
		return fail("kind", "must be TraceProfiles of %s", schedmate.APIVersion)
	}
	for i, q := range p.Profiles {
		at := fmt.Sprintf("profiles[%d]", i)
		switch {
		case q.Name == "" || slices.Contains(p.ProfileNames()[:i], q.Name):
			return fail(at+".name", "must be a name of its own, got %q", q.Name)
		case p.Gangs[q.Gangs] == nil:
			return fail(at+".gangs", "there is no shape %q", q.Gangs)
		case len(p.Arrivals[q.Arrivals].HourShares) != 24 || len(p.Arrivals[q.Arrivals].WeekdayShares) != 7:
			return fail(at+".arrivals", "there are no arrivals %q with 24 hours and 7 days", q.Arrivals)
		case q.Jobs < 1 || q.Days <= 0 || q.PublishedGPUs > q.Cluster.GPUs():
			return fail(at, "needs jobs, days, and a cluster of at least the published size")
		case !(1 < q.Run.Median && q.Run.Median < q.Run.Mean && q.Run.Mean < q.Run.Max):
			return fail(at+".run", "must grow from median to mean to longest")
		case q.GPUSeconds != nil && q.States == nil:
			return fail(at+".gpu_seconds", "needs the states' shares of the jobs")
		}
	}
	for i, d := range p.Deadlines {
		at := fmt.Sprintf("deadlines[%d]", i)
		switch {
		case d.Strict < 0 || d.Soft < 0 || d.Strict+d.Soft > 1:
			return fail(at, "shares must add up to at most 1")
		case d.Soft > 0 && (len(d.Later)+1 != len(d.Rewards) || len(d.Rewards) == 0):
			return fail(at+".later", "needs one entry less than rewards")
		case d.Factor.To < d.Factor.From || d.Add.To < d.Add.From || d.Step.To < d.Step.From:
			return fail(at, "a range ends before it begins")
		}
	}
	return nil
}
