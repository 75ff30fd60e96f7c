package lineclass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// Oracle is slow and knows more than the model: an encoder, a language model, a
// person. Lines are the text of users' jobs: an implementation that sends them
// elsewhere redacts them first, and treats them as hostile.
type Oracle interface {
	// Classes answers each question, in order. An answer without a class means
	// that the oracle does not know, either.
	Classes(ctx context.Context, questions []Question) ([]Answer, error)
}

// Question is about a template of which the model is unsure.
type Question struct {
	Template   uint64
	Line       string // one line of the template, cut to 400 bytes
	Class      Class  // the model's answer
	Confidence Confidence
}

// Answer is an oracle's.
type Answer struct {
	Class      Class
	Confidence Confidence
}

const (
	maxQuestionBytes  = 400
	mostAtOnce        = 16 // questions a call
	queuedQuestions   = 256
	mostFailuresInRow = 3
)

// OracleStats counts what became of questions.
type OracleStats struct {
	Asked     int // questions handed to the oracle
	Confirmed int // the oracle gave the model's class
	Changed   int // the oracle's class counts from now on
	Unknown   int // the oracle did not know, or was no surer than the model must be
	Refused   int // answers that make a line an infra_error, which takes better evidence
	Failed    int // questions of calls that failed
}

// OracleStats returns the counts of all jobs since the start.
func (c *Classifier) OracleStats() OracleStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// oracleSaid returns what the oracle said about a template.
func (s *shared) oracleSaid(template uint64) (answer, bool) {
	if s.options.Oracle == nil {
		return answer{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.known[template]
	return a, a.class != 0
}

// ask puts a question for Consult, unless the template was asked about, the job
// has asked enough, or too many questions wait. It never blocks.
func (c *Classifier) ask(template uint64, text []byte, a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, asked := c.known[template]; asked || c.asked >= c.options.MostQuestions {
		return
	}
	q := Question{template, sample(text), a.class, a.confidence}
	select {
	case c.questions <- q:
		c.asked++
		if len(c.known) == cacheEntries {
			clear(c.known) // a bound; what still matters is asked again
		}
		c.known[template] = answer{}
	default:
	}
}

// sample returns the start of a line, as valid text.
func sample(text []byte) string {
	if len(text) > maxQuestionBytes {
		text = text[:maxQuestionBytes]
	}
	return string(bytes.ToValidUTF8(text, nil))
}

// Consult puts the questions of all jobs to the oracle, those that wait at one
// time in one call, until the context ends; then it returns nil. Answers count
// from the next line on. A call that fails leaves the model's answers as they
// are; after three in a row Consult gives up and returns the last error. Run one
// Consult at a time, in a goroutine of its own.
func (c *Classifier) Consult(ctx context.Context) error {
	if c.options.Oracle == nil {
		return errors.New("consult: the classifier has no oracle; name one in its options")
	}
	for failures := 0; ; {
		batch := c.nextBatch(ctx)
		if len(batch) == 0 {
			return nil
		}
		answers, err := c.options.Oracle.Classes(ctx, batch)
		if err == nil && len(answers) != len(batch) {
			err = fmt.Errorf("%d answers to %d questions", len(answers), len(batch))
		}
		if err != nil {
			answers = nil
		}
		c.learn(batch, answers)
		switch {
		case err == nil:
			failures = 0
		case ctx.Err() != nil:
			return nil
		default:
			if failures++; failures == mostFailuresInRow {
				return fmt.Errorf("ask the oracle about %d templates: %w: gave up after %d failures in a row; the model's answers stand", len(batch), err, failures)
			}
		}
	}
}

// nextBatch waits for a question and takes those that wait with it; none means
// that the context ended.
func (s *shared) nextBatch(ctx context.Context) []Question {
	if ctx.Err() != nil {
		return nil
	}
	var batch []Question
	select {
	case <-ctx.Done():
		return nil
	case q := <-s.questions:
		batch = append(batch, q)
	}
	for len(batch) < mostAtOnce {
		select {
		case q := <-s.questions:
			batch = append(batch, q)
		default:
			return batch
		}
	}
	return batch
}

// learn keeps the answers that may count. No answers: the call failed.
func (s *shared) learn(batch []Question, answers []Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Asked += len(batch)
	if answers == nil {
		s.stats.Failed += len(batch)
		return
	}
	for i, q := range batch {
		a := answers[i]
		switch {
		case !a.Class.valid() || !(a.Confidence >= s.options.Unsure && a.Confidence <= 1):
			s.stats.Unknown++
			continue
		case a.Class == q.Class:
			s.stats.Confirmed++
		case a.Class == InfraError:
			s.stats.Refused++
			continue
		default:
			s.stats.Changed++
		}
		said := answer{a.Class, rounded(float32(a.Confidence)), true}
		s.known[q.Template] = said
		s.cache.put(q.Template, said)
	}
}
