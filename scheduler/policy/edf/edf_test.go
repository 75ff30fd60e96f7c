package edf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/edf"
)

func TestOptions(t *testing.T) {
	d := edf.Descriptor()
	for _, tc := range []struct {
		options edf.Options
		names   string
	}{
		{edf.Options{Placement: "consolidated", Selection: "displace"}, ""},
		{edf.Options{Placement: "titan", Selection: "batch"}, ""},
		{edf.Options{Placement: "consolidated", Selection: "assignment"}, ""},
		{edf.Options{Selection: "displace"}, "placement"},
		{edf.Options{Placement: "consolidated", Selection: "counted"}, `selection "counted"`},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// The preset of the TitanSched artifact: one step, 60 s, is booked as a wait for
// every preemption.
func TestTitanPreset(t *testing.T) {
	d := edf.Descriptor()
	got, err := d.Preset("titan")
	if err != nil {
		t.Fatal(err)
	}
	world := scheduler.TitanWorld("none")
	world.PreemptionWait = 60
	want := scheduler.Preset{Name: "titan", Options: edf.Options{Placement: "titan", Selection: "batch"}, World: world}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func soft(deadlines ...schedmate.Seconds) schedmate.SLO {
	slo := schedmate.SLO{Class: schedmate.Soft}
	for i, d := range deadlines {
		slo.Tiers = append(slo.Tiers, schedmate.Tier{Deadline: d, Reward: 100 - 10*i})
	}
	return slo
}

// The same jobs at 1000 s, by the name of the preset: who goes first?
func TestOrder(t *testing.T) {
	const now = 1000
	job := func(id string, submit schedmate.Seconds, deadlines ...schedmate.Seconds) *schedmate.JobStatus {
		j := &schedmate.JobStatus{Job: schedmate.Job{ID: id, GPUs: 1, Submit: submit}}
		if len(deadlines) > 0 {
			j.Job.SLO = soft(deadlines...)
		}
		return j
	}
	jobs := []*schedmate.JobStatus{
		job("far", 900, 5000),
		job("near", 950, 2000),
		job("second tier", 100, 999, 1500),
		job("now", 100, 1000), // not over yet
		job("over", 100, 500, 600),
		job("none", 550),
	}
	for i, j := range jobs {
		j.Seq = int64(i)
	}
	for preset, want := range map[string][]string{
		"default": {"now", "second tier", "near", "far", "over", "none"}, // none of the last two has one: by submission
		"titan":   {"now", "near", "far", "over", "none", "second tier"}, // 500, 550 (its submission), 999
	} {
		d := edf.Descriptor()
		p, err := d.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := d.New(p.Options)
		if err != nil {
			t.Fatal(err)
		}
		order := policy.(interface {
			Order(*schedmate.JobStatus, schedmate.Seconds) scheduler.Rank
		}).Order
		var got []string
		for _, j := range scheduler.Sorted(jobs, now, order) {
			got = append(got, j.Job.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", preset, diff)
		}
	}
}
