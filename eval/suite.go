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

	"schedmate"
	"schedmate/eval/traces"
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
}

// Suite runs experiments. Its fields are the ports to the world outside.
type Suite struct {
	Registry scheduler.Registry

	// Data opens a file below the data folder. It returns an error that names
	// the missing file and what to do.
	Data func(name string) (io.ReadCloser, error)

	// Cost starts a meter of the calling goroutine's run, if set.
	Cost func() (stop func() Cost)

	// Events, if set, returns what is told the events of a run, in order. An
	// error of it ends the run.
	Events func(RunID) func(sim.Event) error

	// Progress, if set, is told about each run as it starts (done false) and
	// ends (done true). Calls may come from several goroutines at a time.
	Progress func(run RunID, done bool)
}

// Cost is what a run took.
type Cost struct {
	CPUSeconds   float64 `json:"cpu_s"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"` // of the whole process so far
}

// RunID names a run of a report.
type RunID struct {
	Experiment string `json:"experiment"`
	Policy     string `json:"policy"`
	Preset     string `json:"preset"`
	Seed       int64  `json:"seed"`
}

// Run is one policy, preset and seed.
type Run struct {
	RunID
	Reading string `json:"reading"` // the policy's preset that Preset stands for here
	Metrics
	Hash string `json:"hash"`
	Cost
	Reference *Comparison `json:"reference,omitempty"`

	Result   *sim.Result `json:"-"`
	Timeline *Timeline   `json:"-"`
}

// Report is the outcome of a request.
type Report struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"` // "SimulationReport"
	Trace      TraceIdentity `json:"trace"`
	Cluster    string        `json:"cluster"`
	Runs       []Run         `json:"runs"`

	Machines schedmate.Cluster `json:"-"`
}

// ReportKind is the value of Report.Kind.
const ReportKind = "SimulationReport"

// TraceIdentity says which bytes were simulated.
type TraceIdentity struct {
	Name    string        `json:"name"`
	Format  traces.Format `json:"format"`
	SHA256  string        `json:"sha256"`
	Jobs    int           `json:"jobs"`
	Dropped []traces.Drop `json:"dropped,omitempty"`
	Capped  int           `json:"capped,omitempty"`
}

