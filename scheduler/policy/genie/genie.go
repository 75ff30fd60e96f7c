package genie

import (
	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule        `json:"placement"`
	Blocking  dispatch.Blocking `json:"blocking"`
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("genie", "least slack first among the jobs that can still make their deadline", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Blocking: dispatch.Skip},
			World:   scheduler.World{Estimates: scheduler.TrueRunTime},
		},
	)
}

type policy struct {
	find     place.Func
	blocking dispatch.Blocking
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	if err := o.Blocking.Validate(); err != nil {
		return nil, err
	}
	return &policy{find, o.Blocking}, nil
}

func (p *policy) Name() string { return "genie" }

// Order is the slack. Which deadlines can be made changes while a job waits, so
// the policy is no Ranker.
func (p *policy) Order(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	late := scheduler.Rank{Key: scheduler.Unknown, Tie: int64(j.Job.Submit)}
	left, known := j.Remaining(now)
	if !known {
		return late
	}
	for _, t := range j.Job.SLO.Tiers {
		if slack := t.Deadline - now - left; slack >= 0 {
			return scheduler.Rank{Key: int64(slack), Tie: int64(j.Job.Submit)}
		}
	}
	return late
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	return schedmate.Plan{
		Policy:  p.Name(),
		Engine:  schedmate.RuleEngine,
		Actions: dispatch.InOrder(&s, scheduler.Sorted(s.Waiting, s.Now, p.Order), p.find, p.blocking),
	}
}
