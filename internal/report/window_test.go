package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

// One job holds half the cluster for 100 days after everybody else is done at
// day 1: nobody wants to see 99 days of it.
func TestAxisStopsWhenTheClusterOnlyDrains(t *testing.T) {
	run := &Run{GPUs: 4, Usage: []Sample{{At: 0, UsedGPUs: 2}, {At: day / 2, UsedGPUs: 4}, {At: day, UsedGPUs: 2}, {At: 100 * day}}}
	w, ok := newWindow([]*Run{run})
	if !ok {
		t.Fatal("no window")
	}
	// The last start is at half a day; 5 % later the axis ends.
	if want := day/2 + day/40 + 1; w.From != 0 || w.To != want || w.End != 100*day {
		t.Errorf("axis runs over [%d, %d] of %d s, want [0, %d] of %d", w.From, w.To, w.End, want, 100*day)
	}
	// 201 GPU-days in all, 1 + 0.025*4 of them on the axis.
	if text := plain(w.remark()); !strings.HasPrefix(text, "After 12 h no job starts or waits any more") || !strings.Contains(text, "99.5 % of the GPU time") {
		t.Errorf("remark is %q", text)
	}
}

// Traces count from any second: their first submission, midnight of some day,
// 1970. A reader counts from the start of the simulation.
func TestThePageIsTheSameFromAnyEpoch(t *testing.T) {
	want := render(t, twoPolicies())
	for _, by := range []schedmate.Seconds{10_022_400, 1_700_000_000, -7200, schedmate.MaxSeconds - day} {
		page := twoPolicies()
		for i := range page.Runs {
			r := &page.Runs[i]
			for k := range r.Usage {
				r.Usage[k].At += by
			}
			for k := range r.Bars {
				r.Bars[k].Start += by
				r.Bars[k].End += by
			}
		}
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(render(t, page), "\n")); diff != "" {
			t.Errorf("page of a trace that starts at second %d differs from the one that starts at 0 (-0 +shifted):\n%s", by, diff)
		}
	}
}

func TestTheAxisStartsWithTheFirstRun(t *testing.T) {
	early := &Run{GPUs: 1, Usage: []Sample{{At: 5000, UsedGPUs: 1}, {At: 5060}}}
	late := &Run{GPUs: 2, Usage: []Sample{{At: 5010, UsedGPUs: 1}, {At: 5095, UsedGPUs: 2}, {At: 5100}}}
	w, ok := newWindow([]*Run{late, early})
	if !ok || w.From != 5000 || w.To != 5100 {
		t.Errorf("axis runs over [%d, %d], want [5000, 5100]", w.From, w.To)
	}
	ticks := w.ticks()
	if first, last := ticks[0], ticks[len(ticks)-1]; first.Label != "0" || first.At != "0" || plain(last.Label) != "90 s" {
		t.Errorf("labels go from %q at %s %% to %q, want from 0 at 0 %% to 90 s", first.Label, first.At, last.Label)
	}
}

func TestAxisIsCompleteWhenJobsStartLate(t *testing.T) {
	page := twoPolicies()
	w, ok := newWindow([]*Run{&page.Runs[0], &page.Runs[1]})
	if !ok || w.From != 0 || w.To != 3660 || w.remark() != "" {
		t.Errorf("axis runs over [%d, %d], remark %q; want all of the 3,660 s and no remark", w.From, w.To, w.remark())
	}
}
