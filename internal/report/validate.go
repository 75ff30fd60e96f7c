package report

import (
	"errors"
	"fmt"

	"schedmate"
)

// validate checks the invariants of Page and Run.
func (p *Page) validate() error {
	if len(p.Runs) == 0 {
		return fmt.Errorf("page %q has no runs: simulate at least one policy first", p.Title)
	}
	type identity struct {
		policy, preset string
		seed           int64
	}
	seen := make(map[identity]int)
	for i := range p.Runs {
		r := &p.Runs[i]
		id := identity{r.Policy, r.Preset, r.Seed}
		if first, dup := seen[id]; dup {
			return fmt.Errorf("runs %d and %d are both policy %q, preset %q, seed %d: give each run once", first, i, r.Policy, r.Preset, r.Seed)
		}
		seen[id] = i
		if err := errors.Join(r.validate(), sameMetrics(&p.Runs[0], r)); err != nil {
			return fmt.Errorf("run %d (policy %q, preset %q, seed %d): %w", i, r.Policy, r.Preset, r.Seed, err)
		}
	}
	return nil
}

func sameMetrics(a, b *Run) error {
	if len(a.Metrics) != len(b.Metrics) {
		return fmt.Errorf("has %d metrics where the first run has %d: mark a metric that does not apply as missing", len(b.Metrics), len(a.Metrics))
	}
	for i := range a.Metrics {
		if x, y := a.Metrics[i], b.Metrics[i]; x.Name != y.Name || x.Unit != y.Unit || x.Better != y.Better || x.Group != y.Group {
			return fmt.Errorf("metric %d is %q in %q of group %q where the first run has %q in %q of group %q: list the same metrics in the same order", i, y.Name, y.Unit, y.Group, x.Name, x.Unit, x.Group)
		}
	}
	return nil
}

func (r *Run) validate() error {
	switch {
	case r.GPUs < 1:
		return fmt.Errorf("capacity must be at least 1 GPU, got %d", r.GPUs)
	case r.Makespan < 0 || r.Makespan > schedmate.MaxSeconds:
		return fmt.Errorf("makespan must lie in [0, %d] seconds, got %d", schedmate.MaxSeconds, r.Makespan)
	case len(r.JCT) != len(r.Queue):
		return fmt.Errorf("has %d JCTs and %d queue delays: give both for each job that ended, and for no other", len(r.JCT), len(r.Queue))
	case r.BarsOmitted < 0:
		return fmt.Errorf("omitted bars must not be negative, got %d", r.BarsOmitted)
	}
	return errors.Join(
		checkTimes("JCT", r.JCT),
		checkTimes("queue delay", r.Queue),
		r.checkUsage(),
		r.checkBars(),
		r.checkPairs(),
		r.checkReference(),
	)
}

func checkTimes(name string, times []schedmate.Seconds) error {
	for i, t := range times {
		if t < 0 || t > schedmate.MaxSeconds {
			return fmt.Errorf("%s %d must lie in [0, %d] seconds, got %d: leave out jobs that did not end", name, i, schedmate.MaxSeconds, t)
		}
	}
	return nil
}

// instant reports whether a time can be one of a run, whatever its epoch.
func instant(t schedmate.Seconds) bool {
	return -schedmate.MaxSeconds <= t && t <= schedmate.MaxSeconds
}

func (r *Run) checkUsage() error {
	for i, s := range r.Usage {
		switch {
		case !instant(s.At):
			return fmt.Errorf("usage sample %d is at %d, outside [%d, %d] seconds: count from an epoch nearer to the run", i, s.At, -schedmate.MaxSeconds, schedmate.MaxSeconds)
		case i > 0 && s.At <= r.Usage[i-1].At:
			return fmt.Errorf("usage sample %d is at %d s, not after the one before it: sort the samples and keep the last one of each second", i, s.At)
		case s.UsedGPUs < 0 || s.DownGPUs < 0 || s.WaitingJobs < 0 || s.WaitingGPUs < 0:
			return fmt.Errorf("usage sample %d has a negative count: %+v", i, s)
		case s.UsedGPUs+s.DownGPUs > r.GPUs:
			return fmt.Errorf("usage sample %d has %d GPUs used and %d down of a capacity of %d: a GPU counts once", i, s.UsedGPUs, s.DownGPUs, r.GPUs)
		}
	}
	return nil
}

func (r *Run) checkBars() error {
	rows := 0
	for i, n := range r.Nodes {
		if n.GPUs < 0 || n.GPUs > schedmate.MaxGangGPUs {
			return fmt.Errorf("node %d (%q) has %d GPUs, outside [0, %d]", i, n.Name, n.GPUs, schedmate.MaxGangGPUs)
		}
		rows += n.GPUs
	}
	for i, b := range r.Bars {
		switch {
		case b.Row < 0 || b.Row >= rows:
			return fmt.Errorf("bar %d of job %q is in row %d, but the nodes have %d GPUs: list the nodes that the rows count", i, b.Job, b.Row, rows)
		case b.End < b.Start || !instant(b.Start) || !instant(b.End):
			return fmt.Errorf("bar %d of job %q lasts from %d to %d s: a bar ends after it starts, and within [%d, %d] seconds", i, b.Job, b.Start, b.End, -schedmate.MaxSeconds, schedmate.MaxSeconds)
		case b.GPUs < 1:
			return fmt.Errorf("bar %d of job %q belongs to a gang of %d GPUs: the size of a gang is at least 1", i, b.Job, b.GPUs)
		}
	}
	return nil
}

func (r *Run) checkReference() error {
	for i, ref := range r.Reference {
		if ref.Equal < 0 || ref.Equal > ref.Of {
			return fmt.Errorf("reference %d (%q) has %d equal jobs of %d: count the equal ones among those compared", i, ref.Name, ref.Equal, ref.Of)
		}
	}
	return nil
}
