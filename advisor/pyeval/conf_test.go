package pyeval

import "testing"

func TestFilesKeepTheirLines(t *testing.T) {
	tell(t, []story{
		{
			name: "a value of YAML names its line",
			files: `-- train.py --
import yaml, torch, argparse
p = argparse.ArgumentParser()
p.add_argument('--config')
a = p.parse_args()
with open(a.config) as f:
    cfg = yaml.safe_load(f)
torch.optim.SGD([], lr=cfg['train']['lr'])
-- c.yaml --
name: x
train:
  lr: 0.1
`,
			run:  "train.py --config c.yaml",
			want: []string{"call torch.optim.SGD lr = 0.1 @ yaml:c.yaml:3"},
		},
		{
			name: "JSON, TOML and INI",
			files: `-- train.py --
import json, tomllib, configparser, torch
a = json.load(open('a.json'))
b = tomllib.load(open('b.toml', 'rb'))
c = configparser.ConfigParser()
c.read('c.ini')
torch.optim.SGD([], lr=a['lr'], momentum=b['opt']['momentum'], weight_decay=c.getfloat('opt', 'decay'))
-- a.json --
{
  "lr": 0.2
}
-- b.toml --
[opt]
momentum = 0.9
-- c.ini --
[opt]
decay = 0.01
`,
			run: "train.py",
			want: []string{
				"call torch.optim.SGD lr = 0.2 @ json:a.json:2",
				"call torch.optim.SGD momentum = 0.9 @ toml:b.toml:2",
				"call torch.optim.SGD weight_decay = 0.01 @ toml:c.ini:2",
			},
		},
	})
}

func TestHuggingFaceArguments(t *testing.T) {
	const script = `-- train.py --
from dataclasses import dataclass, field
from typing import Optional
import transformers, sys

@dataclass
class ModelArguments:
    model: Optional[str] = field(default="opt")
    depth: int = 2

@dataclass
class TrainingArguments(transformers.TrainingArguments):
    optim: str = field(default="adamw_torch")

def train():
    parser = transformers.HfArgumentParser((ModelArguments, TrainingArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith('.json'):
        model, args = parser.parse_json_file(json_file=sys.argv[1])
    else:
        model, args = parser.parse_args_into_dataclasses()
    transformers.Trainer(model=model.model, args=args, depth=model.depth, batch=args.per_device_train_batch_size, optim=args.optim)

train()
-- a.json --
{"model": "gpt",
 "learning_rate": 1e-4,
 "per_device_train_batch_size": 3}
`
	tell(t, []story{
		{
			name: "flags fill the fields of a base that stands in another package", files: script,
			run: "train.py --model llama --depth 4 --per_device_train_batch_size 8 --evaluation_strategy no --bf16 True",
			want: []string{
				"call transformers.Trainer model = llama @ cli:--model < py:train.py:7",
				"call transformers.Trainer depth = 4 @ cli:--depth < py:train.py:8",
				"call transformers.Trainer batch = 8 @ cli:--per_device_train_batch_size",
				"call transformers.Trainer optim = adamw_torch @ py:train.py:12",
				"config evaluation_strategy = no",
				"config bf16 = True",
			},
		},
		{
			name: "what is not given is the library's default", files: script, run: "train.py",
			want: []string{"call transformers.Trainer batch = 8"},
		},
		{
			name: "a JSON file takes the place of flags", files: script, run: "train.py a.json",
			want: []string{
				"call transformers.Trainer model = gpt @ json:a.json:1 < py:train.py:7",
				"call transformers.Trainer batch = 3 @ json:a.json:3",
			},
		},
	})
}

func TestHydra(t *testing.T) {
	const repo = `-- train.py --
import hydra
from omegaconf import OmegaConf

OmegaConf.register_new_resolver("double", lambda x: 2 * x)

@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(cfg):
    model = hydra.utils.instantiate(cfg.model)
    opt = hydra.utils.instantiate(cfg.optimizer, params=model)

main()
-- net.py --
import torch
class Net:
    def __init__(self, width, depth=2):
        torch.nn.Linear(width, depth)
-- conf/config.yaml --
defaults:
  - optimizer: sgd
  - _self_
batch: 4
model:
  _target_: net.Net
  width: ${double:${batch}}
-- conf/optimizer/sgd.yaml --
_target_: torch.optim.SGD
lr: 0.1
-- conf/optimizer/adam.yaml --
_target_: torch.optim.Adam
lr: 0.001
`
	tell(t, []story{
		{
			name: "the decorated function runs with the composed configuration", files: repo, run: "train.py batch=8 optimizer=adam",
			want: []string{
				"call torch.optim.Adam lr = 0.001 @ yaml:conf/optimizer/adam.yaml:2",
				"call torch.nn.Linear 0 = 16",
				"config batch = 8 @ cli:batch < yaml:conf/config.yaml:4",
			},
		},
		{
			name: "a missing option of a group ends the program", files: repo, run: "train.py optimizer=lion",
			want: []string{"missing conf/optimizer/lion", "abort optimizer=lion"},
		},
		{
			name: "configurations of the store",
			files: `-- train.py --
from dataclasses import dataclass, field
import hydra, torch
from hydra.core.config_store import ConfigStore
from omegaconf import MISSING

@dataclass
class Opt:
    lr: float = 0.1
    name: str = MISSING

@dataclass
class Config:
    opt: Opt = field(default_factory=Opt)
    steps: int = 5

cs = ConfigStore.instance()
cs.store(name="config", node=Config)

@hydra.main(config_path=None, config_name="config")
def main(cfg: Config):
    torch.optim.SGD([], lr=cfg.opt.lr, steps=cfg.steps, name=cfg.opt.name)

if __name__ == "__main__":
    main()
`,
			run: "train.py opt.lr=0.5 opt.name=x",
			want: []string{
				"call torch.optim.SGD lr = 0.5 @ cli:opt.lr < py:train.py:8",
				"call torch.optim.SGD steps = 5",
				"call torch.optim.SGD name = x",
			},
		},
	})
}

