package sim

import "schedmate"

// JobResult is what happened to one job.
//
// Invariant: Submit <= Start <= End for a job that ran; Queue is the sum of
// all waits, the first and those after preemptions. End and Queue are what the
// World reports, which can differ from what its events say.
type JobResult struct {
	Job         *Job
	Start       schedmate.Seconds // of the first attempt, or when it was parked; NoTime if it never ran
	End         schedmate.Seconds // NoTime if it never ended
	Queue       schedmate.Seconds
	Preemptions int // times the policy took its GPUs away
	Restarts    int // attempts after the first, for whatever reason
	Stops       int // failures after which it has queued again
	State       schedmate.State
	Reason      *schedmate.Reason // why an infeasible job could not be placed
	Told        Told              // about its deadline
	Measured    bool              // by the profiler of its World
	Profile     *Profile          // nil: it was not profiled
}

// Told is what a policy has told a job about its deadline.
//
// Invariant: First is empty exactly if Last is: nobody has said anything; Deadline
// is that of First, 0 when that is empty.
type Told struct {
	First    schedmate.PromiseState
	Deadline schedmate.Seconds
	Last     schedmate.PromiseState
}

// Accepted reports whether the job was told that it will meet a deadline.
func (t Told) Accepted() bool { return t.First.Gives() }

// NoTime marks a Start or End that never came.
const NoTime schedmate.Seconds = -1

// JCT is the job completion time, End - Submit.
func (r *JobResult) JCT() schedmate.Seconds { return r.End - r.Job.Submit }

// Ran reports whether the job ran to an end.
func (r *JobResult) Ran() bool { return r.End != NoTime }

// EventKind names what happened at an instant.
type EventKind string

const (
	Submitted   EventKind = "submit"
	Started     EventKind = "start"
	Preempted   EventKind = "preempt"  // by the policy
	Evicted     EventKind = "evict"    // its node went down
	Stopped     EventKind = "stop"     // a failure: it waits for somebody who looks at it
	Resubmitted EventKind = "resubmit" // after a failure
	Moved       EventKind = "move"     // by the policy, to other GPUs
	Parked      EventKind = "park"     // by the policy: started, and waits for its turn
	Measuring   EventKind = "measure"  // by the policy: it waits on, and holds GPUs until Lease
	Ended       EventKind = "end"
	Rejected    EventKind = "infeasible"
	NodeHealth  EventKind = "node"
)

// Event is one thing that happened. Events are ordered by At and, within one
// second, by the order in which they took effect.
type Event struct {
	At          schedmate.Seconds      `json:"at_s"`
	Kind        EventKind              `json:"kind"`
	Job         string                 `json:"job,omitempty"`
	Allocations []schedmate.Allocation `json:"allocations,omitempty"`
	Lease       schedmate.Seconds      `json:"lease_until_s,omitempty"` // of a start or move that promises time, or a measurement
	Profile     bool                   `json:"profile,omitempty"`       // of a start that is for measuring the job
	State       schedmate.State        `json:"state,omitempty"`
	Node        string                 `json:"node,omitempty"`
	Health      schedmate.Health       `json:"health,omitempty"`
}
