package reward

import (
	"fmt"

	"schedmate"
)

// Kind is how a job is rewarded.
type Kind string

// The kinds of jobs.
const (
	Strict    Kind = "strict"
	Soft      Kind = "soft"
	Spot      Kind = "be"
	Profiling Kind = "prof"
)

// Step is worth Reward if the job ends by the end of slot By, counted from 1.
type Step struct {
	By     int
	Reward Points
}

// Tier is a step in terms of the deadline: Reward if the job ends within
// PerMille/1000 of the time that its deadline allows from its submission.
type Tier struct {
	PerMille int64
	Reward   Points
}

// Scale is what an operator pays for deadlines.
type Scale struct {
	Strict []Tier // one
	Soft   []Tier // later and later, worth less and less
	Late   Points // when no step is met
}

// Paper is the scale of the CHRONUS paper, Artifact that of its public code.
var (
	Paper = Scale{
		Strict: []Tier{{1000, 100 * One}},
		Soft:   []Tier{{1000, 100 * One}, {1100, 80 * One}, {1200, 50 * One}, {1500, 20 * One}},
		Late:   One,
	}
	Artifact = Scale{
		Strict: []Tier{{1000, 10 * One}},
		Soft:   []Tier{{1000, 10 * One}, {1100, 8 * One}, {1200, 5 * One}, {1500, 2 * One}},
	}
)

// Steps returns the steps that a job can still meet: submitted at submit, due
// by deadline, with slots of lease seconds that begin at now. A step that falls
// into the middle of a slot must be met a slot earlier; steps of one slot
// collapse to the best. The result is nil when everything is too late.
func (s Scale) Steps(kind Kind, submit, deadline, now, lease schedmate.Seconds) ([]Step, error) {
	var tiers []Tier
	switch kind {
	case Strict:
		tiers = s.Strict
	case Soft:
		tiers = s.Soft
	default:
		return nil, fmt.Errorf("steps of kind %q: only strict and soft jobs have a deadline", kind)
	}
	if lease <= 0 {
		return nil, fmt.Errorf("lease of %d s: must be positive", lease)
	}
	if deadline < submit {
		return nil, fmt.Errorf("deadline %d s lies before the submission at %d s", deadline, submit)
	}
	var steps []Step
	for _, t := range tiers {
		due := submit + schedmate.Seconds(int64(deadline-submit)*t.PerMille/1000)
		if due < now+lease {
			continue // not even one slot is left
		}
		by := int((due - now) / lease)
		if len(steps) > 0 && steps[len(steps)-1].By == by {
			continue // the earlier tier is worth more
		}
		steps = append(steps, Step{by, t.Reward})
	}
	return steps, nil
}

// Validate returns an error unless steps come later and later and are worth
// less and less, each more than late.
func Validate(steps []Step, late Points) error {
	if late < 0 {
		return fmt.Errorf("late: must not be negative, got %v", late.Value())
	}
	for i, s := range steps {
		if s.By < 0 {
			return fmt.Errorf("steps[%d].by: must not be negative, got %d", i, s.By)
		}
		if s.Reward < 0 {
			return fmt.Errorf("steps[%d].reward: must not be negative, got %v", i, s.Reward.Value())
		}
		if i > 0 && (s.By < steps[i-1].By || s.Reward > steps[i-1].Reward) {
			return fmt.Errorf("steps[%d]: must come later and be worth less than the step before it", i)
		}
	}
	return nil
}
