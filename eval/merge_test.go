package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/eval"
)

func writeTable(t *testing.T, w io.Writer, of *eval.ShardOf, runs ...eval.Run) {
	t.Helper()
	table, err := eval.NewJobTable(w, of)
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		if err := table.Add(&runs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
}

// Three jobs a run, five runs, so that five, eight or two shards are possible.
func smallSweep(t *testing.T, shard eval.Shard) (report, jobs string) {
	t.Helper()
	e := bundled(t)
	e.Filter.FirstJobs = 3
	rep, err := bundledSuite().Run(context.Background(), []*eval.Experiment{e}, eval.Request{Shard: shard})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	writeTable(t, &table, rep.Shard, rep.Runs...)
	return string(text), table.String()
}

type part struct{ name, text string }

func open(parts ...part) (files []eval.ShardFile) {
	for _, p := range parts {
		files = append(files, eval.ShardFile{Name: p.name, Text: strings.NewReader(p.text)})
	}
	return files
}

// Whatever the number of shards and the order of the files, the joined sweep is
// the sweep, byte for byte.
func TestJoinedShardsAreTheSweep(t *testing.T) {
	wantReport, wantJobs := smallSweep(t, eval.Shard{})
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(r, "shards")
		var reports, tables []part
		for i := 1; i <= n; i++ {
			s := eval.Shard{Index: i, Of: n}
			report, jobs := smallSweep(t, s)
			reports = append(reports, part{s.String(), report})
			tables = append(tables, part{s.String(), jobs})
		}
		order := rapid.Permutation(reports).Draw(r, "reports")
		merged, err := eval.MergeReports(open(order...))
		if err != nil {
			r.Fatal(err)
		}
		text, err := json.Marshal(merged)
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(wantReport, string(text)); diff != "" {
			r.Fatal(diff)
		}
		var jobs bytes.Buffer
		if err := eval.MergeJobs(&jobs, open(rapid.Permutation(tables).Draw(r, "tables")...)); err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(wantJobs, jobs.String()); diff != "" {
			r.Fatal(diff)
		}
	})
}

// Each bad set of files has its own plain words.
func TestShardsThatCannotBeJoined(t *testing.T) {
	report1, jobs1 := smallSweep(t, eval.Shard{Index: 1, Of: 2})
	report2, jobs2 := smallSweep(t, eval.Shard{Index: 2, Of: 2})
	wholeReport, wholeJobs := smallSweep(t, eval.Shard{})
	thirdReport, thirdJobs := smallSweep(t, eval.Shard{Index: 3, Of: 3})
	foreignReport := strings.Replace(report2, `"sweep":"`, `"sweep":"0`, 1)
	foreignJobs := strings.Replace(jobs2, "of sweep ", "of sweep 0", 1)
	rows := strings.SplitAfter(jobs1, "\n") // a header, three runs of three jobs, nothing
	for _, c := range []struct {
		name          string
		reports, jobs []part
		want          string
	}{
		{"missing", []part{{"a", report1}}, []part{{"a", jobs1}}, "merge: missing of a sweep of 5 runs: 2/2; run them with --shard"},
		{"double", []part{{"a", report1}, {"b", report1}}, []part{{"a", jobs1}, {"b", jobs1}}, "merge b: shard 1/2 is also a; give each shard once"},
		{"foreign number", []part{{"a", report1}, {"b", thirdReport}}, []part{{"a", jobs1}, {"b", thirdJobs}}, "merge b: is shard 3/3 of 5 runs, a is 1/2 of 5 runs"},
		{"foreign sweep", []part{{"a", report1}, {"b", foreignReport}}, []part{{"a", jobs1}, {"b", foreignJobs}}, "merge b: is of another sweep than a"},
		{"whole", []part{{"a", wholeReport}}, []part{{"a", wholeJobs}}, "a: is a whole"},
		{"other trace", []part{{"a", report1}, {"b", strings.Replace(report2, `"sha256":"`, `"sha256":"0`, 1)}}, nil, "has another trace or cluster than in a"},
		{"a run less", []part{{"a", strings.Replace(report1, `"runs":[`, `"runs":[{},`, 1)}}, nil, "has 3 runs, this file has 4"},
		{"no report", []part{{"a", "{}"}}, nil, `is a "" of ""`},
		{"two documents", []part{{"a", report1 + report2}}, nil, "text follows the document"},
		{"cut within a run", nil, []part{{"a", strings.Join(rows[:3], "")}, {"b", jobs2}}, "merge a: ends within run 1: it is cut off"},
		{"cut between runs", nil, []part{{"a", strings.Join(rows[:7], "")}, {"b", jobs2}}, "merge a: ends within run 5: it is cut off"},
		{"a row less", nil, []part{{"a", rows[0] + rows[1] + strings.Join(rows[3:], "")}, {"b", jobs2}}, "merge a: line 3: a row is missing, doubled or out of place"},
		{"a row more", nil, []part{{"a", jobs1 + rows[9]}, {"b", jobs2}}, "merge a: has rows behind its last run"},
		{"a row of another run", nil, []part{{"a", strings.Replace(jobs1, rows[2], strings.Replace(rows[2], ",fifo,", ",sjf,", 1), 1)}, {"b", jobs2}}, "merge a: line 3: names another run than the rows before it"},
		{"no table", nil, []part{{"a", "x,y\n"}}, "merge a: is no shard's table of jobs; give what"},
		{"empty", nil, []part{{"a", ""}}, "merge a: is no table of jobs (EOF)"},
		{"a cell less", nil, []part{{"a", rows[0] + "x\n"}, {"b", jobs2}}, "merge a: is damaged"},
	} {
		if c.reports != nil {
			if _, err := eval.MergeReports(open(c.reports...)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: reports: got %v, want %s", c.name, err, c.want)
			}
		}
		if c.jobs != nil {
			if err := eval.MergeJobs(io.Discard, open(c.jobs...)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: jobs: got %v, want %s", c.name, err, c.want)
			}
		}
	}
}

func TestShardsAreWrittenIndexOf(t *testing.T) {
	if s, err := eval.ParseShard("3/8"); err != nil || s != (eval.Shard{Index: 3, Of: 8}) || s.String() != "3/8" {
		t.Errorf("3/8 is read as %v (%v)", s, err)
	}
	for _, text := range []string{"", "3", "0/8", "9/8", "-1/8", "1/0", "a/b", "1/2/3", "1/1000001"} {
		if s, err := eval.ParseShard(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}

// Whatever the bytes, joining does not panic.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"schedmate/v1","kind":"SimulationReport","shard":{"index":1,"of":1,"runs":1,"sweep":"ab"},"inputs":[{"experiment":"e"}],"runs":[{"experiment":"e"}]}`))
	f.Add([]byte("experiment,shard 1/1 of 1 runs of sweep ab\ne,1:1\ne,1:0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		merged, err := eval.MergeReports(open(part{"a", string(data)}))
		if err == nil && len(merged.Runs) == 0 {
			t.Error("no error and no run")
		}
		_ = eval.MergeJobs(io.Discard, open(part{"a", string(data)}))
	})
}
