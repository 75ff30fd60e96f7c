package chronus

import (
	"errors"
	"fmt"
	"math"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/admit"
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

	// Rules are those of reading "calendar", and empty with any other.
	Rules Rules `json:"rules,omitzero"`
}

// Rules are what the paper leaves open, or we do otherwise.
//
// Invariant: Terms are valid and aligned, for leases of lease_s whatever their own
// says; Steps, Margin and AgeMilli
// are not negative.
type Rules struct {
	// Terms are those on which promises are given. Their lease_s is that of Options.
	Terms admit.Options `json:"terms"`
	// Calendar is which of the calendars that keep all promises is carried out.
	Calendar Calendar `json:"calendar"`
	// SoftTier is which of its tiers a soft job is told.
	SoftTier SoftTier `json:"soft_tier"`
	// PromisedInSpot is how promised jobs without a lease compete for what the
	// leases leave over.
	PromisedInSpot Turn `json:"promised_in_spot"`
	// Steps bounds the planning of a boundary's leases, unless the host gives a
	// budget.
	Steps int64 `json:"steps"`
	// Margin is what a job that gives way in Spot must have left beyond the newcomer.
	Margin schedmate.Seconds `json:"margin_s"`
	// AnyTime lets GPUs that are free go to whoever waits at once. Otherwise they are
	// given away at the next cycle.
	AnyTime bool `json:"any_time"`
	// AgeMilli ages best-effort jobs: each second without GPUs makes them rank as if
	// they had so many thousandths of a second less to do.
	AgeMilli int `json:"age_milli"`
}

// Calendar says which calendar is carried out.
type Calendar string

const (
	Planned Calendar = "planned" // as it was found: promised jobs early, newcomers beside them
	Latest  Calendar = "latest"  // each promised job as late as possible, so that the present slot is left to Spot

	// Adaptive is Latest while anybody waits who is promised nothing, and else uses
	// the present slot as much as can be. The public code breaks its ties so.
	Adaptive Calendar = "adaptive"
)

// SoftTier says which of its tiers a soft job is told.
type SoftTier string

const (
	// FirstTier: it expects the earliest that there is room for, and strict promises
	// that are given later may overrule it.
	FirstTier SoftTier = "first"
	// LastTier: it is sure of its last tier, as strict jobs are of their deadline,
	// and rounds choose by which of them it ends.
	LastTier SoftTier = "last"
)

// Turn says when a promised job without a lease has its turn in Spot.
type Turn string

const (
	Alike  Turn = "alike"  // with everybody, by the time that is left
	Behind Turn = "behind" // after everybody who is promised nothing
)

// Reading says whose rules are followed.
type Reading string

// Artifact follows the public code of CHRONUS to the letter, slips included.
const Artifact Reading = "artifact"

// ByCalendar follows the paper: promises by certificate, leases by an exact round,
// Spot by the least remaining time.
const ByCalendar Reading = "calendar"

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
			Options: Options{Reading: ByCalendar, Selector: MILP, Placement: place.ConsolidatedRule, Lease: 1200, Cycle: 300, Step: 1, Rules: ourRules()},
			World:   scheduler.World{Estimates: scheduler.TrueRunTime, RestartCost: scheduler.TypicalRestartCost()},
		},
		scheduler.TypedPreset[Options]{
			Name:    "paper",
			Options: Options{Reading: ByCalendar, Selector: MILP, Placement: place.ConsolidatedRule, Lease: 1200, Cycle: 300, Step: 1, Rules: paperRules()},
			World:   scheduler.World{Estimates: scheduler.TrueRunTime, RestartCost: scheduler.TypicalRestartCost()},
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
	case o.Reading == ByCalendar:
		o.Rules.Terms.Lease = o.Lease
		if err := o.validateRules(); err != nil {
			return nil, fmt.Errorf("rules.%w", err)
		}
		return &planner{o, find}, nil
	case o.Reading != Artifact:
		return nil, fmt.Errorf("unknown reading %q: use %s or %s", o.Reading, Artifact, ByCalendar)
	case o.Rules != (Rules{}):
		return nil, fmt.Errorf("rules belong to reading %s", ByCalendar)
	}
	return &artifact{o, find}, nil
}

// paperRules are those of the paper. Where its text leaves open which of the plans of
// equal reward is carried out, its authors' code has the answer: see [Adaptive].
// Promised jobs without a lease compete in Spot, where the text names only the others
// and the code has them [Behind]: what they do there early is what saves promises
// from wrong estimates. What a start costs is known from the world that the presets
// share.
func paperRules() Rules {
	terms := admit.Paper()
	terms.Lease, terms.Aligned, terms.Resume, terms.Steps = 0, true, scheduler.TypicalRestart, searchSteps
	return Rules{Terms: terms, Calendar: Adaptive, SoftTier: LastTier, PromisedInSpot: Alike, Steps: roundSteps}
}

// ourRules promise by the upper end of estimates, keep promised jobs back as long
// as that is safe, and let nothing idle. Two fifths of every slot are never promised:
// a cluster that is promised to the last GPU serves its promises and nobody else. On
// MIX2 in full that took the weighted miss rate from 5.7 % to 0.8 % (a fifth: 1.5 %).
func ourRules() Rules {
	terms := admit.Default()
	terms.ReserveMilli = 400
	terms.Lease, terms.Aligned, terms.Resume, terms.Steps = 0, true, scheduler.TypicalRestart, searchSteps
	return Rules{Terms: terms, Calendar: Latest, SoftTier: FirstTier, PromisedInSpot: Alike, Steps: roundSteps, Margin: 2 * scheduler.TypicalRestart, AnyTime: true, AgeMilli: 100}
}

// searchSteps and roundSteps are what a search for a calendar beside a promise and
// a round may take: some milliseconds each.
const (
	searchSteps = 50
	roundSteps  = 400
)

func (o *Options) validateRules() error {
	r := &o.Rules
	if err := r.Terms.Validate(); err != nil {
		return fmt.Errorf("terms.%w", err)
	}
	switch {
	case !r.Terms.Aligned:
		return errors.New("terms.aligned: leases begin at multiples of lease_s, set it")
	case r.Calendar != Planned && r.Calendar != Latest && r.Calendar != Adaptive:
		return fmt.Errorf("calendar: unknown %q: use %s, %s or %s", r.Calendar, Planned, Latest, Adaptive)
	case r.SoftTier != FirstTier && r.SoftTier != LastTier:
		return fmt.Errorf("soft_tier: unknown %q: use %s or %s", r.SoftTier, FirstTier, LastTier)
	case r.PromisedInSpot != Alike && r.PromisedInSpot != Behind:
		return fmt.Errorf("promised_in_spot: unknown %q: use %s or %s", r.PromisedInSpot, Alike, Behind)
	case r.Steps < 0 || r.AgeMilli < 0:
		return fmt.Errorf("steps and age_milli must not be negative, got %d and %d", r.Steps, r.AgeMilli)
	case r.Margin < 0 || r.Margin > schedmate.MaxSeconds:
		return fmt.Errorf("margin_s must lie in [0, %d], got %d", schedmate.MaxSeconds, r.Margin)
	}
	return nil
}
