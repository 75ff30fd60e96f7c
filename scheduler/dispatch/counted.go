package dispatch

import (
	"cmp"
	"iter"
	"slices"

	"schedmate"
	"schedmate/scheduler/place"
)

// Counted walks all jobs, running and waiting, in the given order with a
// counter that starts at the number of GPUs. A job that the counter holds may
// run, any other must not: if it runs, it is preempted. Places are looked for
// only afterwards, so a job can be chosen, others preempted for it, and still
// no place be found; it then waits for the next round.
//
// This is how the Lucid artifact's SRTF and Tiresias select. Jobs on nodes that
// take no new work keep what they have and are not counted.
//
// Places are looked for in the order in which jobs were chosen, or, as the
// TitanSched artifact does, for the widest job first.
func Counted(s *schedmate.Snapshot, order iter.Seq[*schedmate.JobStatus], find place.Func, widestFirst bool) []schedmate.Action {
	actions := []schedmate.Action{}
	if len(s.Waiting) == 0 {
		return actions // everything that runs fits
	}
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)

	counter := 0
	for i := range o.Len() {
		if o.Node(i).Takes() {
			counter += o.Node(i).GPUs
		}
	}
	var chosen []*schedmate.JobStatus
	running := len(s.Running)
	for j := range order {
		if counter == 0 && running == 0 {
			break // neither a start nor a preemption can follow
		}
		if j.Attempt != nil {
			running--
		}
		switch {
		case j.Attempt != nil && !Movable(s, j):
		case j.Job.GPUs <= counter:
			counter -= j.Job.GPUs
			if j.Attempt == nil {
				chosen = append(chosen, j)
			}
		case j.Attempt != nil:
			o.Release(&j.Job, j.Attempt.Allocations)
			actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
		}
	}
	if widestFirst {
		sortWidestFirst(chosen)
	}
	return fill(o, chosen, find, Skip, actions)
}

func sortWidestFirst(jobs []*schedmate.JobStatus) {
	slices.SortStableFunc(jobs, func(a, b *schedmate.JobStatus) int { return cmp.Compare(b.Job.GPUs, a.Job.GPUs) })
}

// Movable reports whether all nodes of a running job take new work.
func Movable(s *schedmate.Snapshot, j *schedmate.JobStatus) bool {
	for i, a := range j.Attempt.Allocations {
		if i > 0 && a.Node == j.Attempt.Allocations[i-1].Node {
			continue
		}
		if !s.Cluster.Node(a.Node).Takes() {
			return false
		}
	}
	return true
}
