package lucid

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

func preset(t *testing.T, name string) (scheduler.Policy, scheduler.World, Options) {
	t.Helper()
	d := Descriptor()
	p, err := d.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	made, err := d.New(p.Options)
	if err != nil {
		t.Fatal(err)
	}
	return made, p.World, p.Options.(Options)
}

func TestOptions(t *testing.T) {
	d := Descriptor()
	_, _, good := preset(t, scheduler.DefaultPreset)
	for _, tc := range []struct {
		spoil func(*Options)
		names string
	}{
		{func(*Options) {}, ""},
		{func(o *Options) { o.Profiler = Profiler{} }, ""},
		{func(o *Options) { o.Placement = "" }, "placement"},
		{func(o *Options) { o.Rules.JobsPerGPU = 1 }, "rules: jobs_per_gpu"},
		{func(o *Options) { o.Undo.Rule = "often" }, `unknown rule "often"`},
		{func(o *Options) { o.Prior.LeastClass = 0 }, "prior: "},
		{func(o *Options) { o.Longer = -1 }, "longer"},
		{func(o *Options) { o.Longer = 1001 }, "longer"},
		{func(o *Options) { o.Profiler.Nodes = -1 }, "profiler: nodes"},
		{func(o *Options) { o.Profiler.Window = 0 }, "profiler: window_s"},
		{func(o *Options) { o.Forecast.Least = -1 }, "forecast: least"},
	} {
		o := good
		tc.spoil(&o)
		_, err := d.New(o)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", o, tc.names, err)
		}
	}
}

// what is told about a job: its score, the memory it needs and how long it may run.
type use struct {
	score, mib int64
	estimate   int64
	source     schedmate.FactSource
}

func job(id, model string, batch int, amp bool, gpus int, at, run schedmate.Seconds, u use) sim.Job {
	if u.source == "" {
		u.source = schedmate.FromTrace
	}
	fact := func(kind schedmate.FactKind, v int64, source schedmate.FactSource) schedmate.Fact {
		return schedmate.Fact{Kind: kind, Value: v, Low: v, High: v, Source: source, ConfidenceMilli: 1000, ObservedAt: at}
	}
	facts := []schedmate.Fact{fact(schedmate.ShareScore, u.score, u.source), fact(schedmate.GPUMemoryMiB, u.mib, u.source)}
	if u.estimate > 0 {
		facts = append(facts, fact(schedmate.RunSeconds, u.estimate, schedmate.FromTrace))
	}
	return sim.Job{
		Job: schedmate.Job{ID: id, GPUs: gpus, Submit: at, Workload: schedmate.Workload{Model: model, BatchSize: batch, AMP: amp},
			Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed}},
		Facts: facts,
	}
}

func pairs(rows ...sim.Pair) func(speeds ...int) sim.Pairs {
	return func(speeds ...int) sim.Pairs {
		p := make(sim.Pairs)
		for i, r := range rows {
			p[r] = sim.PairSpeeds{First: speeds[2*i], Second: speeds[2*i+1]}
		}
		return p
	}
}

func workload(model string, batch int, amp bool) schedmate.Workload {
	return schedmate.Workload{Model: model, BatchSize: batch, AMP: amp}
}

// diary runs the jobs and writes down what happens, a line each.
func diary(t *testing.T, p scheduler.Policy, w scheduler.World, nodes, gpus int, load sim.Workload) string {
	t.Helper()
	var c schedmate.Cluster
	for i := range nodes {
		c.Nodes = append(c.Nodes, schedmate.Node{ID: fmt.Sprintf("n%d", i), GPUs: gpus})
	}
	var out strings.Builder
	r, err := sim.Run(sim.Config{Cluster: c, Policy: p, World: w, Observe: func(ev sim.Event) {
		if ev.Kind == sim.Submitted {
			return
		}
		fmt.Fprintf(&out, "%d %s %s", ev.At, ev.Kind, ev.Job)
		if len(ev.Allocations) > 0 {
			a := ev.Allocations[0]
			fmt.Fprintf(&out, " on %s:%d", a.Node, a.GPU)
			if a.Share < schedmate.WholeGPU {
				fmt.Fprint(&out, " with room")
			}
			if ev.Profile {
				fmt.Fprintf(&out, " for a profile until %d", ev.Lease)
			}
		}
		fmt.Fprintln(&out)
	}}, load)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Packs {
		fmt.Fprintf(&out, "%s beside %s from %d to %d\n", p.Guest, p.Host, p.At, p.Until)
	}
	return out.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), strings.Split(strings.TrimSpace(got), "\n")); diff != "" {
		t.Error(diff)
	}
}
