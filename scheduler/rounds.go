package scheduler

import (
	"errors"
	"fmt"

	"schedmate"
)

// Rounds describes a host that works in rounds: it looks at what has happened,
// asks the policy once, and looks again no sooner than Slot later. Whatever
// happens in between waits: an arrival is seen at the next round, and a job that
// has ended holds its GPUs until then, although its end is the instant at which
// its work was done.
//
// A policy can have a round at the instant it asks to be woken at, again no
// sooner than Slot after the last.
//
// Invariant: 1 <= Slot <= MaxSeconds; Charge is known; RegularEvery and
// RegularCost are not negative and come together; EndsWait and Clock exclude each
// other.
type Rounds struct {
	Slot schedmate.Seconds `json:"slot_s" yaml:"slot_s"`
	// EndsWait: an end calls for no round. As long as jobs are still to come the
	// rounds are at arrivals only, and then one every Slot.
	EndsWait bool `json:"ends_wait,omitempty" yaml:"ends_wait,omitempty"`
	// Clock: rounds are at the multiples of Slot, and at each of them while
	// somebody runs.
	Clock bool `json:"clock,omitempty" yaml:"clock,omitempty"`
	// SameShapeFree: an adaptive job that is moved to GPUs of the same type, as
	// many on each node as before, works on as if nothing had happened.
	SameShapeFree bool `json:"same_shape_free,omitempty" yaml:"same_shape_free,omitempty"`
	// Charge says who pays World.RestartCost, and when.
	Charge Charge `json:"charge,omitempty" yaml:"charge,omitempty"`
	// RegularCost is paid on top, and by all that run, in every round before which
	// a positive multiple of RegularEvery rounds have been; 0: never.
	RegularEvery int               `json:"regular_every,omitempty" yaml:"regular_every,omitempty"`
	RegularCost  schedmate.Seconds `json:"regular_cost_s,omitempty" yaml:"regular_cost_s,omitempty"`
}

// Charge says when a job of a host in rounds pays World.RestartCost. It pays by
// working less until the next round; what it could not pay by then is forgiven.
type Charge string

const (
	// ChargeNothing: preemptions, moves and starts are free.
	ChargeNothing Charge = ""
	// ChargeStarts: every start costs, the first one too, but a job that would end
	// before the next round if it were free ends then and has not paid. In the
	// rounds of RegularCost everybody who runs pays, and ends later for it.
	ChargeStarts Charge = "starts"
	// ChargeRounds: in each round after which a job is still to come, all jobs
	// pay that have started, also those that wait for their turn.
	ChargeRounds Charge = "rounds"
)

func (w *World) validateRounds() error {
	r := w.Rounds
	switch {
	case r == nil && w.Elastic:
		return errors.New("elastic needs rounds: only a host that works in rounds gives a running job another number of GPUs")
	case r == nil:
		return nil
	case w.Tick != 0 || w.EndLag != 0 || w.Checkpoint != 0 || w.PreemptionWait != 0 || w.ForgiveUnpaid || w.OmitRestarts || w.Cycle != 0:
		return errors.New("rounds stand instead of tick_s, end_lag_s, checkpoint_s, preemption_wait_s, forgive_unpaid, omit_restarts and cycle_s: leave those out")
	case r.Slot < 1 || r.Slot > schedmate.MaxSeconds:
		return fmt.Errorf("rounds.slot_s must lie in [1, %d], got %d", schedmate.MaxSeconds, r.Slot)
	case r.Charge != ChargeNothing && r.Charge != ChargeStarts && r.Charge != ChargeRounds:
		return fmt.Errorf("rounds.charge: unknown %q: use starts or rounds, or leave it out", r.Charge)
	case r.Clock && r.EndsWait:
		return errors.New("rounds.clock has a round at every slot, rounds.ends_wait only at arrivals: leave one out")
	case r.RegularEvery < 0 || r.RegularCost < 0 || r.RegularCost > schedmate.MaxSeconds || (r.RegularEvery == 0) != (r.RegularCost == 0):
		return fmt.Errorf("rounds.regular_every and regular_cost_s come together and are not negative, got %d and %d", r.RegularEvery, r.RegularCost)
	}
	return nil
}

// DoublingCost returns a cost of first for one GPU, and each more for every
// doubling of the gang, up to the largest gang.
func DoublingCost(first, each schedmate.Seconds) []CostStep {
	var steps []CostStep
	cost := first
	for size := 1; size < schedmate.MaxGangGPUs; size *= 2 {
		steps = append(steps, CostStep{UpToGPUs: size, Cost: cost})
		cost += each
	}
	return append(steps, CostStep{Cost: cost})
}
