package sim_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/fifo"
	"schedmate/scheduler/profile"
	"schedmate/scheduler/sim"
)

// measuredRun runs jobs first come, first served, on nodes n0, n1 ... of 8 GPUs.
func measuredRun(t *testing.T, nodes int, o profile.Options, jobs ...sim.Job) *sim.Result {
	t.Helper()
	d := fifo.Descriptor()
	p, err := d.Preset(scheduler.DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := d.New(p.Options)
	if err != nil {
		t.Fatal(err)
	}
	var c schedmate.Cluster
	for i := range nodes {
		c.Nodes = append(c.Nodes, schedmate.Node{ID: "n" + string(rune('0'+i)), GPUs: 8})
	}
	res, err := sim.Run(sim.Config{
		Cluster: c, Policy: policy,
		World: scheduler.World{Estimates: scheduler.TrueRunTime, RestartCost: scheduler.TypicalRestartCost(), Profiling: &o},
	}, sim.Workload{Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func eights(id string, gpus int, submit, run schedmate.Seconds) sim.Job {
	return sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: submit, Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed}}}
}

// Of three nodes two are the profiler's: 16 GPUs take no work until the end. a is
// measured until 120 and runs on the third until 1120. The work of b is done within
// its measurement, at 60. c waits 50 s for the node of b, is measured from 60 to 180,
// and waits for a: 50 + 940 s. Its time is these, the 120 s and its own 500.
func TestJobsAreMeasuredFirst(t *testing.T) {
	res := measuredRun(t, 3, profile.Static(), eights("a", 8, 0, 1000), eights("b", 1, 0, 60), eights("c", 8, 10, 500))
	for i, want := range []struct{ start, end, queue schedmate.Seconds }{{120, 1120, 0}, {0, 60, 0}, {1120, 1620, 990}} {
		if j := &res.Jobs[i]; j.Start != want.start || j.End != want.end || j.Queue != want.queue || !j.Measured || j.State != schedmate.Completed {
			t.Errorf("job %s: want %v, got start %d, end %d, queue %d, measured %v, %s", j.Job.ID, want, j.Start, j.End, j.Queue, j.Measured, j.State)
		}
	}
	want := &sim.Profiling{
		Jobs: 3, Ended: 1, Wait: 50, LongestWait: 50, Queue: 50, LongestQueue: 50,
		GPUSeconds: 8*120 + 60 + 8*120, MostNodes: 2, KeptGPUSeconds: 16 * 180,
	}
	if diff := cmp.Diff(want, res.Profiling); diff != "" {
		t.Error(diff)
	}
	if res.DownGPUSeconds != 16*1620 {
		t.Errorf("GPU time without work: want %d, got %d", 16*1620, res.DownGPUSeconds)
	}
}

// a and b run from 120 on, on n0 and n1. c and d fill the profiler at 130, and for e
// the node n1 is taken at 140: b is saved after 20 s and owes 62. The node is idle
// from 260 on and comes back at 860: b ends at 860 + 62 + 980.
func TestANodeIsTakenForTheProfiler(t *testing.T) {
	o := profile.Options{Window: 120, Nodes: 2, MostNodes: 3, GrowAfter: 10, ShrinkAfter: 600}
	res := measuredRun(t, 4, o, eights("a", 8, 0, 1000), eights("b", 8, 0, 1000), eights("c", 8, 130, 400), eights("d", 8, 130, 400), eights("e", 8, 130, 400))
	if a, b := &res.Jobs[0], &res.Jobs[1]; a.End != 1120 || b.End != 1902 || b.Restarts != 1 || b.Preemptions != 0 {
		t.Errorf("a ends at %d, b at %d after %d restarts and %d preemptions", a.End, b.End, b.Restarts, b.Preemptions)
	}
	if p := res.Profiling; p.MostNodes != 3 || p.LongestWait != 10 {
		t.Errorf("%+v", p)
	}
}

// A profiler that would take the whole cluster, or stands beside what it does not
// know, is refused.
func TestProfilersThatCannotBe(t *testing.T) {
	o := profile.Static()
	for text, change := range map[string]func(*sim.Config, *sim.Workload){
		"leaves nothing": func(c *sim.Config, _ *sim.Workload) { c.Cluster.Nodes = c.Cluster.Nodes[:2] },
		"alike":          func(c *sim.Config, _ *sim.Workload) { c.Cluster.Nodes[2].GPUs = 4 },
		"no estimates":   func(c *sim.Config, _ *sim.Workload) { c.World.Estimates = scheduler.NoEstimates },
		"changes its health": func(_ *sim.Config, w *sim.Workload) {
			w.Nodes = []sim.NodeEvent{{At: 5, Node: "n2", Health: schedmate.Down}}
		},
	} {
		d := fifo.Descriptor()
		p, err := d.Preset(scheduler.DefaultPreset)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := d.New(p.Options)
		if err != nil {
			t.Fatal(err)
		}
		c := sim.Config{
			Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n0", GPUs: 8}, {ID: "n1", GPUs: 8}, {ID: "n2", GPUs: 8}}},
			Policy:  policy, World: scheduler.World{Estimates: scheduler.TrueRunTime, Profiling: &o},
		}
		w := sim.Workload{Jobs: []sim.Job{eights("a", 1, 0, 10)}}
		change(&c, &w)
		if _, err := sim.Run(c, w); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("want an error that says %q, got %v", text, err)
		}
	}
}
