package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/internal/cli"
)

// Eight shards of twenty runs, joined, are the run without shards, byte for
// byte, report and table of jobs.
func TestEightShardsAreOneRun(t *testing.T) {
	besideDocs(t)
	sweep := []string{"simulate", "--experiment", "philly-week,chronus-small", "--seeds", "1,2", "--no-cost", "-o", "json", "--jobs-out"}
	report := schedmateIn(t, append(sweep, "jobs.csv")...)
	reports, tables := []string{"merge"}, []string{"merge"}
	for i := 8; i >= 1; i-- { // the order of the files does not matter
		table := fmt.Sprintf("jobs-%d.csv", i)
		text := schedmateIn(t, append(sweep, table, "--shard", fmt.Sprintf("%d/8", i))...)
		if n := strings.Count(text, `"policy"`); n != 2 && n != 3 {
			t.Errorf("shard %d has %d runs of 20, want 2 or 3", i, n)
		}
		writeFile(t, fmt.Sprintf("shard-%d.json", i), text)
		reports, tables = append(reports, fmt.Sprintf("shard-%d.json", i)), append(tables, table)
	}
	if diff := cmp.Diff(report, schedmateIn(t, reports...)); diff != "" {
		t.Errorf("report: %s", diff)
	}
	if diff := cmp.Diff(readFile(t, "jobs.csv"), schedmateIn(t, tables...)); diff != "" {
		t.Errorf("table of jobs: %s", diff)
	}
}

// The page on sweeps has its job files as they are, its commands work, and its
// errors are the program's.
func TestPageOnSweepsIsCurrent(t *testing.T) {
	besideDocs(t)
	parts := make(map[string]string)
	for name, language := range map[string]string{"sweep.sbatch": "sh", "sweep.sh": "sh", "sweep-job.yaml": "yaml"} {
		parts[name] = "```" + language + "\n" + readFile(t, "docs/format/examples/"+name) + "```\n"
	}
	tried := 0
	for line := range strings.Lines(readFile(t, "docs/sweeps.md")) {
		command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    schedmate ")
		if !ok || strings.Contains(command, "*") { // those need the files of the job files, see testdata/merge.txtar
			continue
		}
		command, file, _ := strings.Cut(command, " > ")
		writeFile(t, file, schedmateIn(t, strings.Fields(command)...))
		tried++
	}
	if tried != 4 {
		t.Errorf("tried %d commands of the page, want 4", tried)
	}
	writeFile(t, "other.json", schedmateIn(t, "simulate", "--experiment", "chronus-small", "--shard", "2/2", "-o", "json"))
	var refused bytes.Buffer
	for _, files := range []string{"shard-1.json", "shard-1.json shard-1.json", "shard-1.json other.json"} {
		args := append([]string{"merge"}, strings.Fields(files)...)
		var out bytes.Buffer
		code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &refused, Env: func(string) (string, bool) { return "", false }})
		if code != cli.ExitUsage || out.Len() > 0 {
			t.Errorf("merge %s: exit code %d, printed %q; want %d and nothing", files, code, &out, cli.ExitUsage)
		}
	}
	parts["refused"] = "```\n" + refused.String() + "```\n"
	fill(t, "docs/sweeps.md", parts)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
