package verify

import (
	"cmp"

	"schedmate"
)

// measures judges, after the actions, on which GPUs a plan measures waiting jobs.
func (l *Ledger) measures(p *schedmate.Plan) {
	if len(p.Measures) == 0 {
		return
	}
	type gpu struct {
		node string
		gpu  int
	}
	jobs, held := make(map[string]bool), make(map[gpu]bool)
	for i := range p.Measures {
		m := &p.Measures[i]
		e := l.jobs[m.Job]
		switch {
		case e == nil:
			l.refuse(OnePlace, m.Job, "is measured and is not known, or has ended")
			continue
		case e.running != nil:
			l.refuse(OnePlace, m.Job, "is measured while it runs")
			continue
		case jobs[m.Job]:
			l.refuse(OnePlace, m.Job, "is measured twice")
			continue
		case len(m.Allocations) < 1 || len(m.Allocations) > e.job.GPUs:
			l.refuse(Gang, m.Job, "asks for %d GPUs and is measured on %d", e.job.GPUs, len(m.Allocations))
			continue
		}
		jobs[m.Job] = true
		for k, a := range m.Allocations {
			n := l.nodes[a.Node]
			switch {
			case a.Share != schedmate.WholeGPU:
				l.refuse(Gang, m.Job, "is measured on %d thousandths of a GPU", a.Share)
			case k > 0 && cmp.Or(cmp.Compare(m.Allocations[k-1].Node, a.Node), cmp.Compare(m.Allocations[k-1].GPU, a.GPU)) >= 0:
				l.refuse(Gang, m.Job, "allocations are not sorted by node and GPU, or name one twice")
			case n == nil || a.GPU < 0 || a.GPU >= len(n.load):
				l.refuse(Topology, m.Job, "is measured on GPU %d of node %q, which does not exist", a.GPU, a.Node)
			case !l.admits(n, e.job): // has said why
			case n.load[a.GPU] > 0 || held[gpu{a.Node, a.GPU}]:
				l.refuse(Capacity, m.Job, "is measured on GPU %d of node %s, which another job has", a.GPU, a.Node)
			default:
				held[gpu{a.Node, a.GPU}] = true
			}
		}
	}
}
