package eval

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Three GPUs. "host" has two from 0 on, "guest" shares the second from 10 on, and leaves
// at 30. At 40 host moves to one that it has already and one that it had not: it has
// both again. At 50 it fails, and is back in the queue at 60.
func TestASharedGPUIsUsedOnce(t *testing.T) {
	on := func(share schedmate.Share, gpus ...int) (as []schedmate.Allocation) {
		for _, g := range gpus {
			as = append(as, schedmate.Allocation{Node: "n1", GPU: g, Share: share})
		}
		return as
	}
	job := func(id string, gpus int) sim.Job { return sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus}} }
	c := &schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: 3}}}
	r := newRecorder(c, []sim.Job{job("host", 2), job("guest", 1)})
	for _, ev := range []sim.Event{
		{At: 0, Kind: sim.Submitted, Job: "host"},
		{At: 0, Kind: sim.Started, Job: "host", Allocations: on(500, 0, 1)},
		{At: 10, Kind: sim.Submitted, Job: "guest"},
		{At: 10, Kind: sim.Started, Job: "guest", Allocations: on(500, 1)},
		{At: 30, Kind: sim.Ended, Job: "guest"},
		{At: 40, Kind: sim.Moved, Job: "host", Allocations: on(500, 1, 2)},
		{At: 50, Kind: sim.Stopped, Job: "host"},
		{At: 60, Kind: sim.Resubmitted, Job: "host"},
	} {
		r.observe(ev)
	}
	want := &Timeline{
		Usage: []Usage{
			{At: 0, UsedGPUs: 2}, {At: 10, UsedGPUs: 2}, {At: 30, UsedGPUs: 2}, {At: 40, UsedGPUs: 2}, {At: 50}, {At: 60, WaitingJobs: 1, WaitingGPUs: 2},
		},
		Bars: []Bar{
			{"guest", "n1", 1, 1, 10, 30, false},
			{"host", "n1", 0, 2, 0, 40, false}, {"host", "n1", 1, 2, 0, 40, false},
			{"host", "n1", 1, 2, 40, 50, true}, {"host", "n1", 2, 2, 40, 50, true},
		},
	}
	if diff := cmp.Diff(want, r.timeline()); diff != "" {
		t.Error(diff)
	}
}
