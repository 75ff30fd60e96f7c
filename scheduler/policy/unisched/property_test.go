package unisched_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/unisched"
	"schedmate/scheduler/sim"
)

// auditor looks at every plan of a run.
type auditor struct {
	scheduler.Policy
	look func(*schedmate.Snapshot, *schedmate.Plan)
}

func (a auditor) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	plan := a.Policy.Plan(s, b)
	a.look(&s, &plan)
	return plan
}

// crowd draws jobs that do not all fit on two nodes at once.
func crowd(t *rapid.T) []sim.Job {
	var jobs []sim.Job
	at := schedmate.Seconds(0)
	for i := range rapid.IntRange(2, 12).Draw(t, "jobs") {
		at += schedmate.Seconds(rapid.IntRange(0, 400).Draw(t, "gap"))
		run := schedmate.Seconds(rapid.IntRange(1, 4000).Draw(t, "run"))
		class := rapid.SampledFrom([]schedmate.SLOClass{schedmate.BestEffort, schedmate.Strict, schedmate.Soft}).Draw(t, "class")
		due := at + run + run*schedmate.Seconds(rapid.IntRange(0, 10).Draw(t, "slack"))/10
		var tiers []schedmate.Seconds
		switch class {
		case schedmate.Strict:
			tiers = []schedmate.Seconds{due}
		case schedmate.Soft:
			tiers = []schedmate.Seconds{due, due + run/10 + 1, due + run + 2}
		}
		jobs = append(jobs, gang(fmt.Sprint("j", i), rapid.SampledFrom([]int{1, 2, 3, 4, 6, 8, 12}).Draw(t, "gpus"), at, run, class, tiers...))
	}
	return jobs
}

var presetsWith = []struct{ preset, overlay string }{
	{"default", ""}, {"paper", ""}, {"paper", `{"profiling":{"mode":"fixed","gpus":2}}`},
	{"default", `{"profiling":{"mode":"dynamic","window_s":300,"gpus":4}}`}, {"default", `{"cells":false,"selector":"apart"}`},
}

func twoNodes() schedmate.Cluster {
	return schedmate.Cluster{Spread: true, Nodes: []schedmate.Node{{ID: "n0", GPUs: 8}, {ID: "n1", GPUs: 8}}}
}

// Nobody gets GPUs on which a job is measured, no two measurements share one, and
// nobody runs before he has been measured where that is asked for.
func TestMeasurementsHaveTheirGPUsProperty(t *testing.T) {
	measured := 0
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(presetsWith).Draw(t, "preset")
		policy, world := made(t, v.preset, v.overlay)
		done := map[string]bool{}
		look := func(s *schedmate.Snapshot, plan *schedmate.Plan) {
			busy := map[schedmate.Allocation]string{}
			take := func(job string, as []schedmate.Allocation) {
				for _, a := range as {
					if other, is := busy[a]; is {
						t.Fatalf("at %d s GPU %d of %s is for %s and %s", s.Now, a.GPU, a.Node, other, job)
					}
					busy[a] = job
				}
			}
			changed := map[string]bool{}
			for _, a := range plan.Actions {
				changed[a.Job] = true
				take(a.Job, a.Allocations)
			}
			for _, j := range s.Running {
				if !changed[j.Job.ID] {
					take(j.Job.ID, j.Attempt.Allocations)
				}
			}
			for _, n := range plan.Memory {
				switch n.Kind {
				case "measuring":
					measured++
					for _, gpu := range n.Numbers {
						take(n.Job+", measured", []schedmate.Allocation{{Node: n.Node, GPU: int(gpu), Share: schedmate.WholeGPU}})
					}
				case "measured":
					done[n.Job] = n.Numbers[0] <= int64(s.Now)
				}
			}
			for _, a := range plan.Actions {
				if a.Kind == schedmate.Start && v.preset == "paper" && s.Find(a.Job).Held == 0 && !done[a.Job] {
					t.Fatalf("at %d s %s starts and has not been measured", s.Now, a.Job)
				}
			}
		}
		jobs := crowd(t)
		res, err := sim.Run(sim.Config{Cluster: twoNodes(), Policy: auditor{policy, look}, World: world}, sim.Workload{Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if res.Unfinished > 0 {
			t.Fatalf("%d jobs never end", res.Unfinished)
		}
	})
	if measured == 0 {
		t.Error("nobody was measured")
	}
}

// With any budget, down to one step, a run goes to its end and no plan is refused.
func TestAnyBudgetProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(presetsWith).Draw(t, "preset")
		policy, world := made(t, v.preset, v.overlay)
		budget := scheduler.Budget{Iterations: int64(rapid.SampledFrom([]int{1, 2, 7, 100}).Draw(t, "steps"))}
		look := func(s *schedmate.Snapshot, plan *schedmate.Plan) {
			if plan.BudgetUsed > budget.Iterations {
				t.Fatalf("at %d s a plan uses %d steps of %d", s.Now, plan.BudgetUsed, budget.Iterations)
			}
		}
		res, err := sim.Run(sim.Config{Cluster: twoNodes(), Policy: auditor{policy, look}, World: world, Budget: budget}, sim.Workload{Jobs: crowd(t)})
		if err != nil {
			t.Fatal(err)
		}
		if res.Unfinished > 0 {
			t.Fatalf("%d jobs never end", res.Unfinished)
		}
	})
}

// A strict promise is kept where run times are known: default makes it binding.
func TestPromisesAreKeptProperty(t *testing.T) {
	promised, broken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		policy, world := made(t, "default", "")
		res, err := sim.Run(sim.Config{Cluster: twoNodes(), Policy: policy, World: world}, sim.Workload{Jobs: crowd(t)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range res.Jobs {
			j := &res.Jobs[i]
			if j.Told.First != schedmate.Promised {
				continue
			}
			promised++
			if j.End > j.Told.Deadline {
				broken++
			}
		}
	})
	// No certificate of a calendar stands behind a promise, and a newcomer that cannot
	// wait is let in without one: some break on so small a cluster.
	t.Logf("%d of %d promises were broken", broken, promised)
	if promised == 0 || broken*10 > promised {
		t.Errorf("%d of %d promises were broken", broken, promised)
	}
}

// Options that make no sense are refused by the name of the field.
func TestOptionsAreChecked(t *testing.T) {
	d := unisched.Descriptor()
	p, err := d.Preset("default")
	if err != nil {
		t.Fatal(err)
	}
	for overlay, want := range map[string]string{
		`{"selector":"best"}`:                     `policy unisched: selector: unknown "best": use joint or apart`,
		`{"lease_s":450}`:                         "policy unisched: lease_s must be one to sixteen times spot_lease_s, got 450",
		`{"profiling":{"mode":"fixed"}}`:          "policy unisched: profiling.gpus: fixed profiling needs some, got 0",
		`{"rules":{"reserve_milli":1001}}`:        "policy unisched: rules.reserve_milli must lie in [0, 1000], got 1001",
		`{"resume_cost":[{"up_to_gpus":4}]}`:      "policy unisched: resume_cost, read as restart_cost[0].up_to_gpus: only the last step covers every size (0), got 4",
		`{"horizon_leases":0}`:                    "policy unisched: horizon_leases must lie in [1, 2016], got 0",
		`{"rules":{"order":"","calendar":"now"}}`: `policy unisched: rules.order: unknown "": use reward or time`,
	} {
		o, err := d.Decode(p.Options, []byte(overlay))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.New(o); err == nil || err.Error() != want {
			t.Errorf("%s: want %q, got %v", overlay, want, err)
		}
	}
}
