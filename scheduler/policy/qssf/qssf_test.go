package qssf_test

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/qssf"
)

func TestOptions(t *testing.T) {
	d := qssf.Descriptor()
	for _, tc := range []struct {
		options qssf.Options
		names   string
	}{
		{qssf.Options{Placement: "lucid", Blocking: "head_of_line", ArrivalsByGPUs: true}, ""},
		{qssf.Options{Placement: "", Blocking: "head_of_line"}, "placement"},
		{qssf.Options{Placement: "lucid", Blocking: "stop"}, `blocking "stop"`},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// Jobs in the order in which they are served: by GPU time, then by GPUs, then by
// arrival; those without an estimate last, by submission. The largest values that
// a document can hold do not overflow.
func TestRank(t *testing.T) {
	d := qssf.Descriptor()
	p, err := d.New(d.Presets[0].Options)
	if err != nil {
		t.Fatal(err)
	}
	rank := p.(scheduler.Ranker).Rank
	job := func(gpus int, run, seq int64) *schedmate.JobStatus {
		j := &schedmate.JobStatus{Job: schedmate.Job{GPUs: gpus, Submit: schedmate.Seconds(seq)}, Seq: seq}
		if run >= 0 {
			j.Facts = []schedmate.Fact{{Kind: schedmate.RunSeconds, Value: run, Low: run, High: run}}
		}
		return j
	}
	order := []*schedmate.JobStatus{
		job(8, 10, 7),  // 80 GPU-s
		job(1, 100, 6), // 100
		job(2, 50, 5),  // 100 on more GPUs
		job(2, 50, 8),
		job(schedmate.MaxGangGPUs, int64(schedmate.MaxSeconds), 4),
		job(64, -1, 2),
		job(1, -1, 3),
	}
	for i := 1; i < len(order); i++ {
		if scheduler.Compare(rank(order[i-1], 10), order[i-1], rank(order[i], 10), order[i]) >= 0 {
			t.Errorf("job %d does not go before job %d", i-1, i)
		}
	}
}

// Arrivals are ordered by GPUs only if the option says so.
func TestArrivalsOption(t *testing.T) {
	d := qssf.Descriptor()
	for _, preset := range d.Presets {
		options := preset.Options.(qssf.Options)
		if want := preset.Name == "lucid"; options.ArrivalsByGPUs != want {
			t.Errorf("preset %s: arrivals by GPUs is %v", preset.Name, options.ArrivalsByGPUs)
		}
		if preset.World.Estimates != scheduler.TraceEstimate {
			t.Errorf("preset %s is told %s: QSSF predicts, it does not know", preset.Name, preset.World.Estimates)
		}
	}
}
