package traces

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/sim"
)

// swfNotes are what the page says about the fields of a line, which have no
// header. The cells make a job with the partition as its VC.
var swfNotes = []columnNote{
	{"job_number", "5", "whole number, one of its own for every job", "`id`"},
	{"submit_time", "600", "seconds from the beginning of the log", "`submit_s`; -1: the job is dropped"},
	{"wait_time", "12", "a number", notUsed},
	{"run_time", "7200", "seconds", "`outcome.run_s`; -1 or 0: the job is dropped"},
	{"allocated_processors", "8", "whole number, 0 to 1048576", "`gpus`, where `requested_processors` is -1"},
	{"average_cpu_time", "3.5", "a number", notUsed},
	{"used_memory", "100", "a number", notUsed},
	{"requested_processors", "-1", "whole number, 0 to 1048576", "`gpus`, one for each processor; 0: the job is dropped"},
	{"requested_time", "10800", "seconds", "`time_limit_s`, never an estimate; a job that ran longer has none"},
	{"requested_memory", "100", "a number", notUsed},
	{"status", "1", "see below", "`outcome.state`"},
	{"user_id", "3", "whole number", "`user`"},
	{"group_id", "1", "whole number", "`group`"},
	{"executable", "2", "whole number", "`name`"},
	{"queue", "1", "a number", notUsed},
	{"partition", "1", "whole number", "`vc`, with `--vc partition`"},
	{"preceding_job", "4", "a number", notUsed},
	{"think_time", "30", "a number", notUsed},
}

func swfTable() string {
	var b strings.Builder
	b.WriteString("| | field | holds, or -1 | becomes |\n|---|---|---|---|\n")
	for i, note := range swfNotes {
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", i+1, note.name, note.holds, note.becomes)
	}
	return b.String()
}

// The same for the fields of a line of format swf, which are numbers all.
func TestFieldsAreUsedAsThePageSays(t *testing.T) {
	var names []string
	line := func(changed int) string {
		var cells []string
		for i, note := range swfNotes {
			switch {
			case i != changed:
				cells = append(cells, note.cell)
			case note.name == "status":
				cells = append(cells, "0")
			default:
				cells = append(cells, "16")
			}
		}
		return strings.Join(cells, " ") + "\n"
	}
	read := func(text string) (*Trace, error) {
		return ReadWith(strings.NewReader(text), "t.swf", "swf", Options{VC: VCPartition})
	}
	want, err := read(line(-1))
	if err != nil {
		t.Fatal(err)
	}
	for i, note := range swfNotes {
		names = append(names, note.name)
		got, err := read(line(i))
		if err != nil {
			t.Fatal(err)
		}
		if gocmp.Equal(want.Jobs, got.Jobs) != (note.becomes == notUsed) {
			t.Errorf("field %s: the page says it becomes %s", note.name, note.becomes)
		}
		if _, err := read(strings.Replace(line(i), "16", "x", 1)); note.name != "status" && err == nil {
			t.Errorf("field %s takes an x", note.name)
		}
	}
	if !slices.Equal(names, swfFields) {
		t.Errorf("the page has the fields %s, the loader %s", names, swfFields)
	}
}

// The example of the page, worked out by hand: who asked what, who was let run
// beyond the limit, and how it ended.
func TestSWFJobsAreWhatTheirLinesSay(t *testing.T) {
	trace, err := OpenWith(filepath.Join(formatDocs, "examples", "jobs.swf"), "swf", Options{VC: VCPartition})
	if err != nil {
		t.Fatal(err)
	}
	job := func(id, user, name, vc string, gpus int, submit, run, limit schedmate.Seconds, state schedmate.State) sim.Job {
		return sim.Job{Job: schedmate.Job{ID: id, User: user, Group: "1", Name: name, VC: vc, GPUs: gpus, Submit: submit, TimeLimit: limit,
			Outcome: &schedmate.Outcome{Run: run, State: state}}}
	}
	want := []sim.Job{
		job("1", "3", "2", "1", 8, 0, 7200, 10800, schedmate.Completed),
		job("2", "5", "2", "1", 4, 600, 300, 0, schedmate.Failed),
		job("4", "3", "7", "2", 2, 1200, 4000, 0, schedmate.Completed),
		job("5", "9", "7", "2", 64, 1500, 1800, 3600, schedmate.Completed),
	}
	want[3].Group = "2"
	if diff := gocmp.Diff(want, trace.Jobs); diff != "" {
		t.Error(diff)
	}
	if diff := gocmp.Diff([]string{"1", "2"}, trace.VCs); diff != "" {
		t.Error(diff)
	}
}

// Real logs have comments in between, tabs, carriage returns, decimals and jobs
// of which little is known.
func TestSWFAsLogsHaveIt(t *testing.T) {
	trace := mustRead(t, "swf", "; MaxProcs: 64\r\n\t1\t0.4\t-1\t9.5\t-1\t-1\t-1\t2\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\r\n"+
		"; a new machine\r\n"+
		"2 1 -1 0 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\r\n"+ // less than half a second
		"3 2 -1 5 1 -1 -1 0 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\r\n"+
		"4 -1 -1 5 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\r\n"+
		"5 3 -1 5 -1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\r\n\r\n")
	want := []sim.Job{{Job: schedmate.Job{ID: "1", GPUs: 2, Outcome: &schedmate.Outcome{Run: 10, State: schedmate.Completed}}}}
	if diff := gocmp.Diff(want, trace.Jobs); diff != "" {
		t.Error(diff)
	}
	drops := []Drop{{"ran 0 seconds", 1, 4}, {"asks 0 GPUs", 1, 5}, {"has no submission", 1, 6}, {"has no number of processors", 1, 7}}
	if diff := gocmp.Diff(drops, trace.Dropped); diff != "" {
		t.Error(diff)
	}
}
