package tracker

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The labels are written by hand, and so is what each prediction is worth: the
// comment beside it follows the rules of the scorer that comes with the cases.
const labels = `
{"file":"a","format":"bar","family":"f1","trackable":true,"latest_step":100,"total_steps":1000,"step_time_s":0.5,"throughput":64,"throughput_src":"printed","loss":2.0,"lr":0.001,"eta_s":450,"val_metrics":{"eval_loss":2.5},"alt":[{"latest_step":400,"total_steps":4000}],"ungraded":[]}
{"file":"b","format":"bar","family":"f1","trackable":true,"latest_step":7,"total_steps":null,"step_time_s":2.0,"step_time_tol":0.2,"throughput":0.5,"throughput_src":"step_rate","loss":1.0,"lr":null,"eta_s":null,"val_metrics":{},"alt":[],"ungraded":[]}
{"file":"c","format":"table","family":"f2","trackable":true,"latest_step":30,"total_steps":60,"step_time_s":null,"throughput":null,"throughput_src":null,"loss":0.7,"lr":null,"eta_s":null,"val_metrics":{"acc":0.9},"alt":[],"ungraded":["loss"]}
{"file":"d","format":"table","family":"f2","trackable":true,"latest_step":30,"total_steps":null,"step_time_s":null,"throughput":null,"throughput_src":null,"loss":null,"lr":null,"eta_s":null,"val_metrics":{},"alt":[{"latest_step":30,"step_time_s":4.0}],"ungraded":[]}
{"file":"e","format":"none","family":"untrackable","trackable":false,"latest_step":null,"total_steps":null,"step_time_s":null,"val_metrics":{},"alt":[],"ungraded":[]}
{"file":"f","format":"none","family":"untrackable","trackable":false,"latest_step":null,"total_steps":null,"step_time_s":null,"val_metrics":{},"alt":[],"ungraded":["throughput"]}
`

const slowdowns = `
{"file":"s1","format":"bar","family":"f1","trackable":true,"latest_step":50,"total_steps":null,"step_time_s":1.0,"loss":null,"lr":null,"eta_s":null,"throughput":null,"val_metrics":{},"alt":[],"ungraded":["step_time_s"],"slow_at_line":200,"ratio":1.5,"lines":1000}
{"file":"s2","format":"bar","family":"f1","trackable":true,"latest_step":50,"total_steps":null,"step_time_s":1.0,"loss":null,"lr":null,"eta_s":null,"throughput":null,"val_metrics":{},"alt":[],"ungraded":["step_time_s"],"slow_at_line":200,"ratio":1.5,"lines":100}
{"file":"s3","format":"bar","family":"f1","trackable":true,"latest_step":50,"total_steps":null,"step_time_s":1.0,"loss":null,"lr":null,"eta_s":null,"throughput":null,"val_metrics":{},"alt":[],"ungraded":["step_time_s"],"slow_at_line":0,"ratio":1.0,"lines":100}
`

const predictions = `
{"file":"a","latest_step":400,"total_steps":1000,"step_time_s":0.545,"throughput":57,"loss":2.0038,"lr":0.00103,"eta_s":428,"val_metrics":{"x":null,"y":2.4951},"ms":3}
{"file":"b","latest_step":7,"step_time_s":1.5,"throughput":9,"loss":1.0021,"ms":1}
{"file":"c","latest_step":30,"total_steps":61,"loss":9,"val_metrics":{"acc":0.95},"ms":2}
{"file":"d","latest_step":30,"step_time_s":4.1,"ms":10}
{"file":"e","val_metrics":{}}
{"file":"f","throughput":3,"total_steps":0}
{"file":"s1","latest_step":50,"slow_at_line":319,"ratio":1.69}
{"file":"s2","latest_step":50,"slow_at_line":194,"ratio":1.5}
{"file":"s3","latest_step":51,"slow_at_line":5}
`

func handMade(t *testing.T) (*Cases, map[string]Prediction) {
	t.Helper()
	var c Cases
	var err error
	if c.Labels, err = readLabels("labels.jsonl", strings.NewReader(labels)); err != nil {
		t.Fatal(err)
	}
	if c.Slowdowns, err = readLabels("slowdown.jsonl", strings.NewReader(slowdowns)); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPredictions("predictions.jsonl", strings.NewReader(predictions))
	if err != nil {
		t.Fatal(err)
	}
	return &c, p
}

