package dispatch

import (
	"iter"

	"schedmate"
)

// RunningAfter walks the jobs that hold GPUs once the actions are carried out.
func RunningAfter(s *schedmate.Snapshot, actions []schedmate.Action) iter.Seq[*schedmate.JobStatus] {
	changed := make(map[string]schedmate.ActionKind, len(actions))
	starts := 0
	for _, a := range actions {
		changed[a.Job] = a.Kind
		if a.Kind == schedmate.Start {
			starts++
		}
	}
	return func(yield func(*schedmate.JobStatus) bool) {
		for _, j := range s.Running {
			if changed[j.Job.ID] != schedmate.Preempt && !yield(j) {
				return
			}
		}
		for i, left := 0, starts; left > 0; i++ { // they are near the head of a long queue
			if j := s.Waiting[i]; changed[j.Job.ID] == schedmate.Start {
				if !yield(j) {
					return
				}
				left--
			}
		}
	}
}
