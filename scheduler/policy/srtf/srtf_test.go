package srtf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/srtf"
)

func TestOptions(t *testing.T) {
	d := srtf.Descriptor()
	for _, tc := range []struct {
		options srtf.Options
		names   string
	}{
		{srtf.Options{Placement: "consolidated", Selection: "displace", Margin: 124}, ""},
		{srtf.Options{Placement: "consolidated", Selection: "displace", Margin: schedmate.MaxSeconds}, ""},
		{srtf.Options{Placement: "anywhere", Selection: "displace"}, "placement"},
		{srtf.Options{Placement: "consolidated", Selection: "best"}, `selection "best"`},
		{srtf.Options{Placement: "consolidated", Selection: "counted", Margin: -1}, "margin_s"},
		{srtf.Options{Placement: "consolidated", Selection: "displace", Margin: schedmate.MaxSeconds + 1}, "margin_s"},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// The presets, from their sources: 62 s for a preemption and twice that as the
// margin (Tiresias measured 13,724 s for 221 preemptions: 62.1 s); 40 and 60 s
// and one second of lag in the Lucid artifact; 18 to 46 s up to a node, and as much
// for every further 8 GPUs, in TitanSched (client/job/preempt.py).
func TestPresets(t *testing.T) {
	d := srtf.Descriptor()
	want := []scheduler.Preset{
		{
			Name:    "default",
			Options: srtf.Options{Placement: "consolidated", Selection: "displace", Margin: 124},
			World:   scheduler.World{Estimates: "truth", RestartCost: []scheduler.CostStep{{Cost: 62}}},
		},
		{
			Name:    "lucid",
			Options: srtf.Options{Placement: "lucid", Selection: "counted"},
			World:   scheduler.World{Estimates: "truth", EndLag: 1, RestartCost: []scheduler.CostStep{{UpToGPUs: 8, Cost: 40}, {Cost: 60}}},
		},
		{
			Name:    "titan",
			Options: srtf.Options{Placement: "titan", Selection: "batch"},
			World:   scheduler.TitanWorld("truth"),
		},
	}
	if diff := cmp.Diff(want, d.Presets); diff != "" {
		t.Error(diff)
	}
}

// The work left counts what is done, what is owed, and what the attempt has
// done so far; it does not fall below 0.
func TestRank(t *testing.T) {
	const now = 1000
	d := srtf.Descriptor()
	p, err := d.New(d.Presets[0].Options)
	if err != nil {
		t.Fatal(err)
	}
	rank := p.(scheduler.Ranker).Rank
	facts := []schedmate.Fact{{Kind: schedmate.RunSeconds, Value: 300, Low: 300, High: 300}}
	for _, tc := range []struct {
		name string
		job  schedmate.JobStatus
		key  int64
	}{
		{"new", schedmate.JobStatus{Facts: facts}, 300},
		{"preempted after 100 s", schedmate.JobStatus{Facts: facts, Done: 100, Owed: 62}, 262},
		{"running for 40 s, of which 62 are restart work", schedmate.JobStatus{Facts: facts, Done: 100, Owed: 62, Attempt: &schedmate.Attempt{Start: now - 40}}, 222},
		{"running for longer than estimated", schedmate.JobStatus{Facts: facts, Attempt: &schedmate.Attempt{Start: now - 301}}, 0},
		{"unknown and waiting", schedmate.JobStatus{}, scheduler.Unknown},
		{"unknown and running", schedmate.JobStatus{Attempt: &schedmate.Attempt{Start: 1}}, -1},
	} {
		if got := rank(&tc.job, now).Key; got != tc.key {
			t.Errorf("%s: %d s left, want %d", tc.name, got, tc.key)
		}
	}
}
