package srtf

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule         `json:"placement"`
	Selection dispatch.Selection `json:"selection"`
	Margin    schedmate.Seconds  `json:"margin_s"` // selection "displace": what a victim must have left beyond the newcomer
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("srtf", "shortest remaining time first, preemptive", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Selection: dispatch.ByPlace, Margin: 2 * scheduler.TypicalRestart},
			World:   scheduler.World{Estimates: scheduler.TrueRunTime, RestartCost: scheduler.TypicalRestartCost()},
		},
		scheduler.TypedPreset[Options]{
			Name:    "lucid",
			Options: Options{Placement: place.LucidRule, Selection: dispatch.ByCount},
			World: scheduler.World{
				Estimates:   scheduler.TrueRunTime,
				EndLag:      1,
				RestartCost: []scheduler.CostStep{{UpToGPUs: 8, Cost: 40}, {Cost: 60}},
			},
		},
		scheduler.TypedPreset[Options]{
			Name:    "titan",
			Options: Options{Placement: place.TitanRule, Selection: dispatch.ByBatch},
			World:   scheduler.TitanWorld(scheduler.TrueRunTime),
		},
	)
}

type policy struct {
	find      place.Func
	selection dispatch.Selection
	margin    schedmate.Seconds
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	if err := o.Selection.OneOf(dispatch.ByPlace, dispatch.ByCount, dispatch.ByBatch); err != nil {
		return nil, err
	}
	if o.Margin < 0 || o.Margin > schedmate.MaxSeconds {
		return nil, fmt.Errorf("margin_s must lie in [0, %d], got %d", schedmate.MaxSeconds, o.Margin)
	}
	return &policy{find, o.Selection, o.Margin}, nil
}

func (p *policy) Name() string { return "srtf" }

// Rank is the work left.
func (p *policy) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	left, ok := j.Remaining(now)
	switch {
	case ok:
		return scheduler.Rank{Key: int64(left)}
	case j.Attempt != nil:
		return scheduler.Rank{Key: -1} // never preempted
	}
	return scheduler.Rank{Key: scheduler.Unknown, Tie: int64(j.Job.Submit)}
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine}
	switch p.selection {
	case dispatch.ByBatch:
		plan.Actions = dispatch.Batch(&s, nil, slices.Values(scheduler.Queue(&s, p.Rank)), p.find)
		return plan
	case dispatch.ByCount:
		queue, running := scheduler.Queue(&s, p.Rank), scheduler.Sorted(s.Running, s.Now, p.Rank)
		order := dispatch.Merge(queue, running, func(w, r *schedmate.JobStatus) bool {
			return p.Rank(w, s.Now).Key <= p.Rank(r, s.Now).Key
		})
		plan.Actions = dispatch.Counted(&s, order, p.find, false)
		return plan
	}
	plan.Actions, plan.Wake = dispatch.Displace(&s, p.Rank, p.find, func(w, v *schedmate.JobStatus) bool {
		left, known := w.Remaining(s.Now)
		victim, ok := v.Remaining(s.Now)
		return known && ok && victim > left+p.margin
	})
	return plan
}
