package genie_test

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/genie"
)

func TestOptions(t *testing.T) {
	d := genie.Descriptor()
	for _, tc := range []struct {
		options genie.Options
		names   string
	}{
		{genie.Options{Placement: "consolidated", Blocking: "skip"}, ""},
		{genie.Options{Placement: "consolidated", Blocking: "head_of_line"}, ""},
		{genie.Options{Placement: "x", Blocking: "skip"}, "placement"},
		{genie.Options{Placement: "consolidated"}, "blocking"},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// The slack counts to the first deadline that can be made; what cannot make any,
// or is not known, comes last.
func TestOrder(t *testing.T) {
	d := genie.Descriptor()
	p, err := d.New(d.Presets[0].Options)
	if err != nil {
		t.Fatal(err)
	}
	order := p.(interface {
		Order(*schedmate.JobStatus, schedmate.Seconds) scheduler.Rank
	}).Order
	job := func(run, done, owed schedmate.Seconds, deadlines ...schedmate.Seconds) *schedmate.JobStatus {
		j := &schedmate.JobStatus{Done: done, Owed: owed, Facts: []schedmate.Fact{{Kind: schedmate.RunSeconds, Value: int64(run)}}}
		for _, at := range deadlines {
			j.Job.SLO.Tiers = append(j.Job.SLO.Tiers, schedmate.Tier{Deadline: at})
		}
		return j
	}
	unknown := job(0, 0, 0, 1000)
	unknown.Facts = nil
	for _, tc := range []struct {
		name string
		job  *schedmate.JobStatus
		want int64
	}{
		{"1000 - 100 - 300", job(300, 0, 0, 1000), 600},
		{"200 of it are done, 40 owed", job(300, 200, 40, 1000), 760},
		{"to the second", job(900, 0, 0, 1000), 0},
		{"a second too late", job(901, 0, 0, 1000), scheduler.Unknown},
		{"the second tier: 1500 - 100 - 901", job(901, 0, 0, 1000, 1500), 499},
		{"best effort", job(300, 0, 0), scheduler.Unknown},
		{"no estimate", unknown, scheduler.Unknown},
	} {
		if got := order(tc.job, 100).Key; got != tc.want {
			t.Errorf("%s: slack %d, want %d", tc.name, got, tc.want)
		}
	}
}
