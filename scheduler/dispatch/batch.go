package dispatch

import (
	"iter"

	"schedmate"
	"schedmate/scheduler/place"
)

// Batch walks waiting jobs in the given order with a counter that starts at the
// number of free GPUs. A job that the counter holds is chosen, any other is
// skipped. Places are looked for only afterwards, for the widest of the chosen
// first; where there is none, the job waits, and the GPUs that were counted for
// it are not offered to anybody else by this plan.
//
// The jobs in gone run and are preempted first, whatever the counter says; those
// of them that are in the order may be started again. Nobody else is preempted.
//
// This is how the SRTF and EDF of the TitanSched artifact select.
func Batch(s *schedmate.Snapshot, gone []*schedmate.JobStatus, order iter.Seq[*schedmate.JobStatus], find place.Func) []schedmate.Action {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)

	actions := []schedmate.Action{}
	for _, j := range gone {
		o.Release(&j.Job, j.Attempt.Allocations)
		actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
	}
	counter := FreeGPUs(o)
	if counter == 0 {
		return actions
	}
	var chosen []*schedmate.JobStatus
	for j := range order {
		if j.Job.GPUs <= counter {
			chosen = append(chosen, j)
			if counter -= j.Job.GPUs; counter == 0 {
				break
			}
		}
	}
	sortWidestFirst(chosen)
	return fill(o, chosen, find, Skip, actions)
}
