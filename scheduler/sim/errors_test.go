package sim_test

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/edf"
	"schedmate/scheduler/policy/fifo"
	"schedmate/scheduler/sim"
)

func smallCluster() schedmate.Cluster {
	return schedmate.Cluster{
		Nodes: []schedmate.Node{{ID: "n1", GPUs: 4}, {ID: "n2", GPUs: 4}},
		VCs:   []schedmate.VC{{Name: "a"}},
	}
}

func smallLoad() sim.Workload {
	job := func(id string, at schedmate.Seconds) sim.Job {
		return sim.Job{
			Job: schedmate.Job{ID: id, GPUs: 2, Submit: at, Outcome: &schedmate.Outcome{Run: 100, State: schedmate.Completed}},
			Facts: []schedmate.Fact{{
				Kind: schedmate.RunSeconds, Value: 90, Low: 90, High: 90, Source: schedmate.FromTrace, ObservedAt: at,
			}},
		}
	}
	return sim.Workload{
		Jobs:  []sim.Job{job("first", 0), job("second", 10)},
		Nodes: []sim.NodeEvent{{At: 5, Node: "n1", Health: schedmate.Down}, {At: 50, Node: "n1", Health: schedmate.Healthy}},
	}
}

func edfElastic(t *testing.T) (scheduler.Policy, scheduler.World) {
	d := edf.Descriptor()
	p, err := d.Preset("elasticflow")
	if err != nil {
		t.Fatal(err)
	}
	made, err := d.New(p.Options)
	if err != nil {
		t.Fatal(err)
	}
	return made, p.World
}

func fifoDefault(t *testing.T) (scheduler.Policy, scheduler.World) {
	d := fifo.Descriptor()
	p, err := d.Preset(scheduler.DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	made, err := d.New(p.Options)
	if err != nil {
		t.Fatal(err)
	}
	return made, p.World
}

// Bad input is refused before the first second, with the place and the problem.
func TestBadInputIsRefused(t *testing.T) {
	p, world := fifoDefault(t)
	for _, tc := range []struct {
		name  string
		spoil func(c *sim.Config, w *sim.Workload)
		names string
	}{
		{"nothing wrong", func(*sim.Config, *sim.Workload) {}, ""},
		{"no nodes", func(c *sim.Config, _ *sim.Workload) { c.Cluster.Nodes = nil }, "cluster.nodes"},
		{"world", func(c *sim.Config, _ *sim.Workload) { c.World.Tick = -1 }, "tick_s"},
		{"gang of nothing", func(_ *sim.Config, w *sim.Workload) { w.Jobs[1].GPUs = 0 }, "jobs[1].gpus"},
		{"one ID twice", func(_ *sim.Config, w *sim.Workload) { w.Jobs[1].ID = "first" }, "jobs[1].id"},
		{"unsorted jobs", func(_ *sim.Config, w *sim.Workload) { w.Jobs[0].Submit, w.Jobs[0].Facts = 11, nil }, "jobs[1].submit_s"},
		{"no outcome", func(_ *sim.Config, w *sim.Workload) { w.Jobs[0].Outcome = nil }, "jobs[0].outcome"},
		{"outcome infeasible", func(_ *sim.Config, w *sim.Workload) { w.Jobs[0].Outcome.State = schedmate.Infeasible }, "jobs[0].outcome.state"},
		{"outcome still running", func(_ *sim.Config, w *sim.Workload) { w.Jobs[0].Outcome.State = schedmate.Running }, "jobs[0].outcome.state"},
		{"unknown VC", func(_ *sim.Config, w *sim.Workload) { w.Jobs[0].VC = "b" }, `"b"`},
		{"impossible fact", func(_ *sim.Config, w *sim.Workload) { w.Jobs[0].Facts[0].Low = 91 }, "jobs[0].facts[0]"},
		{"fact learned later", func(_ *sim.Config, w *sim.Workload) { w.Jobs[0].Facts[0].ObservedAt = 1 }, "jobs[0].facts[0]"},
		{"fact that expires", func(_ *sim.Config, w *sim.Workload) { w.Jobs[1].Facts[0].ExpiresAt = 20 }, "jobs[1].facts[0]"},
		{"two facts of a kind", func(_ *sim.Config, w *sim.Workload) { w.Jobs[0].Facts = append(w.Jobs[0].Facts, w.Jobs[0].Facts[0]) }, "jobs[0].facts[1].kind"},
		{"unknown node", func(_ *sim.Config, w *sim.Workload) { w.Nodes[0].Node = "n3" }, "nodes[0].node"},
		{"unknown health", func(_ *sim.Config, w *sim.Workload) { w.Nodes[0].Health = "tired" }, "nodes[0].health"},
		{"no health", func(_ *sim.Config, w *sim.Workload) { w.Nodes[0].Health = "" }, "nodes[0].health"},
		{"unsorted node events", func(_ *sim.Config, w *sim.Workload) { w.Nodes[1].At = 1 }, "nodes[1].at"},
		{"node event before time", func(_ *sim.Config, w *sim.Workload) { w.Nodes[0].At = -1 }, "nodes[0].at"},
		{"node event after all times", func(_ *sim.Config, w *sim.Workload) { w.Nodes[1].At = schedmate.MaxSeconds + 1 }, "nodes[1].at"},
	} {
		c := sim.Config{Cluster: smallCluster(), Policy: p, World: world}
		w := smallLoad()
		tc.spoil(&c, &w)
		_, err := sim.Run(c, w)
		switch {
		case tc.names == "" && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case tc.names != "" && (err == nil || !strings.Contains(err.Error(), tc.names)):
			t.Errorf("%s: the error must name %s, got %v", tc.name, tc.names, err)
		}
	}
}

// answer is a policy that says whatever a test wants it to say.
type answer func(s schedmate.Snapshot) schedmate.Plan

func (answer) Name() string { return "answer" }

func (a answer) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan { return a(s) }

func start(job, node string, gpus ...int) schedmate.Action {
	a := schedmate.Action{Kind: schedmate.Start, Job: job}
	for _, gpu := range gpus {
		a.Allocations = append(a.Allocations, schedmate.Allocation{Node: node, GPU: gpu, Share: schedmate.WholeGPU})
	}
	return a
}

// A plan that the checker refuses ends the run, whoever made it, and the error
// says when and what.
func TestABadPolicyIsStopped(t *testing.T) {
	// The simulator asks once with an empty cluster whether a job could run at
	// all; there the policy behaves.
	decent := func(s schedmate.Snapshot) (schedmate.Plan, bool) {
		if len(s.Waiting) == 1 && len(s.Running) == 0 && s.Now == 0 {
			return schedmate.Plan{Actions: []schedmate.Action{start(s.Waiting[0].Job.ID, "n1", 0, 1)}}, true
		}
		return schedmate.Plan{}, len(s.Waiting) == 0
	}
	for _, tc := range []struct {
		name string
		plan schedmate.Plan
		says []string
	}{
		{"the same GPUs", schedmate.Plan{Actions: []schedmate.Action{start("second", "n1", 0, 1)}}, []string{"at 10 s", "capacity", "second"}},
		{"half a gang", schedmate.Plan{Actions: []schedmate.Action{start("second", "n2", 0)}}, []string{"at 10 s", "gang", "second"}},
		{"a job of yesterday", schedmate.Plan{Actions: []schedmate.Action{start("third", "n2", 0, 1)}}, []string{"at 10 s", "one_place", "third"}},
		{"a wake-up that is over", schedmate.Plan{Wake: 10}, []string{"asked at 10 s to be woken at 10 s"}},
		{"a wake-up after all times", schedmate.Plan{Wake: schedmate.MaxSeconds + 1}, []string{"asked at 10 s to be woken"}},
	} {
		w := smallLoad()
		w.Nodes = nil
		c := sim.Config{Cluster: smallCluster(), World: scheduler.World{Estimates: scheduler.NoEstimates}}
		c.Policy = answer(func(s schedmate.Snapshot) schedmate.Plan {
			if plan, ok := decent(s); ok {
				return plan
			}
			if len(s.Running) == 0 { // the question about the second job
				return schedmate.Plan{Actions: []schedmate.Action{start("second", "n2", 0, 1)}}
			}
			return tc.plan
		})
		_, err := sim.Run(c, w)
		if err == nil {
			t.Errorf("%s: the run went on", tc.name)
			continue
		}
		for _, says := range append(tc.says, "policy answer") {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s: the error must say %q: %v", tc.name, says, err)
			}
		}
	}
}

