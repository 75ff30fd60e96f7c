package conf

import (
	"strings"
	"testing"
)

const lab = `
-- gin/base.gin --
# The common part.
import lab.models
from lab import data
include 'defaults.gin'
include "cloud/other.gin"

BATCH = 64
LR = 1e-3
train.batch_size = %BATCH
train.optimizer = @Adam()
train.milestones = [
    10,  # first
    20,
]
lab.opt.Adam.lr = %LR
eval/train.batch_size = 1
train.name = 'a' \
    'b'
train.model = @big/lab.models.Net
Net:
  width = 32
  depth = (1, {'x': None})
-- configs/defaults.gin --
train.steps = 100
train.batch_size = 8
-- broken.gin --
train.x = = 3
-- loop.gin --
include 'loop.gin'
`

func TestGinBindingsApplyInOrder(t *testing.T) {
	g, err := ReadGin(repo(t, lab), []string{"gin/base.gin"}, words("train.steps = 500", "LR=0.5"), []string{"configs"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scope, selector, param string
		want                   any
		from                   string
	}{
		{"", "train", "batch_size", int64(64), "gin:gin/base.gin:9 (gin:gin/base.gin:7), beats gin:configs/defaults.gin:2"},
		{"eval", "lab.train", "batch_size", int64(1), "gin:gin/base.gin:16"},
		{"", "train", "steps", int64(500), "cli:train.steps, beats gin:configs/defaults.gin:1"},
		{"", "train", "optimizer", "Adam", "gin:gin/base.gin:10"},
		{"", "train", "milestones", L{int64(10), int64(20)}, "gin:gin/base.gin:11"},
		{"", "Adam", "lr", 0.5, "gin:gin/base.gin:15 (cli:LR)"},
		{"", "train", "name", "ab", "gin:gin/base.gin:17"},
		{"big", "lab.models.Net", "width", int64(32), "gin:gin/base.gin:21"},
		{"", "Net", "depth", L{int64(1), M{"x": nil}}, "gin:gin/base.gin:22"},
	} {
		n := g.Lookup(c.scope, c.selector, c.param)
		if n == nil {
			t.Errorf("%s.%s is not bound", c.selector, c.param)
			continue
		}
		same(t, c.param, c.want, n)
		if got := n.Origin.Explain(); got != c.from {
			t.Errorf("%s.%s comes from %s, want %s", c.selector, c.param, got, c.from)
		}
	}
	if tag := g.Lookup("", "train", "optimizer").Tag; tag != "@()" {
		t.Errorf("tag %q", tag)
	}
	if len(g.Missing) != 1 || !strings.Contains(g.Missing[0].Text, "cloud/other.gin") || g.Missing[0].Origin.Place() != "gin/base.gin:5" {
		t.Errorf("missing %v", g.Missing)
	}
	if len(g.Imports) != 2 {
		t.Errorf("imports %v", g.Imports)
	}
}

func TestGinThatCannotBeRead(t *testing.T) {
	root := repo(t, lab)
	if _, err := ReadGin(root, []string{"broken.gin"}, nil, nil); err == nil || !strings.Contains(err.Error(), "broken.gin:1") {
		t.Errorf("a broken line: %v", err)
	}
	if _, err := ReadGin(root, []string{"loop.gin"}, nil, nil); err == nil {
		t.Error("a file that includes itself was read")
	}
	g, err := ReadGin(root, nil, words("A = %B", "B = %A", "f.x = %A", "f.y = %none", "C = 'q'", "f.z = {'k': [%C]}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := g.Lookup("", "f", "x"); n.Kind != Unknown {
		t.Errorf("macros in a circle: %v", n.Plain())
	}
	same(t, "a macro inside a value", M{"k": L{"q"}}, g.Lookup("", "f", "z"))
	if n := g.Lookup("", "f", "y"); n.Kind != Unknown {
		t.Errorf("a macro that is not bound: %v", n.Plain())
	}
}

func FuzzGin(f *testing.F) {
	for _, seed := range []string{"a.b = 1\n", "a/b.c = @f()\nX = %Y", "n:\n  a = [1,\n 2]\n", "include 'x'\nimport a\n", "a.b = '''x\n'''", "a.b = {'k': -1.5e3}"} {
		f.Add(seed)
	}
	root := repo(f, lab)
	f.Fuzz(func(t *testing.T, text string) {
		g, _ := ReadGin(root, nil, words(text), nil)
		for _, b := range g.Bindings {
			g.Lookup(b.Scope, b.Selector, b.Param)
		}
	})
}
