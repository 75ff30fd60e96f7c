package tracker_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/logs/series"
	"schedmate/tracker"
)

// TestStories runs testdata/*.txt. A block is a log, and below it what the
// tracker says of it. The log is written out (`log`) or printed by a template
// from a run that is known (`run`, see recipe.print). What is true stands
// in the first line, or follows from the run; an answer that contradicts it
// fails the test even when the listing below is rewritten with -rewrite.
//
//	log  step=N total=N step_time=SECONDS epoch=N loss=X fraction=X unit=WORD phase=WORD eta=S throughput=X
//	     slow_ratio=X slow_step=N within=PERCENT     what must be read; none: nothing must be read
//	     silent                                      this is no training
//	run  records=N every=N first=STEP of=STEPS takes=SECONDS jitter=PERCENT per_epoch=N batch=N pause_each=RECORDS
//	     pause=S slow_at=RECORD slow=TIMES recover_at=RECORD resume_at=RECORD resume_to=STEP arrivals
//	     and all words of log; step and step_time follow from the run unless they are given
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.HasSuffix(path, "README.md") {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s, err := newStory(d)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			p, notes := s.read(t)
			for _, wrong := range s.contradictions(&p) {
				t.Errorf("%s: %s", d.Pos, wrong)
			}
			checkEvidence(t, []byte(text(s.log)), &p)
			if d.HasArg("why") {
				for _, n := range notes {
					t.Logf("%v %s -- %s", n.Believed, n.What, n.Why)
				}
				t.Logf("\n%s", text(s.log))
			}
			return listing(&p)
		})
	})
}

// story is a log with what is true of it.
type story struct {
	log      []piece
	arrivals bool
	silent   bool
	within   float64
	truth    map[string]string
}

// checked are the words of a story that name what must come out.
var checked = []string{"step", "total", "step_time", "epoch", "loss", "fraction", "unit", "phase", "eta", "throughput", "slow_ratio", "slow_step"}

func newStory(d *datadriven.TestData) (*story, error) {
	s := &story{truth: map[string]string{}, within: 0.03}
	r := recipe{records: 60, every: 10, first: 10, start: time.Date(2024, 3, 1, 10, 0, 0, 0, time.UTC), seed: 1, stepTime: 1}
	numbers := map[string]*int{"records": &r.records, "every": &r.every, "first": &r.first, "of": &r.total, "per_epoch": &r.perEpoch, "batch": &r.batch,
		"pause_each": &r.pauseEach, "slow_at": &r.slowAt, "recover_at": &r.recoverAt, "resume_at": &r.resumeAt, "resume_to": &r.resumeTo}
	reals := map[string]*float64{"takes": &r.stepTime, "jitter": &r.jitter, "pause": &r.pause, "slow": &r.slow, "within": &s.within}
	for _, arg := range d.CmdArgs {
		value := strings.Join(arg.Vals, ",")
		n, isNumber := numbers[arg.Key]
		x, isReal := reals[arg.Key]
		var err error
		switch {
		case isNumber:
			*n, err = strconv.Atoi(value)
		case isReal:
			*x, err = strconv.ParseFloat(value, 64)
			if arg.Key == "jitter" || arg.Key == "within" {
				*x /= 100
			}
		case arg.Key == "silent":
			s.silent = true
		case arg.Key == "arrivals":
			s.arrivals = true
		case arg.Key == "why":
		default:
			known := false
			for _, w := range checked {
				known = known || w == arg.Key
			}
			if !known {
				err = fmt.Errorf("unknown word")
			}
			s.truth[arg.Key] = value
		}
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", arg.Key, value, err)
		}
	}
	switch d.Cmd {
	case "log":
		s.log = []piece{{d.Input + "\n", 0}}
	case "run":
		var err error
		if s.log, err = r.print(d.Input); err != nil {
			return nil, err
		}
		moments := r.moments()
		for word, truth := range map[string]string{"step": strconv.Itoa(moments[len(moments)-1].step), "step_time": fmt.Sprint(r.presentStepTime())} {
			if _, given := s.truth[word]; !given && !s.silent {
				s.truth[word] = truth
			}
		}
	default:
		return nil, fmt.Errorf("unknown command %s: want log or run", d.Cmd)
	}
	return s, nil
}

