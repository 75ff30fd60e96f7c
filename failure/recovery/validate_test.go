package recovery_test

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/failure"
	"schedmate/failure/recovery"
)

// Every mistake in the input is told with its field.
func TestMistakesNameTheirField(t *testing.T) {
	type input struct {
		w  recovery.World
		in recovery.Incident
	}
	f := func(want string, spoil func(*input)) {
		t.Helper()
		root := schedmate.Quote{Line: 1, Text: "Xid 79"}
		x := input{
			w: recovery.World{
				Now: 1000, Limits: recovery.DefaultLimits(), Pools: []recovery.Pool{{Name: "a", Nodes: 4, Healthy: 4}},
				Places:      []recovery.Place{{Node: "n1", Pool: "a"}, {Node: "n2", Pool: "a"}},
				Quarantines: []recovery.Quarantine{{Node: "n2", Owner: "alice", State: recovery.Standing, Since: 10}},
				Gates:       []recovery.Gate{{Service: "s", Since: 5, Incident: "x", Held: []recovery.HeldJob{{Job: "j9", Incident: "x"}}}},
			},
			in: recovery.Incident{
				ID: "i1", At: 900, Job: "j1", User: "ann", Nodes: []string{"n1"}, Restart: failure.RestartYes, Grade: failure.QuarantineYes,
				Tries: []recovery.Try{{Incident: "i0", At: 10, Verdict: recovery.Timeout, Class: schedmate.InfrastructureFailure}},
				Diagnosis: schedmate.Diagnosis{Determined: true, Class: schedmate.InfrastructureFailure, Subclass: "gpu_off_bus", Component: schedmate.ComponentGPU,
					Node: "n1", Root: &root, Evidence: []schedmate.Quote{root}, RestartHelps: true, Quarantine: true, Witnesses: []schedmate.Quote{root}, Confidence: 0.9},
			},
		}
		spoil(&x)
		p, err := recovery.Propose(&x.w, &x.in)
		switch {
		case want == "" && err != nil:
			t.Errorf("the sound input fails: %v", err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("got %v, %v, want an error with %q", p, err, want)
		}
	}
	f("", func(*input) {})
	f("incident.id:", func(x *input) { x.in.ID = "" })
	f("incident.job:", func(x *input) { x.in.Job = "" })
	f("incident.user:", func(x *input) { x.in.User = "\xff" })
	f("incident.revision:", func(x *input) { x.in.Revision = -1 })
	f("incident.at_s:", func(x *input) { x.in.At = -1 })
	f("incident.at_s: must not lie after now_s", func(x *input) { x.in.At = 1001 })
	f("incident.nodes[0]:", func(x *input) { x.in.Nodes = []string{""} })
	f("incident.restart:", func(x *input) { x.in.Restart = "maybe" })
	f("incident.restart:", func(x *input) { x.in.Restart = failure.RestartNo })
	f("incident.grade:", func(x *input) { x.in.Grade = "" })
	f("incident.grade:", func(x *input) { x.in.Grade = failure.QuarantineNo })
	f("incident.diagnosis.subclass:", func(x *input) { x.in.Diagnosis.Subclass = "" })
	f("incident.diagnosis.class:", func(x *input) { x.in.Diagnosis.Class, x.in.Diagnosis.Quarantine = "weather", false })
	f("incident.diagnosis.root:", func(x *input) { x.in.Diagnosis.Root = nil })
	f("incident.diagnosis.last_step.value:", func(x *input) { x.in.Diagnosis.LastStep = &schedmate.Reading{Value: -1} })
	f("incident.tries[0].verdict:", func(x *input) { x.in.Tries[0].Verdict = "" })
	f("incident.tries[1].incident:", func(x *input) { x.in.Tries = append(x.in.Tries, x.in.Tries[0]) })
	f("now_s:", func(x *input) { x.w.Now = schedmate.MaxSeconds })
	f("limits.quarantine.max_nodes:", func(x *input) { x.w.Limits.Quarantine.MaxNodes = -1 })
	f("limits.quarantine.max_share_permille:", func(x *input) { x.w.Limits.Quarantine.MaxShare = 1001 })
	f("limits.restarts.max_delay_s:", func(x *input) { x.w.Limits.Restarts.MaxDelay = 1 })
	f("limits.quarantine.retest:", func(x *input) { x.w.Limits.Quarantine.Retest = "" })
	f("limits.common_cause.nodes:", func(x *input) { x.w.Limits.Common.Nodes = 1 })
	f("limits.prior.lemon:", func(x *input) { x.w.Limits.Prior.Lemon = 1 })
	f("limits.suspect_at:", func(x *input) { x.w.Limits.SuspectAt = 0 })
	f("pools[0].healthy:", func(x *input) { x.w.Pools[0].Healthy = 5 })
	f("places[0].pool: unknown pool", func(x *input) { x.w.Places[0].Pool = "b" })
	f("places[1].pool: more places", func(x *input) { x.w.Pools[0] = recovery.Pool{Name: "a", Nodes: 1} })
	f("places[1].node:", func(x *input) { x.w.Places[1].Node = "n1" })
	f("quarantines[0].owner:", func(x *input) { x.w.Quarantines[0].Owner = "" })
	f("quarantines[0].until_s:", func(x *input) { x.w.Quarantines[0].Owner = recovery.Owner })
	f("quarantines[0].ended_s:", func(x *input) { x.w.Quarantines[0].Ended = 20 })
	f("gates[0].held:", func(x *input) { x.w.Gates[0].Opened = 9 })
	f("ledger.nodes[0].hits[0].incident:", func(x *input) {
		x.w.Ledger.Nodes = []recovery.Record{{Node: "n1", Hits: []recovery.Hit{{Node: "n1"}}}}
	})
	f("incident.revision: is 0, but 1 has been proposed for", func(x *input) {
		x.in.Revision = 1
		p, err := recovery.Propose(&x.w, &x.in)
		if err != nil {
			t.Fatal(err)
		}
		x.w = x.w.With(p)
		x.in.Revision = 0
	})
}

// What a failure handler found is taken over with the word of its rule, which
// may differ from that of its kind.
func TestOfTakesTheRuleAtItsWord(t *testing.T) {
	root := schedmate.Quote{Line: 1, Text: "x"}
	found := &failure.Incident{
		Kind: &failure.Kind{Name: "k", Restart: failure.RestartNo, Quarantine: failure.QuarantineNo},
		Diagnosis: schedmate.Diagnosis{Determined: true, Class: schedmate.InfrastructureFailure, Subclass: "k", Component: schedmate.ComponentGPU, Root: &root,
			Node: "n1", RestartHelps: true, Quarantine: true, Witnesses: []schedmate.Quote{root}, Confidence: 0.5},
	}
	in := recovery.Incident{ID: "i", Job: "j"}.Of(found)
	if err := in.Validate("incident"); err != nil {
		t.Fatal(err)
	}
	if in.Restart != failure.RestartOnce || in.Grade != failure.QuarantineSecond {
		t.Errorf("got restart %s, grade %s", in.Restart, in.Grade)
	}
	found.Kind, found.Diagnosis = nil, schedmate.Diagnosis{Component: schedmate.ComponentNone}
	if in = in.Of(found); in.Restart != "" || in.Validate("incident") != nil {
		t.Errorf("got %+v", in)
	}
}

// A world that is pruned proposes the same for what happens now.
func TestPruneKeepsWhatCounts(t *testing.T) {
	w := recovery.World{
		Now: 100 * 86400, Limits: recovery.DefaultLimits(), Pools: []recovery.Pool{{Name: "a", Nodes: 40, Healthy: 40}},
		Places: []recovery.Place{{Node: "n1", Pool: "a"}},
		Quarantines: []recovery.Quarantine{
			{Node: "n1", Owner: recovery.Owner, Incident: "old", State: recovery.Ended, Since: 10, Until: 20, Ended: 30},
			{Node: "n1", Owner: recovery.Owner, Incident: "new", State: recovery.Ended, Since: 99 * 86400, Until: 100*86400 - 10, Ended: 100*86400 - 5},
			{Node: "n2", Owner: "alice", State: recovery.Standing, Since: 10},
		},
		Gates: []recovery.Gate{{Service: "s", Since: 5, Incident: "x", Opened: 9}, {Service: "t", Since: 5, Incident: "x"}},
	}
	p := w.Prune()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(p.Quarantines) != 2 || p.Quarantines[0].Incident != "new" || len(p.Gates) != 1 || p.Gates[0].Service != "t" || len(w.Gates) != 2 {
		t.Errorf("got %+v", p)
	}
}
