package verify_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler/verify"
)

// The story of all rows below: VC a owns n1; n2, n3 and n4 are shared, n4 is of
// another type, n5 is down. VC a may hold 4 shared GPUs, and r1 of a holds 2 of
// them on n2. r2 runs on n3. w1 of a waits for 2 GPUs, w2 of nobody for 8.
func snapshot() schedmate.Snapshot {
	fact := func(run int64) []schedmate.Fact {
		return []schedmate.Fact{{Kind: schedmate.RunSeconds, Value: run, Low: run, High: run, Source: schedmate.FromTrace}}
	}
	return schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 100,
		Cluster: schedmate.Cluster{
			Nodes: []schedmate.Node{
				{ID: "n1", GPUs: 4, VC: "a", GPUType: "a100"}, {ID: "n2", GPUs: 4, GPUType: "a100"}, {ID: "n3", GPUs: 4, GPUType: "a100"},
				{ID: "n4", GPUs: 4, GPUType: "v100"}, {ID: "n5", GPUs: 4, GPUType: "a100", Health: schedmate.Down},
			},
			VCs: []schedmate.VC{{Name: "a", QuotaGPUs: 4}, {Name: "b"}},
		},
		Running: []*schedmate.JobStatus{
			{
				Job: schedmate.Job{ID: "r1", VC: "a", GPUs: 2}, Seq: 1, Facts: fact(500),
				Attempt: &schedmate.Attempt{Number: 1, Start: 50, Allocations: on("n2", 0, 1)},
			},
			{
				Job: schedmate.Job{ID: "r2", GPUs: 3}, Seq: 2,
				Attempt: &schedmate.Attempt{Number: 1, Start: 60, Allocations: on("n3", 0, 1, 2)},
			},
		},
		Waiting: []*schedmate.JobStatus{
			{Job: schedmate.Job{ID: "w1", VC: "a", GPUs: 2, GPUType: "a100"}, Seq: 3},
			{Job: schedmate.Job{ID: "w2", GPUs: 8}, Seq: 4},
		},
	}
}

func on(node string, gpus ...int) []schedmate.Allocation {
	var as []schedmate.Allocation
	for _, gpu := range gpus {
		as = append(as, schedmate.Allocation{Node: node, GPU: gpu, Share: schedmate.WholeGPU})
	}
	return as
}

func start(job string, as ...[]schedmate.Allocation) schedmate.Action {
	return schedmate.Action{Kind: schedmate.Start, Job: job, Allocations: slices.Concat(as...)}
}

func leased(a schedmate.Action, until schedmate.Seconds) schedmate.Action {
	a.Lease = until
	return a
}

func preempt(job string) schedmate.Action {
	return schedmate.Action{Kind: schedmate.Preempt, Job: job}
}

func move(job string, as []schedmate.Allocation) schedmate.Action {
	return schedmate.Action{Kind: schedmate.Move, Job: job, Allocations: as}
}

func park(job string) schedmate.Action { return schedmate.Action{Kind: schedmate.Park, Job: job} }

func rule(actions ...schedmate.Action) schedmate.Plan {
	return schedmate.Plan{Policy: "fifo", Engine: schedmate.RuleEngine, Actions: actions}
}

