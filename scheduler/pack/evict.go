package pack

import (
	"fmt"
	"slices"

	"schedmate"
)

// Rule says how it is decided that a pair is taken apart.
type Rule string

const (
	NoUndo         Rule = "none"       // never
	RatioUndo      Rule = "ratio"      // FixedRatio, as in the paper
	SequentialUndo Rule = "sequential" // Test
)

// UndoOptions configure an Evictor. Fields that the rule does not use are ignored.
//
// Invariant: Rule is known; the numbers are valid for it; ToleratedIfRoom <= Tolerated.
type UndoOptions struct {
	Rule Rule `json:"rule"`

	// Tolerated is the slowdown that is no reason to take a pair apart when the
	// newcomer would have to wait. Two jobs that are each twice as slow do as much as
	// one after the other.
	Tolerated int `json:"tolerated_milli"`
	// ToleratedIfRoom is the same when the newcomer could have GPUs to itself at
	// once: then sharing wins nothing.
	ToleratedIfRoom int `json:"tolerated_if_room_milli"`
	// BreakEven tolerates more where the two end sooner in the mean together all the
	// same; see the function of that name.
	BreakEven   bool `json:"break_even"`
	OneIn       int  `json:"one_in"`       // pairs that are not slower, of which at most one is ever taken apart
	LeastBefore int  `json:"least_before"` // step times from before, without which nothing is undone

	Threshold int `json:"threshold_milli"` // of RatioUndo
	Steps     int `json:"steps"`           // of RatioUndo

	// Apart never puts jobs of the same two workloads on one GPU again. Otherwise it
	// is remembered how fast they were, and the rules judge by that.
	Apart bool `json:"apart"`
	// Learn is after how many steps beside each other the speed of a job is
	// remembered for its workload; 0: never.
	Learn int `json:"learn_after"`
}

// Sequential is the default: at most one pair in 1,000 is taken apart although
// neither job is slower than tolerated.
func Sequential() UndoOptions {
	return UndoOptions{Rule: SequentialUndo, Tolerated: 1800, ToleratedIfRoom: 1250, BreakEven: true, OneIn: 1000, LeastBefore: 8, Learn: 8}
}

// Paper is the rule of SchedMate's physical run: 0.5, after some tens of steps.
func Paper() UndoOptions {
	return UndoOptions{Rule: RatioUndo, Threshold: 500, Steps: 30}
}

// Never takes nothing back.
func Never() UndoOptions { return UndoOptions{Rule: NoUndo} }

// Validate checks the invariant of UndoOptions.
func (o *UndoOptions) Validate() error {
	switch o.Rule {
	case NoUndo:
		return nil
	case RatioUndo:
		if o.Threshold < 1 || o.Threshold > 1000 || o.Steps < 1 || o.Steps > schedmate.MaxStepTimes {
			return fmt.Errorf("undo: threshold_milli must lie in [1, 1000] and steps in [1, %d], got %d and %d", schedmate.MaxStepTimes, o.Threshold, o.Steps)
		}
		return nil
	case SequentialUndo:
		if o.ToleratedIfRoom > o.Tolerated {
			return fmt.Errorf("undo: tolerated_if_room_milli %d must not exceed tolerated_milli %d", o.ToleratedIfRoom, o.Tolerated)
		}
		for _, t := range []Test{o.test(o.Tolerated), o.test(o.ToleratedIfRoom)} {
			if err := t.validate(); err != nil {
				return fmt.Errorf("undo: %w", err)
			}
		}
		return nil
	}
	return fmt.Errorf("undo: unknown rule %q: use %s, %s or %s", o.Rule, NoUndo, RatioUndo, SequentialUndo)
}

// test allows each of the two jobs of a pair half of the false alarms. The two
// tolerances need no part each: whatever is slower than the higher one is, step by
// step, slower than the lower one.
func (o *UndoOptions) test(tolerated int) Test {
	return Test{Tolerated: tolerated, OneIn: 2 * o.OneIn, Least: o.LeastBefore}
}

