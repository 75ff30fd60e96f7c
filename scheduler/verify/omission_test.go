package verify_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/verify"
)

// No start and no preemption can be left out of a plan that explains itself: who was
// to start waits without a reason, and who was to give way runs and has one; where
// somebody comes to its GPUs, they are taken as well. A park can be left out, because
// it takes no GPU and the job waits with a reason all the same; a move, where
// nobody else comes to the GPUs that it was to free.
func TestWhatIsLeftOutOfAPlanIsNoticed(t *testing.T) {
	type count struct{ noticed, all int }
	seen := map[schedmate.ActionKind]count{}
	byPolicy := map[string]count{}
	r := rand.New(rand.NewPCG(2026, 12))
	d := schedtest.Draw(func(lo, hi int) int { return lo + r.IntN(hi-lo+1) })
	variants := schedtest.All()
	for range 4000 {
		s := schedtest.Snapshot(d, schedtest.AnyStyle(d))
		v := variants[d(0, len(variants)-1)]
		whole := scheduler.Plan(v.Policy, s, scheduler.Budget{})
		whole.Reasons = explain.All(v.Policy, scheduler.Budget{}, s, &whole, explain.Effort{})
		whole.Hash = whole.Seal(schedmate.Hash(s))
		if err := verify.Check(&s, &whole); err != nil {
			t.Fatalf("%s: %v\n%s", v.Name, err, text(&whole))
		}
		for i, left := range whole.Actions {
			plan := whole
			plan.Actions = slices.Delete(slices.Clone(whole.Actions), i, i+1)
			plan.Hash = plan.Seal(schedmate.Hash(s)) // forged
			err := verify.Check(&s, &plan)
			c, of := seen[left.Kind], byPolicy[whole.Policy]
			c.all, of.all = c.all+1, of.all+1
			if err != nil {
				c.noticed, of.noticed = c.noticed+1, of.noticed+1
			} else if left.Kind == schedmate.Start || left.Kind == schedmate.Preempt {
				t.Errorf("%s: the %s of job %s is left out, and nobody notices\nwas %s\nis  %s", v.Name, left.Kind, left.Job, text(&whole), text(&plan))
			}
			seen[left.Kind], byPolicy[whole.Policy] = c, of
		}
	}
	for _, kind := range []schedmate.ActionKind{schedmate.Start, schedmate.Preempt, schedmate.Move, schedmate.Park} {
		if seen[kind].all == 0 {
			t.Errorf("no plan had a %s", kind)
		}
		t.Logf("%s left out: noticed by the laws %d of %d times", kind, seen[kind].noticed, seen[kind].all)
	}
	t.Logf("of plans of chronus %d of %d", byPolicy["chronus"].noticed, byPolicy["chronus"].all)
}
