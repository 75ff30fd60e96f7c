package threesigma

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule        `json:"placement"`
	Slot      schedmate.Seconds `json:"slot_s"` // how finely is planned ahead
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	world := scheduler.TitanWorld(scheduler.TrueRunTime)
	world.Tick = 1200
	return scheduler.Describe("threesigma", "plans starts ahead by the distribution of run times", build,
		scheduler.TypedPreset[Options]{
			Name:    "titan",
			Options: Options{Placement: place.TitanRule, Slot: 1200},
			World:   world,
		},
	)
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	if o.Slot < 1 || o.Slot > schedmate.MaxSeconds {
		return nil, fmt.Errorf("slot_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Slot)
	}
	return &titan{find, o.Slot}, nil
}
