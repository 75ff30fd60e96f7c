package scheduler

import (
	"slices"

	"schedmate"
)

// Parts cuts a cluster into parts that share no node, so that each can be
// planned alone. With a node that belongs to no VC every VC competes for it,
// and the cluster is one part. Otherwise each VC is a part of its own, and
// jobs of no VC form one with no nodes at all.
func Parts(c *schedmate.Cluster) []schedmate.Cluster {
	if slices.ContainsFunc(c.Nodes, func(n schedmate.Node) bool { return n.VC == "" }) {
		return []schedmate.Cluster{*c}
	}
	parts := make([]schedmate.Cluster, 0, len(c.VCs)+1)
	parts = append(parts, schedmate.Cluster{Name: c.Name, Spread: c.Spread})
	for _, vc := range c.VCs {
		part := schedmate.Cluster{Name: c.Name, Spread: c.Spread, VCs: []schedmate.VC{vc}}
		for _, n := range c.Nodes {
			if n.VC == vc.Name {
				part.Nodes = append(part.Nodes, n)
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// PartOf returns the index in Parts(c) of the part that jobs of the VC belong to.
func PartOf(parts []schedmate.Cluster, vc string) int {
	if len(parts) == 1 {
		return 0
	}
	for i := 1; i < len(parts); i++ {
		if parts[i].VCs[0].Name == vc {
			return i
		}
	}
	return 0
}

// Split cuts a snapshot into one snapshot for each part of its cluster. A job
// that runs on a node of another VC (nodes change owners while jobs run) ties
// the parts together: then the snapshot is one part.
func Split(s schedmate.Snapshot) []schedmate.Snapshot {
	parts := Parts(&s.Cluster)
	if len(parts) == 1 || slices.ContainsFunc(s.Running, func(j *schedmate.JobStatus) bool { return strays(&s.Cluster, j) }) {
		return []schedmate.Snapshot{s}
	}
	out := make([]schedmate.Snapshot, len(parts))
	for i := range parts {
		out[i] = schedmate.Snapshot{APIVersion: s.APIVersion, Kind: s.Kind, Now: s.Now, Cluster: parts[i], Memory: s.Memory}
	}
	for _, j := range s.Waiting {
		p := &out[PartOf(parts, j.Job.VC)]
		p.Waiting = append(p.Waiting, j)
	}
	for _, j := range s.Running {
		p := &out[PartOf(parts, j.Job.VC)]
		p.Running = append(p.Running, j)
	}
	return out
}

func strays(c *schedmate.Cluster, j *schedmate.JobStatus) bool {
	return slices.ContainsFunc(j.Attempt.Allocations, func(a schedmate.Allocation) bool { return c.Node(a.Node).VC != j.Job.VC })
}

// Plan asks the policy for every part of the snapshot and joins the answers
// in the order of the parts. Every part is shown the whole memory, since notes
// about another part's jobs and nodes are as strange to it as any old note.
func Plan(p Policy, s schedmate.Snapshot, b Budget) schedmate.Plan {
	parts := Split(s)
	if len(parts) == 1 {
		return p.Plan(s, b)
	}
	joined := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}}
	for _, part := range parts {
		if len(part.Waiting)+len(part.Running) == 0 {
			continue
		}
		plan := p.Plan(part, b)
		joined.Actions = append(joined.Actions, plan.Actions...)
		joined.Value = sum(joined.Value, plan.Value)
		joined.Bound = sum(joined.Bound, plan.Bound)
		joined.BudgetUsed += plan.BudgetUsed
		joined.Engine = plan.Engine
		joined.Memory = append(joined.Memory, plan.Memory...)
		joined.Promises = append(joined.Promises, plan.Promises...)
		joined.Measures = append(joined.Measures, plan.Measures...)
		if plan.Wake != 0 && (joined.Wake == 0 || plan.Wake < joined.Wake) {
			joined.Wake = plan.Wake
		}
	}
	return joined
}

func sum(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	total := *a + *b
	return &total
}
