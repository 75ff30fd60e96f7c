package schedtest

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Workload invents up to n jobs for the cluster, more than it can run at once,
// and node events if the style has nodes that fail.
func Workload(d Draw, c *schedmate.Cluster, st Style, n int) sim.Workload {
	var w sim.Workload
	at := schedmate.Seconds(d(0, 3))
	for i := range 1 + d(0, n/2-1) + d(0, n/2) {
		if !d.in(3) {
			at += schedmate.Seconds(pick(d, 1, 5, 20, 60) + d(0, 10))
		}
		j := sim.Job{Job: request(d, c, st, fmt.Sprintf("j%d", i))}
		j.Submit = at
		j.SLO = promise(d, at)
		run := schedmate.Seconds(pick(d, 100, 0, 5, 30, 200, 400) + d(0, 20))
		j.Outcome = &schedmate.Outcome{Run: run, State: pick(d, schedmate.Completed, schedmate.Completed, schedmate.Failed, schedmate.Cancelled)}
		if d.in(6) {
			j.TimeLimit = schedmate.Seconds(d(1, 200))
		}
		if !d.in(5) {
			value := int64(max(0, int(run)+d(-20, 20)))
			j.Facts = append(j.Facts, schedmate.Fact{
				Kind: schedmate.RunSeconds, Value: value, Low: value - int64(d(0, int(min(value, 40)))), High: value + int64(d(0, 40)),
				ConfidenceMilli: 500, Source: schedmate.FromTrace, ObservedAt: at,
			})
		}
		w.Jobs = append(w.Jobs, j)
	}
	if st.AllHealthy {
		return w
	}
	when := schedmate.Seconds(0)
	for range d(0, 6) {
		when += schedmate.Seconds(d(0, 120))
		w.Nodes = append(w.Nodes, sim.NodeEvent{
			At: when, Node: pick(d, c.Nodes...).ID,
			Health: pick(d, schedmate.Down, schedmate.Healthy, schedmate.Healthy, schedmate.Draining, schedmate.Suspect),
		})
	}
	return w
}
