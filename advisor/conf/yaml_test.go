package conf

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// What PyYAML 6, OmegaConf 2.3 and ruamel.yaml 0.18 make of the same text.
func TestScalarsDependOnTheReader(t *testing.T) {
	for _, c := range []struct {
		text                  string
		pyyaml, omega, ruamel any
	}{
		{"1e-4", "1e-4", 1e-4, 1e-4},
		{"1.0e-4", 1e-4, 1e-4, 1e-4},
		{"1.5e3", "1.5e3", 1500.0, 1500.0},
		{"yes", true, true, "yes"},
		{"Off", false, false, "Off"},
		{"y", "y", "y", "y"},
		{"True", true, true, true},
		{"010", int64(8), int64(8), int64(10)},
		{"0o10", "0o10", "0o10", int64(8)},
		{"0x1F", int64(31), int64(31), int64(31)},
		{"5_000_000", int64(5000000), int64(5000000), int64(5000000)},
		{"1:30", int64(90), int64(90), "1:30"},
		{"-7", int64(-7), int64(-7), int64(-7)},
		{"1.", 1.0, 1.0, 1.0},
		{".5", 0.5, 0.5, 0.5},
		{".inf", math.Inf(1), math.Inf(1), math.Inf(1)},
		{"-.inf", math.Inf(-1), math.Inf(-1), math.Inf(-1)},
		{"~", nil, nil, nil},
		{"null", nil, nil, nil},
		{"None", "None", "None", "None"},
		{"auto", "auto", "auto", "auto"},
		{"2020-01-01", "2020-01-01", "2020-01-01", "2020-01-01"},
		{"99999999999999999999", 1e20, 1e20, 1e20},
	} {
		for d, want := range map[Dialect]any{PyYAML: c.pyyaml, OmegaConf: c.omega, Ruamel12: c.ruamel} {
			if got := Scalar(c.text, d, nil).Plain(); got != want {
				t.Errorf("%s in dialect %d is %v (%T), want %v", c.text, d, got, got, want)
			}
		}
	}
}

func TestYAMLKeepsLinesAnchorsAndTags(t *testing.T) {
	tree, err := ParseYAML("train.yaml", []byte(`# a comment
base: &base
  lr: 0.1
  steps: [1, 2]
fast:
  <<: *base
  lr: 0.5
quoted: "010"
size: !new:torch.Size
text: |
  two
  lines
lr2: !!float 3
twice: 1
twice: 2
--- # a second document has no say
base: 7
`), PyYAML)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "tree", M{
		"base": M{"lr": 0.1, "steps": L{int64(1), int64(2)}}, "fast": M{"lr": 0.5, "steps": L{int64(1), int64(2)}},
		"quoted": "010", "size": "", "text": "two\nlines\n", "lr2": 3.0, "twice": int64(2),
	}, tree)
	says(t, tree, "fast.lr", "yaml:train.yaml:7")
	says(t, tree, "fast.steps", "yaml:train.yaml:4")
	says(t, tree, "text", "yaml:train.yaml:10")
	says(t, tree, "twice", "yaml:train.yaml:15, beats yaml:train.yaml:14")
	if tag := tree.Get("size").Tag; tag != "!new:torch.Size" {
		t.Errorf("tag %q", tag)
	}
	if key := tree.Get("base.steps[1]").Origin.Key; key != "base.steps[1]" {
		t.Errorf("key %q", key)
	}
}

