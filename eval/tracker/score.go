package tracker

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Figure names one thing that is counted, as in JSON.
type Figure string

const (
	Success      Figure = "success"           // step and step time right, or missing where they must be; silence where nothing trains
	Step         Figure = "step"              // the newest count, exactly
	StepTime     Figure = "step_time"         // within the label's tolerance
	NoStepTime   Figure = "step_time_missing" // where the log cannot tell it
	TotalSteps   Figure = "total_steps"
	Loss         Figure = "loss"       // within 0.2 %
	LearningRate Figure = "lr"         // within 2 %
	Remaining    Figure = "eta"        // within 5 %
	Throughput   Figure = "throughput" // within 10 %
	Validation   Figure = "validation" // some metric within 0.2 %
	Slow         Figure = "slowdown"   // found near its line
	SlowRatio    Figure = "slowdown_ratio"
	Control      Figure = "no_false_slowdown"
	Silent       Figure = "silence" // nothing said where nothing trains
)

// Figures lists all, in the order in which they are shown.
var Figures = []Figure{
	Success, Step, StepTime, NoStepTime, TotalSteps, Loss, LearningRate, Remaining, Throughput, Validation, Slow, SlowRatio, Control, Silent,
}

// Check is one comparison of a prediction with its label.
type Check struct {
	File, Format, Family string
	Figure               Figure
	Right                bool
	Got, Want            string
}

// Tally counts right answers.
type Tally struct {
	Right int     `json:"right"`
	Of    int     `json:"of"`
	Share float64 `json:"share"` // 0 when there is nothing to count
}

func (t *Tally) add(right bool) {
	t.Of++
	if right {
		t.Right++
	}
	t.Share = float64(t.Right) / float64(t.Of)
}

// Score is how well a tracker does.
type Score struct {
	Logs     int              `json:"logs"`
	Tallies  map[Figure]Tally `json:"figures"`
	Families map[string]Tally `json:"families"` // success, of logs with training

	// Root mean square of the relative errors of the step time: a missing answer
	// counts as an error of 1 in All, and not in Answered. Nil without any.
	RMSREAll      *float64 `json:"rmsre_all"`
	RMSREAnswered *float64 `json:"rmsre_answered"`

	// Time taken for a log, milliseconds. Nil if no prediction tells it.
	MedianMilliseconds *float64 `json:"median_ms"`
	P99Milliseconds    *float64 `json:"p99_ms"`

	Failed []Check `json:"-"`
}

// Score compares predictions, by file, with the labels. A log without one has
// an empty prediction.
func (c *Cases) Score(predictions map[string]Prediction) *Score {
	s := &Score{Tallies: make(map[Figure]Tally), Families: make(map[string]Tally)}
	var relative, answered, times []float64
	for _, l := range append(slices.Clone(c.Labels), c.Slowdowns...) {
		p := predictions[l.File]
		s.Logs++
		if p.Milliseconds != nil {
			times = append(times, *p.Milliseconds)
		}
		success := true
		for _, check := range l.compare(&p) {
			s.count(check)
			success = success && (check.Right || !decisive(check.Figure))
		}
		s.count(Check{Figure: Success, Right: success})
		if l.Trackable {
			t := s.Families[l.Family]
			t.add(success)
			s.Families[l.Family] = t
		}
		if e, ok := l.stepTimeError(&p); ok {
			relative = append(relative, e)
			if e != 1 {
				answered = append(answered, e)
			}
		}
	}
	for _, l := range c.Slowdowns {
		p := predictions[l.File]
		for _, check := range l.compareSlowdown(&p) {
			s.count(check)
		}
	}
	s.RMSREAll, s.RMSREAnswered = rootMeanSquare(relative), rootMeanSquare(answered)
	if n := len(times); n > 0 {
		slices.Sort(times)
		s.MedianMilliseconds, s.P99Milliseconds = &times[n/2], &times[int(0.99*float64(n-1))]
	}
	return s
}

func (s *Score) count(c Check) {
	t := s.Tallies[c.Figure]
	t.add(c.Right)
	s.Tallies[c.Figure] = t
	if !c.Right && c.Figure != Success {
		s.Failed = append(s.Failed, c)
	}
}

// decisive tells whether a log is a success only if the figure is right.
func decisive(f Figure) bool {
	return f == Step || f == StepTime || f == NoStepTime || f == Silent
}

// near tells whether two numbers that both exist differ by no more than a share
// of the second.
func near(got, want *float64, tolerance float64) bool {
	return got != nil && want != nil && math.Abs(*got-*want) <= tolerance*math.Max(math.Abs(*want), 1e-12)
}

// same tells whether both are missing or equal.
func same(got, want *float64) bool {
	if got == nil || want == nil {
		return got == want
	}
	return *got == *want
}

