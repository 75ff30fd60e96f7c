package report

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
)

// Two runs on four GPUs. "short" has all of them for 100 s, and a node of two
// breaks just then and comes back long after. "long" takes 200 s. Each mean is
// over what the run itself took, as the metric is, whatever the common axis.
func TestMeansAreOverTheRunsOwnMakespan(t *testing.T) {
	short := Run{Policy: "short", GPUs: 4, Usage: []Sample{
		{At: 1000, UsedGPUs: 4, WaitingJobs: 2, WaitingGPUs: 3}, {At: 1025, UsedGPUs: 4},
		{At: 1100, DownGPUs: 2}, {At: 1400},
	}}
	long := Run{Policy: "long", GPUs: 4, Usage: []Sample{
		{At: 1000, WaitingJobs: 1, WaitingGPUs: 2}, {At: 1050, UsedGPUs: 2, WaitingJobs: 3}, {At: 1150, UsedGPUs: 3}, {At: 1200},
	}}
	// long: (0*50 + 2*100 + 3*50)/(4*200) = 43.75 %; (1*50 + 3*100)/200 = 1.75 jobs
	// short: 4*100/(4*100); 2*25/100 = 0.5 jobs
	all := grouped([]Run{short, long})
	w, ok := newWindow(firstRuns(all))
	if !ok || w.From != 1000 || w.To <= 1100 {
		t.Fatalf("axis runs over [%d, %d], want one from 1000 that is longer than the short run", w.From, w.To)
	}
	want := [][2]string{
		{"mean 100 %, peak 100 %, up to 2 GPUs down", "mean 0.5; peak 2 jobs, 3 GPUs"},
		{"mean 43.8 %, peak 75.0 %", "mean 1.8; peak 3 jobs, 2 GPUs"},
	}
	use, wait := utilisation(all, w), queueLength(all, w)
	for i := range want {
		if got := [2]string{plain(use[i].Remark), plain(wait[i].Remark)}; got != want[i] {
			t.Errorf("%s: remarks are %q, want %q", all[i].Label, got, want[i])
		}
	}
}

// In the page of two policies the metric was computed by hand from the jobs:
// 14,460 GPU-seconds in 3,660 s on 4 GPUs. Table and figure must agree.
func TestTheMeanOfTheFigureIsTheUtilisationOfTheTable(t *testing.T) {
	page := twoPolicies()
	text := plain(render(t, page))
	if n := strings.Count(text, "mean 98.8 %, peak 100 %</span>"); n != 2 {
		t.Errorf("%d of 2 panels say 98.8 %%", n)
	}
	if got, _ := show(page.Runs[0].Metrics[1].Value, UnitShare); plain(got) != "98.8 %" {
		t.Errorf("the table says %s", got)
	}
}

// The law of Little (1961): the mean number of waiting jobs times the makespan
// is the time that all jobs wait together. Under FIFO one job waits for 3,540 s,
// under SRTF one for 60 s.
func TestTheMeanQueueObeysLittlesLaw(t *testing.T) {
	for i, r := range twoPolicies().Runs {
		var waits schedmate.Seconds
		for _, q := range r.Queue {
			waits += q
		}
		if sum, length := overMakespan(r.Usage, waitingJobs); schedmate.Seconds(sum) != waits || length != r.Makespan {
			t.Errorf("run %d: %d job-seconds of waiting in %d s, want %d in %d", i, sum, length, waits, r.Makespan)
		}
	}
}

// Property: what is recorded after the last job has ended changes no mean, and
// within the makespan lies every GPU-second.
func TestAnIdleTailChangesNoMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := steps(t)
		if len(samples) < 2 {
			return
		}
		last := &samples[len(samples)-1]
		samples[len(samples)-2].UsedGPUs, last.UsedGPUs = 1, 0
		sum, length := overMakespan(samples, used)
		if all := area(samples, used, samples[0].At, last.At); sum != all {
			t.Fatalf("makespan holds %d of %d GPU-seconds", sum, all)
		}
		at := last.At
		for range rapid.IntRange(0, 5).Draw(t, "idle") {
			at += schedmate.Seconds(rapid.Int64Range(1, 1000).Draw(t, "length"))
			samples = append(samples, Sample{At: at, DownGPUs: rapid.IntRange(0, 16).Draw(t, "down")})
		}
		if s, l := overMakespan(samples, used); s != sum || l != length {
			t.Fatalf("with an idle tail %d GPU-seconds in %d s, without it %d in %d", s, l, sum, length)
		}
	})
}
