package sim

import "schedmate"

// begin makes a new attempt that counts as running since an instant, mostly now.
// In rounds its end is reckoned when all have begun.
func (e *engine) begin(r *record, as []schedmate.Allocation, since schedmate.Seconds) {
	s := &r.status
	if r.out.Start == NoTime {
		r.out.Start = since
	}
	r.out.Restarts = r.attempts
	r.attempts++
	s.Attempt = &schedmate.Attempt{Number: r.attempts, Start: since, Allocations: as}
	s.Seq = e.seq
	e.seq++
	r.since = e.now
	r.part.start(s)
	r.stop = e.nextStop(r)
	switch {
	case r.pace != nil:
		r.pace.begin(r)
		return
	case shares(as):
		e.join(r)
		return
	}
	due := since + s.Owed + r.work - s.Done + e.cfg.World.EndLag
	if r.stop != nil {
		due = since + s.Owed + r.stop.At - s.Done
	}
	at := due
	if since < e.now {
		at = max(due, e.now+1) // it holds its GPUs at least until anybody looks again
	}
	r.turn++
	e.ends.push(end{at: at, due: due, seq: s.Seq, turn: r.turn, record: r, stop: r.stop})
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

// tell takes note of what jobs are told about their deadlines.
func (e *engine) tell(plan *schedmate.Plan) {
	for i := range plan.Promises {
		c := &plan.Promises[i]
		t := &e.live[c.Job].out.Told
		if t.First == "" {
			t.First, t.Deadline = c.State, c.Deadline
		}
		t.Last = c.State
	}
}

// park takes note that the job has started, although it waits for its turn.
func (e *engine) park(r *record) {
	if r.out.Start == NoTime {
		r.out.Start = e.now
	}
	e.emit(Event{At: e.now, Kind: Parked, Job: r.status.Job.ID})
}
