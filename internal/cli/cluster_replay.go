package cli

import (
	"context"
	"errors"
	"fmt"

	"schedmate"
	"schedmate/adapters/replay"
	"schedmate/eval"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/sim"
)

// replayed is the cluster of an experiment at one instant of its run.
func (a *app) replayed(ctx context.Context, f *clusterFlags) (*replay.Cluster, error) {
	e, err := eval.Load(f.replay)
	if err != nil {
		return nil, notFound(err)
	}
	if f.at < 0 {
		return nil, usage(fmt.Errorf("--at must not be negative, got %s", f.at))
	}
	suite := eval.Suite{Registry: policy.All(), Data: a.dataFolder(&simulateFlags{}), Beside: a.beside}
	var c *replay.Cluster
	until, err := suite.Replay(ctx, e, eval.Request{Policies: []string{a.config.Policy}, Seeds: []int64{0}}, schedmate.Seconds(f.at.Seconds()), func(cluster schedmate.Cluster, jobs []sim.Job) func(sim.Event) error {
		c = replay.New(e.Name, cluster, f.logs)
		asked := make(map[string]*sim.Job, len(jobs))
		for i := range jobs {
			asked[jobs[i].ID] = &jobs[i]
		}
		return func(ev sim.Event) error {
			switch ev.Kind {
			case sim.Submitted:
				c.Submitted(ev.At, asked[ev.Job].Job)
			case sim.Started:
				return c.Started(ev.At, ev.Job, ev.Allocations)
			case sim.Preempted, sim.Evicted:
				return c.Requeued(ev.At, ev.Job)
			case sim.Ended, sim.Rejected:
				return c.Ended(ev.At, ev.Job, ev.State)
			case sim.NodeHealth:
				return c.NodeHealth(ev.At, ev.Node, ev.Health)
			}
			return nil
		}
	})
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return nil, asFailure(err)
		}
		return nil, simulateError(err)
	}
	c.Until(until)
	return c, nil
}
