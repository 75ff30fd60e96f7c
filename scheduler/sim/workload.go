package sim

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler/adaptive"
)

// Workload is everything that happens to a simulated cluster from outside.
//
// Invariant: Jobs are sorted by Submit, jobs of one second in the order of
// their arrival; IDs are unique; every Job has an Outcome whose State is
// completed, failed, cancelled or timed_out; Facts are of different kinds, known
// at Submit and never expire, so that a waiting job keeps its place in the
// queue. Nodes are sorted by At.
type Workload struct {
	Jobs  []Job
	Nodes []NodeEvent
	Pairs Pairs // speeds of jobs that share GPUs, as far as they have been measured
}

// Job is a job of a trace: the request, its Outcome, and the facts that the
// trace itself has to offer about it.
type Job struct {
	schedmate.Job
	Facts  []schedmate.Fact
	Speeds *Speeds // where the trace knows more than one gang; nil: it does not

	Training *Training // of an adaptive job; nil: it is none

	// Advised are facts that stand in for those of the same kind from the instant
	// at which they are observed on, in a World with an advisor.
	Advised []schedmate.Fact
	// Remembered is the application that an advisor takes an adaptive job for, with
	// Advised; nil: it has not been seen before. All its steps are known then.
	Remembered *adaptive.Application
	// Stops are its failures on the way, in the order in which they strike.
	Stops []Stop
}

// NodeEvent changes the health of a node.
type NodeEvent struct {
	At     schedmate.Seconds
	Node   string
	Health schedmate.Health
}

// Validate checks the invariant of Workload against the cluster.
func (w *Workload) Validate(c *schedmate.Cluster) error {
	seen := make(map[string]bool, len(w.Jobs))
	for i := range w.Jobs {
		j := &w.Jobs[i]
		at := fmt.Sprintf("jobs[%d]", i)
		if err := j.Job.Validate(at); err != nil {
			return fmt.Errorf("workload: %w", err)
		}
		switch {
		case seen[j.ID]:
			return fmt.Errorf("workload: %s.id: job %s occurs twice", at, j.ID)
		case i > 0 && w.Jobs[i-1].Submit > j.Submit:
			return fmt.Errorf("workload: %s.submit_s: jobs must be sorted by submission, job %s is not", at, j.ID)
		case j.Outcome == nil:
			return fmt.Errorf("workload: %s.outcome: job %s has no outcome to simulate", at, j.ID)
		case j.Outcome.State == schedmate.Infeasible:
			return fmt.Errorf("workload: %s.outcome.state: infeasible is found by the simulation, it is no outcome of job %s", at, j.ID)
		case j.VC != "" && c.VC(j.VC) == nil:
			return fmt.Errorf("workload: %s.vc: job %s names vc %q, which the cluster does not have", at, j.ID, j.VC)
		}
		seen[j.ID] = true
		if err := j.Speeds.validate(); err != nil {
			return fmt.Errorf("workload: %s.speeds: job %s: %w", at, j.ID, err)
		}
		if err := j.Training.validate(); err != nil {
			return fmt.Errorf("workload: %s.training: job %s: %w", at, j.ID, err)
		}
		if err := j.validateAdvised(at + ".advised"); err != nil {
			return fmt.Errorf("workload: %w", err)
		}
		if err := j.validateStops(); err != nil {
			return fmt.Errorf("workload: %s.stops%w (job %s)", at, err, j.ID)
		}
		for k := range j.Facts {
			f, at := &j.Facts[k], fmt.Sprintf("%s.facts[%d]", at, k)
			if err := f.Validate(at); err != nil {
				return fmt.Errorf("workload: %w", err)
			}
			switch {
			case f.ObservedAt > j.Submit || f.ExpiresAt != 0:
				return fmt.Errorf("workload: %s: a fact about job %s must be known when it is submitted, at %d s, and must not expire", at, j.ID, j.Submit)
			case slices.ContainsFunc(j.Facts[:k], func(g schedmate.Fact) bool { return g.Kind == f.Kind }):
				return fmt.Errorf("workload: %s.kind: kind %s occurs twice for job %s", at, f.Kind, j.ID)
			}
		}
	}
	if err := w.Pairs.validate(); err != nil {
		return fmt.Errorf("workload: %w", err)
	}
	for i, e := range w.Nodes {
		switch {
		case c.Node(e.Node) == nil:
			return fmt.Errorf("workload: nodes[%d].node: unknown node %q", i, e.Node)
		case !e.Health.Known():
			return fmt.Errorf("workload: nodes[%d].health: unknown health %q", i, e.Health)
		case e.At < 0 || e.At > schedmate.MaxSeconds:
			return fmt.Errorf("workload: nodes[%d].at: must lie in [0, %d] seconds, got %d", i, schedmate.MaxSeconds, e.At)
		case i > 0 && w.Nodes[i-1].At > e.At:
			return fmt.Errorf("workload: nodes[%d].at: events must be sorted by time", i)
		}
	}
	return nil
}
