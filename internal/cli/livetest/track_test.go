package livetest

import (
	"math"
	"strings"
	"testing"

	"schedmate"
	"schedmate/internal/slurmlab"
)

// progress is what track and queue say of running jobs with -o json.
type progress struct {
	Job        string              `json:"job"`
	File       string              `json:"file"`
	Progress   *schedmate.Progress `json:"progress"`
	Missing    string              `json:"missing"`
	Left       *float64            `json:"left_s"`
	LeftBy     string              `json:"left_by"`
	UntilLimit *float64            `json:"until_limit_s"`
	AtLimit    *float64            `json:"progress_at_limit"`
}

// epochs are the styles that count anew in each epoch: so many steps.
var epochs = map[string]float64{"keras": 20, "lightning": 50}

// The nine running jobs are as far as they themselves counted, at the pace that
// they measured; queue says the same, for everybody.
func testTrack(t *testing.T, p *program, scenario *slurmlab.Scenario) {
	running := scenario.In(slurmlab.Running)
	args := []string{"track"}
	for _, j := range running {
		args = append(args, "slurm:"+j.ID)
	}
	before := truths(t, running)
	tracked := ask[struct {
		Jobs []progress `json:"jobs"`
	}](t, p, args...)
	queued := ask[struct {
		Jobs     []schedmate.ObservedJob `json:"jobs"`
		Progress []progress              `json:"progress"`
	}](t, p, "queue")
	after := truths(t, running)
	if len(tracked.Jobs) != 9 {
		t.Fatalf("track tells of %d jobs, 9 run", len(tracked.Jobs))
	}
	inQueue := make(map[string]progress)
	for _, q := range queued.Progress {
		inQueue[q.Job] = q
	}
	limits := make(map[string]float64)
	for _, j := range queued.Jobs {
		limits[j.ID] = float64(j.TimeLimit)
	}
	for i, j := range running {
		if tracked.Jobs[i].Job != j.ID {
			t.Errorf("answer %d is of %s, want %s", i, tracked.Jobs[i].Job, j.ID)
		}
		if tracked.Jobs[i].File != j.Log {
			t.Errorf("%s logs to %s, not to %s", j.Name, j.Log, tracked.Jobs[i].File)
		}
		for command, got := range map[string]progress{"track": tracked.Jobs[i], "queue": inQueue[j.ID]} {
			compare(t, command+" of "+j.Name, j.Style, &got, before[j.ID], after[j.ID], limits[j.ID])
		}
	}
	// The table for a person has them all, and who will hit the limit: 30,000 steps
	// of 0.7 s are 5 h 50 min, and the limit is 4 h, so 68 % are done by then.
	table := p.run(t, "queue")
	for _, j := range scenario.Jobs {
		if has := strings.Contains("\n"+table.out, "\n"+j.ID+" "); has != (j.Phase != slurmlab.Ended) {
			t.Errorf("the queue shows %s (%s): %v", j.Name, j.Phase, has)
		}
	}
	if !strings.Contains(table.out, "will hit the limit at 68 %") {
		t.Errorf("who hits the limit is not told:\n%s", table.out)
	}
}

func truths(t *testing.T, jobs []slurmlab.Job) map[string]slurmlab.Truth {
	t.Helper()
	known := make(map[string]slurmlab.Truth)
	for _, j := range jobs {
		truth, err := j.Truth()
		if err != nil {
			t.Fatal(err)
		}
		known[j.ID] = truth
	}
	return known
}

// stepTimeWithin is what the tracker's own stories allow its step time.
const stepTimeWithin = 0.03

// compare holds what was read against what the job counted before and after.
func compare(t *testing.T, who, style string, got *progress, before, after slurmlab.Truth, limit float64) {
	t.Helper()
	x := got.Progress
	if x == nil || x.Step == nil || x.TotalSteps == nil || x.StepTime == nil || got.Left == nil && style != "lightning" {
		t.Errorf("%s: not all was read: %+v, missing %q", who, x, got.Missing)
		return
	}
	step, total := x.Step.Value, x.TotalSteps.Value
	if each := epochs[style]; each > 0 {
		if x.Epoch == nil || total != each {
			t.Errorf("%s: epoch %+v of %v steps, want %v", who, x.Epoch, total, each)
			return
		}
		first := 1.0 // keras counts epochs from 1
		if style == "lightning" {
			first = 0
		}
		step += (x.Epoch.Value - first) * each
		total = float64(before.Total)
	}
	// A log may be read in the moment between a line and the count of it.
	if step < float64(before.Step) || step > float64(after.Step)+1 {
		t.Errorf("%s: step %v; it counted %d before and %d after", who, step, before.Step, after.Step)
	}
	if total != float64(before.Total) {
		t.Errorf("%s: %v steps in all, it has %d", who, total, before.Total)
	}
	if math.Abs(x.StepTime.Value/after.StepTime-1) > stepTimeWithin {
		t.Errorf("%s: a step takes %v s, it measured %v", who, x.StepTime.Value, after.StepTime)
	}
	if style == "lightning" { // its log does not tell how many epochs there are
		if got.Left != nil {
			t.Errorf("%s: %v s left, by %s: the bar of an epoch is not the run", who, *got.Left, got.LeftBy)
		}
		return
	}
	left := float64(before.Total-after.Step) * after.StepTime
	if math.Abs(*got.Left/left-1) > stepTimeWithin+0.01 {
		t.Errorf("%s: %v s left, by its own count %v", who, *got.Left, left)
	}
	elapsed := float64(before.Step) * before.StepTime
	if got.UntilLimit == nil || math.Abs(limit-elapsed-*got.UntilLimit) > 15 { // it took some seconds to start
		t.Errorf("%s: the limit of %v s comes in %v, after about %v s", who, limit, got.UntilLimit, elapsed)
		return
	}
	if hits := left > *got.UntilLimit; hits != (got.AtLimit != nil) {
		t.Errorf("%s: the limit comes first: %v, and was told: %v", who, hits, got.AtLimit != nil)
	}
}
