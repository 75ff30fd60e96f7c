package edf

import (
	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule `json:"placement"`

	// Selection "displace" preempts jobs without a deadline to keep for those
	// that have one. "batch" is the reading of the TitanSched artifact, see the
	// package comment.
	Selection dispatch.Selection `json:"selection"`
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("edf", "earliest deadline first, preempts jobs that have none to keep", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Selection: dispatch.ByPlace},
			World:   scheduler.World{Estimates: scheduler.NoEstimates, RestartCost: scheduler.TypicalRestartCost()},
		},
		titanPreset(),
		elasticflowPreset(),
	)
}

type policy struct {
	find place.Func
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	if err := o.Selection.OneOf(dispatch.ByPlace, dispatch.ByBatch, dispatch.ByAssignment); err != nil {
		return nil, err
	}
	if o.Selection == dispatch.ByAssignment {
		return &elastic{find}, nil
	}
	if o.Selection == dispatch.ByBatch {
		return &titan{find}, nil
	}
	return &policy{find}, nil
}

func (p *policy) Name() string { return "edf" }

// Order is the next deadline. It changes while a job waits, so the policy is no
// Ranker: no host can keep its queue in order.
func (p *policy) Order(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	return scheduler.Rank{Key: int64(deadline(j, now)), Tie: int64(j.Job.Submit)}
}

// deadline returns the first deadline that is not over; Forever if there is none.
func deadline(j *schedmate.JobStatus, now schedmate.Seconds) schedmate.Seconds {
	for _, t := range j.Job.SLO.Tiers {
		if now <= t.Deadline {
			return t.Deadline
		}
	}
	return schedmate.Forever
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine}
	plan.Actions, plan.Wake = dispatch.Displace(&s, p.Order, p.find, func(w, v *schedmate.JobStatus) bool {
		return deadline(w, s.Now) < schedmate.Forever && deadline(v, s.Now) == schedmate.Forever
	})
	if plan.Wake == 0 { // otherwise the very next second is asked for
		plan.Wake = wake(&s, plan.Actions)
	}
	return plan
}

// wake returns when the last deadline of a job that runs after the actions is
// over, the first of them: somebody who waits may displace that job then.
func wake(s *schedmate.Snapshot, actions []schedmate.Action) schedmate.Seconds {
	if len(s.Waiting) == 0 {
		return 0
	}
	var next schedmate.Seconds
	for j := range dispatch.RunningAfter(s, actions) {
		tiers := j.Job.SLO.Tiers
		if len(tiers) == 0 {
			continue
		}
		if over := tiers[len(tiers)-1].Deadline + 1; over > s.Now && over <= schedmate.MaxSeconds && (next == 0 || over < next) {
			next = over
		}
	}
	return next
}
