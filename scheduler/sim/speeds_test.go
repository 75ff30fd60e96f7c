package sim_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/sim"
)

// The rate of a gang is that of its number of nodes if there is one, else the
// general one of its GPU type.
func TestSpeeds(t *testing.T) {
	s := &sim.Speeds{Work: 1000, Rates: []sim.Rate{
		{GPUs: 1, GPUType: "a100", PerSecond: 10},
		{GPUs: 4, GPUType: "a100", PerSecond: 30},
		{GPUs: 4, GPUType: "a100", Nodes: 2, PerSecond: 25},
		{GPUs: 4, GPUType: "t4", PerSecond: 12},
		{GPUs: 8, GPUType: "a100", Nodes: 1, PerSecond: 50},
	}}
	for _, tc := range []struct {
		gpus, nodes int
		gpuType     string
		want        int64
	}{
		{4, 1, "a100", 30}, {4, 2, "a100", 25}, {4, 4, "a100", 30}, {4, 1, "t4", 12},
		{1, 1, "t4", 0}, {2, 1, "a100", 0}, {8, 1, "a100", 50}, {8, 2, "a100", 0},
	} {
		if got := s.On(tc.gpus, tc.nodes, tc.gpuType); got != tc.want {
			t.Errorf("%d GPUs of %s on %d nodes: %d, want %d", tc.gpus, tc.gpuType, tc.nodes, got, tc.want)
		}
	}
	// A policy may choose the gangs that run wherever they are placed: not 8, which
	// is known on one node only, and not 1 where a t4 may be got.
	if diff := cmp.Diff([]int{1, 4}, s.Sizes("a100")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{4}, s.Sizes("a100", "t4")); diff != "" {
		t.Error(diff)
	}
	if got := s.Cut(30, 90).Work; got != 333 {
		t.Errorf("a third of 1000 units is %d, want 333", got)
	}
	if s.Cut(90, 90) != s || (*sim.Speeds)(nil).Cut(1, 2) != nil {
		t.Error("what is not cut stays as it is")
	}
}

func TestBadSpeedsAreRefused(t *testing.T) {
	rate := func(gpus, nodes int, v int64) sim.Rate { return sim.Rate{GPUs: gpus, Nodes: nodes, PerSecond: v} }
	for _, tc := range []struct {
		speeds sim.Speeds
		names  string
	}{
		{sim.Speeds{Work: 1, Rates: []sim.Rate{rate(1, 0, 1), rate(2, 0, 1), rate(2, 1, 1)}}, ""},
		{sim.Speeds{Work: 0, Rates: []sim.Rate{rate(1, 0, 1)}}, "work"},
		{sim.Speeds{Work: sim.MaxWork + 1, Rates: []sim.Rate{rate(1, 0, 1)}}, "work"},
		{sim.Speeds{Work: 1}, "at least one rate"},
		{sim.Speeds{Work: 1, Rates: []sim.Rate{rate(0, 0, 1)}}, "rates[0]"},
		{sim.Speeds{Work: 1, Rates: []sim.Rate{rate(1, 2, 1)}}, "1 GPUs on 2 nodes"},
		{sim.Speeds{Work: 1, Rates: []sim.Rate{rate(1, 0, 0)}}, "the speed"},
		{sim.Speeds{Work: 1, Rates: []sim.Rate{rate(2, 0, 1), rate(1, 0, 1)}}, "rates[1]"},
		{sim.Speeds{Work: 1, Rates: []sim.Rate{rate(1, 0, 1), rate(1, 0, 2)}}, "rates[1]"},
	} {
		w := smallLoad()
		w.Jobs[0].Speeds = &tc.speeds
		c := smallCluster()
		err := w.Validate(&c)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.speeds, tc.names, err)
		}
	}
}

// A job that could get a GPU on which its speed is not known cannot be simulated,
// and the error says what to do; it can if it asks for the type that is known.
func TestSpeedsOfAnotherType(t *testing.T) {
	p, world := edfElastic(t)
	w := smallLoad()
	w.Nodes = nil
	w.Jobs[0].Speeds = &sim.Speeds{Work: 10, Rates: []sim.Rate{{GPUs: 1, GPUType: "t4", PerSecond: 1}}}
	c := smallCluster()
	c.Nodes[1].GPUType = "t4"
	_, err := sim.Run(sim.Config{Cluster: c, Policy: p, World: world}, w)
	if err == nil || !strings.Contains(err.Error(), `the speed of job first is known for no gang on every GPU type that it may get (["" "t4"]): name the type`) {
		t.Errorf("got %v", err)
	}
	w.Jobs[0].GPUType = "t4"
	res, err := sim.Run(sim.Config{Cluster: c, Policy: p, World: world}, w)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Jobs[0].End; got != 10 {
		t.Errorf("ends at %d, want 10", got)
	}
}

// A time limit cuts the work of an elastic job in proportion: a job of 100 s with
// a limit of 50 does half of its 300 units, 3 a second on 4 GPUs.
func TestTimeLimitOfAnElasticJob(t *testing.T) {
	p, world := edfElastic(t)
	w := smallLoad()
	w.Nodes, w.Jobs = nil, w.Jobs[:1]
	w.Jobs[0].TimeLimit = 50
	w.Jobs[0].Speeds = &sim.Speeds{Work: 300, Rates: []sim.Rate{{GPUs: 2, PerSecond: 2}, {GPUs: 4, PerSecond: 3}}}
	res, err := sim.Run(sim.Config{Cluster: smallCluster(), Policy: p, World: world}, w)
	if err != nil {
		t.Fatal(err)
	}
	if r := res.Jobs[0]; r.End != 50 || r.State != schedmate.TimedOut {
		t.Errorf("ends at %d as %s, want at 50, timed out", r.End, r.State)
	}
}
