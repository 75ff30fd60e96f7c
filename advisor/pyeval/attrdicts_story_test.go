package pyeval

import "testing"

func TestMappingsWithAttributes(t *testing.T) {
	tell(t, []story{{
		name: "EasyDict nests, takes attributes and updates",
		run:  "train.py",
		files: `-- train.py --
import yaml
from easydict import EasyDict as edict
from torch.optim import SGD
cfg = edict()
cfg.TRAIN = {"LR": 0.1, "EPOCHS": 3}
cfg.TRAIN.LR = 0.25
cfg.update(edict(yaml.safe_load(open("conf.yaml"))))
SGD([], lr=cfg.TRAIN.LR, momentum=cfg["MODEL"]["WIDTH"], name=cfg.MODEL.PARTS[0].NAME, has=hasattr(cfg, "TEST"))
-- conf.yaml --
MODEL:
  WIDTH: 64
  PARTS:
    - NAME: stem
`,
		want: []string{"call torch.optim.SGD lr = 0.25", "call torch.optim.SGD momentum = 64", "call torch.optim.SGD name = stem", "call torch.optim.SGD has = False"},
	}, {
		name: "a class of addict's, with None for what is not there",
		run:  "train.py",
		files: `-- train.py --
from addict import Dict
from munch import munchify
from torch.optim import SGD

class Settings(Dict):
    def __missing__(self, key):
        return None

cfg = Settings({"lr": 0.5, "data": [{"path": "a/b"}]})
cfg.steps = cfg.max_steps or 7
cfg["seed"] = 3
empty = Dict(a=1).b.c
SGD([], lr=cfg.lr, first=cfg.data[0].path, second=cfg.data[0].split is None, third=cfg.steps, fourth=cfg.get("seed"), fifth=bool(empty), sixth=munchify({"x": {"y": 2}}).x.y)
`,
		want: []string{"call torch.optim.SGD lr = 0.5", "call torch.optim.SGD first = a/b", "call torch.optim.SGD second = True", "call torch.optim.SGD third = 7", "call torch.optim.SGD fourth = 3", "call torch.optim.SGD fifth = False", "call torch.optim.SGD sixth = 2"},
	}})
}
