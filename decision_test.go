package schedmate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/schedtest"
)

// budget is not 0, so that a test sees whether it is recorded.
var budget = scheduler.Budget{Iterations: 100}

// decide plans and records the decision.
func decide(s *schedmate.Snapshot, v schedtest.Variant) (schedmate.Plan, schedmate.Decision) {
	options, err := schedmate.Canonical(v.Options)
	if err != nil {
		panic(err)
	}
	plan := scheduler.Plan(v.Policy, *s, budget)
	return plan, schedmate.Decide(s, v.Policy.Name(), string(options), budget.Iterations, &plan)
}

// decode reads a canonical snapshot as somebody does who has nothing else.
func decode(doc []byte) (*schedmate.Snapshot, error) {
	s := new(schedmate.Snapshot)
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		return nil, err
	}
	return s, s.Validate()
}

// The hashes of one decision, each by sha256sum of the text it is taken over,
// the next text holding the hash before it.
func TestDecisionByHand(t *testing.T) {
	s := oneRunsOneWaitsSnapshot() // its hash is oneRunsOneWaitsHash
	plan := schedmate.Plan{
		Policy: "fifo", Engine: schedmate.RuleEngine,
		Actions: []schedmate.Action{{Kind: schedmate.Start, Job: "2", Allocations: []schedmate.Allocation{
			{Node: "n1", GPU: 1, Share: 1000}, {Node: "n1", GPU: 2, Share: 1000},
		}}},
	}
	// {"plan":{"actions":[{"allocations":[{"gpu":1,"node":"n1","share":1000},{"gpu":2,"node":"n1","share":1000}],"job":"2","kind":"start"}],
	// "budget_used":0,"engine":"rule","policy":"fifo"},"snapshot":"10862d76..."}
	const seal = "26f92ed9e6c0ba1723c60f132f878a036040af31a571b1a7b0a89baff838bce1"
	if got := plan.Seal(oneRunsOneWaitsHash); got != seal {
		t.Errorf("the seal is %s, want %s", got, seal)
	}
	got := schedmate.Decide(s, "fifo", `{"blocking":"skip"}`, 0, &plan)
	want := schedmate.Decision{
		APIVersion: "schedmate/v1", Kind: "Decision", At: 60, Snapshot: oneRunsOneWaitsHash,
		Policy: "fifo", Options: `{"blocking":"skip"}`, Budget: 0, Plan: seal,
	}
	if got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	// {"apiVersion":"schedmate/v1","at_s":60,"budget":0,"kind":"Decision","options":"{\"blocking\":\"skip\"}","plan":"26f92ed9...",
	// "policy":"fifo","snapshot":"10862d76..."}
	if got.ID() != "46b48e95eca29a5a" {
		t.Errorf("the decision is called %s, want 46b48e95eca29a5a", got.ID())
	}
}

// replayEnv makes this test's binary the other machine: it reads a snapshot and
// prints what each policy decides.
const replayEnv = "SCHEDMATE_TEST_REPLAY"

// Every policy decides the same about the lab at noon in another process, which
// has been given nothing but the canonical text.
func TestDecisionsReplayInAnotherProcess(t *testing.T) {
	if os.Getenv(replayEnv) != "" {
		replay()
	}
	s := noon()
	var want strings.Builder
	starts, preemptions := 0, 0
	ids := make(map[string]string)
	for _, v := range schedtest.All() {
		plan, d := decide(s, v)
		fmt.Fprintln(&want, d.ID(), v.Name)
		for _, a := range plan.Actions {
			if a.Kind == schedmate.Start {
				starts++
			} else {
				preemptions++
			}
		}
		// Variants whose options are the same are one policy.
		if other, taken := ids[d.ID()]; taken && other != d.Policy+d.Options {
			t.Errorf("%s and %s decide under one name", other, d.Policy+d.Options)
		}
		ids[d.ID()] = d.Policy + d.Options
	}
	for _, name := range policy.All().Names() {
		if !strings.Contains(want.String(), " "+name+"/") {
			t.Errorf("policy %s was not asked", name)
		}
	}
	if starts == 0 || preemptions == 0 {
		t.Errorf("all policies together start %d jobs and preempt %d: the snapshot is too easy", starts, preemptions)
	}

	elsewhere := exec.Command(os.Args[0], "-test.run=^TestDecisionsReplayInAnotherProcess$")
	elsewhere.Env = append(os.Environ(), replayEnv+"=1", "GOMAXPROCS=1")
	elsewhere.Stdin = strings.NewReader(canonical(t, s))
	elsewhere.Stderr = os.Stderr
	got, err := elsewhere.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("elsewhere the decisions are\n%s\nhere\n%s", got, want.String())
	}
}

func replay() {
	doc, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	s, err := decode(doc)
	if err != nil {
		panic(err)
	}
	for _, v := range schedtest.All() {
		_, d := decide(s, v)
		fmt.Println(d.ID(), v.Name)
	}
	os.Exit(0)
}

