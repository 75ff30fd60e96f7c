package chronus

import (
	"fmt"
	"math"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Reading   Reading           `json:"reading"`
	Selector  Selector          `json:"selector"`
	Placement place.Rule        `json:"placement"`
	Lease     schedmate.Seconds `json:"lease_s"` // of a job with a promised deadline
	Cycle     schedmate.Seconds `json:"cycle_s"` // how often the others are looked at; divides lease_s
	Step      schedmate.Seconds `json:"step_s"`  // how often anything is; divides cycle_s
}

// Reading says whose rules are followed.
type Reading string

// Artifact follows the public code of CHRONUS to the letter, slips included.
const Artifact Reading = "artifact"

// Selector says how leases are chosen at their boundaries.
type Selector string

const (
	Greedy Selector = "greedy" // latest slots first, by reward; the artifact's way when it has no solver
	MILP   Selector = "milp"   // an integer program over all promised jobs
)

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("chronus", "promises deadlines by a calendar of leases; the rest runs on what is left over", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Reading: Artifact, Selector: MILP, Placement: place.ConsolidatedRule, Lease: 1200, Cycle: 300, Step: 60},
			World:   scheduler.World{Tick: 60, Estimates: scheduler.TrueRunTime, RestartCost: scheduler.TypicalRestartCost()},
		},
		scheduler.TypedPreset[Options]{
			Name:    "chronus",
			Options: Options{Reading: Artifact, Selector: MILP, Placement: place.SpreadRule, Lease: 1200, Cycle: 300, Step: 60},
			World:   World(),
		},
	)
}

// World is what the simulator of the CHRONUS artifact does around its policy:
// steps of 60 s, cycles of 300 s, and half a minute for one GPU and for every
// doubling of the gang each time a job starts in a cycle.
func World() scheduler.World {
	w := scheduler.World{Tick: 60, Cycle: 300, Estimates: scheduler.TrueRunTime}
	const gangs = 64
	for gpus := 1; gpus < gangs; gpus++ {
		if cost := startCost(gpus); len(w.RestartCost) > 0 && w.RestartCost[len(w.RestartCost)-1].Cost == cost {
			w.RestartCost[len(w.RestartCost)-1].UpToGPUs = gpus
		} else {
			w.RestartCost = append(w.RestartCost, scheduler.CostStep{UpToGPUs: gpus, Cost: cost})
		}
	}
	w.RestartCost = append(w.RestartCost, scheduler.CostStep{Cost: startCost(gangs)})
	return w
}

// startCost is 0.1 minutes for a checkpoint and 0.4 for a resumption, times one
// and the doublings of the gang, in whole seconds, rounded up.
func startCost(gpus int) schedmate.Seconds {
	return schedmate.Seconds(math.Ceil(30 * (1 + math.Log2(float64(gpus)))))
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	switch {
	case o.Step < 1 || o.Step > schedmate.MaxSeconds:
		return nil, fmt.Errorf("step_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Step)
	case o.Cycle < 1 || o.Cycle > schedmate.MaxSeconds || o.Cycle%o.Step != 0:
		return nil, fmt.Errorf("cycle_s must be a multiple of step_s in [1, %d], got %d", schedmate.MaxSeconds, o.Cycle)
	case o.Lease < 1 || o.Lease > schedmate.MaxSeconds || o.Lease%o.Cycle != 0:
		return nil, fmt.Errorf("lease_s must be a multiple of cycle_s in [1, %d], got %d", schedmate.MaxSeconds, o.Lease)
	case o.Selector != Greedy && o.Selector != MILP:
		return nil, fmt.Errorf("unknown selector %q: use %s or %s", o.Selector, Greedy, MILP)
	case o.Reading != Artifact:
		return nil, fmt.Errorf("unknown reading %q: use %s", o.Reading, Artifact)
	}
	return &artifact{o, find}, nil
}