func TestScoreByHand(t *testing.T) {
	c, p := handMade(t)
	s := c.Score(p)
	want := map[Figure]Tally{
		// a: its alternative's step, its time 9 % off; c: no step time, as it must be; d: the alternative's time;
		// e: silent; s1, s2: step right, time ungraded. Not b (time 25 % off), f (a total), s3 (step).
		Success:    {6, 9, 6. / 9},
		Step:       {6, 7, 6. / 7}, // all but s3
		StepTime:   {2, 3, 2. / 3}, // a, d; b is 25 % off, its tolerance 20 %
		NoStepTime: {1, 1, 1},      // c
		TotalSteps: {1, 2, 0.5},    // a yes; c says 61 for 60
		Loss:       {1, 2, 0.5},    // a by 0.19 %; b by 0.21 %; c is ungraded
		Throughput: {0, 1, 0},      // a is 11 % off; b's follows from the step time only
		Remaining:  {1, 1, 1},      // a by 4.9 %
		Validation: {1, 2, 0.5},    // a by 0.196 %; c by 5.6 %
		Silent:     {1, 2, 0.5},    // e; f tells a total, even if it is 0; its throughput is not graded
		Slow:       {1, 2, 0.5},    // s1: 119 lines late of at most 120; s2: 6 lines early, at most 5
		SlowRatio:  {0, 2, 0},      // s1: 12.7 % off
		Control:    {0, 1, 0},      // s3
		// a's learning rate is 3 % off, at most 2 %.
		LearningRate: {0, 1, 0},
	}
	if diff := cmp.Diff(want, s.Tallies); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	wantFamilies := map[string]Tally{
		"f1": {3, 5, 0.6}, // a, s1, s2 of a, b, s1, s2, s3
		"f2": {2, 2, 1},
	}
	if diff := cmp.Diff(wantFamilies, s.Families); diff != "" {
		t.Errorf("families (-want +got):\n%s", diff)
	}
	// Errors of the step time: a 0.545/0.5-1 = 0.09, b 1.5/2-1 = 0.25, d 4.1/4-1 = 0.025. Nothing else is graded.
	closeTo(t, "RMSRE of all", s.RMSREAll, math.Sqrt((0.0081+0.0625+0.000625)/3))
	closeTo(t, "RMSRE of the answered", s.RMSREAnswered, math.Sqrt((0.0081+0.0625+0.000625)/3))
	// Times 1 2 3 10: place 4/2 = 2 is 3, place int(0.99*3) = 2 is 3.
	closeTo(t, "median ms", s.MedianMilliseconds, 3)
	closeTo(t, "p99 ms", s.P99Milliseconds, 3)
	if s.Logs != 9 {
		t.Errorf("%d logs, want 9", s.Logs)
	}
}

// A tracker that says nothing at all is right only where nothing can be said.
func TestScoreOfSilence(t *testing.T) {
	c, _ := handMade(t)
	s := c.Score(nil)
	want := map[Figure]Tally{
		Success: {2, 9, 2. / 9}, Step: {0, 7, 0}, StepTime: {0, 2, 0},
		NoStepTime: {2, 2, 1}, // d: its alternative binds those who answer only
		TotalSteps: {0, 2, 0},
		Loss:       {0, 2, 0}, LearningRate: {0, 1, 0}, Remaining: {0, 1, 0}, Throughput: {0, 1, 0}, Validation: {0, 2, 0},
		Slow: {0, 2, 0}, SlowRatio: {0, 2, 0}, Control: {1, 1, 1}, Silent: {2, 2, 1},
	}
	if diff := cmp.Diff(want, s.Tallies); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	closeTo(t, "RMSRE of all", s.RMSREAll, 1)
	if s.RMSREAnswered != nil || s.P99Milliseconds != nil {
		t.Errorf("nothing was answered or timed, got %v and %v", s.RMSREAnswered, s.P99Milliseconds)
	}
}

// Every failed check is told with what was said and what is right.
func TestFailuresAreTold(t *testing.T) {
	c, p := handMade(t)
	got := make(map[string]string)
	for _, f := range c.Score(p).Failed {
		if f.Figure == StepTime || f.Figure == Silent || f.Figure == Step {
			got[f.File] = f.Format + ": " + string(f.Figure) + ": " + f.Got + ", not " + f.Want
		}
	}
	want := map[string]string{
		"b": "bar: step_time: 1.5, not 2", "f": "none: silence: total_steps 0, not nothing", "s3": "bar: step: 51, not 50",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
}

// Every figure that is counted is also listed, so that it is shown.
func TestAllFiguresAreListed(t *testing.T) {
	c, p := handMade(t)
	counted := slices.Sorted(maps.Keys(c.Score(p).Tallies))
	listed := slices.Sorted(slices.Values(Figures))
	if diff := cmp.Diff(listed, counted); diff != "" {
		t.Errorf("figures listed and counted:\n%s", diff)
	}
}

func closeTo(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-12 {
		t.Errorf("%s: got %v, want %v", what, text(got), want)
	}
}

func TestBadLabels(t *testing.T) {
	for _, bad := range []struct{ text, want string }{
		{"{\"file\":\"a\"}\n\nnonsense\n", "labels.jsonl:3"},
		{`{"file":"../secret"}`, `file is "../secret"`},
		{`{"file":"a","latest_step":"many"}`, "latest_step"},
	} {
		_, err := readLabels("labels.jsonl", strings.NewReader(bad.text))
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: error %v, want one about %s", bad.text, err, bad.want)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "labels.jsonl") {
		t.Errorf("an empty folder: error %v, want one that names labels.jsonl", err)
	}
}
