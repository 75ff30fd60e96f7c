package conf

import (
	"strings"
	"testing"
)

func TestInterpolationsAreFilled(t *testing.T) {
	tree := read(t, "c.yaml", `
data:
  batch: 16
  eval_batch: ${.batch}
  where: {up: "${..batch}", abs: "${data.batch}"}
  names: [train, "${.0}_again"]
gpus: 8
which: batch
nested: ${data.${which}}
bracket: ${data[batch]}
text: b${data.batch}_g${gpus}
home: ${oc.env:HOME_DIR,/nowhere}
port: ${env:PORT}
portText: ${oc.env:PORT}
unset: ${oc.env:UNSET}
default: ${oc.select:missing.key,12}
total: ${mul:${gpus},${data.batch}}
quoted: ${first:"a, ${gpus}", [1,2], {k:1.5}}
escaped: \${not.this}
sub: ${data}
opt: {lr: "${lr}"}
lr: 1e-3
through: ${sub.where.up}
keys: ${oc.dict.keys:opt}
`)
	set := map[string]string{"HOME_DIR": "/data", "PORT": "8080"}
	in := Interpolation{
		Functions: map[string]func([]*Node) *Node{
			"mul":   func(a []*Node) *Node { return &Node{Kind: Int, Int: a[0].Int * a[1].Int} },
			"first": func(a []*Node) *Node { return &Node{Kind: List, Items: a} },
		},
		Env: func(name string) *Node {
			if v, ok := set[name]; ok {
				return Text(v, nil)
			}
			return nil
		},
	}
	got := in.Resolve(tree)
	data := M{"batch": int64(16), "eval_batch": int64(16), "where": M{"up": int64(16), "abs": int64(16)}, "names": L{"train", "train_again"}}
	same(t, "filled", M{
		"data": data, "gpus": int64(8), "which": "batch", "nested": int64(16), "bracket": int64(16), "text": "b16_g8", "home": "/data",
		"port": int64(8080), "portText": "8080", "unset": "unknown: the environment variable UNSET is not set", "default": int64(12),
		"total": int64(128), "quoted": L{"a, 8", L{int64(1), int64(2)}, M{"k": 1.5}}, "escaped": "${not.this}", "sub": data,
		"opt": M{"lr": 0.001}, "lr": 0.001, "through": int64(16), "keys": L{"lr"},
	}, got)
	says(t, got, "total", "yaml:c.yaml:17 (yaml:c.yaml:7, yaml:c.yaml:3)")
	says(t, got, "opt.lr", "yaml:c.yaml:21 (yaml:c.yaml:22)")
}

func TestWhatCannotBeFilledSaysWhy(t *testing.T) {
	got := Interpolation{}.Resolve(read(t, "c.yaml", `
a: ${b}
b: ${a}
self: ${self}
miss: ???
viaMiss: x${miss}
res: ${now:%Y}
gone: ${no.such}
top: ${....x}
open: ${a
loop: {x: "${loop}"}
`))
	for path, want := range map[string]string{
		"a": "back to itself", "self": "back to itself", "miss": "missing (???)", "viaMiss": "missing (???)",
		"res": "resolver now", "gone": "no.such", "top": "above the top", "open": "without an end", "loop.x": "back to itself",
	} {
		if n := got.Get(path); n == nil || n.Kind != Unknown || !strings.Contains(n.Text, want) {
			t.Errorf("%s is %v, want a reason with %q", path, n.Plain(), want)
		}
	}
}

func TestInterpolationBombsAreBounded(t *testing.T) {
	var containers, texts, values, chain strings.Builder
	containers.WriteString("a0: [1, 2, 3, 4]\n")
	texts.WriteString("a0: 0123456789\n")
	values.WriteString("a0: {a: 1, b: 2}\n")
	for i := range 40 {
		ref := "${a" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "}"
		if i == 0 {
			ref = "${a0}"
		}
		name := "a" + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		containers.WriteString(name + `: ["` + strings.Repeat(ref+`", "`, 8) + "\"]\n")
		texts.WriteString(name + ": " + strings.Repeat(ref, 10) + "\n")
		inner := strings.TrimSuffix(strings.TrimPrefix(ref, "${"), "}")
		values.WriteString(name + ": {a: \"${oc.dict.values:" + inner + "}\", b: \"${oc.dict.values:" + inner + "}\"}\n")
	}
	for range 5000 {
		chain.WriteString("x: y\n")
	}
	for i := range 3000 {
		chain.WriteString("k" + strings.Repeat("i", i%50) + ": ${k" + strings.Repeat("i", (i+1)%50) + "}\n")
	}
	for what, text := range map[string]string{"containers": containers.String(), "texts": texts.String(), "values": values.String(), "chain": chain.String()} {
		count := 0
		Interpolation{}.Resolve(read(t, "c.yaml", text)).Walk(func(string, *Node) bool { count++; return true })
		if count > 40*maxNodes {
			t.Errorf("%s: the filled tree has %d nodes", what, count)
		}
	}
}

// latent-diffusion merges its files and then the words that its own parser
// does not know.
func TestDotlistIsReadAsYAML(t *testing.T) {
	dot, unknown, err := ParseDotlist(append(words("data.params.batch_size=48", "model.lr=1e-4", "a.list=[1, x]", "empty", "s='010'", "on=yes"), Word{Text: "b=$X"}))
	if err != nil || len(unknown) != 1 {
		t.Fatal(err, unknown)
	}
	same(t, "dotlist", M{"data": M{"params": M{"batch_size": int64(48)}}, "model": M{"lr": 1e-4}, "a": M{"list": L{int64(1), "x"}}, "empty": nil, "s": "010", "on": true}, dot)
	file := read(t, "configs/cin.yaml", "data:\n  params:\n    batch_size: 64\n")
	says(t, Merge(file, dot, MergeOptions{}), "data.params.batch_size", "cli:data.params.batch_size, beats yaml:configs/cin.yaml:3")
}
