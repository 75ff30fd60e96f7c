package lucid

import (
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
}

// Plus describes lucid+: lucid that hears of similar past jobs (SchedMate paper,
// integration with Lucid). What they say of utilisation, memory and share score
// stands for a profile, so that such a job is not profiled, and what they say of the
// run time for lucid's estimate. Of whom nothing is said is profiled and estimated
// as by lucid. Pairs that their logs show to be slow are taken apart.
func Plus() scheduler.Descriptor {
	base := Descriptor()
	standard, paper := base.Presets[0], base.Presets[1]
	ours, theirs := PlusOptions{standard.Options.(Options), true}, PlusOptions{paper.Options.(Options), false}
	theirs.Undo = pack.Paper()
	standard.World.Advice, paper.World.Advice = scheduler.AdviceIfSurer, scheduler.AdviceReplaces
	return scheduler.Describe("lucid+", "lucid with profiles and estimates by similar past jobs", buildPlus,
		scheduler.TypedPreset[PlusOptions]{Name: standard.Name, Options: ours, World: standard.World},
		scheduler.TypedPreset[PlusOptions]{Name: paper.Name, Options: theirs, World: paper.World},
	)
}

type plus struct{ policy }

func buildPlus(o PlusOptions) (scheduler.Policy, error) {
	base, err := build(o.Options)
	if err != nil {
		return nil, err
	}
	p := &plus{*base.(*policy)}
	p.held = o.Occupancy
	return p, nil
}

func (p *plus) Name() string { return "lucid+" }

func (p *plus) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	plan := p.policy.Plan(s, b)
	plan.Policy = p.Name()
	return plan
}
