package traces

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"schedmate/internal/docfile"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the generated parts of docs/format/traces.md; understand each change before you commit it")

const formatDocs = "../../docs/format"

// columnNote is what the page says about one column. The loader's layouts say
// which columns there are and which of them a header must have.
type columnNote struct {
	name    string
	cell    string // one that the loader accepts, for the test
	holds   string
	becomes string // in the vocabulary, or notUsed
}

const (
	notUsed = "not used"
	chooses = "nothing; `--workload` chooses by it"
)

// noted is a table of the page: layouts of one format that are told together.
type noted struct {
	part    string // of the page
	layouts []layout
	notes   []columnNote
}

var notedColumns = []noted{
	{"chronus columns", chronus.layouts, []columnNote{
		{"job_id", "7", "text, one of its own for every row", "`id`"},
		{"vc", "vc_a", "text, may be empty", "`vc`"},
		{"user", "vc_a", "the same: the artifact's own files call the column so, though it holds the hash of a VC", "`vc`"},
		{"num_gpu", "2", "whole number, 0 to 1048576", "`gpus`; 0: the row is dropped"},
		{"submit_time", "10", "minutes from an epoch of the file's own", "`submit_s`, that epoch kept"},
		{"iterations", "5530", "whole number, 0 to 2^53", "`iterations`"},
		{"model_name", "alexnet", "text, may be empty", "`workload.model`"},
		{"duration", "96", "minutes of work on the gang", "`outcome.run_s`; 0 seconds: the row is dropped"},
		{"interval", "5", "anything", notUsed},
		{"expect_time_list", "159-189", "minutes from the submission to each deadline, joined by `-`, not decreasing", "`slo.tiers[].deadline_s` = `submit_s` + 60 x minutes"},
		{"expect_value_list", "10-8", "the reward of each deadline, whole numbers from 0 to 10 joined by `-`, decreasing", "`slo.tiers[].reward` = 10 x value"},
		{"best_effort", "0", "1 if `job_type` is `best`, else 0", "nothing; it must agree with `job_type`"},
		{"job_type", "soft", "`strict`, `soft` or `best`", "`slo.class`: `strict`, `soft`, `best_effort`"},
	}},
	{"elasticflow columns", elasticflow.layouts, []columnNote{
		{"job_id", "7", "text, one of its own for every row", "`id`"},
		{"submit_time", "600", "seconds from an epoch of the file's own", "`submit_s`, that epoch kept"},
		{"iteration", "2011", "whole number, 0 to 2^53", "`iterations`; 0: the row is dropped"},
		{"model_name", "cifar10", "text, may be empty", "`workload.model`, and with `batch_size` the speeds"},
		{"ddl", "6000", "seconds of the same clock, not before `submit_time`", "`slo`: strict, one deadline"},
		{"batch_size", "4096", "whole number, 0 to 2^30, over the whole gang", "`workload.batch_size`"},
		{"num_gpu", "1", "whole number, 0 to 1048576", "`gpus`; 0: the row is dropped"},
		{"duration", "5644", "seconds of work on the gang", "`outcome.run_s`; 0 seconds: the row is dropped"},
		{"real_iteration", "2011", "anything", notUsed},
		{"real_duration", "5644", "anything", notUsed},
	}},
	{"lucid columns", lucid.layouts, []columnNote{
		{"job_id", "7", "text, one of its own for every row", "`id`"},
		{"gpu_num", "2", "whole number, 0 to 1048576", "`gpus`; 0, a CPU job: the row is dropped"},
		{"duration", "74", "seconds from start to end", "`outcome.run_s`; 0 seconds: the row is dropped"},
		{"submit_s", "600", "seconds from an epoch of the file's own", "`submit_s`, that epoch kept"},
		{"submit_time", "2020-04-01 00:00:00", "the same, or a time like `2020-04-01 00:00:00`", "`submit_s`; times of day: from the first submission"},
		{"user", "ann", "text, may be empty", "`user`"},
		{"vc", "nlp", "text, may be empty", "`vc`"},
		{"jobname", "pretrain", "text, may be empty", "`name`"},
		{"cpu_num", "8", "anything", notUsed},
		{"node_num", "1", "anything", notUsed},
		{"state", "FAILED", "how the job ended, see below; never empty", "`outcome.state`, `outcome.failure`; no column: `completed`"},
		{"start_time", "2020-04-01 00:10:00", "anything", notUsed},
		{"end_time", "2020-04-01 00:11:14", "anything", notUsed},
		{"queue", "600", "anything", notUsed},
		{"estimate_s", "109", "seconds that the publisher's model predicted for `duration`, or empty", "fact `run_seconds`"},
		{"model", "MobileNetV3", "text, may be empty", "`workload.model`"},
		{"dataset", "ImageNet", "text, may be empty", "`workload.dataset`"},
		{"batchsize", "32", "whole number, 0 to 2^30, or empty", "`workload.batch_size`"},
		{"amp", "1", "0 or 1, or empty", "`workload.amp`"},
		{"speed", "978.255", "anything", notUsed},
		{"gpu_util", "34.966", "mean GPU utilisation alone, 0 to 100 percent, or empty", "fact `gpu_utilisation_milli`, in thousandths"},
		{"gmem_util", "7.931", "anything", notUsed},
		{"gmem", "2382.0", "peak device memory, 0 to 2^24 MiB (the publisher says MB), or empty", "fact `gpu_memory_mib`"},
	}},
	{"philly columns Pollux", philly.layouts[:1], []columnNote{
		{"timestamp", "2017-10-09 07:01:55", "the submission, a time like `2017-10-09 07:01:55`", "`submit_s`, from the first submission"},
		{"duration", "66.0", "seconds", "`outcome.run_s`; 0 seconds: the row is dropped"},
		{"num_gpus", "1", "whole number, 0 to 1048576", "`gpus`; 0: the row is dropped"},
		{"vc", "11cb48", "text, may be empty", "`vc`"},
	}},
	{"philly columns RFold", philly.layouts[1:], []columnNote{
		{"job_id", "7", "text, one of its own for every row", "`id`"},
		{"arrival_s", "600", "seconds from the first job of the log", "`submit_s`, that epoch kept"},
		{"num_gpus", "1", "whole number, 0 to 1048576", "`gpus`; 0: the row is dropped"},
		{"duration_s", "3600", "seconds", "`outcome.run_s`; 0 seconds: the row is dropped"},
	}},
	{"sia columns", sia.layouts, []columnNote{
		{"name", "bert-2", "text, one of its own for every row of a workload", "`id`"},
		{"time", "811.5", "seconds from an epoch of the workload's own", "`submit_s`, that epoch kept"},
		{"application", "bert", "`bert`, `cifar10`, `deepspeech2`, `imagenet` or `yolov3`", "`workload.model`; with the next two `outcome.run_s` and `iterations`, see below"},
		{"num_replicas", "12", "whole number, 0 to 1048576", "`gpus`; 0: the row is dropped"},
		{"batch_size", "384", "samples a step over the whole gang, whole number", "`workload.batch_size`"},
		{"workload", "1", "text", chooses},
		{"set", "rate_10", "text", chooses + ", as `set/workload`"},
	}},
	{"synthetic columns", synthetic.layouts, []columnNote{
		{"job_id", "synthetic-7", "text, one of its own for every row, beginning with `synthetic-`", "`id`"},
		{"name", "burst", "text, may be empty; jobs of a burst are called `burst`, those of an infeasible group `infeasible-1` and so on", "`name`"},
		{"gpu_num", "2", "whole number, 0 to 1048576", "`gpus`; 0: the row is dropped"},
		{"submit_s", "600", "seconds; second 0 is midnight before a Monday", "`submit_s`"},
		{"duration_s", "3600", "seconds", "`outcome.run_s`; 0 seconds: the row is dropped"},
		{"state", "failed", "`completed`, `cancelled`, `failed` or `timed_out`", "`outcome.state`"},
		{"slo", "soft", "`strict`, `soft` or `best_effort`", "`slo.class`"},
		{"deadlines_s", "4000-5200", "whole seconds from the submission to each deadline, joined by `-`, increasing; empty for `best_effort`", "`slo.tiers[].deadline_s`"},
		{"rewards", "100-80", "the reward of each deadline, whole numbers from 0 to 100 joined by `-`, decreasing; empty for `best_effort`", "`slo.tiers[].reward`"},
	}},
}

