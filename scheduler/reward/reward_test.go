package reward_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/reward"
)

// A soft job that was submitted at 0 with ten hours to go, seen at the start of
// its fourth hour, with leases of 20 minutes: D is 21 slots away, 1.1 D = 11 h is
// 24, 1.2 D = 12 h is 27, 1.5 D = 15 h is 36.
func TestSoftStepsByHand(t *testing.T) {
	steps, err := reward.Paper.Steps(reward.Soft, 0, 36000, 10800, 1200)
	if err != nil {
		t.Fatal(err)
	}
	want := []reward.Step{{By: 21, Reward: 100 * reward.One}, {By: 24, Reward: 80 * reward.One}, {By: 27, Reward: 50 * reward.One}, {By: 36, Reward: 20 * reward.One}}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
}

// A job of 40 minutes: 1.0 D ends slot 2, 1.1 D and 1.2 D fall into slot 3 which
// they do not reach the end of, so they are slot 2 as well; 1.5 D is slot 3.
func TestStepsOfOneSlotCollapseToTheBest(t *testing.T) {
	steps, err := reward.Paper.Steps(reward.Soft, 0, 2400, 0, 1200)
	if err != nil {
		t.Fatal(err)
	}
	want := []reward.Step{{By: 2, Reward: 100 * reward.One}, {By: 3, Reward: 20 * reward.One}}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
}

// Past its deadline, a strict job has no step and a soft job its later ones.
func TestPastTheDeadline(t *testing.T) {
	for _, tc := range []struct {
		kind reward.Kind
		want []reward.Step
	}{
		{reward.Strict, nil},
		{reward.Soft, []reward.Step{{By: 2, Reward: 20 * reward.One}}}, // 1.5 x 12000 = 18000, 2400 s away
	} {
		steps, err := reward.Paper.Steps(tc.kind, 0, 12000, 15600, 1200)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, steps); diff != "" {
			t.Errorf("%s: %s", tc.kind, diff)
		}
	}
}

func TestErrorsNameTheNumber(t *testing.T) {
	if _, err := reward.Paper.Steps(reward.Spot, 0, 1, 0, 1); err == nil {
		t.Error("best effort has no deadline")
	}
	if _, err := reward.Paper.Steps(reward.Strict, 5, 1, 0, 1); err == nil {
		t.Error("a deadline before the submission")
	}
	if _, err := reward.Paper.Steps(reward.Strict, 0, 1, 0, 0); err == nil {
		t.Error("leases of no length")
	}
	for _, bad := range [][]reward.Step{
		{{By: -1}}, {{By: 1, Reward: -1}}, {{By: 2, Reward: 1}, {By: 1}}, {{By: 1, Reward: 1}, {By: 2, Reward: 2}},
	} {
		if err := reward.Validate(bad, 0); err == nil {
			t.Errorf("%v passes", bad)
		}
	}
	if _, err := reward.Of(-1); err == nil {
		t.Error("a negative reward")
	}
}

// Steps come later and later, are worth less and less, and none is missed by
// finishing at the end of its slot.
func TestStepsAreALadderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		submit := rapid.Int64Range(0, 1e6).Draw(t, "submit")
		allowed := rapid.Int64Range(0, 1e6).Draw(t, "allowed")
		now := rapid.Int64Range(0, 3e6).Draw(t, "now")
		lease := rapid.Int64Range(1, 5000).Draw(t, "lease")
		steps, err := reward.Paper.Steps(reward.Soft, schedmate.Seconds(submit), schedmate.Seconds(submit+allowed), schedmate.Seconds(now), schedmate.Seconds(lease))
		if err != nil {
			t.Fatal(err)
		}
		if err := reward.Validate(steps, reward.Paper.Late); err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			for _, tier := range reward.Paper.Soft {
				if tier.Reward == s.Reward && (now+int64(s.By)*lease-submit)*1000 > allowed*tier.PerMille {
					t.Fatalf("finishing at the end of slot %d is late for %v", s.By, tier)
				}
			}
		}
	})
}

// Every whole number and every 1/n for n up to 20 is exact.
func TestPointsAreExact(t *testing.T) {
	for n := 1; n <= 20; n++ {
		if reward.BestEffort(n)*reward.Points(n) != reward.One {
			t.Errorf("%d times 1/%d is not 1", n, n)
		}
	}
	if p, err := reward.Of(80); err != nil || p != 80*reward.One || p.Value() != 80 {
		t.Errorf("80 becomes %v, %v", p, err)
	}
}
