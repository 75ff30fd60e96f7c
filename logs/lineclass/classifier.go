package lineclass

import (
	"sync"

	"schedmate/logs"
)

// Options of a Classifier. The zero value asks nobody.
type Options struct {
	// Model gives the lexical answers; nil means the Default.
	Model *Model

	// Overrides are the operator's answers, by template; see ReadOverrides.
	// They count for sure.
	Overrides map[uint64]Class

	// Oracle is asked about unsure templates while Consult runs; nil: nobody.
	Oracle Oracle

	// Unsure is the confidence below which the oracle is asked; 0 means 0.6, which
	// one line in six is under, and a third of those are wrong.
	Unsure Confidence

	// MostQuestions is how many templates of one job the oracle is asked about;
	// 0 means 200.
	MostQuestions int
}

const (
	defaultUnsure        = 0.6
	defaultMostQuestions = 200
)

// Classifier classifies lines, and remembers its answers by template. The first
// line of a template answers for all of them. It is safe for concurrent use.
//
// A Classifier is for one job; ForJob returns those of others, which share what
// was learned.
type Classifier struct {
	*shared
	asked int // questions of this job; under mu
}

// shared is what the classifiers of all jobs have in common.
type shared struct {
	options Options
	model   *Model
	cache   cache

	questions chan Question

	mu    sync.Mutex
	known map[uint64]answer // of all templates that were asked about, what the oracle said; no class: nothing yet, or nothing of use
	stats OracleStats
}

// New returns a classifier. It trains the default model if nobody has yet.
func New(o Options) *Classifier {
	if o.Model == nil {
		o.Model = Default()
	}
	if o.Unsure == 0 {
		o.Unsure = defaultUnsure
	}
	if o.MostQuestions == 0 {
		o.MostQuestions = defaultMostQuestions
	}
	s := &shared{options: o, model: o.Model}
	if o.Oracle != nil {
		s.known = make(map[uint64]answer)
		s.questions = make(chan Question, queuedQuestions)
	}
	return &Classifier{shared: s}
}

// ForJob returns a classifier for another job: with the same cache, and with
// questions of its own to ask.
func (c *Classifier) ForJob() *Classifier { return &Classifier{shared: c.shared} }

// Classify returns the class of a line, and how sure that is. It allocates
// nothing, but for a question to the oracle.
func (c *Classifier) Classify(text []byte) (Class, Confidence) {
	template := logs.Template(text)
	a, ok := c.cache.get(template)
	if !ok {
		a = c.first(template, text)
	}
	return a.class, a.confidence
}

// first answers the first line of a template, or the first since the cache
// forgot it.
func (c *Classifier) first(template uint64, text []byte) answer {
	if class, ok := c.options.Overrides[template]; ok && class.valid() {
		a := answer{class, 1, true}
		c.cache.put(template, a)
		return a
	}
	if a, ok := c.oracleSaid(template); ok {
		c.cache.put(template, a)
		return a
	}
	class, confidence := c.model.Classify(text)
	a := answer{class, confidence, false}
	c.cache.put(template, a)
	if c.options.Oracle != nil && confidence < c.options.Unsure {
		c.ask(template, text, a)
	}
	return a
}