// One hand-made plan for each way to break a law. The detail names the job and
// the numbers, for whoever reads it at night.
func TestEachLaw(t *testing.T) {
	one, two := int64(1), int64(2)
	for _, tc := range []struct {
		name string
		plan schedmate.Plan
		rule verify.Rule // empty: the plan keeps all laws
		says string
	}{
		{"nothing", rule(), "", ""},
		{"own node", rule(start("w1", on("n1", 0, 1))), "", ""},
		{"shared node, quota used up exactly", rule(start("w1", on("n2", 2, 3))), "", ""},
		{"two whole nodes after a preemption", rule(preempt("r2"), start("w2", on("n3", 0, 1, 2, 3), on("n4", 0, 1, 2, 3))), "", ""},

		{"under a lease", rule(leased(start("w1", on("n1", 0, 1)), 101)), "", ""},

		{"a lease that is over", rule(leased(start("w1", on("n1", 0, 1)), 100)), verify.Form, "lease_until_s 100 of a start at 100"},
		{"a lease of GPUs that are taken away", rule(leased(preempt("r2"), 200)), verify.Form, "lease_until_s 200 of a preempt"},
		{"a GPU that is taken", rule(start("w1", on("n2", 1, 2))), verify.Capacity, "job w1: GPU 1 of node n2 would carry 2000"},
		{"a GPU given twice in one plan", rule(start("w1", on("n3", 2, 3))), verify.Capacity, "GPU 2 of node n3"},
		{"before the preemption", rule(start("w2", on("n3", 0, 1, 2, 3), on("n4", 0, 1, 2, 3)), preempt("r2")), verify.Capacity, "GPU 0 of node n3"},

		{"half a gang", rule(start("w1", on("n1", 0))), verify.Gang, "asks for 2 GPUs and is given 1"},
		{"one GPU for two", rule(start("w1", on("n1", 0, 0))), verify.Gang, "name one twice"},
		{"unsorted", rule(start("w1", on("n1", 1, 0))), verify.Gang, "not sorted"},
		{"half of one GPU and the whole other", rule(start("w1", []schedmate.Allocation{{Node: "n1", GPU: 0, Share: 500}, {Node: "n1", GPU: 1, Share: 1000}})), verify.Gang, "1000 thousandths of GPU 1 of node n1 and 500"},
		{"nothing of a GPU", rule(start("w1", []schedmate.Allocation{{Node: "n1", GPU: 0, Share: 0}, {Node: "n1", GPU: 1, Share: 0}})), verify.Gang, "0 thousandths"},
		{"half of a GPU that another has whole", rule(start("w1", []schedmate.Allocation{{Node: "n2", GPU: 0, Share: 500}, {Node: "n2", GPU: 1, Share: 500}})), verify.Capacity, "1500 thousandths"},
		{"no GPUs", rule(start("w1")), verify.Gang, "is given 0"},

		{"a node that is down", rule(start("w1", on("n5", 0, 1))), verify.Topology, "n5, which is down"},
		{"a node of another VC", rule(preempt("r2"), start("w2", on("n1", 0, 1, 2, 3), on("n3", 0, 1, 2, 3))), verify.Topology, `of vc "" is placed on node n1 of vc a`},
		{"another GPU type", rule(start("w1", on("n4", 0, 1))), verify.Topology, "asks for a100"},
		{"no such node", rule(start("w1", on("n9", 0, 1))), verify.Topology, `"n9", which does not exist`},
		{"no such GPU", rule(start("w1", on("n1", 3, 4))), verify.Topology, "GPU 4 of node n1, which has 4"},
		{"no such GPU below", rule(start("w1", on("n1", -1, 0))), verify.Topology, "GPU -1"},
		{"two nodes for two GPUs", rule(start("w1", on("n1", 0), on("n2", 2))), verify.Topology, "spread over 2 nodes where 1 would do"},

		{"a job that runs", rule(start("r1", on("n1", 0, 1))), verify.OnePlace, "runs already"},
		{"a job that waits", rule(preempt("w1")), verify.OnePlace, "does not run"},
		{"a restart", rule(preempt("r2"), start("r2", on("n3", 0, 1, 2))), "", ""},
		{"started and preempted", rule(start("w1", on("n1", 0, 1)), preempt("w1")), verify.OnePlace, "two actions"},
		{"preempted twice", rule(preempt("r2"), preempt("r2")), verify.OnePlace, "two actions"},
		{"restarted twice", rule(preempt("r2"), start("r2", on("n3", 0, 1, 2)), start("r2", on("n3", 0, 1, 2))), verify.OnePlace, "two actions"},
		{"a move to where it is", rule(move("r2", on("n3", 0, 1, 2))), "", ""},
		{"moved into what a moved job leaves", rule(move("r2", on("n4", 0, 1, 2)), start("w1", on("n3", 0, 1))), "", ""},
		{"a job that waits is moved", rule(move("w1", on("n1", 0, 1))), verify.OnePlace, "is moved but does not run"},
		{"moved and preempted", rule(move("r2", on("n4", 0, 1, 2)), preempt("r2")), verify.OnePlace, "two actions"},
		{"moved to half a gang", rule(move("r2", on("n4", 0, 1))), verify.Gang, "asks for 3 GPUs and is given 2"},
		{"parked", rule(park("w1")), "", ""},
		{"a job that runs is parked", rule(park("r1")), verify.OnePlace, "is parked but runs"},
		{"parked and given", rule(schedmate.Action{Kind: schedmate.Park, Job: "w1", Allocations: on("n1", 0, 1)}), verify.Form, "given 2 allocations"},
		{"prose in the memory", schedmate.Plan{Policy: "fifo", Engine: "rule", Memory: []schedmate.Note{{Kind: "Please run me"}}}, verify.Form, "memory[0].kind"},
		{"nobody's job", rule(preempt("r9")), verify.OnePlace, "job r9: is not known"},

		{"unknown action", rule(schedmate.Action{Kind: "pause", Job: "r1"}), verify.Form, `unknown action "pause"`},
		{"preempted and given", rule(schedmate.Action{Kind: schedmate.Preempt, Job: "r1", Allocations: on("n1", 0)}), verify.Form, "given 1 allocations"},
		{"no policy", schedmate.Plan{Engine: "rule"}, verify.Form, "policy"},
		{"no engine", schedmate.Plan{Policy: "fifo"}, verify.Form, "engine"},
		{"woken now", schedmate.Plan{Policy: "fifo", Engine: "rule", Wake: 100}, verify.Form, "wake_s 100"},
		{"woken never", schedmate.Plan{Policy: "fifo", Engine: "rule", Wake: schedmate.MaxSeconds + 1}, verify.Form, "wake_s"},
		{"a rule with a value", schedmate.Plan{Policy: "fifo", Engine: "rule", Value: &one, Bound: &two}, verify.Form, "optimises nothing"},
		{"a rule with a budget", schedmate.Plan{Policy: "fifo", Engine: "rule", BudgetUsed: 1}, verify.Form, "optimises nothing"},
		{"a value without a bound", schedmate.Plan{Policy: "lease", Engine: "solver", Value: &one}, verify.Form, "come together"},
		{"a value above its bound", schedmate.Plan{Policy: "lease", Engine: "solver", Value: &two, Bound: &one}, verify.Form, "value 2 exceeds the bound 1"},
		{"a solver's value", schedmate.Plan{Policy: "lease", Engine: "solver", Value: &one, Bound: &two, BudgetUsed: 7}, "", ""},
		{"less than no budget", schedmate.Plan{Policy: "lease", Engine: "solver", BudgetUsed: -1}, verify.Form, "budget_used"},
		{"bytes that are not UTF-8", schedmate.Plan{Policy: "f\xff", Engine: "rule"}, verify.Form, "UTF-8"},
	} {
		s := snapshot()
		plan := tc.plan
		if tc.says != "UTF-8" {
			plan.Hash = plan.Seal(schedmate.Hash(s))
		}
		expect(t, tc.name, verify.Check(&s, &plan), tc.rule, tc.says)
	}
}

