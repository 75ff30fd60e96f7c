package gandiva

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
)

func TestOptions(t *testing.T) {
	d := Descriptor()
	for _, tc := range []struct {
		options Options
		names   string
	}{
		{Options{Slice: 60}, ""},
		{Options{Slice: 1, Slips: true}, ""},
		{Options{}, "slice_s"},
		{Options{Slice: schedmate.MaxSeconds + 1}, "slice_s"},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// The artifact charges 2 + 2 * (log2 GPUs + 1) seconds.
func TestElasticflowWorld(t *testing.T) {
	w := World()
	for gpus, want := range map[int]schedmate.Seconds{1: 4, 2: 6, 4: 8, 8: 10, 16: 12, 32: 14, 64: 16} {
		if got := w.Restart(gpus); got != want {
			t.Errorf("a gang of %d pays %d s, want %d", gpus, got, want)
		}
	}
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
}

// scene is a cluster of one-GPU nodes with jobs of one GPU.
func scene(nodes int, running, waiting []string) *schedmate.Snapshot {
	s := &schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 100}
	for i := range nodes {
		s.Cluster.Nodes = append(s.Cluster.Nodes, schedmate.Node{ID: string(rune('a' + i)), GPUs: 1})
	}
	for i, id := range running {
		s.Running = append(s.Running, &schedmate.JobStatus{
			Job: schedmate.Job{ID: id, GPUs: 1}, Seq: int64(i),
			Attempt: &schedmate.Attempt{Number: 1, Allocations: []schedmate.Allocation{{Node: s.Cluster.Nodes[i].ID, Share: schedmate.WholeGPU}}},
		})
	}
	for i, id := range waiting {
		s.Waiting = append(s.Waiting, &schedmate.JobStatus{Job: schedmate.Job{ID: id, GPUs: 1}, Seq: int64(100 + i)})
	}
	return s
}

func noted(jobs ...string) []schedmate.Note {
	notes := []schedmate.Note{{Kind: groupNote, Numbers: []int64{1, 1, int64(len(jobs)), 0}}, {Kind: nodeNote, Node: "a"}}
	for _, id := range jobs {
		notes = append(notes, schedmate.Note{Kind: memberNote, Job: id})
	}
	return notes
}

// What is noted of one plan is what the next one begins with.
func TestNotesReadBack(t *testing.T) {
	s := scene(2, []string{"r"}, []string{"w", "x"})
	s.Memory = append(noted("r", "w"), schedmate.Note{Kind: waitNote, Job: "x"})
	if diff := cmp.Diff(s.Memory, recall(s).notes()); diff != "" {
		t.Error(diff)
	}
}

// Notes are hints: those that do not fit are passed over, and what runs outside
// of its group keeps its GPUs.
func TestNotesThatDoNotFit(t *testing.T) {
	for name, memory := range map[string][]schedmate.Note{
		"another node's group":    {{Kind: groupNote, Numbers: []int64{1, 1, 1, 0}}, {Kind: nodeNote, Node: "z"}, {Kind: memberNote, Job: "r"}},
		"a stranger runs there":   noted("w"),
		"numbers are missing":     {{Kind: groupNote, Numbers: []int64{1}}, {Kind: nodeNote, Node: "a"}, {Kind: memberNote, Job: "r"}},
		"another gang":            {{Kind: groupNote, Numbers: []int64{2, 1, 1, 0}}, {Kind: nodeNote, Node: "a"}, {Kind: memberNote, Job: "r"}},
		"words of another policy": {{Kind: "queue", Job: "r", Numbers: []int64{1}}},
	} {
		s := scene(1, []string{"r"}, []string{"w"})
		s.Memory = memory
		f := recall(s)
		if n := len(f.groups()); n != 0 {
			t.Errorf("%s: %d groups are left", name, n)
		}
		p, err := build(Options{Slice: 60})
		if err != nil {
			t.Fatal(err)
		}
		if plan := p.Plan(*s, scheduler.Budget{}); len(plan.Actions) != 0 {
			t.Errorf("%s: %v", name, plan.Actions)
		}
	}
}

// A node that takes no work any more closes its group: who runs there stays, who
// waits for his turn gets another node.
func TestDrainedNodeClosesItsGroup(t *testing.T) {
	s := scene(2, []string{"r"}, []string{"w"})
	s.Cluster.Nodes[0].Health = schedmate.Draining
	s.Memory = noted("r", "w")
	p, err := build(Options{Slice: 60})
	if err != nil {
		t.Fatal(err)
	}
	want := []schedmate.Action{{Kind: schedmate.Start, Job: "w", Allocations: []schedmate.Allocation{{Node: "b", Share: schedmate.WholeGPU}}}}
	if diff := cmp.Diff(want, p.Plan(*s, scheduler.Budget{}).Actions); diff != "" {
		t.Error(diff)
	}
}
