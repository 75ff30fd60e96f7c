package yarncs

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule        `json:"placement"`
	Blocking  dispatch.Blocking `json:"blocking"`
	Turn      Turn              `json:"turn"`
}

// Turn says whose turn it is.
type Turn string

const (
	ByShare  Turn = "share"  // the VC's that holds least of what it is entitled to
	BySubmit Turn = "submit" // the job's that was submitted first, whatever its VC
)

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("yarncs", "capacity scheduling between virtual clusters", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Blocking: dispatch.Skip, Turn: ByShare},
			World:   scheduler.World{Estimates: scheduler.NoEstimates},
		},
		scheduler.TypedPreset[Options]{
			Name:    "titan",
			Options: Options{Placement: place.TitanRule, Blocking: dispatch.Skip, Turn: BySubmit},
			World:   scheduler.TitanWorld(scheduler.NoEstimates),
		},
	)
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	if err := o.Blocking.Validate(); err != nil {
		return nil, err
	}
	switch o.Turn {
	case ByShare:
		return &byShare{find, o.Blocking}, nil
	case BySubmit:
		return &bySubmit{find, o.Blocking}, nil
	}
	return nil, fmt.Errorf("unknown turn %q: use %s or %s", o.Turn, ByShare, BySubmit)
}

func bySubmission(j *schedmate.JobStatus, _ schedmate.Seconds) scheduler.Rank {
	return scheduler.Rank{Key: int64(j.Job.Submit)}
}

type bySubmit struct {
	find     place.Func
	blocking dispatch.Blocking
}

func (p *bySubmit) Name() string { return "yarncs" }

// Rank is the submission time.
func (p *bySubmit) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	return bySubmission(j, now)
}

func (p *bySubmit) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	return schedmate.Plan{
		Policy:  p.Name(),
		Engine:  schedmate.RuleEngine,
		Actions: dispatch.InOrder(&s, scheduler.Queue(&s, p.Rank), p.find, p.blocking),
	}
}
