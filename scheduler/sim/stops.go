package sim

import (
	"cmp"
	"container/heap"
	"fmt"

	"schedmate"
)

// Stop is a failure that ends an attempt of a job before its work is done, or,
// where At is all of its work, in its last second: what failed is run once more.
//
// The job gives its GPUs back, loses Redo of its work, and queues again when
// somebody has looked at it.
//
// Invariant: 0 < At <= the job's run time; 0 <= Redo <= At; each wait is NoTime
// or lies in [0, MaxSeconds], and they are not both NoTime.
type Stop struct {
	At   schedmate.Seconds // work that is done when it strikes
	Redo schedmate.Seconds // of that work, what no checkpoint holds
	// How long until the job queues again: without and with a failure handler
	// (World.Handler). NoTime: there is no such stop in that world.
	Unattended schedmate.Seconds
	Handled    schedmate.Seconds
}

func (j *Job) validateStops() error {
	before := schedmate.Seconds(0)
	for i, s := range j.Stops {
		switch {
		case s.At < 1 || s.At > j.Outcome.Run:
			return fmt.Errorf("[%d].at_s must lie in [1, %d], its run time, got %d", i, j.Outcome.Run, s.At)
		case s.At < before:
			return fmt.Errorf("[%d].at_s: stops must be sorted by the work that is done", i)
		case s.Redo < 0 || s.Redo > s.At:
			return fmt.Errorf("[%d].redo_s must lie in [0, %d], the work that is done, got %d", i, s.At, s.Redo)
		case s.Unattended == NoTime && s.Handled == NoTime:
			return fmt.Errorf("[%d]: a stop must strike somewhere: give it a wait with a handler, without one, or both", i)
		}
		for _, wait := range [2]schedmate.Seconds{s.Unattended, s.Handled} {
			if wait != NoTime && (wait < 0 || wait > schedmate.MaxSeconds) {
				return fmt.Errorf("[%d]: waits must lie in [0, %d] seconds, got %d", i, schedmate.MaxSeconds, wait)
			}
		}
		before = s.At
	}
	return nil
}

// wait is how long the stop keeps its job away; NoTime: it does not strike here.
func (s *Stop) wait(handler bool) schedmate.Seconds {
	if handler {
		return s.Handled
	}
	return s.Unattended
}

// nextStop returns the next failure of the job that strikes in this world; nil: it
// runs to its end. A time limit may end it before.
func (e *engine) nextStop(r *record) *Stop {
	for ; r.stops < len(r.job.Stops); r.stops++ {
		if s := &r.job.Stops[r.stops]; s.wait(e.cfg.World.Handler) != NoTime {
			if s.At > r.work {
				return nil
			}
			return s
		}
	}
	return nil
}

// fail ends an attempt by a failure. The job is nobody's until it returns.
func (e *engine) fail(r *record, s *Stop) error {
	id := r.status.Job.ID
	if err := e.ledger.Requeue(id); err != nil {
		return err
	}
	e.leave(r)
	r.stops++
	r.out.Stops++
	r.status.Done = s.At - s.Redo
	if e.cfg.World.Cycle == 0 {
		r.status.Owed += e.cfg.World.Restart(r.status.Job.GPUs)
	}
	e.res.RedoneGPUSeconds += int64(s.Redo) * int64(r.status.Job.GPUs)
	e.touch(r.part)
	e.emit(Event{At: e.now, Kind: Stopped, Job: id})
	heap.Push(&e.returns, comeback{at: e.now + s.wait(e.cfg.World.Handler), seq: r.status.Seq, record: r})
	return nil
}

// resubmit queues the jobs whose failures have been looked at.
func (e *engine) resubmit() {
	for len(e.returns) > 0 && e.returns[0].at <= e.now {
		r := heap.Pop(&e.returns).(comeback).record
		e.enqueue(r)
		e.emit(Event{At: e.now, Kind: Resubmitted, Job: r.status.Job.ID})
	}
}

// comeback is when a job queues again after a failure.
type comeback struct {
	at     schedmate.Seconds
	seq    int64
	record *record
}

// comebacks is a heap of them, the earliest first.
type comebacks []comeback

func (q comebacks) Len() int { return len(q) }
func (q comebacks) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].at, q[j].at), cmp.Compare(q[i].seq, q[j].seq)) < 0
}
func (q comebacks) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *comebacks) Push(x any)   { *q = append(*q, x.(comeback)) }
func (q *comebacks) Pop() any {
	h := *q
	last := h[len(h)-1]
	h[len(h)-1] = comeback{}
	*q = h[:len(h)-1]
	return last
}