func TestHostileTextsAreRefused(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := '1'; i <= '9'; i++ {
		alias := "*a" + string(i-1)
		bomb += "a" + string(i) + ": &a" + string(i) + " [" + strings.Repeat(alias+", ", 8) + alias + "]\n"
	}
	brackets := strings.Repeat("[", 400_000)
	readers := map[string]func(string) error{
		"YAML": func(s string) error { _, err := ParseYAML("x.yaml", []byte(s), PyYAML); return err },
		"JSON": func(s string) error { _, err := ParseJSON("x.json", []byte(s)); return err },
		"TOML": func(s string) error { _, err := ParseTOML("x.toml", []byte(s)); return err },
		"literal": func(s string) error {
			if _, ok := Literal(s, nil); !ok {
				return errors.New("no literal")
			}
			return nil
		},
		"override": func(s string) error { _, err := ParseOverride("a="+s, nil); return err },
		"interpolation": func(s string) error {
			tree := NewMap(nil)
			tree.Put("a", Text("${f:"+s, nil))
			if (Interpolation{}).Resolve(tree).Get("a").Kind != Unknown {
				return nil
			}
			return ErrLimit
		},
	}
	for name, read := range readers {
		for what, text := range map[string]string{"brackets": brackets, "braces": strings.Repeat("{a: ", 100_000), "closed": brackets[:20000] + strings.Repeat("]", 20000)} {
			if err := read(text); err == nil {
				t.Errorf("%s: %s were read", name, what)
			}
		}
	}
	for what, text := range map[string]string{
		"alias bomb": bomb, "alias of itself": "a: &a [*a]", "dashes": strings.Repeat("- ", 100_000), "unknown alias": "a: *b", "tab": "a:\n\t- b",
	} {
		if _, err := ParseYAML("x.yaml", []byte(text), PyYAML); err == nil {
			t.Errorf("%s was read", what)
		}
	}
}

func TestJSONAsTrainingCodeWritesIt(t *testing.T) {
	tree, err := ParseJSON("ds.json", []byte(`{
  // a comment
  "train_micro_batch_size_per_gpu": "auto",
  "fp16": {"enabled": true, "loss_scale": 0,},
  "optimizer": {"params": {"lr": 3e-5, "betas": [0.9, 0.999]}}, /* and
  another */ "n": -12, "inf": -Infinity, "name": "a\u00e9\ud83d\ude00\n",
  "n": 13
}`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "tree", M{
		"train_micro_batch_size_per_gpu": "auto", "fp16": M{"enabled": true, "loss_scale": int64(0)},
		"optimizer": M{"params": M{"lr": 3e-5, "betas": L{0.9, 0.999}}}, "n": int64(13), "inf": math.Inf(-1), "name": "aé😀\n",
	}, tree)
	says(t, tree, "optimizer.params.lr", "json:ds.json:5")
	says(t, tree, "n", "json:ds.json:7, beats json:ds.json:6")
	for _, bad := range []string{"", "{", `{"a" 1}`, `[1 2]`, `"a`, `{"a":1} x`, `nul`, `{"a":}`, `"\u12"`} {
		if _, err := ParseJSON("x.json", []byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestTOMLAndINIHaveOrderAndLines(t *testing.T) {
	tree, err := ParseTOML("pyproject.toml", []byte(`[project]
name = "mace"
dependencies = ["torch"]

[project.scripts]
mace_run = "mace.cli:main"
[[tool.x]]
a = 1
`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "tree", M{"project": M{"name": "mace", "dependencies": L{"torch"}, "scripts": M{"mace_run": "mace.cli:main"}}, "tool": M{"x": L{M{"a": int64(1)}}}}, tree)
	says(t, tree, "project.scripts.mace_run", "toml:pyproject.toml:6")
	if order := strings.Join(tree.Get("project").Keys, " "); order != "name dependencies scripts" {
		t.Errorf("order %s", order)
	}
	ini, err := ParseINI("setup.cfg", []byte("[options.entry_points]\nconsole_scripts =\n    train = pkg.train:main\n    eval = pkg.eval:main\n; note\n[x]\na: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ini", M{"options.entry_points": M{"console_scripts": "train = pkg.train:main\neval = pkg.eval:main"}, "x": M{"a": "1"}}, ini)
}

func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: [x, 'y']\n", "a: &a [*a]", "<<: {a: 1}\n", "? [a]\n: b", "!x y", "--- |\n a\n", "a: ${b}\nb: ${oc.env:X,[1,{a:2}]}${.a}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := ParseYAML("x.yaml", []byte(text), OmegaConf)
		if err != nil {
			return
		}
		(Interpolation{}).Resolve(tree).Walk(func(path string, n *Node) bool {
			tree.Get(path)
			return true
		})
		Merge(tree, tree, MergeOptions{DeleteKey: true})
	})
}
