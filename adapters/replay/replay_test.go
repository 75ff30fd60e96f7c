package replay

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/sim"
)

// An observation at any instant of a simulated run is valid and holds what the
// simulator has given out: as many GPUs of each node, the jobs that wait, run and have
// ended; and the snapshot made of it has the same.
func TestObservationsOfARun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cluster := schedmate.Cluster{Name: "c"}
		for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
			cluster.Nodes = append(cluster.Nodes, schedmate.Node{ID: fmt.Sprintf("n%d", i), GPUs: 4, GPUType: "a100"})
		}
		fifo, err := policy.All().Find("fifo")
		if err != nil {
			t.Fatal(err)
		}
		preset, err := fifo.Preset("default")
		if err != nil {
			t.Fatal(err)
		}
		first, err := fifo.New(preset.Options)
		if err != nil {
			t.Fatal(err)
		}
		var jobs []sim.Job
		at := schedmate.Seconds(0)
		for i := range rapid.IntRange(1, 8).Draw(t, "jobs") {
			at += schedmate.Seconds(rapid.IntRange(0, 50).Draw(t, "gap"))
			run := schedmate.Seconds(rapid.IntRange(1, 200).Draw(t, "run"))
			jobs = append(jobs, sim.Job{
				Job: schedmate.Job{ID: fmt.Sprint(i + 1), User: "ann", GPUs: rapid.IntRange(1, 4).Draw(t, "gpus"), Submit: at, TimeLimit: 300, Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed}},
			})
		}
		c := New("c", cluster, "/logs")
		until := schedmate.Seconds(rapid.IntRange(0, 600).Draw(t, "until"))
		held, waits, ended := map[string]int{}, 0, 0 // by the simulator's own events
		asked := map[string]schedmate.Job{}
		for _, j := range jobs {
			asked[j.ID] = j.Job
		}
		on := map[string][]schedmate.Allocation{}
		tell := func(ev sim.Event) error {
			if ev.At > until {
				return nil
			}
			switch ev.Kind {
			case sim.Submitted:
				waits++
				c.Submitted(ev.At, asked[ev.Job])
			case sim.Started:
				waits--
				on[ev.Job] = slices.Clone(ev.Allocations)
				for _, a := range ev.Allocations {
					held[a.Node]++
				}
				return c.Started(ev.At, ev.Job, ev.Allocations)
			case sim.Ended:
				ended++
				for _, a := range on[ev.Job] {
					held[a.Node]--
				}
				return c.Ended(ev.At, ev.Job, ev.State)
			}
			return nil
		}
		if _, err := sim.Run(sim.Config{Cluster: cluster, Policy: first, World: scheduler.World{Estimates: scheduler.NoEstimates}, Observe: func(ev sim.Event) {
			if err := tell(ev); err != nil {
				t.Fatal(err)
			}
		}}, sim.Workload{Jobs: jobs}); err != nil {
			t.Fatal(err)
		}
		c.Until(until)
		o, err := c.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waiting, inUse := 0, map[string]int{}
		for i := range o.Jobs {
			if o.Jobs[i].Waits() {
				waiting++
			}
			for _, h := range o.Jobs[i].Allocation {
				inUse[h.Node] += h.GPUs
			}
		}
		for i := range o.Nodes {
			n := &o.Nodes[i]
			if _, used := n.GPUCount(""); used != held[n.Name] || inUse[n.Name] != held[n.Name] {
				t.Fatalf("at %d %s has %d GPUs in use, its jobs hold %d; the simulator gave %d", until, n.Name, used, inUse[n.Name], held[n.Name])
			}
		}
		past, _, err := c.Past(t.Context(), schedmate.Period{})
		if err != nil || len(past) != ended || waiting != waits || o.Now != until {
			t.Fatalf("%d wait and %d have ended at %d; the simulator says %d, %d, %d (%v)", waiting, len(past), o.Now, waits, ended, until, err)
		}
		s, _ := o.Snapshot()
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		if len(s.Waiting) != waits || len(s.Running)+waits != len(o.Jobs) {
			t.Fatalf("the snapshot has %d that wait and %d that run", len(s.Waiting), len(s.Running))
		}
	})
}

// A job that is put back waits again, and its first run is one of the past.
func TestRequeuedJob(t *testing.T) {
	c := New("c", schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n0", GPUs: 2}}}, "")
	c.Submitted(10, schedmate.Job{ID: "1", GPUs: 2, Submit: 10})
	on := []schedmate.Allocation{{Node: "n0", GPU: 0, Share: schedmate.WholeGPU}, {Node: "n0", GPU: 1, Share: schedmate.WholeGPU}}
	for _, err := range []error{c.Started(20, "1", on), c.Requeued(30, "1")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	o, err := c.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j := o.Jobs[0]
	if !j.Waits() || j.Restarts != 1 || len(j.Allocation) != 0 || o.Nodes[0].GPUs[0].Used != 0 {
		t.Errorf("%+v %+v", j, o.Nodes[0])
	}
	past, _, err := c.Past(t.Context(), schedmate.Period{IDs: []string{"1"}})
	if err != nil || len(past) != 1 || past[0].State != "PREEMPTED" || past[0].Start != 20 || past[0].End != 30 {
		t.Errorf("%+v, %v", past, err)
	}
	if err := c.Ended(40, "2", schedmate.Completed); err == nil {
		t.Error("a job that was never submitted has ended")
	}
}