// A policy that starts nothing and asks to be woken for ever does not hang the
// simulator.
func TestEndlessWakingIsStopped(t *testing.T) {
	w := smallLoad()
	w.Nodes = nil
	c := sim.Config{Cluster: smallCluster(), World: scheduler.World{Estimates: scheduler.NoEstimates}}
	asked := 0
	c.Policy = answer(func(s schedmate.Snapshot) schedmate.Plan {
		if asked++; asked <= 1 { // could the job run at all?
			return schedmate.Plan{Actions: []schedmate.Action{start(s.Waiting[0].Job.ID, "n1", 0, 1)}}
		}
		return schedmate.Plan{Wake: s.Now + 1}
	})
	if _, err := sim.Run(c, w); err == nil || !strings.Contains(err.Error(), "although nothing can happen any more") {
		t.Errorf("got %v", err)
	}
}

// A workload of nothing is over before it begins.
func TestEmptyWorkload(t *testing.T) {
	p, world := fifoDefault(t)
	res, err := sim.Run(sim.Config{Cluster: smallCluster(), Policy: p, World: world}, sim.Workload{})
	if err != nil || res.Makespan() != 0 || len(res.Jobs) != 0 || res.GPUs != 8 {
		t.Errorf("got %+v, %v", res, err)
	}
}

// The hash of a run is over its events: another order, time, place or end is
// another hash.
func TestHashSeesEveryDifference(t *testing.T) {
	p, world := fifoDefault(t)
	seen := map[string]string{}
	for name, change := range map[string]func(w *sim.Workload){
		"as it is":        func(*sim.Workload) {},
		"a second longer": func(w *sim.Workload) { w.Jobs[1].Outcome.Run++ },
		"a second later":  func(w *sim.Workload) { w.Jobs[1].Submit++ },
		"another GPU":     func(w *sim.Workload) { w.Jobs[1].GPUs = 1 },
		"another name":    func(w *sim.Workload) { w.Jobs[1].ID = "other" },
		"another end":     func(w *sim.Workload) { w.Jobs[1].Outcome.State = schedmate.Failed },
		"another health":  func(w *sim.Workload) { w.Nodes[0].Health = schedmate.Draining },
		"nothing breaks":  func(w *sim.Workload) { w.Nodes = nil },
	} {
		w := smallLoad()
		change(&w)
		res, err := sim.Run(sim.Config{Cluster: smallCluster(), Policy: p, World: world}, w)
		if err != nil {
			t.Fatal(err)
		}
		if other, dup := seen[res.Hash]; dup {
			t.Errorf("%q and %q have the same hash", name, other)
		}
		seen[res.Hash] = name
	}
}
