package threesigma_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/threesigma"
)

func build(t *testing.T, o threesigma.Options) scheduler.Policy {
	t.Helper()
	d := threesigma.Descriptor()
	p, err := d.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOptions(t *testing.T) {
	d := threesigma.Descriptor()
	for _, tc := range []struct {
		options threesigma.Options
		names   string
	}{
		{threesigma.Options{Placement: "consolidated", Planning: "expected", Slot: 300, Cycle: 60}, ""},
		{threesigma.Options{Placement: "titan", Planning: "reserve", Slot: 1200}, ""},
		{threesigma.Options{Planning: "reserve", Slot: 1200}, "placement"},
		{threesigma.Options{Placement: "titan", Planning: "luck", Slot: 1200}, `planning "luck"`},
		{threesigma.Options{Placement: "titan", Planning: "reserve"}, "slot_s"},
		{threesigma.Options{Placement: "titan", Planning: "expected", Slot: schedmate.MaxSeconds + 1, Cycle: 1}, "slot_s"},
		{threesigma.Options{Placement: "titan", Planning: "expected", Slot: 300}, "cycle_s"},
		{threesigma.Options{Placement: "titan", Planning: "reserve", Slot: 300, Cycle: 60}, "cycle_s"},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// one is a cluster of one node, at 1000 s.
func one(gpus int, jobs ...*schedmate.JobStatus) schedmate.Snapshot {
	s := schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 1000,
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: gpus}}},
	}
	gpu := 0
	for i, j := range jobs {
		j.Seq = int64(i)
		if j.Attempt == nil {
			s.Waiting = append(s.Waiting, j)
			continue
		}
		for range j.Job.GPUs {
			j.Attempt.Allocations = append(j.Attempt.Allocations, schedmate.Allocation{Node: "n1", GPU: gpu, Share: schedmate.WholeGPU})
			gpu++
		}
		s.Running = append(s.Running, j)
	}
	return s
}

// job needs so many seconds, between low and high; deadline 0: best effort.
func job(id string, gpus int, low, value, high int64, deadline schedmate.Seconds) *schedmate.JobStatus {
	j := &schedmate.JobStatus{
		Job:   schedmate.Job{ID: id, GPUs: gpus},
		Facts: []schedmate.Fact{{Kind: schedmate.RunSeconds, Low: low, Value: value, High: high, Source: schedmate.FromNeighbours}},
	}
	if deadline > 0 {
		j.Job.SLO = schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: deadline, Reward: 100}}}
	}
	return j
}

func running(j *schedmate.JobStatus, since schedmate.Seconds) *schedmate.JobStatus {
	j.Attempt = &schedmate.Attempt{Number: 1, Start: since}
	return j
}

// What the default does at 1000 s, with slots of 300 s.
func TestExpected(t *testing.T) {
	for _, tc := range []struct {
		name string
		s    schedmate.Snapshot
		want string
	}{
		// tight must start by 1400, loose by 3000. There is room for one; loose can
		// wait for a slot, and be, which takes 100 s, gets nothing while tight runs.
		{"the least slack first", one(2,
			job("loose", 2, 1000, 1000, 1000, 4000), job("be", 1, 100, 100, 100, 0), job("tight", 2, 600, 600, 600, 2000),
		), "start tight"},
		// loose needs both GPUs for 1000 s. r, with a deadline, holds one for 300 s
		// more. loose is planned for the next slot, and be fills the GPU until then.
		{"best effort fills", one(2,
			running(job("r", 1, 900, 900, 900, 1300), 400), job("loose", 2, 1000, 1000, 1000, 4000), job("be", 1, 500, 500, 500, 0),
		), "start be"},
		{"and is preempted for a deadline", one(2,
			running(job("be", 1, 500, 500, 500, 0), 900), job("loose", 2, 1000, 1000, 1000, 4000),
		), "preempt be, start loose"},
		// Even the low end comes too late: late is best effort and preempts nobody.
		{"a deadline out of reach", one(2,
			running(job("be", 1, 500, 500, 500, 0), 900), job("late", 2, 600, 800, 900, 1500),
		), ""},
		// The low end, one of four chances, makes it: that is worth a preemption.
		{"a small chance", one(2,
			running(job("be", 1, 500, 500, 500, 0), 900), job("maybe", 2, 400, 800, 900, 1500),
		), "preempt be, start maybe"},
		// Nobody knows how long blind runs. It goes after those who are planned, by
		// its deadline, and before best effort. be has to give back both GPUs; nothing is
		// happy with the other one, on which be does not fit.
		{"no estimate", one(2,
			running(job("be", 2, 500, 500, 500, 0), 900), &schedmate.JobStatus{Job: job("blind", 1, 0, 0, 0, 5000).Job},
			&schedmate.JobStatus{Job: job("nothing", 1, 0, 0, 0, 0).Job},
		), "preempt be, start blind, start nothing"},
	} {
		p := build(t, threesigma.Options{Placement: "consolidated", Planning: "expected", Slot: 300, Cycle: 60})
		if got := actions(p.Plan(tc.s, scheduler.Budget{})); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func actions(plan schedmate.Plan) string {
	var out []string
	for _, a := range plan.Actions {
		out = append(out, fmt.Sprintf("%s %s", a.Kind, a.Job))
	}
	return strings.Join(out, ", ")
}

// TitanSched's reserves whole slots of 1,200 s for good. At 1200, 2 GPUs:
// first (1,000 s, deadline 5000, slack 2800) has the current slot; second (2,000
// s, deadline 7000, slack 3800) needs two slots in a row, the first free ones
// from 2400 on. be takes what is left of the current one, nothing. At 2400 first
// is over. second keeps its slots and is not started from them; be gets nothing
// either, as the GPUs are second's. At 6000 second cannot make 7000 any more and
// is best effort itself: 2,000 s, more than be's 500.
func TestReserve(t *testing.T) {
	first, second, be := job("first", 2, 1000, 1000, 1000, 5000), job("second", 2, 2000, 2000, 2000, 7000), job("be", 1, 500, 500, 500, 0)
	p := build(t, threesigma.Options{Placement: "titan", Planning: "reserve", Slot: 1200})

	s := one(2, first, second, be)
	s.Now = 1200
	plan := p.Plan(s, scheduler.Budget{})
	if got := actions(plan); got != "start first" {
		t.Errorf("at 1200: %q", got)
	}
	if diff := cmp.Diff([]schedmate.Note{{Kind: "reserved", Job: "second", Numbers: []int64{2400}}}, plan.Memory); diff != "" {
		t.Error(diff)
	}

	s = one(2, second, be)
	s.Now, s.Memory = 2400, plan.Memory
	plan = p.Plan(s, scheduler.Budget{})
	if got := actions(plan); got != "" || len(plan.Memory) != 1 {
		t.Errorf("at 2400: %q, remembered %v", got, plan.Memory)
	}

	s.Now = 6000
	plan = p.Plan(s, scheduler.Budget{})
	if got := actions(plan); got != "start be" || len(plan.Memory) != 0 {
		t.Errorf("at 6000: %q, remembered %v", got, plan.Memory)
	}
}