// read gives the log to the tracker as a whole, and byte by byte: it must not
// matter. With arrivals, each piece comes with its time.
func (s *story) read(t *testing.T) (schedmate.Progress, []tracker.Note) {
	t.Helper()
	whole := tracker.New(series.DefaultLimits)
	if s.arrivals {
		for _, p := range s.log {
			whole.Write([]byte(p.text), 1e15+int64(p.seconds*1e9))
		}
		return whole.Progress()
	}
	all := []byte(text(s.log))
	whole.Write(all, 0)
	p, notes := whole.Progress()
	if err := p.Validate("progress"); err != nil {
		t.Error(err)
	}
	parts := tracker.New(series.DefaultLimits)
	for i := range all {
		parts.Write(all[i:i+1], 0)
	}
	if again, _ := parts.Progress(); !cmp.Equal(p, again) {
		t.Errorf("written byte by byte, the log tells something else:\n%s", cmp.Diff(p, again))
	}
	return p, notes
}

// contradictions compares what was read with what is true.
func (s *story) contradictions(p *schedmate.Progress) []string {
	if s.silent {
		if p.Trackable {
			return []string{"this is no training, but something was read"}
		}
		return nil
	}
	var out []string
	for word, truth := range s.truth {
		got := reported(p, word)
		want, err := strconv.ParseFloat(truth, 64)
		if err != nil { // a word; none: nothing must be read
			if got != truth {
				out = append(out, fmt.Sprintf("%s is %s, read %s", word, truth, got))
			}
			continue
		}
		tolerance := 1e-9
		switch word {
		case "step_time", "throughput", "slow_ratio":
			tolerance = s.within
		case "eta", "fraction":
			tolerance = 0.01
		}
		x, err := strconv.ParseFloat(got, 64)
		if err != nil || math.Abs(x-want) > tolerance*math.Abs(want) {
			out = append(out, fmt.Sprintf("%s is %s, read %s", word, truth, got))
		}
	}
	return out
}

func reported(p *schedmate.Progress, word string) string {
	r := map[string]*schedmate.Reading{"step": p.Step, "total": p.TotalSteps, "step_time": p.StepTime, "epoch": p.Epoch, "loss": p.Loss, "fraction": p.Fraction, "eta": p.Remaining, "throughput": p.Throughput}[word]
	switch {
	case r != nil:
		return strconv.FormatFloat(r.Value, 'g', -1, 64)
	case word == "unit":
		return p.StepUnit
	case word == "phase":
		return string(p.Phase)
	case word == "slow_ratio" && p.Slowdown != nil:
		return strconv.FormatFloat(p.Slowdown.Ratio, 'g', -1, 64)
	case word == "slow_step" && p.Slowdown != nil:
		return strconv.FormatFloat(p.Slowdown.Step, 'g', -1, 64)
	}
	return "none"
}

// tester is a *testing.T or a *rapid.T.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
}

// readings are all that a Progress says.
func readings(p *schedmate.Progress) []*schedmate.Reading {
	all := []*schedmate.Reading{p.Step, p.TotalSteps, p.Epoch, p.TotalEpochs, p.StepTime, p.Throughput, p.Loss, p.LearningRate, p.Remaining, p.Fraction}
	for i := range p.Validation {
		all = append(all, &p.Validation[i].Last)
	}
	return slices.DeleteFunc(all, func(r *schedmate.Reading) bool { return r == nil })
}

// inside checks that every reading is of a byte of the log.
func inside(t tester, size int64, p *schedmate.Progress) {
	t.Helper()
	for _, r := range readings(p) {
		if r.Byte < 0 || r.Byte >= size || r.Line < 0 {
			t.Errorf("%s, %s: byte %d, line %d are not in the log of %d bytes", r.Name, r.Method, r.Byte, r.Line, size)
		}
	}
}

// checkEvidence checks that every reading points to a line of the log.
func checkEvidence(t tester, log []byte, p *schedmate.Progress) {
	t.Helper()
	inside(t, int64(len(log)), p)
	for _, r := range readings(p) {
		if line := int64(bytes.Count(log[:min(r.Byte, int64(len(log)))], []byte("\n"))) + 1; line != r.Line {
			t.Errorf("%s, %s: byte %d is in line %d, not %d", r.Name, r.Method, r.Byte, line, r.Line)
		}
	}
}
