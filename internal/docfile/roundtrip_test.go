package docfile

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"schedmate"
)

var sameSnapshot = cmp.Options{cmpopts.IgnoreUnexported(schedmate.Snapshot{}), cmpopts.EquateEmpty()}

// Property: what is written is read back unchanged, in both formats.
func TestWrittenSnapshotsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t)
		if err := s.Validate(); err != nil {
			t.Fatalf("the generator made an invalid snapshot: %v", err)
		}
		for _, f := range []Format{YAML, JSON} {
			var text bytes.Buffer
			if err := Write(&text, f, s); err != nil {
				t.Fatal(err)
			}
			written := text.String()
			back, err := ReadSnapshot("snapshot."+string(f), &text)
			if err != nil {
				t.Fatalf("%v\n%s", err, written)
			}
			if diff := cmp.Diff(s, back, sameSnapshot); diff != "" {
				t.Fatalf("%s\n%s", diff, written)
			}
			if schedmate.Hash(s) != schedmate.Hash(back) {
				t.Fatalf("the hash changed:\n%s", written)
			}
		}
	})
}

// text draws any text, often one that YAML could mistake for something else.
var text = rapid.OneOf(
	rapid.String(),
	rapid.SampledFrom([]string{
		"", " ", "~", "null", "true", "no", "y", "0", "-1", "1e3", "0x10", "010", "1_000", ".5", ".inf", "12:30", "2024-01-31",
		"<<", "=", "-", "- a", "a: b", "a #b", "#a", "&a", "*a", "!a", "%a", "@a", "`a", "|", ">", "{", "[", "'", `"`, `\`, "a\nb", "a\n", "\na",
		" a", "a ", "a\tb", "\r", "\x00", "\x7f", "\u0085", "\u2028", "\uFEFF", "\uFFFD", `\ufffd`, "\U0001F680", "---", "...", "a\r\nb",
	}),
)

var id = rapid.Custom(func(t *rapid.T) string { return text.Draw(t, "text") + "x" })

func drawSnapshot(t *rapid.T) *schedmate.Snapshot {
	now := schedmate.Seconds(rapid.Int64Range(0, 1<<32).Draw(t, "now"))
	s := &schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: now}
	names := rapid.SliceOfNDistinct(id, 1, 4, rapid.ID[string]).Draw(t, "nodes")
	slices.Sort(names)
	s.Cluster.Name = text.Draw(t, "cluster")
	s.Cluster.VCs = []schedmate.VC{{Name: "team", QuotaGPUs: rapid.IntRange(0, math.MaxInt).Draw(t, "quota")}}
	for _, name := range names {
		s.Cluster.Nodes = append(s.Cluster.Nodes, schedmate.Node{
			ID: name, GPUType: text.Draw(t, "type"), GPUs: rapid.IntRange(1, 8).Draw(t, "gpus"),
			VC:     rapid.SampledFrom([]string{"", "team"}).Draw(t, "vc"),
			Health: rapid.SampledFrom([]schedmate.Health{"", schedmate.Healthy, schedmate.Down}).Draw(t, "health"),
		})
	}
	ids := rapid.SliceOfNDistinct(id, 0, 6, rapid.ID[string]).Draw(t, "jobs")
	for i, name := range ids {
		j := &schedmate.JobStatus{Seq: int64(i), Job: drawJob(t, name, now), Waited: schedmate.Seconds(rapid.Int64Range(0, 100).Draw(t, "waited"))}
		if rapid.Bool().Draw(t, "fact") {
			j.Facts = []schedmate.Fact{{
				Kind: schedmate.RunSeconds, Value: 5, High: rapid.Int64Range(5, int64(schedmate.MaxSeconds)).Draw(t, "high"), Source: schedmate.FromLog,
				Evidence: []schedmate.Evidence{{Ref: text.Draw(t, "ref"), Line: rapid.Int().Draw(t, "line"), Byte: rapid.Int64().Draw(t, "byte")}},
			}}
		}
		if node := s.Cluster.Nodes[0]; i == 0 && rapid.Bool().Draw(t, "runs") {
			j.Job.GPUs = 1
			j.Attempt = &schedmate.Attempt{Number: 1, Start: now, Allocations: []schedmate.Allocation{{Node: node.ID, GPU: node.GPUs - 1, Share: 500}}}
			s.Running = append(s.Running, j)
			continue
		}
		s.Waiting = append(s.Waiting, j)
	}
	return s
}

func drawJob(t *rapid.T, name string, now schedmate.Seconds) schedmate.Job {
	j := schedmate.Job{
		ID: name, Name: text.Draw(t, "name"), User: text.Draw(t, "user"), GPUs: rapid.IntRange(1, schedmate.MaxGangGPUs).Draw(t, "gang"),
		VC: rapid.SampledFrom([]string{"", "team"}).Draw(t, "vc"), Submit: schedmate.Seconds(rapid.Int64Range(0, int64(now)).Draw(t, "submit")),
		Iterations: rapid.Int64Range(0, math.MaxInt64).Draw(t, "iterations"),
		Workload:   schedmate.Workload{Model: text.Draw(t, "model"), AMP: rapid.Bool().Draw(t, "amp")},
	}
	if rapid.Bool().Draw(t, "soft") {
		j.SLO = schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{{Deadline: now + 10, Reward: 100}, {Deadline: now + 20}}}
	}
	return j
}

// A plan carries names of reason codes, and numbers that may be absent.
func TestWrittenPlansAreReadBack(t *testing.T) {
	value := int64(7)
	plan := schedmate.Plan{
		Policy: "fifo", Engine: schedmate.RuleEngine, Value: &value,
		Actions: []schedmate.Action{{Kind: schedmate.Start, Job: "1", Allocations: []schedmate.Allocation{{Node: "n", GPU: 0, Share: 1000}}}},
		Reasons: []schedmate.Reason{{Job: "2", Code: schedmate.BehindInQueue, Blockers: []string{"1"}, Change: schedmate.Change{Hold: []string{"1"}}}},
	}
	for _, f := range []Format{YAML, JSON} {
		var out bytes.Buffer
		if err := Write(&out, f, plan); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "behind_in_queue") {
			t.Errorf("the code is not written by name:\n%s", out.String())
		}
		var back schedmate.Plan
		if err := Read("plan", &out, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plan, back, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

// Write refuses what Read could not give back.
func TestWriteRefusesWhatCannotBeReadBack(t *testing.T) {
	for _, v := range []any{
		schedmate.Job{ID: "\xff", GPUs: 1},
		map[string]float64{"ratio": math.NaN()},
		map[string]float64{"ratio": math.Inf(-1)},
	} {
		for _, f := range []Format{YAML, JSON, "toml"} {
			if err := Write(new(bytes.Buffer), f, v); err == nil {
				t.Errorf("%s: wrote %+v", f, v)
			}
		}
	}
	var out bytes.Buffer
	if err := Write(&out, JSON, schedmate.Job{ID: "\uFFFD \\ufffd <&>", GPUs: 1}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "\uFFFD \\\\ufffd <&>") {
		t.Errorf("texts are escaped more than needed: %s", &out)
	}
}

// Nodes and allocations stand on one line each, so that a snapshot of a real
// cluster can be read by people.
func TestShortItemsStandOnOneLine(t *testing.T) {
	s, err := ReadSnapshot("snapshot.yaml", bytes.NewReader(example(t, "snapshot.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(&out, YAML, s); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"    - {id: nlp-2, gpu_type: V100, gpus: 8, memory_mib: 32768, vc: nlp, switch: rack-a, health: down}\n",
		"        - {node: vis-2, gpu: 1, share: 1000}\n",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("there is no line %q in\n%s", line, &out)
		}
	}
}

// Reading never panics, and what was accepted can be written and read again.
func FuzzReadSnapshot(f *testing.F) {
	f.Add([]byte("apiVersion: schedmate/v1\nkind: Snapshot\nnow_s: 0\ncluster: {nodes: [{id: a, gpus: 1}]}\nwaiting: []\nrunning: []\n"))
	f.Add([]byte(`{"apiVersion":"schedmate/v1","kind":"Snapshot","now_s":0,"cluster":{"nodes":[{"id":"\ud83d\ude80","gpus":1}]},"waiting":null,"running":[]}`))
	f.Add(example(f, "snapshot.yaml"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("? [a]\n: !!binary x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSnapshot("snapshot.yaml", bytes.NewReader(data))
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a message")
			}
			return
		}
		for _, format := range []Format{YAML, JSON} {
			var out bytes.Buffer
			if err := Write(&out, format, s); err != nil {
				t.Fatal(err)
			}
			back, err := ReadSnapshot("again", bytes.NewReader(out.Bytes()))
			if err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			if a, b := schedmate.Hash(s), schedmate.Hash(back); a != b {
				t.Fatalf("hash %s became %s in %s", a, b, fmt.Sprintf("%s:\n%s", format, &out))
			}
		}
	})
}
