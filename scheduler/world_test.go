package scheduler_test

import (
	"math"
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
)

func TestWorldValidate(t *testing.T) {
	valid := scheduler.World{Estimates: scheduler.NoEstimates}
	change := func(f func(*scheduler.World)) scheduler.World {
		w := valid
		f(&w)
		return w
	}
	steps := func(s ...scheduler.CostStep) scheduler.World {
		return change(func(w *scheduler.World) { w.RestartCost = s })
	}
	rounds := func(r scheduler.Rounds) scheduler.World {
		return change(func(w *scheduler.World) { w.Rounds = &r })
	}
	for _, tc := range []struct {
		name  string
		world scheduler.World
		names string // what the error must name; empty: valid
	}{
		{"nothing charged", valid, ""},
		{"one price", steps(scheduler.CostStep{Cost: 62}), ""},
		{"three sizes", steps(scheduler.CostStep{UpToGPUs: 1, Cost: 7}, scheduler.CostStep{UpToGPUs: 8, Cost: 30}, scheduler.CostStep{Cost: 60}), ""},
		{"tick below 0", change(func(w *scheduler.World) { w.Tick = -1 }), "tick_s"},
		{"tick beyond all times", change(func(w *scheduler.World) { w.Tick = math.MaxInt64 }), "tick_s"},
		{"end lag below 0", change(func(w *scheduler.World) { w.EndLag = -1 }), "end_lag_s"},
		{"end lag beyond all times", change(func(w *scheduler.World) { w.EndLag = schedmate.MaxSeconds + 1 }), "end_lag_s"},
		{"preemption wait below 0", change(func(w *scheduler.World) { w.PreemptionWait = -1 }), "preemption_wait_s"},
		{"checkpoint below 0", change(func(w *scheduler.World) { w.Checkpoint = -1 }), "checkpoint_s"},
		{"estimates missing", change(func(w *scheduler.World) { w.Estimates = "" }), "estimates"},
		{"estimates unknown", change(func(w *scheduler.World) { w.Estimates = "oracle" }), "estimates"},
		{"cost below 0", steps(scheduler.CostStep{Cost: -1}), "restart_cost[0].cost_s"},
		{"cost beyond all times", steps(scheduler.CostStep{Cost: schedmate.MaxSeconds + 1}), "restart_cost[0].cost_s"},
		{"last step bounded", steps(scheduler.CostStep{UpToGPUs: 8, Cost: 40}), "restart_cost[0].up_to_gpus"},
		{"open step in the middle", steps(scheduler.CostStep{Cost: 40}, scheduler.CostStep{Cost: 60}), "restart_cost[0].up_to_gpus"},
		{"size below 0", steps(scheduler.CostStep{UpToGPUs: -8, Cost: 40}, scheduler.CostStep{Cost: 60}), "restart_cost[0].up_to_gpus"},
		{"rounds", rounds(scheduler.Rounds{Slot: 60, Charge: scheduler.ChargeStarts, RegularEvery: 60, RegularCost: 27}), ""},
		{"rounds without a slot", rounds(scheduler.Rounds{}), "rounds.slot_s"},
		{"unknown charge", rounds(scheduler.Rounds{Slot: 60, Charge: "ends"}), "rounds.charge"},
		{"regular cost without a rhythm", rounds(scheduler.Rounds{Slot: 60, RegularCost: 27}), "rounds.regular_every"},
		{"rounds and a tick", change(func(w *scheduler.World) { w.Tick, w.Rounds = 60, &scheduler.Rounds{Slot: 60} }), "tick_s"},
		{"rounds and restarts that are left out", change(func(w *scheduler.World) { w.OmitRestarts, w.Rounds = true, &scheduler.Rounds{Slot: 60} }), "omit_restarts"},
		{"cycles", change(func(w *scheduler.World) { w.Tick, w.Cycle = 60, 300 }), ""},
		{"cycle below 0", change(func(w *scheduler.World) { w.Cycle = -1 }), "cycle_s"},
		{"cycles and a lag", change(func(w *scheduler.World) { w.Cycle, w.EndLag = 300, 1 }), "end_lag_s"},
		{"rounds and cycles", change(func(w *scheduler.World) { w.Cycle, w.Rounds = 60, &scheduler.Rounds{Slot: 60} }), "cycle_s"},
		{"elastic without rounds", change(func(w *scheduler.World) { w.Elastic = true }), "elastic needs rounds"},
		{"sizes do not increase", steps(scheduler.CostStep{UpToGPUs: 8}, scheduler.CostStep{UpToGPUs: 8}, scheduler.CostStep{}), "restart_cost[1].up_to_gpus"},
	} {
		err := tc.world.Validate()
		switch {
		case tc.names == "" && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case tc.names != "" && (err == nil || !strings.Contains(err.Error(), tc.names)):
			t.Errorf("%s: the error must name %s, got %v", tc.name, tc.names, err)
		}
	}
}

// TitanSched charges 18, 22, 29 and 46 s up to a node, and 46 s for every 8 GPUs
// above: 46 * 12 / 8 = 69, 46 * 20 / 8 = 115, 46 * 32 / 8 = 184.
func TestTitanRestartCosts(t *testing.T) {
	w := scheduler.TitanWorld(scheduler.NoEstimates)
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	for gpus, want := range map[int]schedmate.Seconds{1: 18, 2: 22, 3: 29, 7: 29, 8: 46, 12: 69, 16: 92, 20: 115, 32: 184} {
		if got := w.Restart(gpus); got != want {
			t.Errorf("%d GPUs owe %d s, want %d", gpus, got, want)
		}
	}
}

// The Lucid artifact charges 40 s up to 8 GPUs and 60 s above.
func TestRestartCostBySize(t *testing.T) {
	w := scheduler.World{RestartCost: []scheduler.CostStep{{UpToGPUs: 8, Cost: 40}, {Cost: 60}}}
	for gpus, want := range map[int]schedmate.Seconds{1: 40, 8: 40, 9: 60, 1024: 60} {
		if got := w.Restart(gpus); got != want {
			t.Errorf("%d GPUs owe %d s, want %d", gpus, got, want)
		}
	}
	if got := (&scheduler.World{}).Restart(8); got != 0 {
		t.Errorf("a world without costs charges %d s", got)
	}
}
