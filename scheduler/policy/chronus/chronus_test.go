package chronus_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/chronus"
)

func TestOptions(t *testing.T) {
	d := chronus.Descriptor()
	valid := chronus.Options{Reading: "artifact", Selector: "milp", Placement: "spread", Lease: 1200, Cycle: 300, Step: 60}
	change := func(f func(*chronus.Options)) chronus.Options {
		o := valid
		f(&o)
		return o
	}
	paper, err := d.Preset("paper")
	if err != nil {
		t.Fatal(err)
	}
	ruled := func(f func(*chronus.Options)) chronus.Options {
		o := paper.Options.(chronus.Options)
		f(&o)
		return o
	}
	for _, tc := range []struct {
		options chronus.Options
		names   string
	}{
		{ruled(func(*chronus.Options) {}), ""},
		{ruled(func(o *chronus.Options) { o.Reading = "artifact" }), "rules belong to reading calendar"},
		{ruled(func(o *chronus.Options) { o.Rules.Terms.Resume = 1200 }), "rules.terms.resume_s"},
		{ruled(func(o *chronus.Options) { o.Rules.Terms.Aligned = false }), "rules.terms.aligned"},
		{ruled(func(o *chronus.Options) { o.Rules.Calendar = "julian" }), `rules.calendar: unknown "julian"`},
		{ruled(func(o *chronus.Options) { o.Rules.AgeMilli = -1 }), "age_milli"},
		{ruled(func(o *chronus.Options) { o.Rules.Margin = -1 }), "rules.margin_s"},
		{valid, ""},
		{change(func(o *chronus.Options) { o.Reading = "tea leaves" }), `reading "tea leaves"`},
		{change(func(o *chronus.Options) { o.Selector = "luck" }), `selector "luck"`},
		{change(func(o *chronus.Options) { o.Placement = "" }), "placement"},
		{change(func(o *chronus.Options) { o.Step = 0 }), "step_s"},
		{change(func(o *chronus.Options) { o.Cycle = 90 }), "cycle_s"},
		{change(func(o *chronus.Options) { o.Lease = 1000 }), "lease_s"},
		{change(func(o *chronus.Options) { o.Lease = schedmate.MaxSeconds * 300 }), "lease_s"},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// What a start costs: 0.5 minutes times one and the doublings of the gang; 12
// GPUs 137.55 s, in whole seconds 138; beyond 64 GPUs what 64 cost.
func TestStartCosts(t *testing.T) {
	w := chronus.World()
	for gpus, want := range map[int]schedmate.Seconds{1: 30, 2: 60, 3: 78, 4: 90, 8: 120, 12: 138, 16: 150, 20: 160, 32: 180, 64: 210, 1000: 210} {
		if got := w.Restart(gpus); got != want {
			t.Errorf("%d GPUs: %d s, want %d", gpus, got, want)
		}
	}
}

// Notes are hints: those that make no sense are passed over, those of jobs that
// have ended, too, and a running job without a note was never promised anything.
func TestStrangeNotes(t *testing.T) {
	p, err := chronus.Descriptor().New(chronus.Options{Reading: "artifact", Selector: "greedy", Placement: "spread", Lease: 1200, Cycle: 300, Step: 60})
	if err != nil {
		t.Fatal(err)
	}
	at := func(now schedmate.Seconds, memory ...schedmate.Note) schedmate.Plan {
		return p.Plan(schedmate.Snapshot{
			APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: now, Memory: memory,
			Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: 1}}},
			Waiting: []*schedmate.JobStatus{{
				Job:   schedmate.Job{ID: "j", GPUs: 1, SLO: schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 6000, Reward: 100}}}},
				Facts: []schedmate.Fact{{Kind: schedmate.RunSeconds, Value: 1200, Low: 1200, High: 1200, Source: schedmate.FromTrace}},
			}},
		}, scheduler.Budget{})
	}
	want := at(1500)
	if want.Started("j") == nil || len(want.Memory) != 2 {
		t.Fatalf("a newcomer starts on a free GPU, and is remembered: %+v", want)
	}
	waits := func(numbers ...int64) schedmate.Note {
		return schedmate.Note{Kind: "waits", Job: "j", Numbers: numbers}
	}
	for name, note := range map[string]schedmate.Note{
		"nothing":            {},
		"of somebody else":   {Kind: "runs", Job: "gone", Numbers: []int64{0, 0, 0, 0, 0}},
		"too short":          waits(0, 0, 1, 6000),
		"unknown state":      waits(3, 0, 1, 6000, 0),
		"unknown flag":       waits(0, 1<<5, 1, 6000, 0),
		"due before time":    waits(0, 0, 1, -1, 0),
		"leases, no plan":    waits(0, 8, 1, 6000, 0, 4),
		"leases go back":     waits(0, 8|16, 2, 6000, 0, 4, 3),
		"a lease twice":      waits(0, 8|16, 2, 6000, 0, 4, 4),
		"emergence too high": waits(0, 0, 1, 6000, 1<<62+1),
	} {
		if diff := cmp.Diff(want, at(1500, note)); diff != "" {
			t.Errorf("%s changes the plan: %s", name, diff)
		}
	}

	// With a plan that has the lease from 2400 on, the job gets it then: 2400 + 1200.
	// A lease that is over (slot 0) is forgotten.
	plan := at(2400, waits(0, 8|16, 1, 6000, 0, 0, 2))
	if a := plan.Started("j"); a == nil || a.Lease != 3600 {
		t.Errorf("at 2400: %+v", plan.Actions)
	}

	// 1260 is an odd step between cycles: what is free goes to who waits, by the notes
	// alone. One that is too short says nothing, and of two the first counts.
	for starts, memory := range [][]schedmate.Note{
		{waits(0), {Kind: "waits", Job: "j"}},
		{waits(0, 0, 1, 6000, 0), waits(0, 0, 1, 6000, 0), {Kind: "other"}},
	} {
		if plan := at(1260, memory...); len(plan.Actions) != starts {
			t.Errorf("at 1260 with %v: %+v", memory, plan.Actions)
		}
	}
}
