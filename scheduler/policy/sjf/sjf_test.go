package sjf_test

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/sjf"
)

func TestOptions(t *testing.T) {
	d := sjf.Descriptor()
	for _, tc := range []struct {
		options sjf.Options
		names   string
	}{
		{sjf.Options{Placement: "consolidated", Blocking: "skip"}, ""},
		{sjf.Options{Placement: "anywhere", Blocking: "skip"}, `placement "anywhere"`},
		{sjf.Options{Placement: "consolidated", Blocking: ""}, "blocking"},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// Jobs in the order in which they are served: by estimate, then by arrival;
// those without a live estimate last, by submission.
func TestRank(t *testing.T) {
	const now = 1000
	d := sjf.Descriptor()
	p, err := d.New(d.Presets[0].Options)
	if err != nil {
		t.Fatal(err)
	}
	rank := p.(scheduler.Ranker).Rank
	job := func(submit schedmate.Seconds, seq, run int64, expires schedmate.Seconds) *schedmate.JobStatus {
		j := &schedmate.JobStatus{Job: schedmate.Job{GPUs: 1, Submit: submit}, Seq: seq}
		if run >= 0 {
			j.Facts = []schedmate.Fact{{Kind: schedmate.RunSeconds, Value: run, Low: run, High: run, ExpiresAt: expires}}
		}
		return j
	}
	order := []*schedmate.JobStatus{
		job(900, 9, 0, 0),
		job(900, 3, 5, 0),
		job(10, 4, 5, 0),
		job(10, 5, 6, now+1), // true for one more second
		job(20, 8, -1, 0),
		job(30, 2, 1, now), // not true any more
		job(40, 1, -1, 0),
	}
	for i := 1; i < len(order); i++ {
		if scheduler.Compare(rank(order[i-1], now), order[i-1], rank(order[i], now), order[i]) >= 0 {
			t.Errorf("job %d does not go before job %d", i-1, i)
		}
	}
}
