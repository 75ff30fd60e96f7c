package scheduler_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
)

var rewrite = flag.Bool("rewrite", false, "write what the policies decide now to the golden files")

// What was decided once on a fixed snapshot is decided for ever, on any machine,
// and has the same names. If a policy is meant to decide otherwise, write the
// file anew and look at what has changed.
func TestDecisionsAreStable(t *testing.T) {
	const golden = "testdata/decisions.txt"
	s := fixedSnapshot()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "snapshot %s\n", schedmate.Hash(s))
	for _, d := range policy.All() {
		for _, preset := range d.Presets {
			p, err := d.New(preset.Options)
			if err != nil {
				t.Fatal(err)
			}
			options, err := schedmate.Canonical(preset.Options)
			if err != nil {
				t.Fatal(err)
			}
			plan := scheduler.Plan(p, s, scheduler.Budget{})
			actions, err := schedmate.Canonical(plan.Actions)
			if err != nil {
				t.Fatal(err)
			}
			decision := schedmate.Decide(&s, d.Name, string(options), 0, &plan)
			fmt.Fprintf(&out, "\n%s %s\noptions %s\nactions %s\nwake %d\nplan %s\ndecision %s\n",
				d.Name, preset.Name, options, actions, plan.Wake, decision.Plan, decision.ID())
		}
	}
	if *rewrite {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-decided before +now)\n%s", diff)
	}
}

// fixedSnapshot: on two nodes of 8 GPUs long runs on all of n1 (attained 8 * 3000
// = 24,000 GPU-s) and half on half of n2. short wants 8 GPUs and has 100 s; small
// wants 4, which are free, and has 2,000 s; unknown wants 1.
func fixedSnapshot() schedmate.Snapshot {
	job := func(id string, gpus int, submit schedmate.Seconds, seq, run int64) *schedmate.JobStatus {
		j := &schedmate.JobStatus{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: submit}, Seq: seq}
		if run > 0 {
			j.Facts = []schedmate.Fact{{
				Kind: schedmate.RunSeconds, Value: run, Low: run, High: run, ConfidenceMilli: 1000, Source: schedmate.FromTrace,
			}}
		}
		return j
	}
	runs := func(j *schedmate.JobStatus, start schedmate.Seconds, node string) *schedmate.JobStatus {
		j.Attempt = &schedmate.Attempt{Number: 1, Start: start}
		for gpu := range j.Job.GPUs {
			j.Attempt.Allocations = append(j.Attempt.Allocations, schedmate.Allocation{Node: node, GPU: gpu, Share: schedmate.WholeGPU})
		}
		return j
	}
	return schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 3000,
		Cluster: schedmate.Cluster{Name: "fixed", Nodes: []schedmate.Node{{ID: "n1", GPUs: 8}, {ID: "n2", GPUs: 8}}},
		Running: []*schedmate.JobStatus{
			runs(job("long", 8, 0, 1, 10_000), 0, "n1"),
			runs(job("half", 4, 2000, 2, 3000), 2500, "n2"),
		},
		Waiting: []*schedmate.JobStatus{job("short", 8, 2900, 3, 100), job("small", 4, 2950, 4, 2000), job("unknown", 1, 2960, 5, 0)},
	}
}
