package conf

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/advisor/source"
)

// A repository that uses most of what the defaults list can say.
const studio = `
-- train.py --
-- conf/config.yaml --
defaults:
  - _self_
  - model: small
  - data: cifar
  - optional local: me
  - logger: null
  - experiment: null
  - callbacks: [early, save]
  - optim@model.optim: sgd
  - override hydra/launcher: submitit_slurm

seed: 1
epochs: 10
lr: 0.1
hydra:
  job: {name: run}
-- conf/model/small.yaml --
width: 64
layers: ${.deep}
deep: 2
-- conf/model/big.yaml --
defaults:
  - small
  - head: mlp
  - /data/aug@aug: flip

width: 512
-- conf/model/head/mlp.yaml --
size: 10
-- conf/data/cifar.yaml --
# @package _global_
dataset: cifar10
batch: 128
-- conf/data/imagenet.yaml --
# @package _global_
dataset: imagenet
batch: 256
-- conf/data/aug/flip.yaml --
p: 0.5
-- conf/callbacks/early.yaml --
early: {patience: 3}
-- conf/callbacks/save.yaml --
save: {top: 1}
-- conf/logger/wandb.yaml --
project: x
-- conf/optim/sgd.yaml --
name: sgd
-- conf/optim/adam.yaml --
name: adam
-- conf/experiment/long.yaml --
# @package _global_
defaults:
  - override /model: big
  - override /data: imagenet

epochs: 300
model:
  width: 1024
-- conf/experiment/broken.yaml --
# @package _global_
defaults:
  - override /model: huge
-- conf/loop/a.yaml --
defaults:
  - b
-- conf/loop/b.yaml --
defaults:
  - a
-- other/main.yaml --
x: 1
-- conf/legacy.yaml --
defaults:
  - data: cifar
batch: 7
-- conf/named.yaml --
defaults:
  - model: small
  - data: cifar
  - extra: ${model}_${data}
  - _self_
-- conf/extra/small_cifar.yaml --
found: true
`

func compose(t *testing.T, name string, texts ...string) (*Composition, error) {
	t.Helper()
	return Compose(repo(t, studio), ComposeRequest{ConfigDir: "conf", ConfigName: name, Workdir: ".", Words: words(texts...)})
}