// expect: exactly one law is broken, and the message says how.
func expect(t *testing.T, name string, err error, rule verify.Rule, says string) {
	t.Helper()
	if rule == "" {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	var broken verify.Violations
	if !errors.As(err, &broken) {
		t.Errorf("%s: want Violations, got %v", name, err)
		return
	}
	if len(broken) != 1 || broken[0].Rule != rule {
		t.Errorf("%s: want %s to be broken and nothing else, got %v", name, rule, err)
	}
	if !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "plan refused: ") {
		t.Errorf("%s: the error must say %q, got %v", name, says, err)
	}
}

// A quota counts what its VC holds on shared nodes, not on its own.
func TestQuotaLaw(t *testing.T) {
	for _, tc := range []struct {
		name    string
		quota   int
		actions []schedmate.Action
		rule    verify.Rule
	}{
		{"two held and two more are four", 4, []schedmate.Action{start("w1", on("n2", 2, 3))}, ""},
		{"but not three", 3, []schedmate.Action{start("w1", on("n2", 2, 3))}, verify.Quota},
		{"its own node does not count", 3, []schedmate.Action{start("w1", on("n1", 2, 3))}, ""},
		{"nor what it gives back", 3, []schedmate.Action{preempt("r1"), start("w1", on("n2", 2, 3))}, ""},
		{"no quota", 0, []schedmate.Action{start("w1", on("n2", 2, 3))}, ""},
	} {
		s := snapshot()
		s.Cluster.VCs[0].QuotaGPUs = tc.quota
		plan := rule(tc.actions...)
		plan.Hash = plan.Seal(schedmate.Hash(s))
		expect(t, tc.name, verify.Check(&s, &plan), tc.rule, "")
	}
}

