package tiresias

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
)

// One node of 4 GPUs; thresholds of 100 and 1000 GPU-seconds. r has worked 60 s
// on 2 GPUs, which is 120: it goes down to the end of the second queue, behind
// old. The queues are then [new], [old r], []: new gets 2 GPUs and old the other
// 2, r is preempted. Who waits steps behind those that run. The next look is 51
// s later, when new has got enough: (101 - 0) / 2 rounded up; for old the artifact
// divides 1001 less its 70 s by 2.
func TestListsDemoteAndRemember(t *testing.T) {
	p := &lists{policy: *mustBuild(t, Options{Placement: "consolidated", Selection: "assignment", Thresholds: []int64{100, 1000}})}
	job := func(id string, seq int64, done schedmate.Seconds) *schedmate.JobStatus {
		return &schedmate.JobStatus{Job: schedmate.Job{ID: id, GPUs: 2}, Seq: seq, Done: done}
	}
	r := job("r", 1, 0)
	r.Attempt = &schedmate.Attempt{Number: 1, Start: 40, Allocations: []schedmate.Allocation{{Node: "n", GPU: 0, Share: 1000}, {Node: "n", GPU: 1, Share: 1000}}}
	s := schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 100,
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n", GPUs: 4}}},
		Running: []*schedmate.JobStatus{r},
		Waiting: []*schedmate.JobStatus{job("old", 2, 70), job("new", 3, 0)},
		Memory: []schedmate.Note{
			{Kind: queueNote, Job: "gone", Numbers: []int64{0}},
			{Kind: queueNote, Job: "r", Numbers: []int64{0}},
			{Kind: queueNote, Job: "old", Numbers: []int64{1}},
			{Kind: queueNote, Job: "new", Numbers: []int64{7}}, // there is no such queue
			{Kind: "member", Job: "new"},
		},
	}
	plan := p.Plan(s, scheduler.Budget{})
	var did []string
	for _, a := range plan.Actions {
		did = append(did, string(a.Kind)+" "+a.Job)
	}
	if diff := cmp.Diff([]string{"preempt r", "start new", "start old"}, did); diff != "" {
		t.Error(diff)
	}
	want := []schedmate.Note{
		{Kind: queueNote, Job: "new", Numbers: []int64{0}},
		{Kind: queueNote, Job: "old", Numbers: []int64{1}},
		{Kind: queueNote, Job: "r", Numbers: []int64{1}},
	}
	if diff := cmp.Diff(want, plan.Memory); diff != "" {
		t.Error(diff)
	}
	if plan.Wake != 151 {
		t.Errorf("wake at %d, want 151", plan.Wake)
	}
}

// A job goes down by one queue at a time, and several the widest first.
func TestDemotion(t *testing.T) {
	p := &lists{policy: *mustBuild(t, Options{Placement: "consolidated", Selection: "assignment", Thresholds: []int64{100, 1000}})}
	runs := func(id string, gpus int, submit, done schedmate.Seconds) *schedmate.JobStatus {
		return &schedmate.JobStatus{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: submit}, Done: done, Attempt: &schedmate.Attempt{Start: 100}}
	}
	waits := runs("waits", 1, 0, 5000)
	waits.Attempt = nil
	queues := [][]*schedmate.JobStatus{
		{runs("late", 1, 9, 101), runs("early", 1, 3, 5000), waits, runs("wide", 4, 9, 26), runs("exact", 1, 0, 100)},
		{runs("down", 1, 1, 1001), runs("stays", 1, 2, 1000)},
		{},
	}
	p.demote(queues, 100)
	var got [][]string
	for _, q := range queues {
		names := []string{}
		for _, j := range q {
			names = append(names, j.Job.ID)
		}
		got = append(got, names)
	}
	want := [][]string{{"waits", "exact"}, {"stays", "wide", "early", "late"}, {"down"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func mustBuild(t *testing.T, o Options) *policy {
	t.Helper()
	made, err := build(o)
	if err != nil {
		t.Fatal(err)
	}
	return &made.(*lists).policy
}
