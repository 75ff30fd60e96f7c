package pyeval

import (
	"slices"
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

// A file of more than a megabyte is not parsed, and that is noted; the rest of
// the program is followed.
func TestAFileThatIsTooLongIsNotParsed(t *testing.T) {
	o := follow(t, map[string]string{
		"table.py": strings.Repeat("x = 1\n", 200_000),
		"train.py": "import torch\nfrom table import x\nprint(x)\ntorch.see(5)\n",
	})
	expect(t, o, "torch.see", "5")
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "table.py: longer than") }) {
		t.Errorf("notes: %q", o.Notes)
	}
}
