package edf

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

func titanPreset() scheduler.TypedPreset[Options] {
	world := scheduler.TitanWorld(scheduler.NoEstimates)
	world.PreemptionWait = world.Tick // the step that preempts a job is also booked as a wait
	return scheduler.TypedPreset[Options]{
		Name:    "titan",
		Options: Options{Placement: place.TitanRule, Selection: dispatch.ByBatch},
		World:   world,
	}
}

// titan is the EDF of the TitanSched artifact.
type titan struct {
	find place.Func
}

func (p *titan) Name() string { return "edf" }

// first returns the first deadline. A best-effort job has its submission in that
// column of the artifact's traces, and is ordered by it.
func first(j *schedmate.JobStatus) schedmate.Seconds {
	if len(j.Job.SLO.Tiers) == 0 {
		return j.Job.Submit
	}
	return j.Job.SLO.Tiers[0].Deadline
}

// bestEffort reports whether a job is best effort, or has become it.
func bestEffort(j *schedmate.JobStatus, now schedmate.Seconds) bool {
	return len(j.Job.SLO.Tiers) == 0 || now > first(j)
}

// expires reports whether a running job's deadline is over and it has not been
// preempted for that yet: whoever starts later is best effort from the start.
func expires(j *schedmate.JobStatus, now schedmate.Seconds) bool {
	return len(j.Job.SLO.Tiers) > 0 && now > first(j) && j.Attempt.Start <= first(j)
}

// Order is the first deadline, best-effort jobs behind all others. It changes
// when a deadline passes.
func (p *titan) Order(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	key := int64(first(j))
	if bestEffort(j, now) {
		key += int64(schedmate.MaxSeconds) + 1
	}
	return scheduler.Rank{Key: key, Tie: int64(j.Job.Submit)}
}

func (p *titan) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	var gone []*schedmate.JobStatus
	held := false // an expired job is on a node that takes nothing now: it goes when the node takes work again
	for _, j := range s.Running {
		switch {
		case !expires(j, s.Now):
		case dispatch.Movable(&s, j):
			gone = append(gone, j)
		default:
			held = true
		}
	}
	gone = scheduler.Sorted(gone, s.Now, p.Order)
	queue := func(yield func(*schedmate.JobStatus) bool) { // sorts only if a GPU is free
		slices.Values(scheduler.Sorted(slices.Concat(s.Waiting, gone), s.Now, p.Order))(yield)
	}
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine}
	plan.Actions = dispatch.Batch(&s, gone, queue, p.find)
	if plan.Wake = nextExpiry(&s); held {
		plan.Wake = s.Now + 1 // nobody tells when
	}
	return plan
}

// nextExpiry returns when the next deadline is over: that of a running job, which is
// preempted then, or of a waiting one, behind which others go then.
func nextExpiry(s *schedmate.Snapshot) schedmate.Seconds {
	next := schedmate.Forever
	consider := func(j *schedmate.JobStatus) {
		if len(j.Job.SLO.Tiers) > 0 && s.Now <= first(j) {
			next = min(next, first(j)+1)
		}
	}
	for _, j := range s.Running {
		consider(j)
	}
	for _, j := range s.Waiting {
		consider(j)
	}
	if next > schedmate.MaxSeconds {
		return 0
	}
	return next
}
