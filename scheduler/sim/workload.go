package sim

import (
	"fmt"

	"schedmate"
)

// Workload is everything that happens to a simulated cluster from outside.
//
// Invariant: Jobs are sorted by Submit, jobs of one second in the order of
// their arrival; IDs are unique; every Job has an Outcome whose State is
// completed, failed, cancelled or timed_out. Nodes are sorted by At.
type Workload struct {
	Jobs  []Job
	Nodes []NodeEvent
}

// Job is a job of a trace: the request, its Outcome, and the facts that the
// trace itself has to offer about it.
type Job struct {
	schedmate.Job
	Facts []schedmate.Fact
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
		for k := range j.Facts {
			if err := j.Facts[k].Validate(fmt.Sprintf("%s.facts[%d]", at, k)); err != nil {
				return fmt.Errorf("workload: %w", err)
			}
		}
	}
	for i, e := range w.Nodes {
		switch {
		case c.Node(e.Node) == nil:
			return fmt.Errorf("workload: nodes[%d].node: unknown node %q", i, e.Node)
		case !e.Health.Known():
			return fmt.Errorf("workload: nodes[%d].health: unknown health %q", i, e.Health)
		case i > 0 && w.Nodes[i-1].At > e.At:
			return fmt.Errorf("workload: nodes[%d].at: events must be sorted by time", i)
		}
	}
	return nil
}