// format is the first word of the part's name.
func (n *noted) format() Format { return Format(strings.Fields(n.part)[0]) }

// needed says what a header must have: a column that every layout asks for is
// needed, of those that only one layout asks for exactly one is.
func (n *noted) needed(column string) (cell string, known bool) {
	var instead []string
	in, optional := 0, 0
	for i := range n.layouts {
		l := &n.layouts[i]
		switch {
		case slices.Contains(l.required, column):
			in++
		case slices.Contains(l.optional, column):
			optional++
		default:
			for _, other := range l.required {
				if other != column && !slices.Contains(instead, other) && !n.always(other) {
					instead = append(instead, other)
				}
			}
		}
	}
	switch {
	case in == len(n.layouts):
		return "yes", true
	case optional == len(n.layouts):
		return "", true
	case in == 1 && optional == 0 && len(instead) > 0:
		return "this or `" + strings.Join(instead, "`, `") + "`", true
	}
	return "", false
}

func (n *noted) always(column string) bool {
	return !slices.ContainsFunc(n.layouts, func(l layout) bool { return !slices.Contains(l.required, column) })
}

// table is what the page shows. It is an error when the notes and the loader
// do not have the same columns.
func (n *noted) table() (string, error) {
	var columns, names []string
	for i := range n.layouts {
		for _, c := range slices.Concat(n.layouts[i].required, n.layouts[i].optional) {
			if !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	var b strings.Builder
	b.WriteString("| column | needed | holds | becomes |\n|---|---|---|---|\n")
	for _, note := range n.notes {
		names = append(names, note.name)
		needed, known := n.needed(note.name)
		if !known {
			return "", fmt.Errorf("%s: the layouts do not agree about column %s", n.part, note.name)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", note.name, needed, note.holds, note.becomes)
	}
	slices.Sort(columns)
	slices.Sort(names)
	if !slices.Equal(columns, names) {
		return "", fmt.Errorf("%s: the loader has the columns %s, the notes here are on %s", n.part, list(columns), list(names))
	}
	return b.String(), nil
}

// stateTable tells the end states of a format, those that mean the same
// together.
func stateTable(states map[string]lucidState) string {
	cells := make(map[lucidState][]string)
	for cell, end := range states {
		cells[end] = append(cells[end], "`"+cell+"`")
	}
	rows := slices.SortedFunc(maps.Keys(cells), func(a, b lucidState) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.failure, b.failure))
	})
	var b strings.Builder
	b.WriteString("| cell | `outcome.state` | `outcome.failure` |\n|---|---|---|\n")
	for _, end := range rows {
		slices.Sort(cells[end])
		failure := "left out"
		if end.failure != "" {
			failure = "`" + string(end.failure) + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", list(cells[end]), end.state, failure)
	}
	return b.String()
}

// The page has the columns of the loader, and the examples as they are.
func TestPageIsCurrent(t *testing.T) {
	parts := map[string]string{
		"lucid states": stateTable(lucidStates), "sacct states": stateTable(sacctEnds),
		"sacct command":     "```sh\n" + strings.ReplaceAll(sacctCommand, " --", " \\\n  --") + "\n```\n",
		"swf fields":        swfTable(),
		"anonymous columns": "`" + strings.Join(AnonymousColumns, "`, `") + "`\n",
	}
	layouts := make(map[Format]int)
	for i := range notedColumns {
		layouts[notedColumns[i].format()] += len(notedColumns[i].layouts)
		table, err := notedColumns[i].table()
		if err != nil {
			t.Fatal(err)
		}
		parts[notedColumns[i].part] = table
	}
	for _, f := range formats {
		if layouts[f.name] != len(f.layouts) {
			t.Errorf("format %s has %d layouts, there are notes on %d", f.name, len(f.layouts), layouts[f.name])
		}
	}
	for _, name := range []string{"jobs.csv", "chronus.csv", "elasticflow.csv", "philly-pollux.csv", "philly-rfold.csv", "jobs-sacct.txt", "sia.csv", "jobs.swf", "synthetic.csv"} {
		text, err := os.ReadFile(filepath.Join(formatDocs, "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		parts[name] = "```" + strings.TrimPrefix(filepath.Ext(name), ".") + "\n" + string(text) + "```\n"
	}
	path := filepath.Join(formatDocs, "traces.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := docfile.FillPage(string(page), parts)
	switch {
	case err != nil:
		t.Fatalf("traces.md: %v", err)
	case want == string(page):
	case *rewrite:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("traces.md is out of date; run go test ./eval/traces -rewrite and read the difference:\n%s", gocmp.Diff(string(page), want))
	}
}

// A column that the page calls unused changes nothing, whatever it holds; any
// other one changes the job or is refused.
func TestColumnsAreUsedAsThePageSays(t *testing.T) {
	for _, n := range notedColumns {
		for _, l := range n.layouts {
			var notes []columnNote
			for _, note := range n.notes {
				if slices.Contains(l.required, note.name) || slices.Contains(l.optional, note.name) {
					notes = append(notes, note)
				}
			}
			text := func(changed int) string {
				var header, row []string
				for i, note := range notes {
					cell := note.cell
					if i == changed {
						cell = "?"
					}
					header, row = append(header, note.name), append(row, cell)
				}
				label := ""
				if n.format() == synthetic.name {
					label = SyntheticLabel + "by hand\n"
				}
				return label + strings.Join(header, ",") + "\n" + strings.Join(row, ",") + "\n"
			}
			want := mustRead(t, n.format(), text(-1)).Jobs
			for i, note := range notes {
				got, err := ReadWith(strings.NewReader(text(i)), "trace.csv", n.format(), Options{Beside: besideTests})
				same := err == nil && gocmp.Equal(want, got.Jobs)
				if same != (note.becomes == notUsed || strings.HasPrefix(note.becomes, chooses)) {
					t.Errorf("%s, column %s: the page says it becomes %s; with another cell the jobs are equal: %t (%v)", n.part, note.name, note.becomes, same, err)
				}
			}
		}
	}
}

// The examples of the page load, and what is left out of them is what the page
// says.
func TestExamplesOfThePage(t *testing.T) {
	for _, c := range []struct {
		file    string
		format  Format
		jobs    int
		dropped []Drop
		options Options
	}{
		{"jobs.csv", "lucid", 4, []Drop{{Reason: "asks 0 GPUs", Count: 1, FirstLine: 4}}, Options{}},
		{"chronus.csv", "chronus", 3, []Drop{{Reason: "asks 0 GPUs", Count: 1, FirstLine: 5}}, Options{}},
		{"elasticflow.csv", "elasticflow", 3, []Drop{{Reason: "asks 0 GPUs", Count: 1, FirstLine: 5}}, Options{}},
		{"philly-pollux.csv", "philly", 2, []Drop{{Reason: "ran 0 seconds", Count: 1, FirstLine: 4}}, Options{}},
		{"philly-rfold.csv", "philly", 3, nil, Options{}},
		{"sia.csv", "sia", 3, []Drop{{Reason: "of another workload than 1", Count: 1, FirstLine: 5}}, Options{Workload: "1", Beside: besideTests}},
		{"synthetic.csv", "synthetic", 15, nil, Options{}},
		{"jobs.swf", "swf", 4, []Drop{{Reason: "never started", Count: 1, FirstLine: 7}, {Reason: "is a part of a job that has a line of its own", Count: 2, FirstLine: 10}}, Options{}},
		{"jobs-sacct.txt", "sacct", 3, []Drop{{Reason: "asks 0 GPUs", Count: 1, FirstLine: 7}, {Reason: "never started", Count: 1, FirstLine: 6}}, Options{}},
	} {
		trace, err := OpenWith(filepath.Join(formatDocs, "examples", c.file), c.format, c.options)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(trace.Jobs) != c.jobs {
			t.Errorf("%s has %d jobs, want %d", c.file, len(trace.Jobs), c.jobs)
		}
		if diff := gocmp.Diff(c.dropped, trace.Dropped); diff != "" {
			t.Errorf("%s: left out: %s", c.file, diff)
		}
	}
}

// The page names every column that the sacct format reads, every reason to
// leave a job out, and no more columns than there are.
func TestPageOnSacctIsComplete(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(formatDocs, "traces.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## sacct\n")
	const row = "JobID|JobIDRaw|JobName|User|Account|Group|Partition|QOS|State|ExitCode|Submit|Eligible|Start|End|ElapsedRaw|Elapsed|TimelimitRaw|Timelimit|AllocTRES|ReqTRES|NodeList|NNodes"
	for column := range strings.SplitSeq(row, "|") {
		if !strings.Contains(section, "`"+column+"`") {
			t.Errorf("the page says nothing about column %s", column)
		}
	}
	source, err := os.ReadFile("sacct_jobs.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?:return|drop\()\s*"([a-z][^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		if !strings.Contains(section, "`"+m[1]+"`") {
			t.Errorf("the page says nothing about what %q leaves out", m[1])
		}
	}
}
