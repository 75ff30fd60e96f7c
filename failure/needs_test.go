package failure

import (
	"strings"
	"testing"
)

// What a pattern needs is in every text that it matches: the samples of all rules,
// tried on all patterns.
func TestWhatAPatternMatchesHoldsWhatItNeeds(t *testing.T) {
	set := Default()
	for _, r := range set.Rules {
		for _, line := range append(append([]string{}, r.Positive...), r.Near...) {
			lower := appendLower(nil, []byte(line))
			for _, n := range set.index.rules(nil, lower) {
				if other := set.Rules[n]; other.regexp().MatchString(line) && !other.needs.heldBy(lower) {
					t.Errorf("rule %s matches %q, but does not hold what it needs", other.ID, line)
				}
			}
		}
	}
}

func TestNeedsOfAPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		held          bool
	}{
		{`disk (?:full|quota)`, "disk quota", true},
		{`disk (?:full|quota)`, "disk empty", false},
		{`(?i)Error 1[12]`, "error 1", true}, // which digit follows is for the pattern to tell
		{`(?i)Error 1[12]`, "error 2", false},
		{`lost(?: link)?`, "lost", true},
		{`a|.*`, "", true},
		{`(?:never )+again`, "again", false},
	} {
		needs := analyse(c.pattern).needs
		if got := needs.heldBy([]byte(c.text)); got != c.held {
			t.Errorf("%s: %q holds what it needs: %v, expected %v", c.pattern, c.text, got, c.held)
		}
	}
}

// An error in a line that holds a book is found at its beginning, in its middle and at
// its end, also across the edges of the views.
func TestErrorsInLongLinesAreFound(t *testing.T) {
	const say = "CUDA error: uncorrectable ECC error encountered"
	for before := 0; before < 40_000; before += 997 {
		line := strings.Repeat("x ", before/2) + say + " at rank 3 " + strings.Repeat("y ", 20_000-before/2)
		if d := readText(t, line+"\n").Diagnosis(); d.Subclass != "gpu_ecc" {
			t.Fatalf("behind %d bytes it is %q", before, d.Subclass)
		}
	}
}
