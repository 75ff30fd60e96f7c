package neighbours

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/history"
)

// Rung is a step of the ladder.
type Rung string

// The rungs, best first.
const (
	Exact      Rung = "exact"
	Scaled     Rung = "scaled"
	Neighbours Rung = "neighbours"
	Name       Rung = "name"
	Prior      Rung = "prior"
	None       Rung = "none"
)

// Query is what is known of a job when it is submitted.
type Query struct {
	Print    fingerprint.Print
	User     string
	JobName  string
	Software string
	history.Request
	At schedmate.Seconds // only runs that have ended by then are used
}

// Neighbour is one run that an estimate is made from.
type Neighbour struct {
	ID         string
	Similarity float64 // of the works, 0 to 1
	Seconds    float64 // what it says about the query, after all factors
	Factor     float64 // Seconds over the time that the run took
	State      history.State
	GPUType    string
	Software   string
	Why        string // what the factor is made of
}

// Estimate is an answer with its evidence.
type Estimate struct {
	Rung        Rung
	Seconds     float64  // of a run to the end; 0: none
	Low, High   float64  // interval of the seconds with the coverage of the options
	Occupancy   float64  // expected seconds on the GPUs: runs are cancelled and fail
	Confidence  float64  // share of this rung's past estimates that were within a quarter
	Rates       []Rate   // throughput of the work by GPU type and number, as far as known
	Utilisation *float64 // of the GPUs after the warm-up, percent
	Top         []string // completed runs of the same work, best first; empty: none is known
	Basis       []Neighbour
	Spread      float64  // largest over smallest of the basis
	Fallbacks   []string // why better rungs did not answer
}

// Estimated is the estimate as a record keeps it.
func (e *Estimate) Estimated() *history.Estimated {
	if e.Seconds <= 0 {
		return nil
	}
	return &history.Estimated{Seconds: e.Seconds, Low: e.Low, High: e.High, Rung: string(e.Rung), Evidence: len(e.Basis)}
}

// Options choose how an estimate is made; see [Paper] and [Default].
type Options struct {
	Mean           bool    // mean of the TopK most similar completed runs with cosine >= Threshold, nothing else
	TopK           int     // runs that an estimate is made from
	Threshold      float64 // of the cosine; 0: calibrated on the history
	Coverage       float64 // of the intervals
	LeastProgress  float64 // a run that ended before it says nothing about the whole
	MaxSpread      float64 // largest over smallest run of a basis beyond which a rung does not answer
	Lowest         Rung    // rungs below do not answer
	RecencyHalving float64 // runs after which a run weighs half
	StartUp        float64 // seconds of loading code, weights and data, which no factor changes

	// Prior estimates without history, nil: never. Speed is the speed of a GPU
	// type relative to any fixed one, for pairs of types that the history does
	// not tell; nil: unknown.
	Prior func(Query) (seconds float64, ok bool)
	Speed func(gpuType string) (relative float64, ok bool)
}

// Paper is the estimator of the SchedMate paper: the mean of the three most
// similar completed runs, without a range of its own.
func Paper() Options {
	return Options{Mean: true, TopK: 3, Coverage: 0.9, Lowest: Neighbours}
}

// Default is the estimator that evaluation shows to be the best.
func Default() Options {
	return Options{TopK: 7, Coverage: 0.9, LeastProgress: 0.05, MaxSpread: 8, Lowest: Name, RecencyHalving: 6, StartUp: 150}
}

// Past is the history that estimates are made from; [history.History] describes
// its methods.
type Past interface {
	Len() (int, error)
	WorkCount() (int, error)
	Search(ctx context.Context, p fingerprint.Print, k int, filter history.Filter, at schedmate.Seconds) ([]history.Hit, error)
	Named(user, jobName string, gpus int, at schedmate.Seconds, most int) ([]*history.Record, error)
	Works(at schedmate.Seconds, visit func(*history.Work) error) error
	Threshold(ctx context.Context, at schedmate.Seconds) (history.Threshold, error)
	Outcomes(visit func(*history.Record) error) error
	OutcomeCount() (int, error)
	Lesson(key string) ([]byte, error)
}

// Estimator answers queries from the past. It is safe for concurrent use.
type Estimator struct {
	past    Past
	options Options

	mu        sync.Mutex
	errors    calibration
	site      *site // what the history teaches about GPU types and software
	threshold float64
	tunedAt   int // works when the threshold was calibrated
}

// New returns an estimator. It learns how wrong it was from the past's records,
// or from what [Teach] kept of them; later ones are to be given to Observe.
func New(past Past, options Options) (*Estimator, error) {
	e := &Estimator{past: past, options: options}
	var err error
	if e.errors, err = recalled(past, options.Coverage); err != nil {
		return nil, fmt.Errorf("learn from history: %w", err)
	}
	return e, nil
}

// Observed is the number of past estimates of a rung whose outcome is known.
func (e *Estimator) Observed(r Rung) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.errors.seen[r]
}