// compare judges a prediction, but for slowdowns.
func (l *Label) compare(p *Prediction) []Check {
	var checks []Check
	add := func(f Figure, right bool, got, want string) {
		checks = append(checks, Check{l.File, l.Format, l.Family, f, right, got, want})
	}
	if !l.Trackable {
		said := l.said(p)
		add(Silent, said == "", said, "nothing")
		return checks
	}
	rights := l.right()
	// some tells whether some right answer holds for a field.
	some := func(field func(*Values) *float64, holds func(got, want *float64) bool) (right bool, got, want string) {
		for i := range rights {
			right = right || holds(field(&p.Values), field(&rights[i]))
		}
		return right, text(field(&p.Values)), texts(rights, field)
	}
	within := func(tolerance float64) func(got, want *float64) bool {
		return func(got, want *float64) bool { return near(got, want, tolerance) }
	}

	right, got, want := some(latestStep, same)
	add(Step, right, got, want)
	if l.grades("step_time_s") {
		if l.mustMissStepTime(p) {
			add(NoStepTime, p.StepTime == nil, text(p.StepTime), "missing")
		} else {
			right, got, want := some(stepTime, func(got, want *float64) bool { return told(want) && near(got, want, l.tolerance()) })
			add(StepTime, right, got, want)
		}
	}
	for _, f := range []struct {
		figure    Figure
		name      string
		field     func(*Values) *float64
		tolerance float64
	}{
		{Loss, "loss", func(v *Values) *float64 { return v.Loss }, 0.002},
		{LearningRate, "lr", func(v *Values) *float64 { return v.LR }, 0.02},
		{Remaining, "eta_s", func(v *Values) *float64 { return v.ETA }, 0.05},
		{Throughput, "throughput", func(v *Values) *float64 { return v.Throughput }, 0.10},
	} {
		if f.field(&l.Values) == nil || !l.grades(f.name) || f.figure == Throughput && l.ThroughputSource != "printed" {
			continue
		}
		right, got, want := some(f.field, within(f.tolerance))
		add(f.figure, right, got, want)
	}
	if l.TotalSteps != nil {
		right, got, want := some(func(v *Values) *float64 { return v.TotalSteps }, same)
		add(TotalSteps, right, got, want)
	}
	if len(l.Validation) > 0 {
		right := false
		for _, got := range p.Validation {
			for _, want := range l.Validation {
				right = right || near(got, &want, 0.002)
			}
		}
		add(Validation, right, named(p.Validation), named(pointers(l.Validation)))
	}
	return checks
}

func latestStep(v *Values) *float64 { return v.LatestStep }
func stepTime(v *Values) *float64   { return v.StepTime }

// told tells whether a label gives a number: zero is none.
func told(v *float64) bool { return v != nil && *v != 0 }

func (l *Label) tolerance() float64 {
	if l.StepTimeTolerance == nil {
		return 0.10
	}
	return *l.StepTimeTolerance
}

// mustMissStepTime tells whether only a missing step time is right. Where the
// label has none but an alternative has, an answer is held to that.
func (l *Label) mustMissStepTime(p *Prediction) bool {
	if l.StepTime != nil {
		return false
	}
	for _, v := range l.right() {
		if told(v.StepTime) && p.StepTime != nil {
			return false
		}
	}
	return true
}

// stepTimeError is the relative error of the step time against the nearest
// right answer, 1 for a missing one; false if it is not graded.
func (l *Label) stepTimeError(p *Prediction) (float64, bool) {
	if !l.Trackable || !l.grades("step_time_s") || l.mustMissStepTime(p) {
		return 0, false
	}
	if !told(p.StepTime) {
		return 1, true
	}
	least := math.Inf(1)
	for _, v := range l.right() {
		if told(v.StepTime) {
			least = math.Min(least, math.Abs(*p.StepTime / *v.StepTime - 1))
		}
	}
	return least, !math.IsInf(least, 1)
}

// said lists what a prediction says about a log in which nothing trains.
func (l *Label) said(p *Prediction) string {
	var said []string
	for _, f := range []struct {
		name string
		v    *float64
	}{
		{"latest_step", p.LatestStep}, {"total_steps", p.TotalSteps}, {"step_time_s", p.StepTime},
		{"loss", p.Loss}, {"throughput", p.Throughput},
	} {
		if f.v != nil && l.grades(f.name) {
			said = append(said, f.name+" "+text(f.v))
		}
	}
	if len(p.Validation) > 0 && l.grades("val_metrics") {
		said = append(said, "val_metrics "+named(p.Validation))
	}
	return strings.Join(said, ", ")
}

// compareSlowdown judges where a prediction sees a lasting slowdown.
func (l *Label) compareSlowdown(p *Prediction) []Check {
	check := func(f Figure, right bool, got, want string) Check {
		return Check{l.File, l.Format, l.Family, f, right, got, want}
	}
	if l.Ratio == 1 {
		return []Check{check(Control, p.SlowAtLine == nil, "line "+text(p.SlowAtLine), "none")}
	}
	found := false
	if p.SlowAtLine != nil && l.SlowAtLine != nil {
		late := *p.SlowAtLine - *l.SlowAtLine
		found = late >= -5 && late <= math.Max(40, 0.12*l.Lines)
	}
	return []Check{
		check(Slow, found, "line "+text(p.SlowAtLine), "line "+text(l.SlowAtLine)),
		check(SlowRatio, found && near(p.Ratio, &l.Ratio, 0.12), text(p.Ratio), text(&l.Ratio)),
	}
}

func rootMeanSquare(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	root := math.Sqrt(sum / float64(len(values)))
	return &root
}

func text(v *float64) string {
	if v == nil {
		return "missing"
	}
	return strconv.FormatFloat(*v, 'g', 6, 64)
}

func texts(rights []Values, field func(*Values) *float64) string {
	var out []string
	for i := range rights {
		v := field(&rights[i])
		if t := text(v); v != nil && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if out == nil {
		return text(nil)
	}
	return strings.Join(out, " or ")
}

func named(metrics map[string]*float64) string {
	var out []string
	for name, v := range metrics {
		out = append(out, fmt.Sprintf("%s=%s", name, text(v)))
	}
	slices.Sort(out)
	if len(out) > 6 {
		out = append(out[:6], "...")
	}
	return strings.Join(out, " ")
}

func pointers(metrics map[string]float64) map[string]*float64 {
	out := make(map[string]*float64, len(metrics))
	for name, v := range metrics {
		out[name] = &v
	}
	return out
}
