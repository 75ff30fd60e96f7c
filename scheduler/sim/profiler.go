package sim

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// Profile is a run that was for measuring a job.
//
// Invariant: Start <= End; if Finished, End is that of the job.
type Profile struct {
	Start, End schedmate.Seconds // of the last one
	Finished   bool              // the job ended in it
}

// profiled runs a workload in a world with a free profiler: first the jobs that
// are profiled on the profiler's nodes, then all that have not ended there on the
// others.
func profiled(cfg Config, w Workload) (*Result, error) {
	rules := *cfg.World.Profiler
	cut := len(cfg.Cluster.Nodes) - rules.Nodes
	if cut < 1 {
		return nil, fmt.Errorf("the profiler takes %d of %d nodes: leave at least one to the other jobs", rules.Nodes, len(cfg.Cluster.Nodes))
	}
	main, lab := cfg, cfg
	main.Cluster.Nodes, lab.Cluster.Nodes = cfg.Cluster.Nodes[:cut], cfg.Cluster.Nodes[cut:]
	lab.Policy, lab.World = fewestGPUs{}, scheduler.World{Estimates: scheduler.NoEstimates}
	main.World.Profiler = nil

	short := Workload{Nodes: eventsOn(w.Nodes, &lab.Cluster)}
	for _, j := range w.Jobs {
		if j.GPUs <= rules.MostGPUs {
			outcome := *j.Outcome
			outcome.Run = min(outcome.Run, rules.Window)
			j.Outcome, j.Sizes, j.Speeds = &outcome, nil, nil
			short.Jobs = append(short.Jobs, j)
		}
	}
	var told []Event // of jobs that end in the profiler, for whoever observes
	over := make(map[string]*JobResult, len(short.Jobs))
	ends := func(j *Job) bool { return j.GPUs <= rules.MostGPUs && work(j) <= rules.Window }
	byID := make(map[string]*Job, len(w.Jobs))
	for i := range w.Jobs {
		byID[w.Jobs[i].ID] = &w.Jobs[i]
	}
	if cfg.Observe != nil {
		lab.Observe = func(ev Event) {
			if j := byID[ev.Job]; j == nil || ends(j) {
				ev.Allocations = slices.Clone(ev.Allocations)
				told = append(told, ev)
			}
		}
		main.Observe = func(ev Event) {
			for len(told) > 0 && told[0].At <= ev.At {
				cfg.Observe(told[0])
				told = told[1:]
			}
			cfg.Observe(ev)
		}
	}
	first, err := newEngine(lab, &short).whole()
	if err != nil {
		return nil, fmt.Errorf("profiler: %w", err)
	}
	for i := range first.Jobs {
		over[first.Jobs[i].Job.ID] = &first.Jobs[i]
	}

	rest := Workload{Nodes: eventsOn(w.Nodes, &main.Cluster), Pairs: w.Pairs}
	for _, j := range w.Jobs {
		if p := over[j.ID]; p == nil || !p.Ran() || !ends(&j) {
			rest.Jobs = append(rest.Jobs, j)
		}
	}
	res, err := newEngine(main, &rest).whole()
	if err != nil {
		return nil, err
	}
	for _, ev := range told {
		cfg.Observe(ev)
	}
	return joined(res, first, &w, ends), nil
}

// joined is the result of both passes. What the profiler held for jobs that have
// not ended there is forgotten, as their work is.
func joined(res, lab *Result, w *Workload, ends func(*Job) bool) *Result {
	mains, labs := byJob(res), byJob(lab)
	jobs := make([]JobResult, len(w.Jobs))
	for i := range w.Jobs {
		j := &w.Jobs[i]
		p, m := labs[j.ID], mains[j.ID]
		if m == nil {
			jobs[i] = *p
			if jobs[i].State = j.Outcome.State; work(j) < j.Outcome.Run {
				jobs[i].State = schedmate.TimedOut
			}
			res.HeldGPUSeconds += int64(work(j)) * int64(j.GPUs)
			res.Last = max(res.Last, p.End)
		} else {
			jobs[i] = *m
		}
		jobs[i].Job = j
		if p == nil || !p.Ran() {
			continue
		}
		jobs[i].Profile = &Profile{Start: p.Start, End: p.End, Finished: ends(j)}
		if m != nil {
			jobs[i].Queue += p.Queue
		}
	}
	res.Jobs = jobs
	res.GPUs += lab.GPUs
	res.Plans += lab.Plans
	res.DownGPUSeconds += lab.DownGPUSeconds
	if len(w.Jobs) > 0 {
		res.First = w.Jobs[0].Submit
	}
	both := newDigest()
	both.hash.Write([]byte(lab.Hash + "\n" + res.Hash + "\n"))
	res.Hash = both.sum()
	return res
}

func byJob(r *Result) map[string]*JobResult {
	m := make(map[string]*JobResult, len(r.Jobs))
	for i := range r.Jobs {
		m[r.Jobs[i].Job.ID] = &r.Jobs[i]
	}
	return m
}

func eventsOn(events []NodeEvent, c *schedmate.Cluster) []NodeEvent {
	var mine []NodeEvent
	for _, e := range events {
		if c.Node(e.Node) != nil {
			mine = append(mine, e)
		}
	}
	return mine
}

// fewestGPUs is the order of the profiler: the jobs with the fewest GPUs first,
// and nobody overtakes one that does not fit.
type fewestGPUs struct{}

func (fewestGPUs) Name() string { return "profiler" }

func (fewestGPUs) Rank(j *schedmate.JobStatus, _ schedmate.Seconds) scheduler.Rank {
	return scheduler.Rank{Key: int64(j.Job.GPUs)}
}

func (p fewestGPUs) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	return schedmate.Plan{
		Policy:  p.Name(),
		Engine:  schedmate.RuleEngine,
		Actions: dispatch.InOrder(&s, scheduler.Queue(&s, p.Rank), place.Consolidated, dispatch.HeadOfLine),
	}
}
