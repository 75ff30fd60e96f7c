package calendar_test

import (
	"strings"
	"testing"

	"schedmate/scheduler/verify/calendar"
)

// One GPU, four slots. A (strict, two leases by 2) in 1 and 2, B (soft, two
// leases by 3 for 100, by 4 for 80) in 3 and 4: 100 + 80.
func notes() *calendar.Round {
	return &calendar.Round{Capacity: []int{1, 1, 1, 1}, Sub: 1, Jobs: []calendar.Job{
		{ID: "A", Late: 1, Steps: []calendar.Step{{By: 2, Reward: 100}}, Policies: []calendar.Policy{{GPUs: 1, Leases: 2}}},
		{ID: "B", Late: 1, Steps: []calendar.Step{{By: 3, Reward: 100}, {By: 4, Reward: 80}}, Policies: []calendar.Policy{{GPUs: 1, Leases: 2}}},
	}}
}

var standing = []calendar.Entry{{Job: 0, Slot: 1}, {Job: 0, Slot: 2}, {Job: 1, Slot: 3}, {Job: 1, Slot: 4}}

func TestAGoodCalendar(t *testing.T) {
	if err := calendar.Check(notes(), standing, 180); err != nil {
		t.Error(err)
	}
	if err := calendar.Check(notes(), nil, 2); err != nil {
		t.Error("nobody runs, both are late:", err)
	}
}

// Each way to break a calendar is refused with its own words.
func TestRefusals(t *testing.T) {
	pair := notes()
	pair.Jobs[0].Policies = append(pair.Jobs[0].Policies, calendar.Policy{GPUs: 1, Leases: 2})
	must := notes()
	must.Jobs[1].Must = true
	spot := &calendar.Round{Capacity: []int{2, 2}, Sub: 2, FreeCells: &[4]int{2, 0, 0, 0}, Jobs: []calendar.Job{
		{ID: "S", Spot: true, Policies: []calendar.Policy{{GPUs: 1, Cells: [4]int{1}, Leases: 1, Each: 10}, {GPUs: 2, Cells: [4]int{0, 1}, Leases: 2, Each: 5}}},
	}}
	for _, tc := range []struct {
		name    string
		round   *calendar.Round
		entries []calendar.Entry
		value   int64
		want    string
	}{
		{"two jobs on one GPU", notes(), append([]calendar.Entry{{Job: 1, Slot: 1}}, standing...), 180, "slot 1.1 holds 2 GPUs of 1"},
		{"a slot twice", notes(), append([]calendar.Entry{{Job: 0, Slot: 1}}, standing...), 180, "two leases in slot 1"},
		{"a slot that is not there", notes(), []calendar.Entry{{Job: 0, Slot: 5}}, 2, "no slot 5"},
		{"a job that is not there", notes(), []calendar.Entry{{Job: 2, Slot: 1}}, 2, "no job 2"},
		{"a policy that is not there", notes(), []calendar.Entry{{Job: 0, Slot: 1, Policy: 1}}, 2, "no policy 1"},
		{"two policies", pair, []calendar.Entry{{Job: 0, Slot: 1}, {Job: 0, Slot: 2, Policy: 1}}, 2, "two policies"},
		{"more claimed than earned", notes(), standing, 200, "earns 180, not 200"},
		{"a promise broken", must, standing, 180, "job B: its promise is broken"},
		{"spot in a whole slot", spot, []calendar.Entry{{Job: 0, Slot: 1}}, 10, "a spot lease takes a sub-slot"},
		{"spot later", spot, []calendar.Entry{{Job: 0, Slot: 2, Sub: 1}}, 10, "a spot lease takes a sub-slot"},
		{"spot longer than it lasts", spot, []calendar.Entry{{Job: 0, Slot: 1, Sub: 1}, {Job: 0, Slot: 1, Sub: 2}}, 20, "holds 2 leases and needs 1"},
		{"a pair where only singles are free", spot, []calendar.Entry{{Job: 0, Slot: 1, Policy: 1, Sub: 1}}, 5, "wants 1 aligned cells of 2 GPUs, 0 are free"},
		{"a sub-slot of a whole job", notes(), []calendar.Entry{{Job: 0, Slot: 1, Sub: 1}}, 2, "takes a whole slot"},
	} {
		err := calendar.Check(tc.round, tc.entries, tc.value)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: want %q, got %v", tc.name, tc.want, err)
		}
	}
}

// Three of five leases inside four slots, two may follow: the step by 6 is met.
func TestLeasesBehindTheHorizon(t *testing.T) {
	r := &calendar.Round{Capacity: []int{1, 1, 1, 1}, Sub: 1, Jobs: []calendar.Job{
		{ID: "A", Late: 1, Steps: []calendar.Step{{By: 6, Reward: 100}}, Policies: []calendar.Policy{{GPUs: 1, Leases: 5}}},
	}}
	if err := calendar.Check(r, []calendar.Entry{{Slot: 1}, {Slot: 3}, {Slot: 4}}, 100); err != nil {
		t.Error(err)
	}
	if err := calendar.Check(r, []calendar.Entry{{Slot: 1}, {Slot: 3}}, 1); err != nil {
		t.Error(err)
	}
}