func mustCompose(t *testing.T, name string, texts ...string) *Composition {
	t.Helper()
	c, err := compose(t, name, texts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaultsListIsComposedInOrder(t *testing.T) {
	c := mustCompose(t, "config")
	same(t, "tree", M{
		"seed": int64(1), "epochs": int64(10), "lr": 0.1, "dataset": "cifar10", "batch": int64(128),
		"model":     M{"width": int64(64), "layers": "${.deep}", "deep": int64(2), "optim": M{"name": "sgd"}},
		"callbacks": M{"early": M{"patience": int64(3)}, "save": M{"top": int64(1)}},
	}, c.Tree)
	same(t, "hydra's own part", M{"job": M{"name": "run"}}, c.Hydra)
	same(t, "choices", M{"model": "small", "data": "cifar", "logger": nil, "experiment": nil, "callbacks": "early,save",
		"optim@model.optim": "sgd", "local": "me", "hydra/launcher": "submitit_slurm"}, c.Choices)
	if c.Runs != 1 || len(c.Warnings) != 0 {
		t.Errorf("runs %d, warnings %v", c.Runs, c.Warnings)
	}
}

func TestExperimentOverridesGroupsAndValues(t *testing.T) {
	c := mustCompose(t, "config.yaml", "experiment=long", "epochs=5", "model.optim.name=lamb")
	same(t, "tree", M{
		"seed": int64(1), "epochs": int64(5), "lr": 0.1, "dataset": "imagenet", "batch": int64(256),
		"model": M{"width": int64(1024), "layers": "${.deep}", "deep": int64(2), "optim": M{"name": "lamb"},
			"head": M{"size": int64(10)}, "aug": M{"p": 0.5}},
		"callbacks": M{"early": M{"patience": int64(3)}, "save": M{"top": int64(1)}},
	}, c.Tree)
	says(t, c.Tree, "epochs", "cli:epochs, beats yaml:conf/experiment/long.yaml:6, yaml:conf/config.yaml:13")
	says(t, c.Tree, "model.width", "yaml:conf/experiment/long.yaml:8, beats yaml:conf/model/big.yaml:6, yaml:conf/model/small.yaml:1")
	if got := c.Choices.Fields["model"].Origin.Explain(); got != "yaml:conf/experiment/long.yaml:3, beats yaml:conf/config.yaml:3" {
		t.Errorf("the model was chosen by %s", got)
	}
}

func TestTheCommandChoosesBeforeTheExperiment(t *testing.T) {
	c := mustCompose(t, "config", "experiment=long", "data=cifar", "+logger@log=wandb", "optim@model.optim=adam", "callbacks=early", "~local", "+new.key=[1,a]", "++lr=3e-4", "~seed")
	same(t, "tree", M{
		"epochs": int64(300), "lr": 3e-4, "dataset": "cifar10", "batch": int64(128),
		"model": M{"width": int64(1024), "layers": "${.deep}", "deep": int64(2), "optim": M{"name": "adam"},
			"head": M{"size": int64(10)}, "aug": M{"p": 0.5}},
		"callbacks": M{"early": M{"patience": int64(3)}}, "log": M{"project": "x"}, "new": M{"key": L{int64(1), "a"}},
	}, c.Tree)
}

func TestGroupsMayBeDeleted(t *testing.T) {
	c := mustCompose(t, "config", "~data", "~optim@model.optim", "~model=big", "~nothing")
	same(t, "model", M{"width": int64(64), "layers": "${.deep}", "deep": int64(2)}, c.Tree.Get("model"))
	if c.Tree.Get("dataset") != nil {
		t.Error("the data group is still there")
	}
	if len(c.Warnings) != 2 { // the model is not big, and there is no key "nothing"
		t.Errorf("warnings %v", c.Warnings)
	}
}

func TestSelfIsLastUnlessTheListSaysOtherwise(t *testing.T) {
	if got := mustCompose(t, "legacy").Tree.Get("batch"); got.Int != 7 {
		t.Errorf("Hydra 1.1 and later: batch %v", got.Plain())
	}
	old, err := Compose(repo(t, studio), ComposeRequest{ConfigDir: "conf", ConfigName: "legacy", PrimaryFirst: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := old.Tree.Get("batch"); got.Int != 128 {
		t.Errorf("Hydra 1.0: batch %v", got.Plain())
	}
}

func TestAnOptionMayDependOnOtherChoices(t *testing.T) {
	c := mustCompose(t, "named")
	same(t, "extra", M{"found": true}, c.Tree.Get("extra"))
}

func TestMissingConfigNamesTheFile(t *testing.T) {
	for texts, want := range map[string]string{
		"experiment=short":        "conf/experiment/short.yaml",
		"experiment=broken":       "conf/model/huge.yaml",
		"-cn nothing":             "conf/nothing.yaml",
		"--config-path=gone":      "gone/config.yaml",
		"+callbacks=[early,nope]": "conf/callbacks/nope.yaml",
	} {
		_, err := compose(t, "config", strings.Fields(texts)...)
		var missing *MissingConfigError
		if !errors.As(err, &missing) || missing.File != want {
			t.Errorf("%s: %v, want the file %s", texts, err, want)
		}
	}
	_, err := compose(t, "config", "experiment=broken")
	if want := "config model=huge: no file conf/model/huge.yaml (asked for at conf/experiment/broken.yaml:3); choose one of model/big, model/small"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestFlagsOfHydraAreNotOverrides(t *testing.T) {
	c := mustCompose(t, "config", "--config-path", "other", "-cn=main", "x=2", "--cfg", "job")
	same(t, "tree", M{"x": int64(2)}, c.Tree)
	if c.Shows != "--cfg" {
		t.Errorf("shows %q", c.Shows)
	}
	c = mustCompose(t, "main", "--config-dir", "other")
	same(t, "found by --config-dir", M{"x": int64(1)}, c.Tree)
}

func TestSweepsCountRuns(t *testing.T) {
	c := mustCompose(t, "config", "-m", "lr=0.1,0.01,0.001", "model=small,big", "seed=range(0,5)")
	if c.Runs != 3*2*5 {
		t.Errorf("%d runs", c.Runs)
	}
	var keys []string
	for _, s := range c.Sweeps {
		keys = append(keys, s.Key)
	}
	if diff := cmp.Diff([]string{"lr", "model", "seed"}, keys); diff != "" {
		t.Error(diff)
	}
	if got := c.Tree.Get("lr"); got.Float != 0.1 {
		t.Errorf("the first run has lr %v", got.Plain())
	}
	if _, err := compose(t, "config", "lr=0.1,0.01"); err == nil {
		t.Error("a sweep without -m was composed")
	}
	if c := mustCompose(t, "config", "-m", "lr=interval(0,1)"); c.Runs != 0 || c.Tree.Get("lr").Kind != Unknown {
		t.Errorf("%d runs with a value drawn at random", c.Runs)
	}
}

func TestUnknownAndUndeclaredWordsAreDoubts(t *testing.T) {
	c, err := Compose(repo(t, studio), ComposeRequest{ConfigDir: "conf", ConfigName: "config",
		Words: append(words("nosuch.key=1", "--local_rank=0", "hydra/launcher=joblib"), Word{Text: "epochs=$E"})})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Warnings) != 3 || c.Tree.Get("--local_rank") != nil {
		t.Errorf("warnings %v", c.Warnings)
	}
	if got := c.Choices.Fields["hydra/launcher"].Plain(); got != "joblib" {
		t.Errorf("launcher %v", got)
	}
	if _, err := compose(t, "legacy", "model=big"); err == nil || !strings.Contains(err.Error(), "+model=big") {
		t.Errorf("a group that is not in the list was chosen: %v", err)
	}
	if _, err := compose(t, "loop/a"); !errors.Is(err, ErrLimit) {
		t.Errorf("configs that include one another: %v", err)
	}
}

func TestOverrideValues(t *testing.T) {
	for text, want := range map[string]any{
		"a=1": int64(1), "a=1e-4": 1e-4, "a=1_000": int64(1000), "a=010": "010", "a=True": true, "a=null": nil, "a=": "", "a=yes": "yes",
		"a='1,2'": "1,2", `a="x\"y"`: `x"y`, "a=[1, b,[2]]": L{int64(1), "b", L{int64(2)}}, "a={x:1,y:{z:null}}": M{"x": int64(1), "y": M{"z": nil}},
		"a=pile/gpt-2.yaml": "pile/gpt-2.yaml", "a=${b.c}": "${b.c}", "a=x${f:1,{k:2}}y": "x${f:1,{k:2}}y", `a=a\,b`: "a,b", "a=gpt 2 ": "gpt 2", "a=http://h:80/x?y": "http://h:80/x?y",
		"++a.b=-.5": -0.5, "a=inf2": "inf2",
	} {
		o, err := ParseOverride(text, nil)
		if err != nil || o.Swept {
			t.Errorf("%s: %v, sweep %v", text, err, o.Swept)
			continue
		}
		same(t, text, want, o.Value)
	}
	for _, bad := range []string{"a", "=1", "a=[1", "a={x}", "a='x", "a b=1", "a=[1]x", "a=choice(1", "--flag=1"} {
		if o, err := ParseOverride(bad, nil); err == nil {
			t.Errorf("%q was read as %v", bad, o.Value.Plain())
		}
	}
}

func FuzzOverride(f *testing.F) {
	for _, seed := range []string{"a=1", "+a@b:c=[1,{x:2}]", "~a", "a=choice(1,2)", "a=range(0,1,step=0.1)", `a="\\"`, "a=${x:{}}", "a=b,c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if o, err := ParseOverride(text, nil); err == nil && o.Value != nil {
			o.Value.Plain()
		}
	})
}

func FuzzDefaultsList(f *testing.F) {
	f.Add("defaults: [a, {a: b}]\nx: 1", "defaults:\n  - override /g@_global_: b\n", "g=b")
	f.Add("# @package _group_._name_\ndefaults: [{optional g: [b, c]}, {g@x: '${g}'}]", "x: 2", "~g")
	f.Fuzz(func(t *testing.T, primary, other, word string) {
		root, err := source.Open(t.TempDir(), source.DefaultLimits, noDeadline)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		store := map[string]*Node{}
		for name, text := range map[string]string{"config": primary, "g/b": other, "a": other} {
			if tree, err := ParseYAML(name, []byte(text), OmegaConf); err == nil {
				store[name] = tree
			}
		}
		c, err := Compose(root, ComposeRequest{ConfigName: "config", Words: words(word), Store: store})
		if err == nil {
			Interpolation{}.Resolve(c.Tree)
		}
	})
}
