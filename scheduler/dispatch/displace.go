package dispatch

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/place"
)

// Displace starts waiting jobs in the order of queue. Where one does not fit,
// it preempts running jobs that it beats, from the end of running (worst
// first) and no more than needed, if that makes a place; otherwise it preempts
// nobody. beats must agree with the orders: a job does not beat what its
// predecessors in queue do not beat.
//
// A preempted job may fit elsewhere at once, but has had its one action in this
// plan. Then wake is the next second, at which the host should plan again;
// otherwise it is 0.
func Displace(s *schedmate.Snapshot, queue, running []*schedmate.JobStatus, find place.Func, beats func(w, v *schedmate.JobStatus) bool) (actions []schedmate.Action, wake schedmate.Seconds) {
	actions = []schedmate.Action{}
	if len(queue) == 0 {
		return actions, 0
	}
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)

	var preempted []*schedmate.JobStatus
	var failed shapes
	for at, w := range queue {
		victims := losers(s, w, running, beats)
		if len(victims) == 0 {
			actions = fill(o, queue[at:], find, Skip, actions)
			break
		}
		if failed.has(&w.Job) {
			continue
		}
		as := find(o, &w.Job)
		if as == nil {
			victims, as = clear(o, w, victims, find)
			if as == nil {
				failed.add(&w.Job)
				continue
			}
			for _, v := range victims {
				actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: v.Job.ID})
			}
			preempted = append(preempted, victims...)
			running = without(running, victims)
			failed = nil
		}
		o.Take(&w.Job, as)
		actions = append(actions, schedmate.Action{Kind: schedmate.Start, Job: w.Job.ID, Allocations: as})
	}
	if slices.ContainsFunc(preempted, func(v *schedmate.JobStatus) bool { return find(o, &v.Job) != nil }) {
		wake = s.Now + 1
	}
	return actions, wake
}

// losers returns the running jobs that w beats and that may be moved, worst first.
func losers(s *schedmate.Snapshot, w *schedmate.JobStatus, running []*schedmate.JobStatus, beats func(w, v *schedmate.JobStatus) bool) []*schedmate.JobStatus {
	var out []*schedmate.JobStatus
	for i := len(running) - 1; i >= 0 && beats(w, running[i]); i-- {
		if movable(s, running[i]) {
			out = append(out, running[i])
		}
	}
	return out
}

// clear releases as few victims as make a place for w, the worst first, and
// returns them with the place; nothing is released when even all are too few.
func clear(o *schedmate.Occupancy, w *schedmate.JobStatus, victims []*schedmate.JobStatus, find place.Func) ([]*schedmate.JobStatus, []schedmate.Allocation) {
	mark := o.Mark()
	for _, v := range victims {
		o.Release(&v.Job, v.Attempt.Allocations)
	}
	if find(o, &w.Job) == nil {
		o.Rollback(mark)
		return nil, nil
	}
	// Give back, the best first, whoever does not stand in the way.
	var leave []*schedmate.JobStatus
	for i := len(victims) - 1; i >= 0; i-- {
		v := victims[i]
		o.Take(&v.Job, v.Attempt.Allocations)
		if find(o, &w.Job) == nil {
			o.Release(&v.Job, v.Attempt.Allocations)
			leave = append(leave, v)
		}
	}
	return leave, find(o, &w.Job)
}

func without(running, gone []*schedmate.JobStatus) []*schedmate.JobStatus {
	kept := make([]*schedmate.JobStatus, 0, len(running))
	for _, j := range running {
		if !slices.Contains(gone, j) {
			kept = append(kept, j)
		}
	}
	return kept
}
