package eval

import (
	"fmt"
	"io"
	"slices"

	"schedmate"
	"schedmate/eval/traces"
	"schedmate/scheduler"
)

// prepared is an experiment with everything read and checked.
type prepared struct {
	experiment *Experiment
	trace      *traces.Trace
	spec       ClusterSpec
	cluster    schedmate.Cluster
	reference  *Reference
	stored     storedJobs
	scale      Scale
	first      int64 // the seed that the trace belongs to, if it is drawn
	runs       []preparedRun
}

type preparedRun struct {
	id      RunID
	reading string
	policy  scheduler.Policy
	world   scheduler.World
	facts   *Facts
}

// Count returns how many runs a request makes, without reading any trace. Its
// error says what of the request an experiment does not have.
func (s *Suite) Count(es []*Experiment, req Request) (int, error) {
	all, err := s.all(es, &req)
	total := 0
	for k := range all {
		if req.Shard.has(k) {
			total++
		}
	}
	return total, err
}

// all builds the runs of the whole sweep, of which the request may ask for a
// shard, in the order of the report.
func (s *Suite) all(es []*Experiment, req *Request) ([]preparedRun, error) {
	var all []preparedRun
	for i, e := range es {
		if slices.ContainsFunc(es[:i], func(before *Experiment) bool { return before.Name == e.Name }) {
			return nil, &RequestError{fmt.Errorf("experiment %s is asked for twice", e.Name)}
		}
		runs, err := s.matrix(e, *req)
		if err != nil {
			return nil, &RequestError{err}
		}
		all = append(all, runs...)
	}
	return all, nil
}

// mine returns those runs of an experiment that the request asks for.
func (r *Request) mine(e *Experiment, all []preparedRun) []preparedRun {
	var mine []preparedRun
	for k := range all {
		if all[k].id.Experiment == e.Name && r.Shard.has(k) {
			mine = append(mine, all[k])
		}
	}
	return mine
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
	seeds := req.seeds(e)
	var runs []preparedRun
	asked := make(map[RunID]bool)
	for _, name := range names {
		spec, err := e.spec(name, s.Registry)
		if err != nil {
			return nil, err
		}
		reading := e.reading(spec, preset)
		policy, world, err := spec.build(s.Registry, e.World, preset, reading)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		told, err := e.factsFor(spec)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		for _, seed := range seeds {
			id := RunID{e.Name, name, preset, seed}
			if asked[id] {
				return nil, fmt.Errorf("experiment %s: policy %s with seed %d is asked for twice", e.Name, name, seed)
			}
			asked[id] = true
			runs = append(runs, preparedRun{id, reading, policy, world, told})
		}
	}
	return runs, nil
}

func (r *Request) seeds(e *Experiment) []int64 {
	if len(r.Seeds) > 0 {
		return r.Seeds
	}
	return e.Seeds
}

func (r *Request) preset(e *Experiment) string {
	if r.Preset != "" {
		return r.Preset
	}
	return e.Preset
}

func (s *Suite) prepare(e *Experiment, runs []preparedRun, req Request) (*prepared, error) {
	p := &prepared{experiment: e, runs: runs}
	p.spec = req.Scale.cluster(e.Cluster)
	if err := p.spec.validate(); err != nil {
		return nil, &RequestError{fmt.Errorf("experiment %s: %w", e.Name, err)}
	}
	p.first = req.seeds(e)[0] // of the whole sweep, so that all shards name one trace
	var err error
	if p.trace, err = s.jobs(e, p.first); err != nil {
		return nil, err
	}
	if p.cluster, err = p.spec.Build(p.trace.VCs); err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	if acc := p.trace.Accounting; acc != nil && len(acc.GPUTypes) > 0 {
		p.trace = WithoutTypes(p.trace, &p.cluster)
	}
	p.scale = req.Scale
	if !req.Scale.one() {
		if p.trace.Jobs, err = req.Scale.jobs(p.trace.Jobs); err != nil {
			return nil, &RequestError{fmt.Errorf("experiment %s: %w", e.Name, err)}
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

// jobs returns the trace of an experiment, filtered. Only a trace that is drawn
// depends on the seed.
func (s *Suite) jobs(e *Experiment, seed int64) (*traces.Trace, error) {
	if d := e.Trace.Drawn; d != nil {
		cluster, err := e.Cluster.Build(nil) // at any scale the same jobs
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		t, err := d.draw(seed, e.Filter, cluster.GPUs())
		if err != nil {
			return nil, &RequestError{fmt.Errorf("experiment %s: %w", e.Name, err)}
		}
		return t, nil
	}
	trace, err := s.load(&e.Trace)
	if err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	if trace, err = trace.Apply(e.Filter); err != nil {
		return nil, &RequestError{fmt.Errorf("experiment %s: %w", e.Name, err)}
	}
	return trace, nil
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
	options := src.Options
	options.Beside = s.Beside
	return traces.ReadWith(f, name, src.Format, options)
}
