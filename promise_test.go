package schedmate_test

import (
	"testing"

	"schedmate"
)

// A soft job with tiers at 500 and 600, told to expect the second.
func TestPromiseChangeValidate(t *testing.T) {
	soft := schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{{Deadline: 500, Reward: 100}, {Deadline: 600, Reward: 80}}}
	strict := schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 500, Reward: 100}}}
	for _, tc := range []struct {
		slo      schedmate.SLO
		state    schedmate.PromiseState
		deadline schedmate.Seconds
		cause    string
		valid    bool
	}{
		{soft, schedmate.Expected, 600, "", true},
		{soft, schedmate.Lapsed, 600, "overruled", true},
		{soft, schedmate.Refused, 600, "short", true},
		{strict, schedmate.Promised, 500, "", true},
		{strict, schedmate.Broken, 500, "estimate", true},
		{strict, schedmate.Refused, 500, "too_long", true},

		{soft, schedmate.Promised, 500, "", false},
		{strict, schedmate.Expected, 500, "", false},
		{strict, schedmate.Lapsed, 500, "overruled", false},
		{soft, "hoped", 500, "", false},
		{soft, schedmate.Expected, 550, "", false},
		{soft, schedmate.Expected, 500, "short", false},
		{strict, schedmate.Broken, 500, "", false},
		{strict, schedmate.Broken, 500, "It took too long.", false},
		{schedmate.SLO{}, schedmate.Refused, 0, "short", false},
	} {
		c := schedmate.PromiseChange{Job: "j", State: tc.state, Deadline: tc.deadline, Cause: tc.cause}
		if err := c.Validate("promises[0]", &schedmate.Job{ID: "j", SLO: tc.slo}); (err == nil) != tc.valid {
			t.Errorf("%s of %s by %d with cause %q: %v", tc.state, tc.slo.Class, tc.deadline, tc.cause, err)
		}
	}
}
