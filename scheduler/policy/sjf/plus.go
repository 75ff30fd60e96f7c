package sjf

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// PlusOptions configures sjf+.
type PlusOptions struct {
	Options
	Index Index `json:"index"`
}

// Index says what shortest means.
type Index string

const (
	// ByRun: the run time of the job, were it to complete.
	ByRun Index = "run"
	// ByOccupancy: how long it is expected to hold its GPUs, as some jobs like it
	// are cancelled or fail; where nobody says so, its run time.
	ByOccupancy Index = "occupancy"
)

// Plus describes sjf+: shortest job first by what similar jobs did, with failures
// looked at by a handler (SchedMate paper, standalone integration). What nothing
// is known of is ranked as by sjf.
func Plus() scheduler.Descriptor {
	options := Options{Placement: place.ConsolidatedRule, Blocking: dispatch.Skip}
	return scheduler.Describe("sjf+", "shortest job first by similar past jobs, failures handled", buildPlus,
		scheduler.TypedPreset[PlusOptions]{
			Name:    scheduler.DefaultPreset,
			Options: PlusOptions{options, ByOccupancy},
			World:   scheduler.World{Estimates: scheduler.TraceEstimate, Advice: scheduler.AdviceIfSurer, Handler: true},
		},
		scheduler.TypedPreset[PlusOptions]{
			Name:    "paper",
			Options: PlusOptions{options, ByRun},
			World:   scheduler.World{Estimates: scheduler.TraceEstimate, Advice: scheduler.AdviceReplaces, Handler: true},
		},
	)
}

type plus struct {
	policy
	index Index
}

func buildPlus(o PlusOptions) (scheduler.Policy, error) {
	if o.Index != ByRun && o.Index != ByOccupancy {
		return nil, fmt.Errorf("index: unknown %q: use run or occupancy", o.Index)
	}
	base, err := build(o.Options)
	if err != nil {
		return nil, err
	}
	return &plus{*base.(*policy), o.Index}, nil
}

func (p *plus) Name() string { return "sjf+" }

// Rank is the run time that the index reads.
func (p *plus) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	if p.index == ByOccupancy {
		if f := j.Fact(schedmate.OccupancySeconds, now); f != nil {
			return scheduler.Rank{Key: f.Value}
		}
	}
	return p.policy.Rank(j, now)
}

func (p *plus) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	return schedmate.Plan{
		Policy:  p.Name(),
		Engine:  schedmate.RuleEngine,
		Actions: dispatch.InOrder(&s, scheduler.Queue(&s, p.Rank), p.find, p.blocking),
	}
}
