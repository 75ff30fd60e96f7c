package estimate

import (
	"fmt"

	"schedmate/scheduler/lease"
)

// PauseCost is what one interruption costs a job, as measured: writing its state
// and giving up the GPUs, and coming back until the next new iteration. Seconds,
// not negative.
type PauseCost struct {
	Suspend, Resume float64
}

// Validate reports a cost that is no time.
func (c PauseCost) Validate() error {
	if !(c.Suspend >= 0) || !(c.Resume >= 0) {
		return fmt.Errorf("cost of an interruption: must not be negative, got %g s to suspend and %g s to resume", c.Suspend, c.Resume)
	}
	return nil
}

// DeadlinePauses is the time that a job with a deadline is to expect from
// interruptions, when its leases fall on slots slots, every placement being
// equally likely (UniSched, Eq. 3): lease.ExpectedRuns runs, each of which
// begins with a resumption and all but the last end with a suspension. A job
// that runs now and goes on does not resume for its first run; never less than
// nothing.
func DeadlinePauses(leases, slots int, runsNow bool, cost PauseCost) (float64, error) {
	if err := cost.Validate(); err != nil {
		return 0, err
	}
	runs, err := lease.ExpectedRuns(leases, slots)
	if err != nil {
		return 0, err
	}
	resumes, suspends := runs, max(0, runs-1)
	if runsNow {
		resumes = max(0, runs-1)
	}
	return resumes*cost.Resume + suspends*cost.Suspend, nil
}

// SpotPauses is the same for a best-effort job with that many leases left: at
// each boundary it is interrupted with probability 1/2.
func SpotPauses(leases int, cost PauseCost) (float64, error) {
	if err := cost.Validate(); err != nil {
		return 0, err
	}
	if leases < 0 {
		return 0, fmt.Errorf("leases: must not be negative, got %d", leases)
	}
	return lease.SpotResumes(leases) * (cost.Suspend + cost.Resume), nil
}
