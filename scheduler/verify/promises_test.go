package verify_test

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler/verify"
)

// w1 is strict and due at 500, w2 soft with tiers at 500 and 600, and r2 best effort.
// Each plan breaks one rule, or none.
func TestPromisesAreJudged(t *testing.T) {
	say := func(job string, state schedmate.PromiseState, deadline schedmate.Seconds, cause string) schedmate.PromiseChange {
		return schedmate.PromiseChange{Job: job, State: state, Deadline: deadline, Cause: cause}
	}
	for _, tc := range []struct {
		promises []schedmate.PromiseChange
		says     string
	}{
		{[]schedmate.PromiseChange{say("w1", schedmate.Promised, 500, ""), say("w2", schedmate.Expected, 600, "")}, ""},
		{[]schedmate.PromiseChange{say("w1", schedmate.Broken, 500, "estimate"), say("w2", schedmate.Lapsed, 600, "overruled")}, ""},
		{[]schedmate.PromiseChange{say("w1", schedmate.Refused, 500, "short")}, ""},
		{[]schedmate.PromiseChange{say("w9", schedmate.Promised, 500, "")}, "promise: job w9: is told something and is not known"},
		{[]schedmate.PromiseChange{say("w1", schedmate.Promised, 500, ""), say("w1", schedmate.Refused, 500, "short")}, "promise: job w1: is told something twice"},
		{[]schedmate.PromiseChange{say("w2", schedmate.Promised, 500, "")}, `promise: job w2: is "soft" and cannot be told "promised"`},
		{[]schedmate.PromiseChange{say("r2", schedmate.Refused, 0, "short")}, `promise: job r2: is "" and cannot be told "refused"`},
		{[]schedmate.PromiseChange{say("w1", "sworn", 500, "")}, `cannot be told "sworn"`},
		{[]schedmate.PromiseChange{say("w1", schedmate.Promised, 501, "")}, "a deadline at 501, which is none of its own"},
		{[]schedmate.PromiseChange{say("w1", schedmate.Broken, 500, "")}, `is told "broken" with the cause ""`},
	} {
		s := snapshot()
		s.Waiting[0].Job.SLO = schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 500, Reward: 100}}}
		s.Waiting[1].Job.SLO = schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{{Deadline: 500, Reward: 100}, {Deadline: 600, Reward: 80}}}
		p := schedmate.Plan{Policy: "test", Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}, Promises: tc.promises}
		p.Hash = p.Seal(schedmate.Hash(&s))
		err := verify.Check(&s, &p)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v: %v", tc.promises, err)
		}
	}
}
