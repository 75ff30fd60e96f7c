package pyeval

import "testing"

func TestConfigurationsInPython(t *testing.T) {
	tell(t, []story{
		{
			name: "yacs: defaults, a chain of files, pairs of the command",
			files: `-- train.py --
import argparse, torch
from yacs.config import CfgNode as CN
_C = CN()
_C.SOLVER = CN()
_C.SOLVER.LR = 0.1
_C.SOLVER.STEPS = (10, 20)
_C.NAME = 'x'
p = argparse.ArgumentParser()
p.add_argument('--config-file')
p.add_argument('opts', nargs=argparse.REMAINDER)
a = p.parse_args()
cfg = _C.clone()
cfg.merge_from_file(a.config_file)
cfg.merge_from_list(a.opts)
cfg.freeze()
torch.optim.SGD([], lr=cfg.SOLVER.LR, steps=cfg.SOLVER.STEPS, name=cfg['NAME'], old=_C.SOLVER.LR)
-- base.yaml --
SOLVER:
  LR: 0.2
  STEPS: (30, 40)
-- c.yaml --
_BASE_: base.yaml
NAME: y
`,
			run: "train.py --config-file c.yaml SOLVER.LR 0.3",
			want: []string{
				"call torch.optim.SGD lr = 0.3 @ cli:SOLVER.LR < yaml:base.yaml:2 < py:train.py:5",
				"call torch.optim.SGD steps = (30, 40)",
				"call torch.optim.SGD name = y",
				"call torch.optim.SGD old = 0.1",
			},
		},
		{
			name: "mmengine: bases, _delete_ and options",
			files: `-- train.py --
import argparse
from mmengine.config import Config, DictAction
from mmengine.runner import Runner
p = argparse.ArgumentParser()
p.add_argument('config')
p.add_argument('--cfg-options', nargs='+', action=DictAction)
a = p.parse_args()
cfg = Config.fromfile(a.config)
if a.cfg_options is not None:
    cfg.merge_from_dict(a.cfg_options)
Runner.from_cfg(lr=cfg.optim.lr, momentum=cfg.optim.get('momentum'), batch=cfg.loader.batch_size, twice=cfg.twice)
-- configs/base.py --
optim = dict(type='SGD', lr=0.1, momentum=0.9)
loader = dict(batch_size=32)
-- configs/c.py --
_base_ = ['./base.py']
optim = dict(_delete_=True, type='Adam', lr=0.2)
twice = 2 * _base_.loader.batch_size
`,
			run: "train.py configs/c.py --cfg-options loader.batch_size=64",
			want: []string{
				"call mmengine.runner.Runner.from_cfg lr = 0.2 @ py:configs/c.py:2",
				"call mmengine.runner.Runner.from_cfg momentum = None",
				"call mmengine.runner.Runner.from_cfg batch = 64 @ cli:loader.batch_size < py:configs/base.py:2",
				"call mmengine.runner.Runner.from_cfg twice = 64",
			},
		},
		{
			name: "lazy configurations",
			files: `-- train.py --
import sys
from detectron2.config import LazyConfig, instantiate
cfg = LazyConfig.load(sys.argv[1])
cfg = LazyConfig.apply_overrides(cfg, sys.argv[2:])
instantiate(cfg.model)
-- configs/model.py --
from detectron2.config import LazyCall as L
import torch
model = L(torch.nn.Sequential)(head=L(torch.nn.Linear)(out="${..width}"), width=4)
-- configs/c.py --
from .model import model
model.width = 6
`,
			run: "train.py configs/c.py model.width=8",
			want: []string{
				"call torch.nn.Linear out = 8",
				"call torch.nn.Sequential width = 8 @ cli:model.width < py:configs/c.py:2 < py:configs/model.py:3",
			},
		},
		{
			name: "gin binds what the caller leaves out",
			files: `-- train.py --
import gin, torch
@gin.configurable
def train(lr=0.1, steps=5, opt=None):
    torch.optim.SGD([], lr=lr, steps=steps)
gin.parse_config_files_and_bindings(['a.gin'], ['train.steps = 9'])
train()
-- a.gin --
LR = 0.3
train.lr = %LR
`,
			run: "train.py",
			want: []string{
				"call torch.optim.SGD lr = 0.3",
				"call torch.optim.SGD steps = 9",
			},
		},
		{
			name: "HyperPyYAML builds objects",
			files: `-- train.py --
import sys, torch
import speechbrain as sb
from hyperpyyaml import load_hyperpyyaml
hparams_file, run_opts, overrides = sb.parse_arguments(sys.argv[1:])
with open(hparams_file) as f:
    hparams = load_hyperpyyaml(f, overrides)
torch.fit(lr=hparams["lr"], precision=run_opts["precision"])
-- h.yaml --
lr: 0.1
width: 4
net: !new:torch.nn.Linear
  n_in: !ref <width>
`,
			run: "train.py h.yaml --lr 0.5 --precision fp16",
			want: []string{
				"call torch.fit lr = 0.5",
				"call torch.fit precision = fp16",
				"call torch.nn.Linear n_in = 4",
			},
		},
		{
			name: "configargparse reads options of a file",
			files: `-- train.py --
import configargparse, torch
p = configargparse.ArgumentParser()
p.add_argument('-c', '--config', is_config_file=True)
p.add_argument('--lr', type=float, default=0.1)
p.add_argument('--steps', type=int, default=1)
a = p.parse_args()
torch.optim.SGD([], lr=a.lr, steps=a.steps)
-- c.txt --
lr = 0.2
steps = 7
`,
			run: "train.py --config c.txt --lr 0.5",
			want: []string{
				"call torch.optim.SGD lr = 0.5 @ cli:--lr < toml:c.txt:1 < py:train.py:4",
				"call torch.optim.SGD steps = 7 @ toml:c.txt:2 < py:train.py:5",
			},
		},
	})
}
