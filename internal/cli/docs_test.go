package cli_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/internal/cli"
	"schedmate/internal/docfile"
)

// schedmateIn runs a command line where the folder docs is, as the pages write
// it, and returns what it prints.
func schedmateIn(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
	if code != cli.ExitOK {
		t.Errorf("schedmate %s: exit code %d\n%s", strings.Join(args, " "), code, &errs)
	}
	return out.String()
}

// besideDocs goes to an empty folder with a link to docs in it.
func besideDocs(t *testing.T) {
	t.Helper()
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(docs, "docs"); err != nil {
		t.Fatal(err)
	}
}

// The pages on plans and events say what the code says, and their examples are
// what the program answers.
func TestOutputPagesAreCurrent(t *testing.T) {
	fields := eventFields(t)
	besideDocs(t)
	plan := schedmateIn(t, "plan", "-f", "docs/format/examples/snapshot.yaml", "--policy", "fifo", "-o", "json")
	why := schedmateIn(t, "why", "-f", "docs/format/examples/snapshot.yaml", "103", "204", "--policy", "fifo", "-o", "json")
	schedmateIn(t, "simulate", "--trace", "docs/format/examples/jobs.csv", "--format", "lucid", "--cluster", "1x2", "--policies", "srtf",
		"--events-out", "events.jsonl", "--jobs-out", "jobs-out.csv")
	events, jobs := readFile(t, "events.jsonl"), readFile(t, "jobs-out.csv")

	current(t, "docs/format/examples/plan.json", plan)
	current(t, "docs/format/examples/events.jsonl", events)
	current(t, "docs/format/examples/jobs-out.csv", jobs)
	fill(t, "docs/format/plan.md", map[string]string{
		"Plan":          docfile.Table[schedmate.Plan](planNotes),
		"Action":        docfile.Table[schedmate.Action](planNotes),
		"Packed":        docfile.Table[schedmate.Packed](planNotes),
		"Undo":          docfile.Table[schedmate.Undo](planNotes),
		"PromiseChange": docfile.Table[schedmate.PromiseChange](planNotes),
		"Measurement":   docfile.Table[schedmate.Measurement](planNotes),
		"Reason":        docfile.Table[schedmate.Reason](planNotes),
		"codes":         codeTable(t),
		"Change":        docfile.Table[schedmate.Change](planNotes),
		"example":       "```json\n" + plan + "```\n",
		"why":           "```json\n" + why + "```\n",
	})
	fill(t, "docs/format/events.md", map[string]string{
		"kinds":  eventTable(t, fields),
		"events": "```json\n" + events + "```\n",
		"jobs":   "```csv\n" + jobs + "```\n",
	})
	header, _, _ := strings.Cut(jobs, "\n")
	noted(t, "docs/format/plan.md", slices.Concat(keys(t, []byte(plan)), keys(t, []byte(why))))
	noted(t, "docs/format/events.md", slices.Concat([]string{"at_s", "kind"}, slices.Concat(slices.Collect(maps.Values(fields))...), strings.Split(header, ",")))
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func fill(t *testing.T, path string, parts map[string]string) {
	t.Helper()
	page, err := docfile.FillPage(readFile(t, path), parts)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	current(t, path, page)
}

// noted checks that every field has a row in some table of the page.
func noted(t *testing.T, path string, fields []string) {
	t.Helper()
	page := readFile(t, path)
	for _, name := range fields {
		if !strings.Contains(page, "\n| `"+name+"` |") {
			t.Errorf("%s says nothing about the field %s", path, name)
		}
	}
}

// current compares a file with what it should hold, or writes it.
func current(t *testing.T, path, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got := readFile(t, path); got != want {
		t.Errorf("%s is out of date; run go test ./internal/cli -rewrite and read the difference:\n%s", path, cmp.Diff(got, want))
	}
}

// Every command in the pages on formats does what it is there for. DIR is a
// folder of traces; here it holds made-up profiles.
func TestCommandsOfThePages(t *testing.T) {
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "sia"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"validation.csv", "placements.csv"} { // plain text will do, whatever the name
		text := readFile(t, filepath.Join("../../eval/traces/testdata/sia", name))
		if err := os.WriteFile(filepath.Join(data, "sia", name+".gz"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	besideDocs(t)
	for _, page := range []string{"traces.md", "plan.md", "events.md"} {
		tried := 0
		for line := range strings.Lines(readFile(t, filepath.Join("docs/format", page))) {
			if command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    schedmate "); ok {
				schedmateIn(t, strings.Fields(strings.ReplaceAll(command, "DIR", data))...)
				tried++
			}
		}
		if tried == 0 {
			t.Errorf("%s has no command", page)
		}
	}
}
