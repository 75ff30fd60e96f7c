package pywords

import (
	"strings"
	"testing"
)

const program = `"""A program."""
import os
import numpy as np
from helpers import scaled

WIDTH = 64

class Net(Base):
    """A net."""

    def __init__(self, depth, rate=0.1):
        self.depth = depth
        for i in range(depth):
            self.add(Block(WIDTH, name=f"block{i}", drop=rate))

    def forward(self, x):
        print("shape", x.shape)
        hidden = [np.sum(part) for part in x if part is not None]
        if hidden: return scaled(hidden, factor=lambda v: v * 2)
        return self.head(x[0, 1], (x,))

def main():
    net, other = Net(4), None
    net.lr = 3e-4
    with open("a.txt") as f:
        f.read()
`

// A file keeps its spelling, however it is laid out and its own names are
// called.
func TestSpellingStays(t *testing.T) {
	base := Spelling(program)
	if base == "" {
		t.Fatal("no spelling")
	}
	for name, changed := range map[string]string{
		"line ends":       strings.ReplaceAll(program, "\n", "\r\n"),
		"tabs":            strings.ReplaceAll(program, "    ", "\t"),
		"comments":        strings.ReplaceAll(program, "\n    def", " # none\n    # a method\n    def"),
		"empty lines":     strings.ReplaceAll(program, "\n", "\n\n"),
		"docstring":       strings.ReplaceAll(program, `"""A net."""`, `'''Another "text".'''`),
		"no docstring":    strings.ReplaceAll(program, `"""A net."""`, ""),
		"quotes":          strings.ReplaceAll(program, `"a.txt"`, `'a.txt'`),
		"a variable":      strings.ReplaceAll(program, "hidden", "h"),
		"a parameter":     strings.ReplaceAll(program, "depth", "layers"),
		"a class":         strings.ReplaceAll(program, "Net", "Model"),
		"a constant":      strings.ReplaceAll(program, "WIDTH", "SIZE"),
		"an alias":        strings.NewReplacer("as np", "as numeric", "np.", "numeric.").Replace(program),
		"a file":          strings.NewReplacer("as f:", "as file:", "f.read", "file.read").Replace(program),
		"a loop":          strings.NewReplacer("for i", "for k", "{i}", "{k}").Replace(program),
		"a comprehension": strings.ReplaceAll(program, "part", "piece"),
		"annotations":     strings.NewReplacer("depth, rate=0.1):", "depth: int, rate: float = 0.1) -> None:", "WIDTH = 64", "WIDTH: int = 64").Replace(program),
		"wrapped":         strings.ReplaceAll(program, "Block(WIDTH, name", "Block(\n                WIDTH,\n                name"),
		"a last comma":    strings.ReplaceAll(program, "drop=rate)", "drop=rate,\n)"),
		"a split head":    strings.ReplaceAll(program, "if hidden: return", "if hidden:\n            return"),
		"a backslash":     strings.ReplaceAll(program, "net, other =", "net, other \\\n    ="),
		"logging":         strings.ReplaceAll(program, `print("shape", x.shape)`, `logger.info("%s", x)`),
		"no print":        strings.ReplaceAll(program, `print("shape", x.shape)`, ""),
		"semicolons":      strings.ReplaceAll(program, "None\n    net.lr", "None; net.lr"),
	} {
		// depth names an attribute too, which other files may use
		if name == "a parameter" {
			changed = strings.ReplaceAll(changed, "self.layers", "self.depth")
		}
		if changed == program {
			t.Errorf("%s: nothing was changed", name)
		}
		if got := Spelling(changed); got != base {
			t.Errorf("%s: another spelling\n%s\nbefore\n%s", name, got, base)
		}
	}
}

// What may do something else is spelled in another way.
func TestSpellingChanges(t *testing.T) {
	base := Spelling(program)
	for name, changed := range map[string]string{
		"a number":           strings.ReplaceAll(program, "64", "65"),
		"a rate":             strings.ReplaceAll(program, "3e-4", "3e-5"),
		"a default":          strings.ReplaceAll(program, "rate=0.1", "rate=0.2"),
		"an attribute":       strings.ReplaceAll(program, "self.depth", "self.layers"),
		"an argument's name": strings.ReplaceAll(program, "drop=", "keep="),
		"a text":             strings.ReplaceAll(program, "a.txt", "b.txt"),
		"a built-in":         strings.ReplaceAll(program, "range(", "len("),
		"an import":          strings.ReplaceAll(program, "numpy", "cupy"),
		"what is imported":   strings.ReplaceAll(program, "import scaled", "import scaled2 as scaled"),
		"a base":             strings.ReplaceAll(program, "(Base)", "(Other)"),
		"an operator":        strings.ReplaceAll(program, "v * 2", "v + 2"),
		"a tuple":            strings.ReplaceAll(program, "(x,)", "(x)"),
		"an index":           strings.ReplaceAll(program, "x[0, 1]", "x[0]"),
		"a block's end":      strings.ReplaceAll(program, "        net.lr", "    net.lr") + "",
		"out of a loop":      strings.ReplaceAll(program, "            self.add", "        self.add"),
		"another variable":   strings.ReplaceAll(program, "scaled(hidden", "scaled(x"),
		"one name for two":   strings.ReplaceAll(program, "other", "net"),
		"a formatted text":   strings.ReplaceAll(program, "block{i}", "block{depth}"),
		"a prefix":           strings.ReplaceAll(program, `"a.txt"`, `b"a.txt"`),
		"one text of two":    strings.ReplaceAll(program, `"a.txt"`, `"a" ".txt"`),
	} {
		if name == "a block's end" {
			changed = strings.ReplaceAll(program, "        f.read()", "    f.read()")
		}
		if changed == program {
			t.Errorf("%s: nothing was changed", name)
		}
		if Spelling(changed) == base {
			t.Errorf("%s: the same spelling\n%s", name, base)
		}
	}
}

// A file that is cut within a text or a bracket has no spelling.
func TestNoSpellingOfHalfAFile(t *testing.T) {
	for _, text := range []string{"x = (1,\n", "x = '''a\n", "x = 1)\n"} {
		if got := Spelling(text); got != "" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Any bytes are spelled within bounds, and the same ones always the same way.
func FuzzSpelling(f *testing.F) {
	f.Add(program)
	f.Add("def f(a, *b: int, **c) -> x[1]: return lambda q, *r: q; y: int = z = (w := 1)\nf'{a!r:>{b}}{{}}'\n")
	f.Add("\t\xff\\\r\n'''\"\"\" # (")
	f.Fuzz(func(t *testing.T, text string) {
		got := Spelling(text)
		if got != Spelling(text) {
			t.Error("two spellings of one text")
		}
		if len(got) > 40*len(text)+100 {
			t.Errorf("%d bytes of %d", len(got), len(text))
		}
	})
}