// explained is a plan that starts nothing, with reasons that agree with the
// snapshot: w1 waits behind w2, and w2 for GPUs.
func explained() schedmate.Plan {
	p := rule()
	p.Reasons = []schedmate.Reason{
		// Free: n1 4, n2 2, n3 1.
		{Job: "w1", Code: schedmate.BehindInQueue, Need: 2, Free: 7, Ahead: 1, Blockers: []string{"w2"}, Change: schedmate.Change{Hold: []string{"w2"}}},
		// Free: n2 2, n3 1, n4 4 are 7 of 8.
		{Job: "w2", Code: schedmate.NotEnoughFree, Need: 8, Free: 7, Short: 1, Change: schedmate.Change{Release: []string{"r1", "r2"}}},
	}
	return p
}

// Reasons: one for each job that waits, in order, that say what the snapshot
// says.
func TestReasonLaws(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(p *schedmate.Plan)
		rule  verify.Rule
		says  string
	}{
		{"nothing", func(*schedmate.Plan) {}, "", ""},
		{"not asked for", func(p *schedmate.Plan) { p.Reasons = nil }, "", ""},
		{"one is missing", func(p *schedmate.Plan) { p.Reasons = p.Reasons[:1] }, verify.NoJobLost, "job w2: waits without a reason"},
		{"a preempted job has none", func(p *schedmate.Plan) { p.Actions = append(p.Actions, preempt("r2")) }, verify.NoJobLost, "job r2"},
		{"one is double", func(p *schedmate.Plan) { p.Reasons = append(p.Reasons, p.Reasons[1]) }, verify.OnePlace, "two reasons"},
		{"a job that starts", func(p *schedmate.Plan) { p.Actions = append(p.Actions, start("w1", on("n1", 0, 1))) }, verify.OnePlace, "runs and has a reason"},
		{"nobody's job", func(p *schedmate.Plan) {
			p.Reasons = append(p.Reasons, schedmate.Reason{Job: "x", Code: schedmate.Fragmented})
		}, verify.OnePlace, "job x"},
		{"unsorted", func(p *schedmate.Plan) { slices.Reverse(p.Reasons) }, verify.Form, "sorted by job"},

		{"need", func(p *schedmate.Plan) { p.Reasons[1].Need, p.Reasons[1].Short = 9, 2 }, verify.Form, "need must be the gang of 8"},
		{"free", func(p *schedmate.Plan) { p.Reasons[1].Free, p.Reasons[1].Short = 6, 2 }, verify.Form, "must be 7, 1 and 0, got 6, 2 and 0"},
		{"short", func(p *schedmate.Plan) { p.Reasons[1].Short = 2 }, verify.Form, "must be 7, 1 and 0"},
		{"limit", func(p *schedmate.Plan) { p.Reasons[1].Limit = 1 }, verify.Form, "must be 7, 1 and 0"},
		{"enough is not too few", func(p *schedmate.Plan) { p.Reasons[0].Code = schedmate.NotEnoughFree }, verify.Form, "7 GPUs are enough for 2"},
		{"too few are not fragmented", func(p *schedmate.Plan) { p.Reasons[1].Code = schedmate.Fragmented }, verify.Form, "7 GPUs are not enough for 8"},
		{"quota is not used up", func(p *schedmate.Plan) {
			r := &p.Reasons[0]
			r.Code, r.Free, r.Limit = schedmate.QuotaUsed, 2, 4
		}, verify.Form, "2 GPUs are enough for 2"},
		{"no quota to exceed", func(p *schedmate.Plan) { p.Reasons[1].Code = schedmate.ExceedsQuota }, verify.Form, "must be 0, 8 and 0"},
		{"unavailable nodes without names", func(p *schedmate.Plan) { p.Reasons[1].Code = schedmate.NodesUnavailable }, verify.Form, "nodes must be those"},
		{"names of nodes that are not the reason", func(p *schedmate.Plan) { p.Reasons[1].Nodes = []string{"n5"} }, verify.Form, "nodes must be those"},
		{"other blockers than are held", func(p *schedmate.Plan) { p.Reasons[0].Blockers = nil }, verify.Form, "blockers must be"},
		{"more ahead than are held", func(p *schedmate.Plan) { p.Reasons[0].Ahead = 2 }, verify.Form, "ahead must count"},
		{"all others are held, some are named", func(p *schedmate.Plan) {
			p.Reasons[0].Ahead, p.Reasons[0].Change = 2, schedmate.Change{Alone: true}
		}, "", ""},
		{"more named than are ahead", func(p *schedmate.Plan) {
			p.Reasons[0].Ahead, p.Reasons[0].Change = 0, schedmate.Change{Alone: true}
		}, verify.Form, "ahead must count"},
		{"expected now", func(p *schedmate.Plan) { p.Reasons[1].Until = 100 }, verify.Form, "until_s 100 must lie after"},
		{"expected while others are held", func(p *schedmate.Plan) { p.Reasons[0].Until = 200 }, verify.Form, "does not come about by itself"},

		{"no change", func(p *schedmate.Plan) { p.Reasons[1].Change = schedmate.Change{} }, verify.Form, "changes nothing"},
		{"held by himself", func(p *schedmate.Plan) { p.Reasons[0].Blockers[0], p.Reasons[0].Change.Hold[0] = "w1", "w1" }, verify.Form, "blockers must be other jobs"},
		{"a running job is held", func(p *schedmate.Plan) { p.Reasons[0].Blockers[0], p.Reasons[0].Change.Hold[0] = "r1", "r1" }, verify.Form, "blockers must be other jobs"},
		{"held and not counted among those ahead", func(p *schedmate.Plan) {
			p.Reasons[0].Blockers, p.Reasons[0].Ahead, p.Reasons[0].Change.Alone = nil, 0, true
		}, verify.Form, "ahead must count"},
		{"a waiting job ends", func(p *schedmate.Plan) { p.Reasons[1].Change.Release = []string{"w1"} }, verify.Form, "release_jobs"},
		{"released twice", func(p *schedmate.Plan) { p.Reasons[1].Change.Release = []string{"r1", "r1"} }, verify.Form, "release_jobs"},
		{"a healthy node comes back", func(p *schedmate.Plan) { p.Reasons[1].Change.Restore = []string{"n1"} }, verify.Form, "restore_nodes"},
		{"the request changes although it fits", func(p *schedmate.Plan) { p.Reasons[1].Change.Resize = 7 }, verify.Form, "exactly if it exceeds the cluster"},
		{"the quota changes although it is not the reason", func(p *schedmate.Plan) { p.Reasons[0].Change.Quota = 5 }, verify.Form, "not what the job waits for"},
		{"a lower quota", func(p *schedmate.Plan) { p.Reasons[0].Change.Quota = 4 }, verify.Form, "not above the quota"},
	} {
		s := snapshot()
		plan := explained()
		tc.spoil(&plan)
		plan.Hash = plan.Seal(schedmate.Hash(s))
		expect(t, tc.name, verify.Check(&s, &plan), tc.rule, tc.says)
	}
}

