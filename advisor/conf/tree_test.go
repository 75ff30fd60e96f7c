package conf

import (
	"strings"
	"testing"
)

func read(t *testing.T, name, text string) *Node {
	t.Helper()
	n, err := ParseYAML(name, []byte(text), OmegaConf)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMergeRecordsWhatWasBeaten(t *testing.T) {
	base := read(t, "base.yaml", "opt: {lr: 0.1, betas: [1, 2]}\nsteps: 10\n")
	over := read(t, "exp.yaml", "opt:\n  lr: 0.2\n  betas: [3]\nextra: x\n")
	got := Merge(base, over, MergeOptions{})
	same(t, "merged", M{"opt": M{"lr": 0.2, "betas": L{int64(3)}}, "steps": int64(10), "extra": "x"}, got)
	says(t, got, "opt.lr", "yaml:exp.yaml:2, beats yaml:base.yaml:1")
	says(t, got, "steps", "yaml:base.yaml:2")
	same(t, "base is as it was", M{"opt": M{"lr": 0.1, "betas": L{int64(1), int64(2)}}, "steps": int64(10)}, base)
	if order := strings.Join(got.Keys, " "); order != "opt steps extra" {
		t.Errorf("order %s", order)
	}
}

func TestDeleteKeyReplacesAMap(t *testing.T) {
	base := read(t, "base.yaml", "opt: {type: SGD, momentum: 0.9}\n")
	over := read(t, "exp.yaml", "opt: {_delete_: True, type: AdamW}\n")
	same(t, "mmengine", M{"opt": M{"type": "AdamW"}}, Merge(base, over, MergeOptions{DeleteKey: true}))
	same(t, "others", M{"opt": M{"type": "AdamW", "momentum": 0.9, "_delete_": true}}, Merge(base, over, MergeOptions{}))
}

func TestPathsReadAndWrite(t *testing.T) {
	tree := read(t, "a.yaml", "a: {b: [x, {c: 1}]}\n")
	for _, path := range []string{"a.b[1].c", "a.b.1.c", "a.b[-1][c]"} {
		if n := tree.Get(path); n == nil || n.Int != 1 {
			t.Errorf("%s is %v", path, n.Plain())
		}
	}
	if tree.Get("a.x.y") != nil || tree.Get("a.b[7]") != nil {
		t.Error("found what is not there")
	}
	for _, path := range []string{"a.b.1.c", "new.deep.key", "a.b[0]"} {
		if err := tree.Set(path, FromGo(7, nil)); err != nil {
			t.Error(err)
		}
	}
	same(t, "after Set", M{"a": M{"b": L{int64(7), M{"c": int64(7)}}}, "new": M{"deep": M{"key": int64(7)}}}, tree)
	if err := tree.Set("a.b[9]", FromGo(7, nil)); err == nil {
		t.Error("an item outside the list was set")
	}
	if err := tree.Set(strings.Repeat("a.", 1000)+"b", FromGo(7, nil)); err == nil {
		t.Error("a path of 1000 names was set")
	}
	if !tree.Unset("a.b.0") || tree.Unset("a.q") {
		t.Error("Unset")
	}
	var paths []string
	tree.Walk(func(path string, _ *Node) bool { paths = append(paths, path); return path != "new" })
	if got := strings.Join(paths, " "); got != " a a.b a.b[0] a.b[0].c new" {
		t.Errorf("walked %q", got)
	}
}

func TestArithmeticIsPythons(t *testing.T) {
	for text, want := range map[string]any{
		"8 * 16 * 1": int64(128), "2*864": int64(1728), "7 / 2": 3.5, "4 / 2": 2.0, "-7 // 2": int64(-4), "-7 % 3": int64(2),
		"2 ** 3 ** 2": int64(512), "2 ** -1": 0.5, "-2 ** 2": int64(-4), "(1 + 2) * 3": int64(9), "300000 * 0.01": 3000.0, "1e-3 * 2": 0.002, "1_000": int64(1000),
	} {
		if got := Arithmetic(text, nil).Plain(); got != want {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", "a", "1 +", "1 / 0", "__import__('os')", "1 2", strings.Repeat("(", 500), "9**9**9"} {
		if n := Arithmetic(text, nil); n != nil {
			t.Errorf("%q = %v", text, n.Plain())
		}
	}
}
