package yarncs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/yarncs"
)

func TestOptions(t *testing.T) {
	d := yarncs.Descriptor()
	for _, tc := range []struct {
		options yarncs.Options
		names   string
	}{
		{yarncs.Options{Placement: "consolidated", Blocking: "skip", Turn: "share"}, ""},
		{yarncs.Options{Placement: "titan", Blocking: "head_of_line", Turn: "submit"}, ""},
		{yarncs.Options{Blocking: "skip", Turn: "share"}, "placement"},
		{yarncs.Options{Placement: "titan", Turn: "share"}, "blocking"},
		{yarncs.Options{Placement: "titan", Blocking: "skip", Turn: "luck"}, `turn "luck"`},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// A VC's share counts what its jobs hold against its own nodes and its quota.
// Here big is entitled to 8 GPUs of its own and small to a quota of 4 shared
// ones. big holds 4 of 8, small 1 of 4: it is small's turn, until it holds 3 of 4.
// A wide job of big is skipped, or with "head_of_line" holds back the rest of
// big, but nobody else.
func TestTurns(t *testing.T) {
	running := func(id, vc, node string, gpus int) *schedmate.JobStatus {
		j := &schedmate.JobStatus{Job: schedmate.Job{ID: id, GPUs: gpus, VC: vc}, Attempt: &schedmate.Attempt{Number: 1}}
		for gpu := range gpus {
			j.Attempt.Allocations = append(j.Attempt.Allocations, schedmate.Allocation{Node: node, GPU: gpu, Share: schedmate.WholeGPU})
		}
		return j
	}
	waiting := func(seq int64, id, vc string, gpus int) *schedmate.JobStatus {
		return &schedmate.JobStatus{Seq: seq, Job: schedmate.Job{ID: id, GPUs: gpus, VC: vc, Submit: schedmate.Seconds(seq)}}
	}
	s := schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 100,
		Cluster: schedmate.Cluster{
			Nodes: []schedmate.Node{{ID: "n1", GPUs: 8, VC: "big"}, {ID: "n2", GPUs: 8}},
			VCs:   []schedmate.VC{{Name: "big"}, {Name: "small", QuotaGPUs: 4}},
		},
		Running: []*schedmate.JobStatus{running("r1", "big", "n1", 4), running("r2", "small", "n2", 1)},
		Waiting: []*schedmate.JobStatus{
			waiting(1, "wide", "big", 8), waiting(2, "b", "big", 1),
			waiting(3, "s1", "small", 2), waiting(4, "s2", "small", 1),
		},
	}
	s.Running[1].Seq = 1
	for blocking, want := range map[string]string{
		"skip":         "[s1 b s2]",
		"head_of_line": "[s1 s2]",
	} {
		d := yarncs.Descriptor()
		options, err := d.Decode(d.Presets[0].Options, fmt.Appendf(nil, `{"blocking":%q}`, blocking))
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.New(options)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range p.Plan(s, scheduler.Budget{}).Actions {
			got = append(got, a.Job)
		}
		if diff := cmp.Diff(want, fmt.Sprint(got)); diff != "" {
			t.Errorf("%s: %s", blocking, diff)
		}
	}
}
