package dispatch

import (
	"slices"
	"sort"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/place"
)

// Displace starts waiting jobs in the order of rank. Where one does not fit,
// it preempts running jobs that it beats, the worst first and no more than
// needed, if that makes a place; otherwise it preempts nobody. beats must agree
// with rank: a job does not beat what its predecessors do not beat.
//
// A preempted job has had its one action in this plan, but it keeps its rank:
// where it would fit elsewhere, no job behind it gets its place. So a plan that
// preempts asks to be followed by another one in the next second, wake, at
// which the preempted jobs are waiting jobs like others; otherwise wake is 0.
func Displace(s *schedmate.Snapshot, rank func(*schedmate.JobStatus, schedmate.Seconds) scheduler.Rank, find place.Func, beats func(w, v *schedmate.JobStatus) bool) (actions []schedmate.Action, wake schedmate.Seconds) {
	queue := scheduler.Queue(s, rank)
	actions = []schedmate.Action{}
	if len(queue) == 0 {
		return actions, 0
	}
	running := slices.DeleteFunc(scheduler.Sorted(s.Running, s.Now, rank), func(j *schedmate.JobStatus) bool { return !Movable(s, j) })
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)

	preempted := 0 // jobs still in the queue that this plan has preempted
	var failed shapes
	for len(queue) > 0 {
		w := queue[0]
		beaten := w.Attempt == nil && len(running) > 0 && beats(w, running[len(running)-1])
		if !beaten && preempted == 0 {
			actions = fill(o, queue, find, Skip, actions)
			break
		}
		queue = queue[1:]
		if w.Attempt != nil { // preempted above
			preempted--
			if as := find(o, &w.Job); as != nil {
				o.Take(&w.Job, as)
			}
			continue
		}
		if failed.has(&w.Job) {
			continue
		}
		as := find(o, &w.Job)
		if as == nil {
			var victims []*schedmate.JobStatus
			if victims, as = clear(o, w, running, beats, find); as == nil {
				failed.add(&w.Job)
				continue
			}
			for _, v := range victims {
				actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: v.Job.ID})
			}
			running = without(running, victims)
			queue = rejoin(queue, victims, s.Now, rank)
			preempted += len(victims)
			wake = s.Now + 1 // what failed with more to release fails again
		}
		o.Take(&w.Job, as)
		actions = append(actions, schedmate.Action{Kind: schedmate.Start, Job: w.Job.ID, Allocations: as})
	}
	return actions, wake
}

// rejoin returns the queue with the preempted jobs at the places of their rank.
func rejoin(queue, preempted []*schedmate.JobStatus, now schedmate.Seconds, rank func(*schedmate.JobStatus, schedmate.Seconds) scheduler.Rank) []*schedmate.JobStatus {
	queue = slices.Clone(queue) // it may be the host's own
	for _, v := range preempted {
		at, _ := slices.BinarySearchFunc(queue, v, func(a, b *schedmate.JobStatus) int {
			return scheduler.Compare(rank(a, now), a, rank(b, now), b)
		})
		queue = slices.Insert(queue, at, v)
	}
	return queue
}

// clear releases as few of the running jobs that w beats as make a place for
// w, the worst first, and returns them with the place; nothing is released when
// even all are too few. running is in the order of rank.
func clear(o *schedmate.Occupancy, w *schedmate.JobStatus, running []*schedmate.JobStatus, beats func(w, v *schedmate.JobStatus) bool, find place.Func) ([]*schedmate.JobStatus, []schedmate.Allocation) {
	mark := o.Mark()
	var victims []*schedmate.JobStatus // worst first
	for enough, batch := false, 1; !enough; batch *= 2 {
		before := len(victims)
		for len(victims) < before+batch && len(victims) < len(running) {
			v := running[len(running)-1-len(victims)]
			if !beats(w, v) {
				break
			}
			o.Release(&v.Job, v.Attempt.Allocations)
			victims = append(victims, v)
		}
		if len(victims) == before {
			o.Rollback(mark)
			return nil, nil
		}
		enough = find(o, &w.Job) != nil
	}
	// Give back, the best first, whoever does not stand in the way. Whoever can
	// be given back with others can be without them, so halving finds the first
	// that cannot.
	best := slices.Clone(victims)
	slices.Reverse(best)
	var leave []*schedmate.JobStatus
	for len(best) > 0 {
		n := sort.Search(len(best), func(k int) bool {
			mark := o.Mark()
			defer o.Rollback(mark)
			take(o, best[:k+1])
			return find(o, &w.Job) == nil
		})
		take(o, best[:n])
		if n == len(best) {
			break
		}
		leave, best = append(leave, best[n]), best[n+1:]
	}
	return leave, find(o, &w.Job)
}

func take(o *schedmate.Occupancy, jobs []*schedmate.JobStatus) {
	for _, j := range jobs {
		o.Take(&j.Job, j.Attempt.Allocations)
	}
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