// Run runs the experiment. The order of Report.Runs is policy, then seed, as
// asked, whatever the parallelism. When the context ends, it stops the runs under
// way and returns the context's error.
func (s *Suite) Run(ctx context.Context, e *Experiment, req Request) (*Report, error) {
	plan, err := s.prepare(e, req)
	if err != nil {
		return nil, err
	}
	runs := make([]Run, len(plan.runs))
	errs := make([]error, len(plan.runs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, req.Parallel) {
		workers.Go(func() {
			for i := range next {
				runs[i], errs[i] = s.one(ctx, plan, &plan.runs[i], req.Timeline)
			}
		})
	}
feed:
	for i := range plan.runs {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	t := plan.trace
	return &Report{
		APIVersion: schedmate.APIVersion, Kind: ReportKind,
		Trace:    TraceIdentity{t.Name, t.Format, t.SHA256, len(t.Jobs), t.Dropped, t.Capped},
		Cluster:  plan.spec.String(),
		Runs:     runs,
		Machines: plan.cluster,
	}, nil
}

// prepared is an experiment with everything read and checked.
type prepared struct {
	experiment *Experiment
	trace      *traces.Trace
	spec       ClusterSpec
	cluster    schedmate.Cluster
	reference  *Reference
	stored     storedJobs
	runs       []preparedRun
}

type preparedRun struct {
	id      RunID
	reading string
	policy  scheduler.Policy
	world   scheduler.World
}

// Count returns how many runs a request makes, without reading any trace. Its
// error says what of the request the experiment does not have.
func (s *Suite) Count(e *Experiment, req Request) (int, error) {
	runs, err := s.matrix(e, req)
	return len(runs), err
}

// matrix builds every run of a request: policies, then seeds, as asked.
func (s *Suite) matrix(e *Experiment, req Request) ([]preparedRun, error) {
	preset := req.preset(e)
	names := req.Policies
	if len(names) == 0 {
		for _, spec := range e.Policies {
			names = append(names, spec.Name)
		}
	}
	seeds := req.Seeds
	if len(seeds) == 0 {
		seeds = e.Seeds
	}
	var runs []preparedRun
	asked := make(map[RunID]bool)
	for _, name := range names {
		spec, err := e.Spec(name)
		if err != nil {
			return nil, err
		}
		reading := e.reading(spec, preset)
		policy, world, err := spec.build(s.Registry, reading)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		for _, seed := range seeds {
			id := RunID{e.Name, name, preset, seed}
			if asked[id] {
				return nil, fmt.Errorf("experiment %s: policy %s with seed %d is asked for twice", e.Name, name, seed)
			}
			asked[id] = true
			runs = append(runs, preparedRun{id, reading, policy, world})
		}
	}
	return runs, nil
}

func (r *Request) preset(e *Experiment) string {
	if r.Preset != "" {
		return r.Preset
	}
	return e.Preset
}

func (s *Suite) prepare(e *Experiment, req Request) (*prepared, error) {
	p := &prepared{experiment: e}
	var err error
	if p.runs, err = s.matrix(e, req); err != nil {
		return nil, err
	}
	trace, err := s.load(&e.Trace)
	if err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	if p.trace, err = trace.Apply(e.Filter); err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	p.spec = req.Scale.cluster(e.Cluster)
	if err := p.spec.validate(); err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	if p.cluster, err = p.spec.Build(p.trace.VCs); err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	if !req.Scale.one() {
		if p.trace.Jobs, err = req.Scale.jobs(p.trace.Jobs); err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		return p, nil
	}
	p.reference = e.Reference
	if ref := e.Reference; ref != nil && ref.Jobs != nil && req.preset(e) == ref.Preset {
		f, err := s.Data(ref.Jobs.File)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: reference: %w", e.Name, err)
		}
		defer f.Close()
		if p.stored, err = ref.Jobs.read(f); err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
	}
	return p, nil
}

func (s *Suite) load(src *TraceSource) (*traces.Trace, error) {
	name := src.Bundled
	open := func() (io.ReadCloser, error) { return traces.Bundled(src.Bundled) }
	if src.File != "" {
		name = src.File
		open = func() (io.ReadCloser, error) { return s.Data(src.File) }
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return traces.Read(f, name, src.Format)
}

func (s *Suite) one(ctx context.Context, p *prepared, r *preparedRun, timeline bool) (Run, error) {
	if s.Progress != nil {
		s.Progress(r.id, false)
	}
	cfg := sim.Config{Cluster: p.cluster, Policy: r.policy, World: r.world, Interrupt: ctx.Err}
	jobs := p.trace.Jobs
	if sigma := p.experiment.Estimates.NoiseSigma; sigma > 0 {
		jobs = estimated(jobs, sigma, r.id.Seed)
	}
	var rec *recorder
	if timeline {
		own := p.cluster
		own.Nodes = slices.Clone(own.Nodes)
		rec = newRecorder(&own, jobs)
		cfg.Observe = rec.observe
	}
	stop := func() Cost { return Cost{} }
	if s.Cost != nil {
		stop = s.Cost()
	}
	var refused error
	if s.Events != nil {
		tell, before := s.Events(r.id), cfg.Observe
		cfg.Observe = func(ev sim.Event) {
			if before != nil {
				before(ev)
			}
			if refused == nil {
				refused = tell(ev)
			}
		}
	}
	res, err := sim.Run(cfg, sim.Workload{Jobs: jobs})
	cost := stop()
	err = errors.Join(err, refused)
	if err != nil {
		return Run{}, fmt.Errorf("experiment %s: policy %s, seed %d: %w", r.id.Experiment, r.id.Policy, r.id.Seed, err)
	}
	out := Run{RunID: r.id, Reading: r.reading, Metrics: Measure(res), Hash: res.Hash, Cost: cost, Result: res}
	if out.Reference, err = p.reference.compare(r.id.Policy, r.id.Preset, p.stored, res, &out.Metrics); err != nil {
		return Run{}, fmt.Errorf("experiment %s: %w", r.id.Experiment, err)
	}
	if rec != nil {
		out.Timeline = rec.timeline()
	}
	if s.Progress != nil {
		s.Progress(r.id, true)
	}
	return out, nil
}

// estimated gives every job that has no run-time fact one that errs by a
// log-normal factor, drawn from the seed in the order of the trace.
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
		value := int64(min(max(math.Round(run*math.Exp(sigma*z)), 1), float64(schedmate.MaxSeconds)))
		j.Facts = append(slices.Clone(j.Facts), schedmate.Fact{
			Kind: schedmate.RunSeconds, Value: value, Low: value, High: value, Source: schedmate.FromPrior,
		})
	}
	return out
}