// A request that exceeds the cluster is changed, and only then.
func TestRequestLaws(t *testing.T) {
	base := schedmate.Reason{Job: "w2", Code: schedmate.ExceedsCluster, Need: 8, Free: 7, Short: 1, Limit: 7, Change: schedmate.Change{Resize: 7}}
	for _, tc := range []struct {
		name  string
		spoil func(r *schedmate.Reason)
		says  string
	}{
		{"nothing", func(*schedmate.Reason) {}, ""},
		{"another VC", func(r *schedmate.Reason) { r.Change = schedmate.Change{VC: "b"} }, ""},
		{"the limit would do", func(r *schedmate.Reason) { r.Limit, r.Free, r.Short = 8, 8, 0 }, "limit must lie in [0, need)"},
		{"no smaller gang", func(r *schedmate.Reason) { r.Change.Resize = 8 }, "resize_gpus must lie in [1, 8)"},
		{"no gang", func(r *schedmate.Reason) { r.Change.Resize = -1 }, "resize_gpus must lie in [1, 8)"},
		{"any type already", func(r *schedmate.Reason) { r.Change.AnyType = true }, "any GPU type already"},
		{"no such VC", func(r *schedmate.Reason) { r.Change.VC = "c" }, "not another one"},
		{"no change of the request", func(r *schedmate.Reason) { r.Change = schedmate.Change{Release: []string{"r1"}} }, "exactly if it exceeds"},
	} {
		s := snapshot()
		s.Waiting = s.Waiting[1:]
		plan := rule()
		r := base
		tc.spoil(&r)
		plan.Reasons = []schedmate.Reason{r}
		plan.Hash = plan.Seal(schedmate.Hash(s))
		law := verify.Form
		if tc.says == "" {
			law = ""
		}
		expect(t, tc.name, verify.Check(&s, &plan), law, tc.says)
	}
}

