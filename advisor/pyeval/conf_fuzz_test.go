package pyeval

import (
	"strings"
	"testing"

	"schedmate/advisor/origin"
)

// FuzzConfigurations follows any text as a program with any words: nothing may panic or
// go on without end.
func FuzzConfigurations(f *testing.F) {
	f.Add("import hydra\n@hydra.main(config_path='.', config_name='c')\ndef main(cfg):\n    hydra.utils.instantiate(cfg.a)\nmain()\n", "a.b=1 +c=${a}")
	f.Add("import fire\ndef f(a=1, *, b: 'list[int]' = (1,)):\n    return f(a, b)\nfire.Fire(f)\n", "--a 1 --b [1,2]")
	f.Add("from omegaconf import OmegaConf\nc = OmegaConf.create({'a': '${b}', 'b': '${a}', 'c': '${.b}'})\nc.d = c\nc.e = [c]\nc.a\n", "")
	f.Add("import tyro\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    b: 'A' = None\n    c: int = 1\ntyro.cli(A)\n", "--b.b.b.c 1 --c")
	f.Add("from transformers import HfArgumentParser, TrainingArguments\nHfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()\n", "--lr 1e-4 -- x")
	f.Add("from absl import app, flags\nflags.DEFINE_integer('a', 1, '')\nflags.DEFINE_config_file\nflags.FLAGS.a = flags.FLAGS\napp.run(lambda argv: flags.FLAGS.a)\n", "--a=3 --flagfile=c.yaml")
	f.Add("from yacs.config import CfgNode as CN\nc = CN()\nc.A = c\nc.merge_from_list(['A.A.A', 1])\nd = c.clone()\nd.merge_from_file('c.yaml')\n", "")
	f.Add("from mmengine import Config\nConfig.fromfile('main.py')\n", "")
	f.Add("_base_ = ['./main.py']\nfrom mmengine import Config\na = dict(_delete_=True)\nConfig.fromfile('main.py')\n", "")
	f.Add("from detectron2.config import LazyCall as L, LazyConfig\nm = L(L)(a=L(dict)(b='${..c}'))\nLazyConfig.load('main.py')\n", "")
	f.Add("from jsonargparse import CLI\nclass A:\n    def __init__(self, a: 'A', **k): pass\n    def run(self, x: int): pass\nCLI(A)\n", "--a A --a.a A run --x 1")
	f.Add("import click\n@click.group()\ndef g(): pass\n@g.command()\n@click.option('--a', multiple=True)\ndef c(a): g()\ng()\n", "c --a 1 --a 2")
	f.Add("import gin\n@gin.configurable\ndef f(x): f()\ngin.parse_config('f.x = @f()')\nf()\n", "")
	f.Add("class A(dict):\n    def __getattr__(s, n): return s[n]\na = A(a=1)\na.a.b.c\n[x for x in a for y in x]\n", "")
	f.Add("import yaml, copy\nc = yaml.safe_load(open('c.yaml'))\nwhile True:\n    c = copy.deepcopy(c)\n    c['a'] = c\n", "")
	f.Add("a = []\na.append(a)\na.append(a)\nb = []\nb.append(b)\nb.append(b)\na == b\nf'{a}'\nt = ()\nfor i in range(30):\n    t = (t, t)\n{t: 1}\n", "")
	f.Add("from omegaconf import OmegaConf\nimport ml_collections, mmengine\nl = []\nl.append(l)\nl.append(l)\nOmegaConf.create({'a': l})\nml_collections.ConfigDict({'a': l})\nmmengine.Config(dict(a=l))\nd = {}\nd['a'] = d\nd['b'] = d\nOmegaConf.create(d)\nOmegaConf.merge(d, d)\n", "")
	f.Add("x = 'a' * 1000\nfor i in range(60):\n    x = x + x\n    x = x.replace('a', 'aa')\n    y = [x] * 1000000\n    z = f'{x}{x}{x}'\n    w = 9 ** 9 ** 9\n", "")
	f.Fuzz(func(t *testing.T, text, words string) {
		if len(text) > 4000 || len(words) > 400 {
			return
		}
		root := storyFiles(t, "-- c.yaml --\na: {b: 1, _target_: main.f}\nc: ${a.b}\n-- main.py --\n"+strings.ReplaceAll(text, "\n-- ", "\n--  "))
		p := Program{File: "main.py", Dir: "."}
		for i, w := range strings.Fields(words) {
			if i < 8 {
				p.Args = append(p.Args, Value{Kind: Str, Text: w, Origin: origin.Named(origin.CLI, w)})
			}
		}
		Run(root, p, Budget{Steps: 20_000})
	})
}
