package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedmate"
	"schedmate/internal/config"
)

// A run that began at 1,000 and must end at 11,000; it is 3,000 now.
func TestTimeLeft(t *testing.T) {
	r := func(x float64) *schedmate.Reading { return &schedmate.Reading{Value: x} }
	type progress = schedmate.Progress
	for _, c := range []struct {
		name   string
		log    progress
		silent float64
		start  schedmate.Seconds // 0: 1000
		want   string            // what is done, what is left, a note
	}{
		{"steps and their time", progress{Step: r(100), TotalSteps: r(400), StepTime: r(10), Fraction: r(.25)}, 0, 0, "100/400 25%, 50m00s, "},
		{"the limit comes first", progress{Step: r(100), TotalSteps: r(1000), StepTime: r(20), Fraction: r(.1)}, 0, 0, "100/1000 10%, 5h00m, will hit the limit at 50 %"},
		{"epochs of steps", progress{Step: r(10), TotalSteps: r(20), Epoch: r(5), TotalEpochs: r(50), StepTime: r(2), Fraction: r(.09)}, 0, 0, "epoch 5/50 10/20 9%, 30m20s, "},
		{"epochs, nobody says how many", progress{Step: r(10), TotalSteps: r(20), Epoch: r(5), StepTime: r(2), Remaining: r(20)}, 0, 0, "epoch 5 10/20, -, "},
		{"the log says it", progress{Step: r(100), Remaining: r(600)}, 0, 0, "100, 10m00s, "},
		{"the mean pace", progress{Step: r(100), TotalSteps: r(400), Fraction: r(.25)}, 400, 0, "100/400 25%, ~1h20m, "},
		{"too early for a mean", progress{Step: r(100), TotalSteps: r(400), Fraction: r(.25)}, 0, 2950, "100/400 25%, -, "},
		{"too little for a mean", progress{Step: r(1), TotalSteps: r(400), Fraction: r(.0025)}, 0, 0, "1/400 0%, -, "},
		{"no total", progress{Step: r(100), StepTime: r(10)}, 0, 0, "100, -, "},
		{"silent", progress{Step: r(100), TotalSteps: r(400), StepTime: r(10), Fraction: r(.25)}, 700, 0, "100/400 25%, 50m00s, silent for 11m40s"},
		{"slow steps are no silence", progress{Step: r(100), TotalSteps: r(140), StepTime: r(60), Fraction: r(100. / 140)}, 700, 0, "100/140 71%, 40m00s, "},
		{"complete", progress{Step: r(400), TotalSteps: r(400), StepTime: r(10), Fraction: r(1)}, 0, 0, "400/400 100%, 0s, "},
	} {
		c.log.Trackable = true
		start := c.start
		if start == 0 {
			start = 1000
		}
		p := &jobProgress{Progress: &c.log, Silent: &c.silent, job: &schedmate.ObservedJob{State: "RUNNING", Start: start, End: 11000, TimeLimit: 10000}}
		p.estimate(3000)
		if got := fmt.Sprintf("%s, %s, %s", p.done(), p.leftText(), p.note()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What keeps a log from being read is told in words; nothing is made up.
func TestLogsOfJobs(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, age time.Duration) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
		return file
	}
	var steps strings.Builder
	for n := range 60 {
		fmt.Fprintf(&steps, "step %d/1000 loss %.3f step_time 1.00s\n", n, 3-float64(n)/100)
	}
	good, bar := write("good.out", steps.String(), 0), write("good.err", "warning: slow\n", 0)
	now := schedmate.Seconds(time.Now().Unix())
	a := &app{config: &config.Effective{}}
	for _, c := range []struct {
		name string
		job  schedmate.ObservedJob
		want string // the step, or what is missing
	}{
		{"interactive", schedmate.ObservedJob{}, "it has no log of its own"},
		{"hidden", schedmate.ObservedJob{Command: "x"}, "where it logs is not told"},
		{"to nowhere", schedmate.ObservedJob{Stdout: os.DevNull}, "it has no log of its own"},
		{"not there", schedmate.ObservedJob{Stdout: filepath.Join(dir, "no.out")}, "the log does not exist here"},
		{"a folder", schedmate.ObservedJob{Stdout: dir}, "the log is no regular file"},
		{"of an earlier run", schedmate.ObservedJob{Stdout: write("old.out", steps.String(), time.Hour)}, "the log is older than this run"},
		{"no training", schedmate.ObservedJob{Stdout: write("talk.out", "hello\n", 0)}, "no training seen"},
		{"good", schedmate.ObservedJob{Stdout: good, Stderr: bar}, "59"},
		{"the bar is on standard error", schedmate.ObservedJob{Stdout: bar, Stderr: good}, "59"},
	} {
		c.job.ID, c.job.State, c.job.Start = "1", "RUNNING", now-600
		p := a.jobProgress(t.Context(), &c.job, now)
		got := p.Missing
		if p.Progress != nil && p.Progress.Step != nil {
			got = fmt.Sprint(p.Progress.Step.Value)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
