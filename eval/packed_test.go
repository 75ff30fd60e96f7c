package eval

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Three pairs. A gang of two GPUs joins another for an hour: 0.8 + 0.7 is half a GPU
// more than one, so 2 x 1 h x 0.5 = 1 GPU hour is saved; 0.9 and 0.6 were foretold, off
// by 0.1 each. A single job beside one that works at half, itself at 0.3: for half an
// hour 0.2 GPU is lost, 0.1 GPU hours; it is undone, and 600 s of its work are done
// again. The third has not ended, so it has brought nothing that could be counted yet.
func TestPackingByHand(t *testing.T) {
	gang := func(id string, gpus int) sim.JobResult {
		return sim.JobResult{Job: &sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus}}}
	}
	r := &sim.Result{
		Jobs: []sim.JobResult{gang("host", 2), gang("guest", 2), gang("old", 1), gang("loud", 1), gang("late", 1)},
		Packs: []sim.Pack{
			{
				Host: "host", Guest: "guest", At: 100, Until: 3700, HostSpeed: 700, GuestSpeed: 800,
				Expected: &schedmate.Packed{Beside: "host", Speed: 900, BesideSpeed: 600},
			},
			{
				Host: "old", Guest: "loud", At: 1000, Until: 2800, HostSpeed: 500, GuestSpeed: 300,
				Expected: &schedmate.Packed{Beside: "old"}, // nothing was foretold
				Undo:     &schedmate.Undo{Beside: "old", Slower: "old", Ratio: 2040, Tolerated: 1800, Steps: 6}, Lost: 600,
			},
			{Host: "old", Guest: "late", At: 5000, Until: sim.NoTime, HostSpeed: 900, GuestSpeed: 900},
		},
	}
	off := 0.1
	want := &Packing{
		Pairs: 3, Forecast: 1, ForecastError: &off, Undone: 1,
		SavedGPUHours: 1, LostGPUHours: 0.1, RedoneGPUHours: 600. / 3600, MostRedone: 600,
		Undos: []Undone{{
			Host: "old", Guest: "loud", From: 1000, At: 2800, HostSlowdown: 2, GuestSlowdown: 10. / 3,
			Slower: "old", Measured: 2.04, Steps: 6, Redone: 600,
		}},
	}
	if diff := cmp.Diff(want, packingOf(r), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

// A pair of which it was foretold that the host works at 0.8, and takes 1.25 of its
// time; really it takes twice as long.
func TestAnUndonePairWithAForecast(t *testing.T) {
	r := &sim.Result{
		Jobs: []sim.JobResult{{Job: &sim.Job{Job: schedmate.Job{ID: "loud", GPUs: 1}}}},
		Packs: []sim.Pack{{
			Host: "old", Guest: "loud", Until: 60, HostSpeed: 500, GuestSpeed: 500,
			Expected: &schedmate.Packed{Beside: "old", Speed: 700, BesideSpeed: 800},
			Undo:     &schedmate.Undo{Beside: "old", Slower: "old", Ratio: 2000, Tolerated: 1800, Steps: 5},
		}},
	}
	p := packingOf(r)
	if u := p.Undos[0]; u.Forecast == nil || *u.Forecast != 1.25 || u.HostSlowdown != 2 {
		t.Errorf("%+v", u)
	}
	if p.ForecastError == nil || math.Abs(*p.ForecastError-0.25) > 1e-12 { // (0.2 + 0.3) / 2
		t.Errorf("the forecast was off by 0.25, not %v", p.ForecastError)
	}
}

// Where nobody has shared GPUs nothing is said of it.
func TestNoPairsNoPacking(t *testing.T) {
	if p := packingOf(&sim.Result{}); p != nil {
		t.Errorf("%+v", p)
	}
}

// What is said of sharing is checked, and the error names the field.
func TestSharingSpecIsChecked(t *testing.T) {
	for says, s := range map[string]*SharingSpec{
		"sharing.mix":          {Mix: "some"},
		"sharing.log_every_s":  {LogEvery: -1},
		"sharing.silent_milli": {Silent: 1001},
	} {
		var field *schedmate.FieldError
		if err := s.validate(); !errors.As(err, &field) || field.Path != says {
			t.Errorf("want an error of %s, got %v", says, err)
		}
	}
	for _, s := range []*SharingSpec{nil, {}, {Mix: "gavel-v100", LogEvery: 60, Silent: 1000}} {
		if err := s.validate(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
