package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// Request says which of an experiment's runs are wanted.
type Request struct {
	Policies []string // empty: all of the experiment's
	Preset   string   // empty: the experiment's
	Seeds    []int64  // empty: the experiment's
	Parallel int      // runs at a time; at least 1
	Timeline bool     // record what figures need
	Scale    Scale    // with anything but 1, nothing is compared with a reference
	Shard    Shard    // the part of the runs to make
	Program  string   // which program makes the runs: shards of different ones are never joined
}

// Suite runs experiments. Its fields are the ports to the world outside.
type Suite struct {
	Registry scheduler.Registry

	// Data opens a file below the data folder. It returns an error that names
	// the missing file and what to do.
	Data func(name string) (io.ReadCloser, error)

	// Beside opens a file of the data folder for trace formats that need more
	// than the trace; see traces.Options.
	Beside func(name string) (io.ReadCloser, error)

	// Cost starts a meter of the calling goroutine's run, if set. Without it the
	// report has no costs, and equal requests give equal reports.
	Cost func() (stop func() *Cost)

	// Clock tells the CPU time of the calling goroutine's run since some instant, and
	// is set where Cost is.
	Clock func() time.Duration

	// Events, if set, returns what is told the events of a run, in order. An
	// error of it ends the run.
	Events func(RunID) func(sim.Event) error

	// Done, if set, is told each run in the order of the report, as soon as it and
	// all before it are over; an error of it ends the sweep. Unless the request asks
	// for timelines, the run's Result is let go then, so that a sweep needs memory
	// for the runs under way only. Calls come one at a time.
	Done func(*Run) error

	// Progress, if set, is told how far each run is: about every hundredth of its
	// jobs, and when it is over. Calls may come from several goroutines at a time.
	Progress func(Progress)
}

// Run runs the experiments. The order of Report.Runs is experiment, policy,
// seed, as asked, whatever the parallelism. When the context ends, it stops the
// runs under way and returns the context's error.
func (s *Suite) Run(ctx context.Context, es []*Experiment, req Request) (*Report, error) {
	all, err := s.all(es, &req)
	if err != nil {
		return nil, err
	}
	rep := &Report{APIVersion: schedmate.APIVersion, Kind: ReportKind, Inputs: []Input{}}
	if rep.Shard, err = req.shardOf(es, all); err != nil {
		return nil, err
	}
	type task struct {
		from *prepared
		run  *preparedRun
	}
	var tasks []task
	for _, e := range es {
		mine := req.mine(e, all)
		if len(mine) == 0 {
			continue
		}
		p, err := s.prepare(e, mine, req)
		if err != nil {
			return nil, err
		}
		rep.Inputs = append(rep.Inputs, p.input())
		for i := range p.runs {
			tasks = append(tasks, task{p, &p.runs[i]})
		}
	}
	rep.Runs = make([]Run, len(tasks))
	order := delivery{suite: s, runs: rep.Runs, over: make([]bool, len(tasks)), keep: req.Timeline, room: make(chan struct{}, 2*max(1, req.Parallel))}
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, req.Parallel) {
		workers.Go(func() {
			for i := range next {
				run, err := s.one(ctx, tasks[i].from, tasks[i].run, req.Timeline)
				order.take(i, run, err)
			}
		})
	}
feed:
	for i := range tasks {
		select {
		case order.room <- struct{}{}:
		case <-ctx.Done():
			break feed
		}
		if order.failed() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	if err := order.failed(); err != nil {
		return nil, err
	}
	if rep.Shard == nil {
		rep.Spreads = Spreads(rep.Runs)
	}
	return rep, nil
}

func (p *prepared) input() Input {
	t := p.trace
	return Input{
		Experiment: p.experiment.Name,
		Trace:      TraceIdentity{t.Name, t.Format, t.Synthetic, t.SHA256, len(t.Jobs), t.Dropped, t.Capped, t.Accounting},
		Cluster:    p.spec.String(),
		AsItWas:    MeasurePast(t, &p.cluster),
		Machines:   p.cluster,
	}
}