// The seal binds a plan to one snapshot.
func TestSealLaw(t *testing.T) {
	s := snapshot()
	plan := rule(start("w1", on("n1", 0, 1)))
	expect(t, "no seal", verify.Check(&s, &plan), verify.Seal, "does not belong")
	plan.Hash = plan.Seal(schedmate.Hash(s))
	expect(t, "sealed", verify.Check(&s, &plan), "", "")
	s.Now++
	expect(t, "a second later", verify.Check(&s, &plan), verify.Seal, "does not belong")
	s.Now--
	plan.Actions[0].Allocations = on("n1", 2, 3)
	expect(t, "another place", verify.Check(&s, &plan), verify.Seal, "does not belong")
}

// A snapshot that is wrong cannot be answered.
func TestInvalidSnapshot(t *testing.T) {
	s := snapshot()
	plan := rule()
	plan.Hash = plan.Seal(schedmate.Hash(s))
	s.Waiting[0].Job.GPUs = 0
	expect(t, "gang of nothing", verify.Check(&s, &plan), verify.Form, "waiting[0].job.gpus")
}

// The books of a run refuse what cannot have happened.
func TestLedger(t *testing.T) {
	s := snapshot()
	l := verify.NewLedger(&s.Cluster)
	job := &s.Waiting[0].Job
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	refused := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
	refused("the end of a job that was never submitted", l.End("w1"))
	ok(l.Submit(job))
	refused("a second submission", l.Submit(job))
	refused("the end of a waiting job", l.End("w1"))
	refused("the requeue of a waiting job", l.Requeue("w1"))
	refused("health of no node", l.Health("n9", schedmate.Down))
	plan := rule(start("w1", on("n1", 0, 1)))
	ok(l.Apply(&plan))
	ok(l.Health("n1", schedmate.Down))
	ok(l.Requeue("w1"))
	refused("a start on a node that went down", l.Apply(&plan))

	l = verify.NewLedger(&s.Cluster)
	ok(l.Submit(job))
	ok(l.Apply(&plan))
	ok(l.End("w1"))
	if l.Open() != 0 {
		t.Errorf("%d jobs are open after the last end", l.Open())
	}
	ok(l.Submit(job)) // the books know open jobs only
	ok(l.Apply(&plan))
}

