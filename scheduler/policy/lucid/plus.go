package lucid

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/pack"
)

// PlusOptions configures lucid+.
type PlusOptions struct {
	Options
	// Occupancy orders jobs by how long they are expected to hold their GPUs, as some
	// like them are cancelled or fail; where nobody says so, by their run time.
	Occupancy bool `json:"occupancy"`
	// Hear is how long a newcomer waits for advice before it is profiled; 0: not at
	// all, and its profile ends early when there is advice.
	Hear schedmate.Seconds `json:"hear_s"`
}

// Plus describes lucid+: lucid that hears of similar past jobs (SchedMate paper,
// integration with Lucid). What they say of utilisation, memory and share score
// stands for a profile, so that such a job is not profiled, and what they say of the
// run time for lucid's estimate. Of whom nothing is said is profiled and estimated
// as by lucid. Pairs that their logs show to be slow are taken apart.
func Plus() scheduler.Descriptor {
	base := Descriptor()
	standard, paper := base.Presets[0], base.Presets[1]
	ours, theirs := PlusOptions{Options: standard.Options.(Options), Occupancy: true}, PlusOptions{Options: paper.Options.(Options)}
	theirs.Undo = pack.Paper()
	standard.World.Advice, paper.World.Advice = scheduler.AdviceIfSurer, scheduler.AdviceReplaces
	return scheduler.Describe("lucid+", "lucid with profiles and estimates by similar past jobs", buildPlus,
		scheduler.TypedPreset[PlusOptions]{Name: standard.Name, Options: ours, World: standard.World},
		scheduler.TypedPreset[PlusOptions]{Name: paper.Name, Options: theirs, World: paper.World},
	)
}

type plus struct{ policy }

func buildPlus(o PlusOptions) (scheduler.Policy, error) {
	if o.Hear < 0 || o.Hear > o.Profiler.Window {
		return nil, fmt.Errorf("hear_s must lie between 0 and the profiler's window_s of %d, got %d", o.Profiler.Window, o.Hear)
	}
	base, err := build(o.Options)
	if err != nil {
		return nil, err
	}
	p := &plus{*base.(*policy)}
	p.held, p.hear = o.Occupancy, o.Hear
	return p, nil
}

func (p *plus) Name() string { return "lucid+" }

func (p *plus) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	plan := p.policy.Plan(s, b)
	plan.Policy = p.Name()
	return plan
}