func TestOmegaConf(t *testing.T) {
	tell(t, []story{{
		name: "files merge from left to right, words last, and interpolations follow changes",
		files: `-- train.py --
import torch
from omegaconf import OmegaConf
base = OmegaConf.load('a.yaml')
cfg = OmegaConf.merge(base, OmegaConf.load('b.yaml'), OmegaConf.from_cli())
cfg.width = cfg.width + 1
torch.nn.Linear(cfg.width, cfg.hidden)
d = OmegaConf.to_container(cfg, resolve=True)
torch.optim.SGD([], lr=d['opt']['lr'], nesterov=cfg.get('nesterov', True))
-- a.yaml --
width: 3
hidden: ${width}
opt: {lr: 0.1}
-- b.yaml --
opt:
  lr: 0.2
`,
		run: "train.py opt.lr=0.3",
		want: []string{
			"call torch.nn.Linear 1 = 4",
			"call torch.optim.SGD lr = 0.3 @ cli:opt.lr < yaml:b.yaml:2 < yaml:a.yaml:3",
			"call torch.optim.SGD nesterov = True",
		},
	}})
}

func TestClassesOfLibrariesByTheirModule(t *testing.T) {
	tell(t, []story{{
		name: "deriving from a modelled class and asking for it",
		files: `-- train.py --
import transformers, omegaconf, argparse, torch
from dataclasses import dataclass

@dataclass
class Args:
    lr: float = 0.1

class Parser(transformers.HfArgumentParser):
    def parse(self):
        return self.parse_args_into_dataclasses()[0]

class Plain(argparse.ArgumentParser):
    def __init__(self):
        super().__init__()
        self.add_argument('--lr', type=float)

a = Parser((Args,)).parse()
b = Plain().parse_args()
c = omegaconf.OmegaConf.create({'x': 1})
torch.fit(a=a.lr, b=b.lr, c=isinstance(c, omegaconf.DictConfig))
`,
		run:  "train.py --lr 0.5",
		want: []string{"call torch.fit a = 0.5", "call torch.fit b = 0.5", "call torch.fit c = True"},
	}})
}

func TestAbsl(t *testing.T) {
	const repo = `-- main.py --
from absl import app, flags
from ml_collections import config_flags
import torch
import extra

FLAGS = flags.FLAGS
flags.DEFINE_integer('steps', 10, 'steps')
_FAST = flags.DEFINE_bool('fast', True, 'fast')
config_flags.DEFINE_config_file('config', 'configs/a.py', 'configuration')

def main(argv):
    c = FLAGS.config
    torch.optim.SGD([], lr=c.opt.lr, steps=FLAGS.steps, fast=_FAST.value, late=FLAGS.late, width=c['width'])

if __name__ == '__main__':
    app.run(main)
-- extra.py --
from absl import flags
flags.DEFINE_string('late', 'no', 'defined elsewhere')
-- configs/a.py --
import ml_collections
def get_config(arg='small'):
    c = ml_collections.ConfigDict()
    c.opt = ml_collections.ConfigDict({'lr': 0.1})
    c.width = {'small': 4, 'large': 8}[arg]
    return c
`
	tell(t, []story{{
		name: "flags, a configuration file with an argument, and words that reach into it", files: repo,
		run: "main.py --steps=20 --nofast --late yes --config=configs/a.py:large --config.opt.lr=0.5",
		want: []string{
			"call torch.optim.SGD lr = 0.5 @ cli:--config.opt.lr < py:configs/a.py:4",
			"call torch.optim.SGD steps = 20 @ cli:--steps < py:main.py:7",
			"call torch.optim.SGD fast = False",
			"call torch.optim.SGD late = yes",
			"call torch.optim.SGD width = 8",
		},
	}})
}
