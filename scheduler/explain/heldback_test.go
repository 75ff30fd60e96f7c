package explain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
	"schedmate/scheduler/policy/threesigma"
	"schedmate/scheduler/verify"
)

// TitanSched's 3Sigma plans in slots of 1,200 s up to the deadline. At 0 a job of
// 1,000 s with the deadline 1,100 can make it, but no whole slot lies before its
// deadline, so it is not started, though the cluster is empty. Nothing but time
// helps: at 101 its deadline is out of reach, and it is best effort.
func TestHeldBack(t *testing.T) {
	d := threesigma.Descriptor()
	preset, err := d.Preset("titan")
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.New(preset.Options)
	if err != nil {
		t.Fatal(err)
	}
	s := schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind,
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: 4}}},
		Waiting: []*schedmate.JobStatus{{
			Job:   schedmate.Job{ID: "j", GPUs: 2, SLO: schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 1100, Reward: 100}}}},
			Facts: []schedmate.Fact{{Kind: schedmate.RunSeconds, Value: 1000, Low: 1000, High: 1000, Source: schedmate.FromUser}},
		}},
	}
	plan := p.Plan(s, scheduler.Budget{})
	plan.Reasons = explain.All(p, scheduler.Budget{}, s, &plan, explain.Thorough)
	want := []schedmate.Reason{{Job: "j", Code: schedmate.HeldBack, Need: 2, Free: 4}}
	if diff := cmp.Diff(want, plan.Reasons); diff != "" {
		t.Error(diff)
	}
	plan.Hash = plan.Seal(schedmate.Hash(s))
	if err := verify.Check(&s, &plan); err != nil {
		t.Error(err)
	}
	s.Now = 101
	if plan := p.Plan(s, scheduler.Budget{}); plan.Started("j") == nil {
		t.Errorf("best effort does not start: %v", plan.Actions)
	}
}
