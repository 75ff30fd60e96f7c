package sia

import (
	"schedmate"
	"schedmate/scheduler"
)

// Plus describes sia+: sia among jobs that are told what past runs of the same
// code were measured to do (SchedMate paper, integration with Sia). Such a job
// begins with a model of every type that they ran on, in place of a guess from one
// type and of growing twofold at a time, and goes on to measure its own steps. Any
// other begins as under sia. The rules are those of sia.
func Plus() scheduler.Descriptor {
	var presets []scheduler.TypedPreset[Options]
	for _, p := range Descriptor().Presets {
		p.World.Advice = scheduler.AdviceReplaces
		presets = append(presets, scheduler.TypedPreset[Options]{Name: p.Name, Options: p.Options.(Options), World: p.World})
	}
	return scheduler.Describe("sia+", "sia with step times of similar past jobs", buildPlus, presets...)
}

type plus struct{ policy }

func buildPlus(o Options) (scheduler.Policy, error) {
	base, err := build(o)
	if err != nil {
		return nil, err
	}
	return &plus{*base.(*policy)}, nil
}

func (p *plus) Name() string { return "sia+" }

func (p *plus) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	plan := p.policy.Plan(s, b)
	plan.Policy = p.Name()
	return plan
}
