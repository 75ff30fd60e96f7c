package fifo_test

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/fifo"
)

func TestOptions(t *testing.T) {
	d := fifo.Descriptor()
	for _, tc := range []struct {
		options fifo.Options
		names   string
	}{
		{fifo.Options{Placement: "consolidated", Blocking: "head_of_line"}, ""},
		{fifo.Options{Placement: "lucid", Blocking: "skip"}, ""},
		{fifo.Options{Blocking: "skip"}, "placement"},
		{fifo.Options{Placement: "lucid"}, "blocking"},
		{fifo.Options{Placement: "lucid", Blocking: "never"}, `blocking "never"`},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// The submission decides, and nothing else that is known about a job.
func TestRank(t *testing.T) {
	d := fifo.Descriptor()
	p, err := d.New(d.Presets[0].Options)
	if err != nil {
		t.Fatal(err)
	}
	rank := p.(scheduler.Ranker).Rank
	old := &schedmate.JobStatus{Job: schedmate.Job{GPUs: 64, Submit: 10}, Seq: 9, Preemptions: 3, Held: 1000}
	young := &schedmate.JobStatus{Job: schedmate.Job{GPUs: 1, Submit: 11}, Seq: 1}
	if got := scheduler.Compare(rank(old, 100), old, rank(young, 100), young); got >= 0 {
		t.Error("the job that was submitted later goes first")
	}
	young.Job.Submit = 10
	if got := scheduler.Compare(rank(old, 100), old, rank(young, 100), young); got <= 0 {
		t.Error("of one second, the job that came later goes first")
	}
}