// Observe learns from a run that has ended how far its estimate was off. It
// does not add the run to the index.
func (e *Estimator) Observe(r *history.Record) {
	if r.Estimated == nil || r.State != history.Completed || r.Duration() <= 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.errors.observe(r.Estimated, float64(r.Duration()))
}

// Estimate answers a query; the rung is None if nothing serves.
func (e *Estimator) Estimate(ctx context.Context, q Query) (*Estimate, error) {
	if e.options.Mean {
		return e.mean(ctx, q)
	}
	found, err := e.relate(ctx, q)
	if err != nil {
		return nil, err
	}
	same, err := found.runs(sameWork)
	if err != nil {
		return nil, err
	}
	answer := &Estimate{Rung: None, Top: completed(same, e.options.TopK), Rates: performance(same)}
	learnt, err := e.learn(q.At)
	if err != nil {
		return nil, err
	}
	for _, step := range []struct {
		rung Rung
		runs func() ([]run, error)
		lack string
	}{
		{Exact, found.runsOf(sameWork), "no run of the same work has got far enough"},
		{Scaled, found.runsOf(nearWork), "no run of this work in another amount is known"},
		{Neighbours, found.runsOf(relatedWork), "no related work is known"},
		{Name, func() ([]run, error) { return e.named(q) }, "this user has run nothing of this name"},
	} {
		if below(step.rung, e.options.Lowest) {
			break
		}
		runs, err := step.runs()
		if err != nil {
			return nil, err
		}
		basis, err := e.choose(q, runs, learnt)
		if err != nil {
			return nil, err
		}
		if len(basis) == 0 {
			answer.Fallbacks = append(answer.Fallbacks, string(step.rung)+": "+step.lack)
			continue
		}
		if e.scattered(basis) {
			if basis, runs, err = e.narrow(q, basis, runs, learnt); err != nil {
				return nil, err
			}
		}
		if e.scattered(basis) {
			answer.Fallbacks = append(answer.Fallbacks, fmt.Sprintf("%s: its %d runs differ by a factor of %.3g: what decides is not known of the work", step.rung, len(basis), spread(basis)))
			continue
		}
		e.fill(answer, step.rung, basis, runs)
		break
	}
	if answer.Rung == None && e.options.Prior != nil && !below(Prior, e.options.Lowest) {
		if seconds, ok := e.options.Prior(q); ok && seconds > 0 {
			answer.Rung, answer.Seconds, answer.Occupancy = Prior, seconds, seconds
		}
	}
	if answer.Utilisation, err = utilisation(q, found); err != nil {
		return nil, err
	}
	e.bound(answer)
	return answer, nil
}

// scattered tells whether runs that should be alike are not.
func (e *Estimator) scattered(basis []weighted) bool {
	return e.options.MaxSpread > 0 && spread(basis) > e.options.MaxSpread
}

// narrow keeps to the user's runs of this name: where something decides that is
// not known of the work, who submits it again under one name mostly keeps it.
func (e *Estimator) narrow(q Query, basis []weighted, runs []run, learnt *site) ([]weighted, []run, error) {
	var own []run
	for _, r := range runs {
		if byName(q, r.Record) {
			own = append(own, r)
		}
	}
	if fewer, err := e.choose(q, own, learnt); err != nil || len(fewer) > 0 {
		return fewer, own, err
	}
	return basis, runs, nil
}

// fill takes the answer from a basis.
func (e *Estimator) fill(answer *Estimate, rung Rung, basis []weighted, runs []run) {
	answer.Rung, answer.Seconds, answer.Spread = rung, weightedMedian(basis), spread(basis)
	for _, w := range basis {
		answer.Basis = append(answer.Basis, w.Neighbour)
	}
	answer.Occupancy = answer.Seconds * reached(runs, answer.Seconds)
}

// reached is the share of its work that a run does on average before it ends,
// by the latest runs and one run to the end, which stands for hope.
func reached(runs []run, seconds float64) float64 {
	latest := slices.Clone(runs)
	sortRuns(latest, func(a, b run) int { return 0 })
	sum, n := 1.0, 1.0
	for _, r := range latest[:min(hazardRuns, len(latest))] {
		n++
		switch {
		case r.Progress >= 0:
			sum += r.Progress
		case r.State == history.Completed:
			sum++
		default:
			sum += min(1, float64(r.Duration())/seconds)
		}
	}
	return sum / n
}

// bound gives the answer its interval.
func (e *Estimator) bound(answer *Estimate) {
	if answer.Seconds <= 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	low, high := e.errors.interval(answer.Rung, len(answer.Basis))
	answer.Low, answer.High = answer.Seconds*low, answer.Seconds*high
	answer.Confidence = e.errors.confidence(answer.Rung, len(answer.Basis))
}

const hazardRuns = 20 // latest runs by which it is judged how far runs get

var ladder = []Rung{Exact, Scaled, Neighbours, Name, Prior}

// below tells whether rung a stands below b; nothing stands below an unnamed one.
func below(a, b Rung) bool {
	for _, r := range ladder {
		switch {
		case r == a:
			return false
		case r == b:
			return true
		}
	}
	return false
}
