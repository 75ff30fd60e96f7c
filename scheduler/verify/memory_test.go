package verify_test

import (
	"math/rand/v2"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/verify"
)

// What a policy remembers decides with it who waits. Reasons that are found without
// it say of jobs that wait that nothing need change for them: a calendar that stands,
// say, lets another job go first than one that is made anew.
func TestPlansOfPoliciesThatRememberExplainThemselves(t *testing.T) {
	r := rand.New(rand.NewPCG(2026, 13))
	d := schedtest.Draw(func(lo, hi int) int { return lo + r.IntN(hi-lo+1) })
	variants := schedtest.All()
	remembering := map[string]int{}
	for range 2500 {
		s := schedtest.Snapshot(d, schedtest.AnyStyle(d))
		v := variants[d(0, len(variants)-1)]
		if v.Policy.Name() != "chronus" && d(0, 3) > 0 {
			continue
		}
		for range 3 {
			plan := scheduler.Plan(v.Policy, s, scheduler.Budget{})
			plan.Reasons = explain.All(v.Policy, scheduler.Budget{}, s, &plan, []explain.Effort{explain.Quick, {}}[d(0, 1)])
			plan.Hash = plan.Seal(schedmate.Hash(s))
			if err := verify.Check(&s, &plan); err != nil {
				t.Fatalf("%s with the memory %v: %v", v.Name, s.Memory, err)
			}
			if len(s.Memory) > 0 {
				remembering[v.Policy.Name()]++
			}
			// The host was slow: nothing has happened, but time has passed and estimates
			// are others.
			s.Memory, s.Now = plan.Memory, s.Now+schedmate.Seconds(d(0, 60))
			for i, j := range s.Waiting {
				other := *j
				if d(0, 2) == 0 {
					other.Facts = nil
				}
				s.Waiting[i] = &other
			}
			if s.Validate() != nil {
				break
			}
		}
	}
	t.Logf("plans with a memory: %v", remembering)
	if remembering["chronus"] == 0 || remembering["gandiva"] == 0 {
		t.Error("policies that remember were not tried")
	}
}
