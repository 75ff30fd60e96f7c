package chronus_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/chronus"
	"schedmate/scheduler/sim"
)

// preset builds the policy and its world. On small clusters stories are about all
// GPUs, so "whole" is the default preset that can promise them all; "planned" is the
// paper's with promised jobs early, "behind" with those behind the others in Spot.
func preset(t interface{ Fatal(...any) }, name string) (scheduler.Policy, scheduler.World) {
	d := chronus.Descriptor()
	overlay := ""
	switch name {
	case "whole":
		name, overlay = scheduler.DefaultPreset, `{"rules":{"terms":{"reserve_milli":0}}}`
	case "planned":
		name, overlay = "paper", `{"rules":{"calendar":"planned"}}`
	case "behind":
		name, overlay = "paper", `{"rules":{"promised_in_spot":"behind"}}`
	}
	p, err := d.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	options, err := d.Decode(p.Options, []byte(overlay))
	if err != nil {
		t.Fatal(err)
	}
	policy, err := d.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return policy, p.World
}

// tiny draws a workload for two nodes of 8 GPUs in which deadlines are tight.
func tiny(t *rapid.T) []sim.Job {
	var jobs []sim.Job
	for i := range rapid.IntRange(1, 14).Draw(t, "jobs") {
		run := schedmate.Seconds(rapid.IntRange(1, 9000).Draw(t, "run"))
		j := sim.Job{Job: schedmate.Job{
			ID: fmt.Sprint(i), Submit: schedmate.Seconds(rapid.IntRange(0, 6000).Draw(t, "submit")),
			GPUs:    rapid.SampledFrom([]int{1, 1, 2, 3, 4, 5, 8, 12, 16}).Draw(t, "gpus"),
			Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed},
		}}
		slack := schedmate.Seconds(rapid.IntRange(1200, 9000).Draw(t, "slack"))
		switch due := j.Submit + run + slack; rapid.IntRange(0, 3).Draw(t, "class") {
		case 0, 1:
			j.SLO = schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: due, Reward: 100}}}
		case 2:
			j.SLO = schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{{Deadline: due, Reward: 100}, {Deadline: due + 1000, Reward: 80}, {Deadline: due + 3000, Reward: 20}}}
		}
		jobs = append(jobs, j)
	}
	slices.SortStableFunc(jobs, func(a, b sim.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs
}

func twoNodes() schedmate.Cluster {
	return schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: 8}, {ID: "n2", GPUs: 8}}}
}

// Where run times are known, nobody who is promised a deadline misses it, and nobody
// is told that a promise broke. That holds as well when rounds may search for one
// step only, and mostly carry out the calendar that stands. With the paper's rules
// that is true of soft jobs as well, of the last of their tiers.
func TestPromisesAreKeptProperty(t *testing.T) {
	for _, name := range []string{"paper", "planned", "behind", "default", "whole"} {
		rapid.Check(t, func(t *rapid.T) {
			policy, world := preset(t, name)
			budget := scheduler.Budget{Iterations: rapid.SampledFrom([]int64{0, 1}).Draw(t, "steps")}
			res, err := sim.Run(sim.Config{Cluster: twoNodes(), Policy: policy, World: world, Budget: budget}, sim.Workload{Jobs: tiny(t)})
			if err != nil {
				t.Fatal(err)
			}
			if res.Unfinished > 0 {
				t.Fatalf("%s: %d jobs never end", name, res.Unfinished)
			}
			for i := range res.Jobs {
				j := &res.Jobs[i]
				if j.Told.First == schedmate.Promised && (j.End > j.Told.Deadline || j.Told.Last != schedmate.Promised) {
					t.Fatalf("%s: job %s was promised %d, ends at %d, was last told %s", name, j.Job.ID, j.Told.Deadline, j.End, j.Told.Last)
				}
				if sure := name != "default" && name != "whole"; sure && j.Told.Accepted() && (j.End > j.Told.Deadline || !j.Told.Last.Gives()) {
					t.Fatalf("%s: soft job %s was sure of %d, ends at %d, was last told %s", name, j.Job.ID, j.Told.Deadline, j.End, j.Told.Last)
				}
				if j.Job.SLO.HasDeadline() != (j.Told.First != "") {
					t.Fatalf("%s: job %s with class %q was told %q", name, j.Job.ID, j.Job.SLO.Class, j.Told.First)
				}
			}
		})
	}
}