// How few nodes would do is counted over the nodes that take work now.
func TestFewestNodesFollowHealth(t *testing.T) {
	c := schedmate.Cluster{Nodes: []schedmate.Node{{ID: "large", GPUs: 8}, {ID: "small1", GPUs: 4}, {ID: "small2", GPUs: 4}}}
	spread := rule(start("j", on("small1", 0, 1, 2, 3), on("small2", 0, 1, 2, 3)))
	l := verify.NewLedger(&c)
	if err := l.Submit(&schedmate.Job{ID: "j", GPUs: 8}); err != nil {
		t.Fatal(err)
	}
	expect(t, "large would do", l.Apply(&spread), verify.Topology, "over 2 nodes where 1 would do")
	if err := l.Health("large", schedmate.Draining); err != nil {
		t.Fatal(err)
	}
	expect(t, "large drains", l.Apply(&spread), "", "")
}

// Where the cluster says that it is the same to gangs where they run, they may
// be spread over more nodes than they need.
func TestSpreadGangs(t *testing.T) {
	c := schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: 4}, {ID: "n2", GPUs: 4}}}
	plan := rule(start("j", on("n1", 0), on("n2", 3)))
	for spread, want := range map[bool]verify.Rule{false: verify.Topology, true: ""} {
		c.Spread = spread
		l := verify.NewLedger(&c)
		if err := l.Submit(&schedmate.Job{ID: "j", GPUs: 2}); err != nil {
			t.Fatal(err)
		}
		expect(t, "two nodes for two GPUs", l.Apply(&plan), want, "")
	}
}

// beside says of a start whom it joins, and apart of a preemption whom it leaves.
func beside(a schedmate.Action, mate string) schedmate.Action {
	a.Packed = &schedmate.Packed{Beside: mate, Speed: 800, BesideSpeed: 900}
	return a
}

func apart(job, mate, slower string) schedmate.Action {
	a := preempt(job)
	a.Undo = &schedmate.Undo{Beside: mate, Slower: slower, Ratio: 2000, Tolerated: 1500, Steps: 6}
	return a
}

func half(as []schedmate.Allocation) []schedmate.Allocation {
	for i := range as {
		as[i].Share = schedmate.WholeGPU / 2
	}
	return as
}

