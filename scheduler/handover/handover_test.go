package handover_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/scheduler/handover"
)

// Each story is a list of events, with the commands that follow. A number that
// is left out is 1.
func TestStories(t *testing.T) {
	ev := func(kind handover.EventKind) handover.Event { return handover.Event{Kind: kind, Number: 1} }
	second := func(kind handover.EventKind) handover.Event { return handover.Event{Kind: kind, Number: 2} }
	for name, story := range map[string]struct {
		events []handover.Event
		want   string
		up     bool // given up
	}{
		"a calm end": {
			[]handover.Event{ev(handover.LeaseEnds), ev(handover.Saved), ev(handover.Sound), ev(handover.Published), ev(handover.Stopped)},
			"save 1; verify 1; publish 1; stop; free, inspect", false,
		},
		"the disk is full once: a second try under a new number, with the lease extended": {
			[]handover.Event{ev(handover.LeaseEnds), ev(handover.Failed), second(handover.Saved)},
			"save 1; discard 1, extend, save 2; verify 2", false,
		},
		"torn twice: the job is stopped, and its GPUs are free when it is gone": {
			[]handover.Event{ev(handover.LeaseEnds), ev(handover.Saved), ev(handover.Torn), second(handover.Saved), second(handover.Torn), second(handover.Stopped)},
			"save 1; verify 1; discard 1, extend, save 2; verify 2; discard 2, stop; free, inspect", true,
		},
		"late, but in time after the extension": {
			[]handover.Event{ev(handover.LeaseEnds), ev(handover.TimedOut), ev(handover.Saved), ev(handover.Sound), ev(handover.Published)},
			"save 1; extend; verify 1; publish 1; stop", false,
		},
		"processes that cannot be stopped keep their node from others, until they are gone": {
			[]handover.Event{ev(handover.LeaseEnds), ev(handover.TimedOut), ev(handover.TimedOut), ev(handover.TimedOut), ev(handover.Stopped)},
			"save 1; extend; stop; drain; free, inspect", true,
		},
		"the nodes die while the job saves": {
			[]handover.Event{ev(handover.LeaseEnds), ev(handover.Stopped), ev(handover.Saved)},
			"save 1; free, inspect; ", true,
		},
		"published while it was given up: the inspection will see it": {
			[]handover.Event{ev(handover.LeaseEnds), ev(handover.Saved), ev(handover.Sound), ev(handover.Crashed), ev(handover.Published)},
			"save 1; verify 1; publish 1; stop; ", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := handover.New(handover.Limits{Extensions: 1, Keep: 2}, 0, handover.Found{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range story.events {
				var commands []handover.Command
				if m, commands, err = m.Next(e); err != nil {
					t.Fatal(err)
				}
				got = append(got, say(commands))
			}
			if diff := cmp.Diff(story.want, strings.Join(got, "; ")); diff != "" || m.GivenUp != story.up {
				t.Errorf("given up %v; (-want +got)\n%s", m.GivenUp, diff)
			}
		})
	}
}

func say(commands []handover.Command) string {
	var words []string
	for _, c := range commands {
		word := string(c.Kind)
		if c.Number > 0 {
			word = fmt.Sprintf("%s %d", word, c.Number)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// Three valid ones and one that the disk spoiled: two valid ones stay.
func TestTwoValidCheckpointsStay(t *testing.T) {
	found := handover.Found{Valid: []int{3, 5, 6}, Spoiled: []int{4}, Temporaries: []int{2}}
	m := handover.Machine{Limits: handover.Limits{Keep: 2}, Phase: handover.HandedOver, Number: 6}
	_, commands, err := m.Next(handover.Event{Kind: handover.Inspected, Found: found})
	if got := say(commands); err != nil || got != "discard 2, remove 4, remove 3" {
		t.Errorf("got %q, %v", got, err)
	}
	if number, ok := handover.Resume(found); !ok || number != 6 {
		t.Errorf("the newest is 6, got %d", number)
	}
	if _, ok := handover.Resume(handover.Found{Spoiled: []int{4}}); ok {
		t.Error("nothing valid: the job begins anew")
	}
}

func TestWhatCannotBeIsAnError(t *testing.T) {
	if _, err := handover.New(handover.Limits{Keep: 1}, 0, handover.Found{}); err == nil || !strings.Contains(err.Error(), "keep: must be at least 2") {
		t.Errorf("got %v", err)
	}
	m, err := handover.New(handover.Limits{Keep: 2}, 7, handover.Found{})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err = m.Next(handover.Event{Kind: handover.LeaseEnds})
	if err != nil || m.Number != 8 {
		t.Fatalf("numbers go on from 7: %d, %v", m.Number, err)
	}
	for _, e := range []handover.Event{{Kind: handover.Sound, Number: 8}, {Kind: handover.Saved, Number: 9}, {Kind: handover.Inspected}} {
		same, commands, err := m.Next(e)
		if err == nil || same != m || commands != nil {
			t.Errorf("%s of %d while saving 8 cannot be: %v", e.Kind, e.Number, err)
		}
	}
}
