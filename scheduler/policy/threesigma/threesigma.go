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
	Planning  Planning          `json:"planning"`
	Slot      schedmate.Seconds `json:"slot_s"`            // how finely is planned ahead
	Cycle     schedmate.Seconds `json:"cycle_s,omitempty"` // planning "expected": how soon is planned anew while somebody waits
}

// Planning says how starts are planned.
type Planning string

const (
	Expected Planning = "expected" // by expected rewards and expected use, anew every time
	Reserve  Planning = "reserve"  // by whole run times, and for good: the reading of the TitanSched artifact
)

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	titanWorld := scheduler.TitanWorld(scheduler.TrueRunTime)
	titanWorld.Tick = 1200 // its lease: between leases nothing is decided
	return scheduler.Describe("threesigma", "plans ahead by the distribution of run times", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Planning: Expected, Slot: 300, Cycle: 60},
			World:   scheduler.World{Tick: 60, Estimates: scheduler.TrueRunTime, RestartCost: scheduler.TypicalRestartCost()},
		},
		scheduler.TypedPreset[Options]{
			Name:    "titan",
			Options: Options{Placement: place.TitanRule, Planning: Reserve, Slot: 1200},
			World:   titanWorld,
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
	switch o.Planning {
	case Expected:
		if o.Cycle < 1 || o.Cycle > schedmate.MaxSeconds {
			return nil, fmt.Errorf("cycle_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Cycle)
		}
		return &expected{find, o.Slot, o.Cycle}, nil
	case Reserve:
		if o.Cycle != 0 {
			return nil, fmt.Errorf("cycle_s must be left out with planning %q, got %d", Reserve, o.Cycle)
		}
		return &titan{find, o.Slot}, nil
	}
	return nil, fmt.Errorf("unknown planning %q: use %s or %s", o.Planning, Expected, Reserve)
}
