package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/fifo"
	"schedmate/scheduler/sim"
)

// Two nodes of two GPUs, the second left to a profiler of 10 s for jobs of up to
// two GPUs. At 0 s two jobs of two GPUs and one of one GPU come: the smallest is
// profiled first, and nobody overtakes a pair that does not fit beside it.
//
//	tiny, 1 GPU, 8 s    is profiled from 0 to 8, and has ended
//	pair, 2 GPUs, 30 s  is profiled from 8 to 18; on the other node it runs from 0 to 30, as if that had not been
//	next, 2 GPUs, 10 s  is profiled from 18 to 28, which is all of its work
//	huge, 3 GPUs        is larger than what the profiler leaves
//
// The wait for a profile is booked: 8 s of pair's, 18 s of next's.
func TestAProfilerThatCostsNothing(t *testing.T) {
	load := sim.Workload{Jobs: []sim.Job{
		training("pair", "a", 2, 0, 30), training("next", "a", 2, 0, 10), training("tiny", "a", 1, 0, 8), training("huge", "a", 3, 0, 5),
	}}
	d := fifo.Descriptor()
	p, err := d.New(d.Presets[0].Options)
	if err != nil {
		t.Fatal(err)
	}
	world := scheduler.World{Estimates: scheduler.NoEstimates, Profiler: &scheduler.FreeProfiler{Nodes: 1, MostGPUs: 2, Window: 10}}
	cluster := schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: 2}, {ID: "n2", GPUs: 2}}}
	last := schedmate.Seconds(0)
	r, err := sim.Run(sim.Config{Cluster: cluster, Policy: p, World: world, Observe: func(ev sim.Event) {
		if ev.At < last {
			t.Errorf("%s of %s at %d is told after %d", ev.Kind, ev.Job, ev.At, last)
		}
		last = ev.At
	}}, load)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Start, End, Queue schedmate.Seconds
		State             schedmate.State
		Profile           *sim.Profile
	}
	got := map[string]row{}
	for _, j := range r.Jobs {
		got[j.Job.ID] = row{j.Start, j.End, j.Queue, j.State, j.Profile}
	}
	want := map[string]row{
		"tiny": {0, 8, 0, schedmate.Completed, &sim.Profile{Start: 0, End: 8, Finished: true}},
		"pair": {0, 30, 8, schedmate.Completed, &sim.Profile{Start: 8, End: 18}},
		"next": {18, 28, 18, schedmate.Completed, &sim.Profile{Start: 18, End: 28, Finished: true}},
		"huge": {sim.NoTime, sim.NoTime, 0, schedmate.Infeasible, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.GPUs != 4 || r.HeldGPUSeconds != 60+8+20 {
		t.Errorf("%d GPUs were held for %d GPU-seconds, want 4 and 88", r.GPUs, r.HeldGPUSeconds)
	}

	world.Profiler.Nodes = 2
	if _, err := sim.Run(sim.Config{Cluster: cluster, Policy: p, World: world}, load); err == nil {
		t.Error("a profiler that takes all nodes is no error")
	}
}

// A host that works in rounds has no shared GPUs, and says so.
func TestRoundsRefuseShares(t *testing.T) {
	_, err := sim.Run(sim.Config{
		Cluster: oneNode(1), Policy: answer(packer),
		World: scheduler.World{Estimates: scheduler.NoEstimates, Rounds: &scheduler.Rounds{Slot: 10}},
	}, sim.Workload{Jobs: []sim.Job{training("j", "a", 1, 0, 10)}})
	if err == nil {
		t.Error("half a GPU is given away in rounds")
	}
}