// Eviction is one newcomer that leaves, and why.
type Eviction struct {
	Newcomer *schedmate.JobStatus
	Undo     *schedmate.Undo
}

// Action takes the newcomer's GPUs away.
func (e *Eviction) Action() schedmate.Action {
	return schedmate.Action{Kind: schedmate.Preempt, Job: e.Newcomer.Job.ID, Undo: e.Undo}
}

// Verdicts looks at every pair of the board, remembers in the book how fast they
// are, and returns the newcomers that leave, in the order in which they started.
// They are off the board then and marked in the book. room says whether a job
// could have GPUs to itself at once; nil: none could.
//
// A job is judged by its own steps alone. One without steps from before it was
// packed, or whose log tells nothing, says nothing, and is left where it is.
func (o *UndoOptions) Verdicts(b *Board, book *Book, room func(*schedmate.JobStatus) bool) []Eviction {
	var out []Eviction
	for _, t := range b.tables {
		for len(t.members) > 1 {
			newcomer := t.members[len(t.members)-1]
			mates := matesOf(newcomer, t.members)
			if len(mates) == 0 {
				break
			}
			mate, undo := o.judge(b.now, mates, newcomer, book, room)
			if undo == nil {
				break
			}
			out = append(out, Eviction{newcomer.Job, undo})
			book.part(newcomer, mate, o.Apart)
			b.Leave(newcomer.Job.Job.ID)
		}
	}
	return out
}

// matesOf lists who sits at a table with the newcomer and has some of its GPUs.
func matesOf(newcomer Member, members []Member) []Member {
	var mates []Member
	for _, m := range members {
		if m.Job != newcomer.Job && slices.ContainsFunc(m.Job.Attempt.Allocations, func(a schedmate.Allocation) bool {
			return slices.ContainsFunc(newcomer.Job.Attempt.Allocations, func(b schedmate.Allocation) bool { return a.Node == b.Node && a.GPU == b.GPU })
		}) {
			mates = append(mates, m)
		}
	}
	return mates
}

// judge looks at the newcomer and its mates, in the order of their start. The mate
// of a verdict is the one that has become slower, or, if that is the newcomer, the
// one that it joined last.
func (o *UndoOptions) judge(now schedmate.Seconds, mates []Member, newcomer Member, book *Book, room func(*schedmate.JobStatus) bool) (Member, *schedmate.Undo) {
	last := mates[len(mates)-1]
	tolerated := o.Tolerated
	if even, ok := BreakEven(newcomer.Job, last.Job, now); o.BreakEven && ok {
		tolerated = max(tolerated, even)
	}
	if o.Rule == SequentialUndo && o.ToleratedIfRoom < tolerated && room != nil && room(newcomer.Job) {
		tolerated = o.ToleratedIfRoom
	}
	for _, m := range append(slices.Clone(mates), newcomer) {
		steps := m.Job.Steps
		if steps == nil {
			continue
		}
		f, limit := Finding{}, tolerated
		switch o.Rule {
		case SequentialUndo:
			f = o.test(tolerated).Judge(steps.Alone, steps.Shared)
		case RatioUndo:
			limit = 1_000_000 / o.Threshold
			f = FixedRatio{o.Threshold, o.Steps}.Judge(steps.Alone, steps.Shared)
		}
		stays, other := last, newcomer // other: beside whom m is
		if m.Job == newcomer.Job {
			other = last
		} else {
			stays = m
		}
		if o.Learn > 0 && f.Ratio > 0 && len(mates) == 1 && (f.Slower || f.Steps >= o.Learn) {
			book.sight(m, other, max(1, 1_000_000/f.Ratio))
		}
		if f.Slower {
			return stays, &schedmate.Undo{
				Beside: stays.Job.Job.ID, Slower: m.Job.Job.ID,
				Ratio: min(max(f.Ratio, 1), schedmate.MaxRelative), Tolerated: limit, Steps: f.Steps,
			}
		}
	}
	return Member{}, nil
}
