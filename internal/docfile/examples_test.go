package docfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"schedmate"
)

// validates reports whether a YAML document satisfies a schema.
func validates(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Parse("example", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := d.root.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	var instance any
	if err := json.Unmarshal(raw, &instance); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(instance)
}

func TestExamplesAreAccepted(t *testing.T) {
	snapshot := example(t, "snapshot.yaml")
	if err := validates(t, SnapshotSchema(), snapshot); err != nil {
		t.Errorf("the schema refuses the example snapshot: %v", err)
	}
	s, err := ReadSnapshot("snapshot.yaml", bytes.NewReader(snapshot))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Waiting) != 4 || len(s.Running) != 3 || s.Cluster.GPUs() != 32 {
		t.Errorf("the example has %d waiting and %d running jobs on %d GPUs, want 4, 3, 32", len(s.Waiting), len(s.Running), s.Cluster.GPUs())
	}

	job := example(t, "job.yaml")
	if err := validates(t, JobSchema(), job); err != nil {
		t.Errorf("the schema refuses the example job: %v", err)
	}
	j, err := ReadJob("job.yaml", bytes.NewReader(job))
	if err != nil {
		t.Fatal(err)
	}
	if got := j.SLO.RewardAt(86400); got != 50 {
		t.Errorf("ending at midnight earns %d, want 50", got)
	}
}

// Each variant breaks one field of an example. The schema refuses it, and the
// reader refuses it at the line and with the field that is wrong.
func TestBrokenExamplesAreRefused(t *testing.T) {
	snapshotVariants := []variant{
		{"kind: Snapshot", "kind: Job", "kind"},
		{"apiVersion: schedmate/v1", "apiVersion: schedmate/v0", "apiVersion"},
		{"now_s: 43200", "now_s: -1", "now_s"},
		{"now_s: 43200", "now: 43200", "now"},
		{"now_s: 43200", "now_s: noon", "now_s"},
		{"id: nlp-1, gpu_type: V100, gpus: 8", "id: nlp-1, gpu_type: V100, gpus: 0", "cluster.nodes[0].gpus"},
		{"id: nlp-1, gpu_type: V100, gpus: 8", "id: nlp-1, gpu_type: V100, gpus: 8.5", "cluster.nodes[0].gpus"},
		{"id: vis-1, gpu_type: V100, gpus: 8", `id: "", gpu_type: V100, gpus: 8`, "cluster.nodes[2].id"},
		{"health: down", "health: dead", "cluster.nodes[1].health"},
		{"{name: nlp}", "{name: nlp, quota_gpus: -1}", "cluster.vcs[0].quota_gpus"},
		{"      gpus: 32", "      gpus: 2000000", "waiting[0].job.gpus"},
		{"    waited_s: 7200", "    waited_s: -7200", "waiting[0].waited_s"},
		{"amp: true}", "amp: yes}", "waiting[1].job.workload.amp"},
		{"confidence_milli: 900\n        source: neighbours\n        evidence:\n          - {ref: \"87\"}", "confidence_milli: 1001\n        source: neighbours\n        evidence:\n          - {ref: \"87\"}", "waiting[1].facts[0].confidence_milli"},
		{"source: user", "source: hearsay", "waiting[2].facts[0].source"},
		{"class: strict", "class: urgent", "waiting[3].job.slo.class"},
		{"class: strict", "class: best_effort", "waiting[3].job.slo.tiers"},
		{"reward: 100}", "reward: 101}", "waiting[3].job.slo.tiers[0].reward"},
		{"      number: 2", "      number: 0", "running[1].attempt.number"},
		{"{node: nlp-1, gpu: 0, share: 1000}", "{node: nlp-1, gpu: 0, share: 1001}", "running[1].attempt.allocations[0].share"},
		{"{node: nlp-1, gpu: 0, share: 1000}", "{node: nlp-1, gpu: -1, share: 1000}", "running[1].attempt.allocations[0].gpu"},
		{"    seq: 3\n", "    seq: 3\n    finished: true\n", "running[2].finished"},
	}
	for _, v := range snapshotVariants {
		v.check(t, "snapshot.yaml", SnapshotSchema(), func(data []byte) error {
			_, err := ReadSnapshot("snapshot.yaml", bytes.NewReader(data))
			return err
		})
	}
	for _, v := range []variant{
		{"kind: Job", "kind: Snapshot", "kind"},
		{`id: "205"`, "id: 205", "job.id"},
		{"  gpus: 16", "  gpus: 0", "job.gpus"},
		{"  gpus: 16", "  gpus:", "job.gpus"},
		{"iterations: 300000", "iterations: -1", "job.iterations"},
		{"submit_s: 43200", "submit_s: 7000000000", "job.submit_s"},
		{"class: soft", "class: strict", "job.slo.tiers"},
		{"reward: 50", "reward: -50", "job.slo.tiers[1].reward"},
		{"  user: eve", "  owner: eve", "job.owner"},
		{"  user: eve", "  outcome: {run_s: 5, state: completed}", "job.outcome"},
	} {
		v.check(t, "job.yaml", JobSchema(), func(data []byte) error {
			_, err := ReadJob("job.yaml", bytes.NewReader(data))
			return err
		})
	}
}

type variant struct{ old, new, path string }

func (v variant) check(t *testing.T, file string, schema *jsonschema.Schema, read func([]byte) error) {
	t.Run(v.path+" becomes "+strings.TrimSpace(v.new), func(t *testing.T) {
		before, after, ok := bytes.Cut(example(t, file), []byte(v.old))
		if !ok || bytes.Contains(after, []byte(v.old)) {
			t.Fatalf("%q must occur once in %s", v.old, file)
		}
		broken := bytes.Join([][]byte{before, after}, []byte(v.new))
		if err := validates(t, schema, broken); err == nil {
			t.Error("the schema accepts it")
		}
		line := 1 + bytes.Count(before, []byte("\n"))
		last := line + strings.Count(strings.TrimSuffix(v.new, "\n"), "\n")
		err := read(broken)
		if err == nil {
			t.Fatal("the reader accepts it")
		}
		for at := line; at <= last+1; at++ {
			if strings.HasPrefix(err.Error(), fmt.Sprintf("%s:%d: %s: ", file, at, v.path)) {
				return
			}
		}
		t.Errorf("the message does not name line %d and %s: %v", line, v.path, err)
	})
}

// The same snapshot has the same hash in both formats.
func TestYAMLAndJSONAreOneSnapshot(t *testing.T) {
	fromYAML, err := ReadSnapshot("snapshot.yaml", bytes.NewReader(example(t, "snapshot.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := Write(&text, JSON, fromYAML); err != nil {
		t.Fatal(err)
	}
	fromJSON, err := ReadSnapshot("snapshot.json", &text)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := schedmate.Hash(fromYAML), schedmate.Hash(fromJSON); a != b {
		t.Errorf("hash %s from YAML, %s from JSON", a, b)
	}
}