// Whatever the snapshot and the policy: who reads the snapshot's canonical text
// decides the same, and the text stays the same.
func TestDecisionsReplay(t *testing.T) {
	variants := schedtest.All()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
		s := schedtest.Snapshot(draw, schedtest.AnyStyle(draw))
		text := canonical(t, s)
		v := rapid.SampledFrom(variants).Draw(t, "policy")
		_, want := decide(&s, v)
		back, err := decode([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again := canonical(t, back); again != text {
			t.Fatalf("the snapshot\n%s\nreads back as\n%s", text, again)
		}
		if _, got := decide(back, v); got != want {
			t.Fatalf("%s decides %+v, then %+v on\n%s", v.Name, want, got, text)
		}
	})
}

// Another snapshot, policy, budget, options or plan is another decision, also
// if all the rest stays. What a plan's reader adds or a host keeps is none.
func TestAnotherDecisionHasAnotherID(t *testing.T) {
	s := noon()
	variants := schedtest.All()
	v := variants[slices.IndexFunc(variants, func(v schedtest.Variant) bool { return v.Name == "srtf/default" })]
	plan, d := decide(s, v)
	if len(plan.Actions) < 2 {
		t.Fatalf("the plan is too easy: %+v", plan)
	}
	type inputs struct {
		snapshot        *schedmate.Snapshot
		policy, options string
		budget          int64
		plan            *schedmate.Plan
	}
	for _, tc := range []struct {
		what   string
		change func(in *inputs)
		same   bool
	}{
		{"nothing", func(*inputs) {}, true},
		{"the seal is put on the plan", func(in *inputs) { in.plan.Hash = d.Plan }, true},
		{"empty lists instead of none", func(in *inputs) {
			in.snapshot.Waiting[2].Facts, in.plan.Reasons = []schedmate.Fact{}, []schedmate.Reason{}
		}, true},
		{"a host keeps the occupancy", func(in *inputs) { *in.snapshot = in.snapshot.WithHost(in.snapshot.Occupancy(), true) }, true},

		{"a second later", func(in *inputs) { in.snapshot.Now++ }, false},
		{"a node is healthy again", func(in *inputs) { in.snapshot.Cluster.Nodes[2].Health = schedmate.Healthy }, false},
		{"a job has gone", func(in *inputs) { in.snapshot.Waiting = in.snapshot.Waiting[:2] }, false},
		{"an estimate is less sure", func(in *inputs) { in.snapshot.Waiting[0].Facts[0].ConfidenceMilli-- }, false},
		{"another policy", func(in *inputs) { in.policy = "sjf" }, false},
		{"another budget", func(in *inputs) { in.budget++ }, false},
		{"no budget", func(in *inputs) { in.budget = 0 }, false},
		{"other options", func(in *inputs) { in.options = `{"margin_s":7}` }, false},
		{"no options", func(in *inputs) { in.options = "" }, false},
		{"an action less", func(in *inputs) { in.plan.Actions = in.plan.Actions[1:] }, false},
		{"actions turned round", func(in *inputs) { slices.Reverse(in.plan.Actions) }, false},
		{"another GPU", func(in *inputs) {
			last := &in.plan.Actions[len(in.plan.Actions)-1]
			last.Allocations = slices.Clone(last.Allocations)
			last.Allocations[0].GPU++
		}, false},
		{"woken at another time", func(in *inputs) { in.plan.Wake++ }, false},
		{"a reason", func(in *inputs) { in.plan.Reasons = []schedmate.Reason{{Job: "6", Code: schedmate.NotEnoughFree}} }, false},
	} {
		in := inputs{noon(), d.Policy, d.Options, d.Budget, new(schedmate.Plan)}
		*in.plan = plan
		in.plan.Actions = slices.Clone(plan.Actions)
		tc.change(&in)
		got := schedmate.Decide(in.snapshot, in.policy, in.options, in.budget, in.plan)
		if same := got.ID() == d.ID(); same != tc.same {
			t.Errorf("%s: the decision is the same: %v, want %v", tc.what, same, tc.same)
		}
	}
}

// The options of every policy have a canonical form whatever their values are.
func TestOptionsCanBeRecorded(t *testing.T) {
	for _, d := range policy.All() {
		for _, p := range d.Presets {
			if err := reach(reflect.TypeOf(p.Options), make(map[reflect.Type]bool)); err != nil {
				t.Errorf("policy %s: %v", d.Name, err)
			}
		}
	}
}

func TestStarted(t *testing.T) {
	plan := schedmate.Plan{Actions: []schedmate.Action{{Kind: schedmate.Preempt, Job: "1"}, {Kind: schedmate.Start, Job: "2"}}}
	if a := plan.Started("2"); a != &plan.Actions[1] {
		t.Errorf("job 2 is started by %v", a)
	}
	for _, job := range []string{"1", "3", ""} {
		if a := plan.Started(job); a != nil {
			t.Errorf("job %q is started by %v", job, a)
		}
	}
}