func (s *Suite) one(ctx context.Context, p *prepared, r *preparedRun, timeline bool) (Run, error) {
	cfg := sim.Config{Cluster: p.cluster, Policy: r.policy, World: r.world, Interrupt: ctx.Err}
	jobs, err := s.jobsOf(p, r.id.Seed)
	if err != nil {
		return Run{}, err
	}
	if sigma := p.experiment.Estimates.NoiseSigma; sigma > 0 {
		jobs = estimated(jobs, sigma, r.id.Seed)
	}
	jobs, pairs := p.experiment.Sharing.mix(jobs, p.trace.Pairs, r.id.Seed)
	jobs = r.facts.Apply(jobs, r.id.Seed)
	if r.world.Advice != scheduler.NoAdvice {
		if cfg.Cluster, err = r.facts.Served(cfg.Cluster); err != nil {
			return Run{}, fmt.Errorf("experiment %s: policy %s: %w", r.id.Experiment, r.id.Policy, err)
		}
	}
	load := sim.Workload{Jobs: jobs, Pairs: pairs}
	cfg.Tracker = p.experiment.Sharing.tracker(r.facts, r.world.Advice != scheduler.NoAdvice, r.id.Seed)
	var rec *recorder
	if timeline {
		own := cfg.Cluster
		own.Nodes = slices.Clone(own.Nodes)
		rec = newRecorder(&own, jobs)
		cfg.Observe = rec.observe
	}
	stop := func() *Cost { return nil }
	if s.Cost != nil {
		var plans *timed
		cfg.Policy, plans = timing(cfg.Policy, s.Clock)
		whole := s.Cost()
		stop = func() *Cost {
			c := whole()
			plans.into(c)
			return c
		}
	}
	var refused error
	if s.Events != nil {
		tell := s.Events(r.id)
		cfg.Observe = both(cfg.Observe, func(ev sim.Event) {
			if refused == nil {
				refused = tell(ev)
			}
		})
	}
	if s.Progress != nil {
		cfg.Observe = both(cfg.Observe, s.counter(r.id, len(jobs)))
	}
	res, err := sim.Run(cfg, load)
	cost := stop()
	err = errors.Join(err, refused)
	if err != nil {
		return Run{}, fmt.Errorf("experiment %s: policy %s, seed %d: %w", r.id.Experiment, r.id.Policy, r.id.Seed, err)
	}
	out := Run{RunID: r.id, Reading: r.reading, Estimates: r.world.Estimates, Facts: r.facts.Told(), Metrics: Measure(res), Hash: res.Hash, Cost: cost, Packing: packingOf(res), Result: res}
	if out.Reference, err = p.reference.compare(r.id.Policy, r.id.Preset, p.stored, res, &out.Metrics); err != nil {
		return Run{}, fmt.Errorf("experiment %s: %w", r.id.Experiment, err)
	}
	if rec != nil {
		out.Timeline = rec.timeline()
	}
	if s.Progress != nil {
		s.Progress(Progress{Run: r.id, Jobs: len(jobs), Of: len(jobs), Over: true})
	}
	return out, nil
}

// jobsOf returns the jobs of a run.
func (s *Suite) jobsOf(p *prepared, seed int64) ([]sim.Job, error) {
	if p.experiment.Trace.Drawn == nil || seed == p.first {
		return p.trace.Jobs, nil
	}
	trace, err := s.jobs(p.experiment, seed)
	if err != nil {
		return nil, err
	}
	if p.scale.one() {
		return trace.Jobs, nil
	}
	return p.scale.jobs(trace.Jobs)
}

// both returns an observer that tells two, the first of which may be nil.
func both(a, b func(sim.Event)) func(sim.Event) {
	if a == nil {
		return b
	}
	return func(ev sim.Event) {
		a(ev)
		b(ev)
	}
}

// counter returns an observer that reports progress.
func (s *Suite) counter(id RunID, jobs int) func(sim.Event) {
	over, step := 0, max(1, jobs/100)
	return func(ev sim.Event) {
		if ev.Kind != sim.Ended && ev.Kind != sim.Rejected {
			return
		}
		if over++; over%step == 0 {
			s.Progress(Progress{Run: id, Jobs: over, Of: jobs})
		}
	}
}

// within is the standard normal quantile of 95 %: nine of ten draws lie within so
// many sigmas.
const within = 1.6448536269514722

// estimated gives every job that has no run-time fact one that errs by a
// log-normal factor, drawn from the seed in the order of the trace. The interval
// that it states is honest: nine of ten true run times lie in it, and one of
// twenty above.
func estimated(jobs []sim.Job, sigma float64, seed int64) []sim.Job {
	rng := rand.New(rand.NewPCG(uint64(seed), 0x5eed))
	out := slices.Clone(jobs)
	for i := range out {
		j := &out[i]
		z := rng.NormFloat64()
		if slices.ContainsFunc(j.Facts, func(f schedmate.Fact) bool { return f.Kind == schedmate.RunSeconds }) {
			continue
		}
		run := float64(j.Outcome.Run)
		at := func(sigmas float64) int64 {
			return int64(min(max(math.Round(run*math.Exp(sigma*sigmas)), 1), float64(schedmate.MaxSeconds)))
		}
		j.Facts = append(slices.Clone(j.Facts), schedmate.Fact{
			Kind: schedmate.RunSeconds, Value: at(z), Low: at(z - within), High: at(z + within), ConfidenceMilli: 900, Source: schedmate.FromPrior,
		})
	}
	return out
}
