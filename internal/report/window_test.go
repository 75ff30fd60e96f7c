package report

import (
	"strings"
	"testing"
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

func TestAxisIsCompleteWhenJobsStartLate(t *testing.T) {
	page := twoPolicies()
	w, ok := newWindow([]*Run{&page.Runs[0], &page.Runs[1]})
	if !ok || w.From != 0 || w.To != 3660 || w.remark() != "" {
		t.Errorf("axis runs over [%d, %d], remark %q; want all of the 3,660 s and no remark", w.From, w.To, w.remark())
	}
}
