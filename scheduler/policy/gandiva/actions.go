package gandiva

import (
	"cmp"
	"slices"

	"schedmate"
)

// actions makes the first jobs of each group run, and nobody else.
func (f *floor) actions(s *schedmate.Snapshot, placed map[string]bool) []schedmate.Action {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	actions := []schedmate.Action{}
	var begin []*schedmate.JobStatus // those that need GPUs
	running := slices.SortedFunc(slices.Values(s.Running), func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, j := range running {
		g := f.member[j.Job.ID]
		switch {
		case g == nil: // it runs where no group is
			continue
		case !g.runs(j.Job.ID):
			actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
		case f.within(g, j.Attempt.Allocations):
			continue
		default:
			begin = append(begin, j)
		}
		o.Release(&j.Job, j.Attempt.Allocations)
	}
	for _, g := range f.groups() {
		for i, id := range g.jobs {
			j := f.status[id]
			switch {
			case j.Attempt != nil:
			case i < g.slots:
				begin = append(begin, j)
			case placed[id]:
				actions = append(actions, schedmate.Action{Kind: schedmate.Park, Job: id})
			}
		}
	}
	for _, j := range begin {
		g := f.member[j.Job.ID]
		as := f.pick(o, g, &j.Job)
		switch {
		case as == nil && j.Attempt == nil:
			continue // its VC's quota is used up for the moment
		case as == nil:
			actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
			continue
		case j.Attempt == nil:
			actions = append(actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as})
		default:
			actions = append(actions, schedmate.Action{Kind: schedmate.Move, Job: j.Job.ID, Allocations: as})
		}
		o.Take(&j.Job, as)
	}
	return actions
}

// runs reports whether it is the job's turn.
func (g *group) runs(id string) bool {
	i := slices.Index(g.jobs, id)
	return i >= 0 && i < g.slots
}

func (f *floor) within(g *group, as []schedmate.Allocation) bool {
	for _, a := range as {
		if !slices.Contains(g.nodes, f.index[a.Node]) {
			return false
		}
	}
	return true
}

// pick finds the job's GPUs on the nodes of its group.
func (f *floor) pick(o *schedmate.Occupancy, g *group, j *schedmate.Job) []schedmate.Allocation {
	as := make([]schedmate.Allocation, 0, j.GPUs)
	shared := 0
	for _, i := range g.nodes {
		k := min(o.Free(i), j.GPUs-len(as))
		as = o.Pick(as, i, k)
		if o.Node(i).VC == "" {
			shared += k
		}
	}
	if len(as) < j.GPUs || shared > 0 && o.QuotaLeft(j.VC) < shared {
		return nil
	}
	return as
}
