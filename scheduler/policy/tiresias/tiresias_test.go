package tiresias_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/tiresias"
)

func build(t *testing.T, o tiresias.Options) scheduler.Policy {
	t.Helper()
	d := tiresias.Descriptor()
	p, err := d.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOptions(t *testing.T) {
	d := tiresias.Descriptor()
	for _, tc := range []struct {
		options tiresias.Options
		names   string
	}{
		{tiresias.Options{Placement: "consolidated", Selection: "displace", Thresholds: []int64{1, 18_000}}, ""},
		{tiresias.Options{Placement: "consolidated", Selection: "displace"}, ""}, // one queue: first in, first out
		{tiresias.Options{Placement: "x", Selection: "displace"}, "placement"},
		{tiresias.Options{Placement: "lucid", Selection: "x"}, "selection"},
		{tiresias.Options{Placement: "lucid", Selection: "counted", Thresholds: []int64{0}}, "thresholds_gpu_s"},
		{tiresias.Options{Placement: "lucid", Selection: "counted", Thresholds: []int64{5, 5}}, "thresholds_gpu_s"},
		{tiresias.Options{Placement: "lucid", Selection: "counted", Thresholds: []int64{5, 4}}, "thresholds_gpu_s"},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// The Lucid preset, from the artifact: one threshold of 18,000 GPU-seconds,
// decisions every 60 s, 40 or 60 s a preemption, one second of lag.
func TestLucidPreset(t *testing.T) {
	d := tiresias.Descriptor()
	got, err := d.Preset("lucid")
	if err != nil {
		t.Fatal(err)
	}
	want := scheduler.Preset{
		Name:    "lucid",
		Options: tiresias.Options{Placement: "lucid", Selection: "counted", Thresholds: []int64{18_000}},
		World: scheduler.World{
			Estimates: "none", Tick: 60, EndLag: 1,
			RestartCost: []scheduler.CostStep{{UpToGPUs: 8, Cost: 40}, {Cost: 60}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The queue is the number of thresholds that the attained GPU-seconds exceed,
// whether they were attained in this attempt or before.
func TestRank(t *testing.T) {
	const now = 1000
	rank := build(t, tiresias.Options{Placement: "lucid", Selection: "counted", Thresholds: []int64{100, 1000}}).(scheduler.Ranker).Rank
	for _, tc := range []struct {
		name string
		job  schedmate.JobStatus
		key  int64
	}{
		{"new", schedmate.JobStatus{Job: schedmate.Job{GPUs: 8}}, 0},
		{"4 * 25 = 100", schedmate.JobStatus{Job: schedmate.Job{GPUs: 4}, Held: 25}, 0},
		{"4 * 26 = 104", schedmate.JobStatus{Job: schedmate.Job{GPUs: 4}, Held: 26}, 1},
		{"4 * (26 + 224) = 1000", schedmate.JobStatus{Job: schedmate.Job{GPUs: 4}, Held: 26, Attempt: &schedmate.Attempt{Start: now - 224}}, 1},
		{"4 * (26 + 225) = 1004", schedmate.JobStatus{Job: schedmate.Job{GPUs: 4}, Held: 26, Attempt: &schedmate.Attempt{Start: now - 225}}, 2},
	} {
		if got := rank(&tc.job, now).Key; got != tc.key {
			t.Errorf("%s: queue %d, want %d", tc.name, got, tc.key)
		}
	}
}

// The TitanSched preset: one threshold, reached at 14,400 GPU-seconds of work.
// Restart work is no service; of one second's jobs the smaller number goes first.
func TestTitanPreset(t *testing.T) {
	d := tiresias.Descriptor()
	got, err := d.Preset("titan")
	if err != nil {
		t.Fatal(err)
	}
	want := scheduler.Preset{
		Name: "titan",
		Options: tiresias.Options{
			Placement: "titan", Selection: "counted", Thresholds: []int64{14_399},
			WorkOnly: true, ByNumber: true, WidestFirst: true,
		},
		World: scheduler.TitanWorld("none"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	const now = 5000
	rank := build(t, got.Options.(tiresias.Options)).(scheduler.Ranker).Rank
	order := []*schedmate.JobStatus{ // as it must be
		{Seq: 9, Job: schedmate.Job{ID: "j9", GPUs: 8}, Done: 1799, Held: 4000},
		{Seq: 8, Job: schedmate.Job{ID: "j10", GPUs: 8}, Done: 1700, Owed: 46, Attempt: &schedmate.Attempt{Start: now - 145}}, // 1700 + 145 - 46 = 1799
		{Seq: 7, Job: schedmate.Job{ID: "j8", GPUs: 8, Submit: 1}},
		{Seq: 6, Job: schedmate.Job{ID: "j7", GPUs: 8}, Done: 1800},
		{Seq: 5, Job: schedmate.Job{ID: "j11", GPUs: 8}, Done: 1700, Owed: 46, Attempt: &schedmate.Attempt{Start: now - 146}},
	}
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if scheduler.Compare(rank(a, now), a, rank(b, now), b) >= 0 {
			t.Errorf("%s must go before %s", a.Job.ID, b.Job.ID)
		}
	}
}

// The plan asks to be woken in the second in which a running job has exceeded
// its next threshold, and not at all if no document can name that second.
func TestWake(t *testing.T) {
	s := schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 10,
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: 3}}},
		Running: []*schedmate.JobStatus{{Job: schedmate.Job{ID: "r", GPUs: 3}, Seq: 1, Attempt: &schedmate.Attempt{Number: 1, Start: 0}}},
		Waiting: []*schedmate.JobStatus{{Job: schedmate.Job{ID: "w", GPUs: 1}, Seq: 2}},
	}
	for gpu := range 3 {
		s.Running[0].Attempt.Allocations = append(s.Running[0].Attempt.Allocations, schedmate.Allocation{Node: "n1", GPU: gpu, Share: schedmate.WholeGPU})
	}
	for _, tc := range []struct {
		threshold int64
		wake      schedmate.Seconds
	}{
		{30, 11}, // 3 * 10 = 30 is not more than 30
		{31, 11}, // 3 * 11 = 33
		{32, 11},
		{33, 12},
		{3 * int64(schedmate.MaxSeconds), 0},
		{math.MaxInt64, 0},
	} {
		p := build(t, tiresias.Options{Placement: "consolidated", Selection: "displace", Thresholds: []int64{tc.threshold}})
		if plan := p.Plan(s, scheduler.Budget{}); plan.Wake != tc.wake || len(plan.Actions) != 0 {
			t.Errorf("threshold %d: wake at %d, want %d; actions %v", tc.threshold, plan.Wake, tc.wake, plan.Actions)
		}
	}
	s.Waiting = nil
	p := build(t, tiresias.Options{Placement: "consolidated", Selection: "displace", Thresholds: []int64{30}})
	if plan := p.Plan(s, scheduler.Budget{}); plan.Wake != 0 {
		t.Errorf("nobody waits, and the plan asks to be woken at %d", plan.Wake)
	}
}
