package conf

import (
	"strings"
	"testing"
)

const speech = `
-- recipe/hparams/train.yaml --
seed: 1234
data_folder: !PLACEHOLDER
output: !ref results/<seed>
save: !ref <output>/save
epochs: 15
batch: 8
lr: 1e-4
lr_half: !ref <lr> / 2
total: !ref <batch> * 2 + 1
ratio: !ref <batch> / 16
dims: [256, !ref <batch>]
first: !ref <dims[0]>
opts:
  batch_size: !ref <batch>
  num: 4
inner: !ref <opts[batch_size]>
model: !new:speech.nnet.Net
  input: !ref <dims[0]>
  act: !name:torch.nn.ReLU
attr: !ref <model.hidden>
again: !ref <model>
counter: !new:speech.Counter
  limit: !ref <epochs>
made: !apply:torch.manual_seed [!ref <seed>]
pair: (3, x)
more: !include:common.yaml
  rate: 8000
circle: !ref <circle2>
circle2: !ref <circle>
no: !ref <nothing>
-- recipe/hparams/common.yaml --
rate: 16000
window: !ref <rate> // 100
-- recipe/hparams/lost.yaml --
x: !include:gone.yaml
-- recipe/hparams/self.yaml --
x: !include:self.yaml
y: !include:self.yaml
`

func TestHyperPyYAMLIsFollowed(t *testing.T) {
	over, rest, err := HyperOverrides(append(words("--batch=16", "--data_folder", "/data/voice", "--flag", "--opts", "{num: 2}", "word"), Word{Text: "$X"}))
	if err != nil || len(rest) != 3 {
		t.Fatal(err, rest)
	}
	tree, err := LoadHyperPyYAML(repo(t, speech), "recipe/hparams/train.yaml", over)
	if err != nil {
		t.Fatal(err)
	}
	model := M{"input": int64(256), "act": M{}}
	same(t, "tree", M{
		"seed": int64(1234), "data_folder": "/data/voice", "output": "results/1234", "save": "results/1234/save", "epochs": int64(15), "batch": int64(16),
		"lr": 1e-4, "lr_half": 5e-05, "total": int64(33), "ratio": 1.0, "dims": L{int64(256), int64(16)}, "first": int64(256),
		"opts": M{"batch_size": int64(16), "num": int64(2)}, "inner": int64(16), "model": model,
		"attr": "unknown: the reference <model.hidden> asks for an attribute of an object", "again": model, "counter": M{"limit": int64(15)},
		"made": L{int64(1234)}, "pair": L{int64(3), "x"}, "more": M{"rate": int64(8000), "window": int64(80)},
		"circle": "unknown: a reference leads back to itself", "circle2": "unknown: a reference leads back to itself",
		"no": "unknown: the reference <nothing> names no key",
	}, tree)
	for path, tag := range map[string]string{"model": "!new:speech.nnet.Net", "model.act": "!name:torch.nn.ReLU", "again": "!new:speech.nnet.Net", "made": "!apply:torch.manual_seed"} {
		if got := tree.Get(path).Tag; got != tag {
			t.Errorf("%s has the tag %q", path, got)
		}
	}
	says(t, tree, "total", "yaml:recipe/hparams/train.yaml:9 (cli:batch)")
	says(t, tree, "batch", "cli:batch, beats yaml:recipe/hparams/train.yaml:6")
	says(t, tree, "more.rate", "yaml:recipe/hparams/train.yaml:27, beats yaml:recipe/hparams/common.yaml:1")
}

func TestHyperPyYAMLThatCannotBeRead(t *testing.T) {
	root := repo(t, speech)
	if n, err := LoadHyperPyYAML(root, "recipe/hparams/train.yaml", nil); err != nil || n.Get("data_folder").Kind != Unknown {
		t.Errorf("a placeholder: %v, %v", n.Get("data_folder").Plain(), err)
	}
	for _, name := range []string{"lost", "self"} {
		if _, err := LoadHyperPyYAML(root, "recipe/hparams/"+name+".yaml", nil); err == nil || !strings.Contains(err.Error(), name+".yaml:1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzHyperPyYAML(f *testing.F) {
	for _, seed := range []string{"a: !ref <b>\nb: !ref <a[0]>/2\n", "a: !new:x.Y\n  b: !ref <a.c>\n", "a: !tuple (1, 2)", "a: [!ref <a>, !copy <a[0]>]", "a: !include:b\nb: !PLACEHOLDER\n"} {
		f.Add(seed)
	}
	root := repo(f, speech)
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := ParseYAML("x.yaml", []byte(text), PyYAML)
		if err != nil {
			return
		}
		over := NewMap(nil)
		over.Put("zz", tree)
		if n, err := LoadHyperPyYAML(root, "recipe/hparams/common.yaml", Merge(tree, over, MergeOptions{})); err == nil {
			n.Walk(func(string, *Node) bool { return true })
		}
	})
}
