package sjf

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
	return scheduler.Describe("sjf", "shortest job first", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Blocking: dispatch.Skip},
			World:   scheduler.World{Estimates: scheduler.TrueRunTime},
		},
		scheduler.TypedPreset[Options]{
			Name:    "lucid",
			Options: Options{Placement: place.LucidRule, Blocking: dispatch.HeadOfLine},
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

func (p *policy) Name() string { return "sjf" }

// Rank is the estimated run time.
func (p *policy) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	f := j.Fact(schedmate.RunSeconds, now)
	if f == nil {
		return scheduler.Rank{Key: scheduler.Unknown, Tie: int64(j.Job.Submit)}
	}
	return scheduler.Rank{Key: f.Value}
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	return schedmate.Plan{
		Policy:  p.Name(),
		Engine:  schedmate.RuleEngine,
		Actions: dispatch.InOrder(&s, scheduler.Queue(&s, p.Rank), p.find, p.blocking),
	}
}
