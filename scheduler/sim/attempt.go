package sim

import "schedmate"

// begin makes a new attempt. In rounds its end is reckoned when all have begun.
func (e *engine) begin(r *record, as []schedmate.Allocation) {
	s := &r.status
	if r.out.Start == NoTime {
		r.out.Start = e.now
	}
	r.out.Restarts = r.attempts
	r.attempts++
	s.Attempt = &schedmate.Attempt{Number: r.attempts, Start: e.now, Allocations: as}
	s.Seq = e.seq
	e.seq++
	r.since = e.now
	r.part.start(s)
	if r.pace != nil {
		r.pace.begin(r)
		return
	}
	e.ends.push(end{
		at:      e.now + s.Owed + r.work - s.Done + e.cfg.World.EndLag,
		seq:     s.Seq,
		attempt: s.Attempt.Number,
		record:  r,
	})
}

// release takes away what the jobs that the plan moves hold, so that they can
// change places.
func (e *engine) release(plan *schedmate.Plan) {
	for i := range plan.Actions {
		if a := &plan.Actions[i]; a.Kind == schedmate.Move {
			e.leave(e.live[a.Job])
		}
	}
}

// park takes note that the job has started, although it waits for its turn.
func (e *engine) park(r *record) {
	if r.out.Start == NoTime {
		r.out.Start = e.now
	}
	e.emit(Event{At: e.now, Kind: Parked, Job: r.status.Job.ID})
}
