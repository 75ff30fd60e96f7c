package lineclass_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"schedmate/logs/lineclass"
)

// wise is an oracle from a table of lines. Every other line it does not know.
type wise struct {
	says   map[string]lineclass.Answer
	err    error
	short  bool // it leaves the last answer out
	calls  int
	asked  []lineclass.Question
	listen chan struct{} // if not nil, a call waits for it
}

func (w *wise) Classes(ctx context.Context, questions []lineclass.Question) ([]lineclass.Answer, error) {
	w.calls++
	w.asked = append(w.asked, questions...)
	if w.listen != nil {
		select {
		case <-w.listen:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	answers := make([]lineclass.Answer, len(questions))
	for i, q := range questions {
		answers[i] = w.says[q.Line]
	}
	if w.short {
		answers = answers[1:]
	}
	return answers, nil
}

// Lines of which no model can know what they are.
const (
	strange  = "zorp blimfark quux"
	stranger = "frobnak wibble snarf garp"
)

func TestTheModelIsUnsureOfStrangeLines(t *testing.T) {
	for _, line := range []string{strange, stranger} {
		if class, sure := lineclass.Default().Classify([]byte(line)); class == lineclass.InfraError || sure >= 0.6 {
			t.Errorf("%q: %s %v; the stories below need a line that is unsure", line, class, sure)
		}
	}
}

// consulted runs Consult beside work, and returns what Consult did.
func consulted(t *testing.T, c *lineclass.Classifier, work func()) (err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Consult(ctx) }()
	work()
	synctest.Wait()
	cancel()
	return <-done
}

// The model's answer counts at once; the oracle's from the next line on, for
// every line of the template, for every job.
func TestOracleAnswersLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wise{says: map[string]lineclass.Answer{strange: {Class: lineclass.ShutdownCascade, Confidence: 0.8}}}
		c := lineclass.New(lineclass.Options{Oracle: w})
		lexical, _ := lineclass.Default().Classify([]byte(strange))
		err := consulted(t, c, func() {
			if class, _ := c.Classify([]byte(strange)); class != lexical {
				t.Errorf("the first answer is %s, not the model's %s", class, lexical)
			}
			synctest.Wait()
			for _, job := range []*lineclass.Classifier{c, c.ForJob()} {
				if class, sure := job.Classify([]byte("  ZORP blimfark   quux")); class != lineclass.ShutdownCascade || sure != 0.8 {
					t.Errorf("after the oracle spoke: %s %v", class, sure)
				}
			}
			c.Classify([]byte("step 100 loss 2.31")) // sure
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(w.asked) != 1 || w.asked[0].Line != strange || w.asked[0].Class != lexical {
			t.Errorf("the oracle was asked %+v", w.asked)
		}
		if got, want := c.OracleStats(), (lineclass.OracleStats{Asked: 1, Changed: 1}); got != want {
			t.Errorf("counts %+v, want %+v", got, want)
		}
	})
}

// No oracle makes a line an infrastructure error, and none is believed that is
// no surer than the model must be.
func TestOracleDiscipline(t *testing.T) {
	for name, c := range map[string]struct {
		answer lineclass.Answer
		want   lineclass.OracleStats
	}{
		"infra_error is refused": {lineclass.Answer{Class: lineclass.InfraError, Confidence: 1}, lineclass.OracleStats{Asked: 1, Refused: 1}},
		"unsure":                 {lineclass.Answer{Class: lineclass.Warning, Confidence: 0.3}, lineclass.OracleStats{Asked: 1, Unknown: 1}},
		"no class":               {lineclass.Answer{}, lineclass.OracleStats{Asked: 1, Unknown: 1}},
		"no such class":          {lineclass.Answer{Class: 77, Confidence: 1}, lineclass.OracleStats{Asked: 1, Unknown: 1}},
		"no probability":         {lineclass.Answer{Class: lineclass.Warning, Confidence: 7059}, lineclass.OracleStats{Asked: 1, Unknown: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wise{says: map[string]lineclass.Answer{strange: c.answer}}
				classifier := lineclass.New(lineclass.Options{Oracle: w})
				want, wantSure := lineclass.Default().Classify([]byte(strange))
				err := consulted(t, classifier, func() {
					classifier.Classify([]byte(strange))
					synctest.Wait()
					if class, sure := classifier.Classify([]byte(strange)); class != want || sure != wantSure {
						t.Errorf("%s %v, want the model's %s %v", class, sure, want, wantSure)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := classifier.OracleStats(); got != c.want {
					t.Errorf("counts %+v, want %+v", got, c.want)
				}
			})
		})
	}
}

// An oracle that fails changes nothing, and is left alone after three failures.
func TestOracleFails(t *testing.T) {
	for name, w := range map[string]*wise{
		"an error":        {err: errors.New("connection refused")},
		"too few answers": {short: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := lineclass.New(lineclass.Options{Oracle: w})
				done := make(chan error, 1)
				go func() { done <- c.Consult(t.Context()) }()
				for i := range 5 {
					c.Classify([]byte(strange + strings.Repeat(" garp", i)))
					synctest.Wait()
				}
				err := <-done
				if err == nil || !strings.Contains(err.Error(), "gave up after 3 failures in a row; the model's answers stand") {
					t.Errorf("Consult ends with %v", err)
				}
				if got, want := c.OracleStats(), (lineclass.OracleStats{Asked: 3, Failed: 3}); w.calls != 3 || got != want {
					t.Errorf("%d calls, counts %+v, want %+v", w.calls, got, want)
				}
				want, _ := lineclass.Default().Classify([]byte(strange))
				if class, _ := c.Classify([]byte(strange)); class != want {
					t.Errorf("%s, want the model's %s", class, want)
				}
			})
		})
	}
}

// A job may ask about so many templates, and each is asked about once. What
// waits at one time goes in one call.
func TestQuestionsAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wise{listen: make(chan struct{})}
		c := lineclass.New(lineclass.Options{Oracle: w, MostQuestions: 10})
		other := c.ForJob()
		err := consulted(t, c, func() {
			for i := range 40 {
				line := []byte(strange + strings.Repeat(" garp", i))
				c.Classify(line)
				synctest.Wait()
				other.ForJob().Classify(line)
			}
			other.Classify([]byte(stranger))
			close(w.listen)
			synctest.Wait()
		})
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[uint64]bool)
		for _, q := range w.asked {
			if seen[q.Template] {
				t.Errorf("asked twice about %q", q.Line)
			}
			seen[q.Template] = true
			if len(q.Line) > 400 {
				t.Errorf("a question of %d bytes", len(q.Line))
			}
		}
		if len(w.asked) != 11 || w.calls != 2 {
			t.Errorf("%d questions in %d calls, want 10 of one job and 1 of another in 2", len(w.asked), w.calls)
		}
	})
}

func TestConsultNeedsAnOracle(t *testing.T) {
	if err := lineclass.New(lineclass.Options{}).Consult(t.Context()); err == nil {
		t.Error("nobody is consulted, and nobody says so")
	}
}