// Whoever is called a mate holds some of the same GPUs at that time. r1 of two GPUs
// and g of one share GPU 0 of n2; r1 has its GPU 1 to itself, and r2 is elsewhere. w1
// waits for two GPUs.
func TestSharingLaw(t *testing.T) {
	for _, tc := range []struct {
		name    string
		actions []schedmate.Action
		rule    verify.Rule
		says    string
	}{
		{"the newcomer leaves its mate", []schedmate.Action{apart("g", "r1", "r1")}, "", ""},
		{"the mate could leave as well", []schedmate.Action{apart("r1", "g", "g")}, "", ""},
		{"from one that is elsewhere", []schedmate.Action{apart("g", "r2", "r2")}, verify.Sharing, "job g: is taken from job r2, which has none of its GPUs"},
		{"from one that waits", []schedmate.Action{apart("g", "w1", "w1")}, verify.Sharing, "from job w1"},
		{"from nobody", []schedmate.Action{apart("g", "r9", "g")}, verify.Sharing, "from job r9"},
		{"from itself", []schedmate.Action{apart("g", "g", "g")}, verify.Form, "the pair is two jobs"},
		{"for one that has nothing to do with it", []schedmate.Action{apart("g", "r1", "r2")}, verify.Form, "one of them is slower"},
		{"from one that has left before it", []schedmate.Action{preempt("r1"), apart("g", "r1", "r1")}, verify.Sharing, "at that time"},

		{"beside one that leaves it half of each GPU", []schedmate.Action{preempt("g"), beside(start("w1", half(on("n2", 0, 1))), "r1")}, "", ""},
		{"beside one with one of its GPUs", []schedmate.Action{beside(start("w1", half(on("n2", 1, 2))), "r1")}, "", ""},
		{"beside one whose neighbour it is", []schedmate.Action{beside(start("w1", half(on("n2", 2, 3))), "r1")}, verify.Sharing, "job w1: is started beside job r1, which has none of its GPUs"},
		{"beside one that waits", []schedmate.Action{beside(start("w1", half(on("n2", 1, 2))), "w2")}, verify.Sharing, "beside job w2"},
		{"beside nobody", []schedmate.Action{beside(start("w1", half(on("n2", 1, 2))), "r9")}, verify.Sharing, "beside job r9"},
		{"beside one that has just left", []schedmate.Action{preempt("r1"), beside(start("w1", half(on("n2", 1, 2))), "r1")}, verify.Sharing, "beside job r1"},
		{"beside itself", []schedmate.Action{beside(start("w1", half(on("n2", 1, 2))), "w1")}, verify.Form, "beside itself"},
	} {
		pair := snapshot()
		half(pair.Running[0].Attempt.Allocations)
		pair.Running = append(pair.Running, &schedmate.JobStatus{
			Job: schedmate.Job{ID: "g", GPUs: 1}, Seq: 5,
			Attempt: &schedmate.Attempt{Number: 1, Start: 70, Allocations: half(on("n2", 0))},
		})
		plan := rule(tc.actions...)
		plan.Hash = plan.Seal(schedmate.Hash(pair))
		expect(t, tc.name, verify.Check(&pair, &plan), tc.rule, tc.says)
	}
}

// A gang is on no more nodes than it needs, unless it joins one that is: that one may
// have come when another node was down.
func TestANewcomerIsWhereItsMateIs(t *testing.T) {
	c := schedmate.Cluster{Nodes: []schedmate.Node{{ID: "large", GPUs: 4, Health: schedmate.Down}, {ID: "small1", GPUs: 1}, {ID: "small2", GPUs: 1}}}
	l := verify.NewLedger(&c)
	for _, id := range []string{"host", "guest", "other"} {
		if err := l.Submit(&schedmate.Job{ID: id, GPUs: 2}); err != nil {
			t.Fatal(err)
		}
	}
	two := half(slices.Concat(on("small1", 0), on("small2", 0)))
	first := rule(start("host", two))
	expect(t, "the large node is down", l.Apply(&first), "", "")
	if err := l.Health("large", schedmate.Healthy); err != nil {
		t.Fatal(err)
	}
	alone := rule(start("other", two))
	expect(t, "it is back, and nobody is named", l.Apply(&alone), verify.Topology, "over 2 nodes where 1 would do")
	joins := rule(beside(start("guest", two), "host"))
	expect(t, "beside the host", l.Apply(&joins), "", "")
}
