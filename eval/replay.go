package eval

import (
	"context"
	"errors"
	"fmt"

	"schedmate"
	"schedmate/scheduler/sim"
)

// errFarEnough ends a run that has come to the instant that was asked for.
var errFarEnough = errors.New("far enough")

// Replay makes the first run of a request up to an instant, so many seconds after
// the first submission, and tells what happens. open is given the cluster and the
// jobs before anything does. The return value is the instant.
func (s *Suite) Replay(ctx context.Context, e *Experiment, req Request, after schedmate.Seconds, open func(schedmate.Cluster, []sim.Job) func(sim.Event) error) (schedmate.Seconds, error) {
	all, err := s.all([]*Experiment{e}, &req)
	if err != nil {
		return 0, err
	}
	p, err := s.prepare(e, all, req)
	if err != nil {
		return 0, err
	}
	r, jobs := &p.runs[0], p.trace.Jobs
	if len(jobs) == 0 {
		return 0, fmt.Errorf("experiment %s: its trace has no jobs", e.Name)
	}
	if sigma := p.experiment.Estimates.NoiseSigma; sigma > 0 {
		jobs = estimated(jobs, sigma, r.id.Seed)
	}
	var load sim.Workload
	load.Jobs, load.Pairs = p.experiment.Sharing.mix(jobs, p.trace.Pairs, r.id.Seed)
	tracker := p.experiment.Sharing.tracker(nil, true, r.id.Seed)
	until := jobs[0].Submit + after
	tell := open(p.cluster, load.Jobs)
	var refused error
	over := false
	_, err = sim.Run(sim.Config{
		Cluster: p.cluster, Policy: r.policy, World: r.world, Tracker: tracker,
		Interrupt: func() error {
			if over {
				return errFarEnough
			}
			return errors.Join(ctx.Err(), refused)
		},
		Observe: func(ev sim.Event) {
			if over = over || ev.At > until; !over && refused == nil {
				refused = tell(ev)
			}
		},
	}, load)
	if err != nil && !errors.Is(err, errFarEnough) {
		return 0, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	return until, refused
}
