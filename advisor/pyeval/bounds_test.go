package pyeval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedmate/advisor/source"

	"pgregory.net/rapid"
)

// pieces are statements that programs are put together of: known ways to run
// long, to nest deeply and to reach out of a repository.
var pieces = []string{
	"import torch, os, sys, glob, importlib, runpy",
	"from other import *",
	"from . import train",
	"x = open('../secret.txt').read()",
	"x = open('/etc/passwd').read()",
	"x = open(os.path.join('..', '..', 'secret.txt')).read()",
	"y = glob.glob('../*') + os.listdir('..')",
	"sys.path.insert(0, '..')",
	"import secret",
	"runpy.run_path('../secret.py')",
	"importlib.import_module('..secret')",
	"exec(open('../secret.txt').read())",
	"exec('exec(\"exec(1)\")')",
	"def f(n): return f(n - 1) + f(n - 2)",
	"f(50)",
	"while True: x = [x, x]",
	"for i in range(10 ** 9): x = (i, x)",
	"x = [a for a in range(10 ** 6) for b in range(10 ** 6)]",
	"x = 'a' * 10 ** 9",
	"x = 2 ** 2 ** 2 ** 30",
	"class A(A): pass",
	"class A:\n    def __getattr__(self, k): return getattr(self, k + 'x')",
	"A().b.c",
	"class B(dict):\n    def __new__(cls): return B()",
	"B()",
	"d = {}; d['d'] = d; torch.save(d, str(d))",
	"l = []; l.append(l); l == l; str(l)",
	"globals()['x'] = globals(); x['x']['y']",
	"x = lambda *a: x(*a, *a)\nx(1)",
	"torch.multiprocessing.spawn(f, args=(3,), nprocs=4)",
	"for g in torch.optim.SGD([1], lr=0.1).param_groups: g['lr'] = g",
	"try:\n    raise ValueError\nexcept Exception as e:\n    raise",
	"match x:\n    case 1: pass\n    case _: x = 2",
	"x = yield",
	"with open('../secret.txt') as f: f.read()",
	"del x, d['d']",
	"print(f'{x:{x}}' % x)",
	"import train",
}

// Property: following a program never reads outside of its root and ends
// within its budget.
func TestFollowingStaysInsideTheRootAndTheBudget(t *testing.T) {
	outer := t.TempDir()
	for name, text := range map[string]string{"secret.txt": "password = 'open sesame'\n", "secret.py": "key = 'open sesame'\n"} {
		if err := os.WriteFile(filepath.Join(outer, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(outer, "repository")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	budget := Budget{Steps: 20_000, Depth: 40, Calls: 500}
	rapid.Check(t, func(rt *rapid.T) {
		for _, name := range []string{"train.py", "other.py"} {
			lines := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(rt, name)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				rt.Fatal(err)
			}
		}
		root, err := source.Open(dir, source.DefaultLimits, time.Time{})
		if err != nil {
			rt.Fatal(err)
		}
		o := Run(root, Program{File: "train.py", Dir: ".", Machine: oneMachine()}, budget)
		if o.Steps > budget.Steps+1 {
			rt.Fatalf("%d steps were taken of %d", o.Steps, budget.Steps)
		}
		if len(o.Calls) > budget.Calls {
			rt.Fatalf("%d calls were kept of %d", len(o.Calls), budget.Calls)
		}
		for _, name := range root.FilesRead() {
			if strings.HasPrefix(name, "..") || strings.HasPrefix(name, "/") {
				rt.Fatalf("%s was read", name)
			}
		}
		for _, c := range o.Calls {
			for _, a := range c.Args {
				if strings.Contains(a.String(), "open sesame") {
					rt.Fatalf("text from outside reached %s", c.Name)
				}
			}
		}
	})
}

// FuzzRun: any text is followed to an end.
func FuzzRun(f *testing.F) {
	for _, p := range pieces {
		f.Add(p)
	}
	f.Add(strings.Join(pieces, "\n"))
	f.Add("x = ((((((((((((((((((((((((\n")
	f.Add("def f(:\n  @\n\x00\xff")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		if err := os.WriteFile(filepath.Join(dir, "train.py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		root, err := source.Open(dir, source.DefaultLimits, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		o := Run(root, Program{File: "train.py", Dir: ".", Machine: oneMachine()}, Budget{Steps: 20_000, Depth: 40, Calls: 500})
		if o.Broken > 0 && !strings.Contains(text, "\n") && pythonGrammar.wellFormed(text) {
			t.Errorf("%q is well formed and was not followed", text)
		}
	})
}

// wellFormed reports whether a text parses without an error node.
func (g *grammar) wellFormed(text string) bool {
	ok := true
	err := g.flatten(text, func(all []record) {
		for i := range all {
			ok = ok && g.kind(&all[i]) != "ERROR"
		}
	})
	return ok && err == nil
}
