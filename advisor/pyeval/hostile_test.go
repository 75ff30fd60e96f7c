package pyeval

import (
	"strings"
	"testing"
)

// Some broken texts take the parser a time that grows with their square; it
// gives them up.
func TestAHostileFileIsGivenUp(t *testing.T) {
	if _, err := parse([]byte(strings.Repeat("def f(", 30_000))); err == nil {
		t.Error("a text of open brackets without end has a tree")
	}
	if _, err := parse([]byte(strings.Repeat("x = f(1, 2)\n", 20_000))); err != nil {
		t.Errorf("a long plain file: %v", err)
	}
}

// A tree that is nested without end is cut off.
func TestDeepNestingIsCutOff(t *testing.T) {
	o := script(t, "import torch", "x = "+strings.Repeat("(", 2000)+"1"+strings.Repeat(")", 2000), "torch.see(5)")
	expect(t, o, "torch.see", "5")
}

// Lists that hold themselves are written out to a depth.
func TestAListThatHoldsItselfCanBeWritten(t *testing.T) {
	o := script(t, "import torch", "l = [1]", "l.append(l)", "torch.see(l)")
	expect(t, o, "torch.see", "[1, [1, [1, [1, [1, [...]]]]]]")
}
