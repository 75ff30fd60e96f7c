package qssf

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule        `json:"placement"`
	Blocking  dispatch.Blocking `json:"blocking"`
	// ArrivalsByGPUs orders jobs by GPUs alone in the second of their arrival
	// if nothing waited before.
	ArrivalsByGPUs bool `json:"arrivals_by_gpus"`
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("qssf", "quasi-shortest service first", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Blocking: dispatch.Skip},
			World:   scheduler.World{Estimates: scheduler.TraceEstimate},
		},
		scheduler.TypedPreset[Options]{
			Name:    "lucid",
			Options: Options{Placement: place.LucidRule, Blocking: dispatch.HeadOfLine, ArrivalsByGPUs: true},
			World:   scheduler.World{Estimates: scheduler.TraceEstimate},
		},
	)
}

type policy struct {
	find           place.Func
	blocking       dispatch.Blocking
	arrivalsByGPUs bool
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	if err := o.Blocking.Validate(); err != nil {
		return nil, err
	}
	return &policy{find, o.Blocking, o.ArrivalsByGPUs}, nil
}

func (p *policy) Name() string { return "qssf" }

// Rank is the estimated GPU time.
func (p *policy) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	f := j.Fact(schedmate.RunSeconds, now)
	if f == nil {
		return scheduler.Rank{Key: scheduler.Unknown, Tie: int64(j.Job.Submit)}
	}
	return scheduler.Rank{Key: f.Value * int64(j.Job.GPUs), Tie: int64(j.Job.GPUs)}
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine}
	if p.arrivalsByGPUs && allArrive(&s) {
		queue := slices.Clone(s.Waiting)
		slices.SortFunc(queue, func(a, b *schedmate.JobStatus) int {
			return cmp.Or(cmp.Compare(a.Job.GPUs, b.Job.GPUs), cmp.Compare(a.Seq, b.Seq))
		})
		plan.Actions = dispatch.InOrder(&s, queue, p.find, p.blocking)
		if len(plan.Actions) < len(queue) {
			plan.Wake = s.Now + 1
		}
		return plan
	}
	plan.Actions = dispatch.InOrder(&s, scheduler.Queue(&s, p.Rank), p.find, p.blocking)
	return plan
}

func allArrive(s *schedmate.Snapshot) bool {
	for _, j := range s.Waiting {
		if j.Job.Submit < s.Now {
			return false
		}
	}
	return true
}
