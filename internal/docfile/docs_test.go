package docfile

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"schedmate"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the schemas and the generated parts of the pages in docs/format; understand each change before you commit it")

const formatDocs = "../../docs/format"

// The published schemas are what the Go types say today.
func TestSchemasAreCurrent(t *testing.T) {
	for name, schema := range map[string]*jsonschema.Schema{
		"snapshot.schema.json":    SnapshotSchema(),
		"job.schema.json":         JobSchema(),
		"observation.schema.json": ObservationSchema(),
	} {
		want, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		sameFile(t, filepath.Join(formatDocs, name), append(want, '\n'))
	}
}

// The tables and the examples in the pages are what the Go types and the
// example files say today.
func TestPagesAreCurrent(t *testing.T) {
	for name, parts := range map[string]map[string]string{
		"snapshot.md": {
			"Snapshot":   Table[schedmate.Snapshot](Vocabulary),
			"Cluster":    Table[schedmate.Cluster](Vocabulary),
			"Node":       Table[schedmate.Node](Vocabulary),
			"VC":         Table[schedmate.VC](Vocabulary),
			"JobStatus":  Table[schedmate.JobStatus](Vocabulary),
			"Fact":       Table[schedmate.Fact](Vocabulary),
			"Evidence":   Table[schedmate.Evidence](Vocabulary),
			"Note":       Table[schedmate.Note](Vocabulary),
			"Attempt":    Table[schedmate.Attempt](Vocabulary),
			"Allocation": Table[schedmate.Allocation](Vocabulary),
			"example":    "```yaml\n" + string(example(t, "snapshot.yaml")) + "```\n",
		},
		"observation.md": {
			"Observation":  Table[schedmate.Observation](Vocabulary),
			"System":       Table[schedmate.System](Vocabulary),
			"Gap":          Table[schedmate.Gap](Vocabulary),
			"Partition":    Table[schedmate.Partition](Vocabulary),
			"Reservation":  Table[schedmate.Reservation](Vocabulary),
			"Licence":      Table[schedmate.Licence](Vocabulary),
			"ObservedNode": Table[schedmate.ObservedNode](Vocabulary),
			"Device":       Table[schedmate.Device](Vocabulary),
			"ObservedJob":  Table[schedmate.ObservedJob](Vocabulary),
			"NodeRequest":  Table[schedmate.NodeRequest](Vocabulary),
			"NodeHolding":  Table[schedmate.NodeHolding](Vocabulary),
			"Ending":       Table[schedmate.Ending](Vocabulary),
			"example":      "```yaml\n" + string(example(t, "observation.yaml")) + "```\n",
		},
		"job.md": {
			"JobDocument": Table[JobDocument](Vocabulary),
			"Job":         Table[schedmate.Job](Vocabulary),
			"Workload":    Table[schedmate.Workload](Vocabulary),
			"SLO":         Table[schedmate.SLO](Vocabulary),
			"Tier":        Table[schedmate.Tier](Vocabulary),
			"example":     "```yaml\n" + string(example(t, "job.yaml")) + "```\n",
		},
	} {
		path := filepath.Join(formatDocs, name)
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := FillPage(string(page), parts)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sameFile(t, path, []byte(want))
	}
}

// sameFile compares a file with what it should hold, or writes it.
func sameFile(t *testing.T, path string, want []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; run go test ./internal/docfile -rewrite and read the difference:\n%s", filepath.Base(path), cmp.Diff(string(got), string(want)))
	}
}

func example(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(formatDocs, "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
