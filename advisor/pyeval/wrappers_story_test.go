package pyeval

import "testing"

func TestWrappersOfFunctions(t *testing.T) {
	tell(t, []story{{
		name: "a wrapper that changes arguments is followed",
		run:  "train.py",
		files: `-- train.py --
import functools, inspect
from torch.optim import SGD

def configurable(make):
    def wrapper(func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            found = make(*args, **kwargs)
            return func(**found)
        return wrapped
    return wrapper

class Setup:
    @classmethod
    def of(cls, cfg, factor=1):
        return {"rate": cfg["lr"] * factor}

names = list(inspect.signature(Setup.of).parameters.keys())
@configurable(Setup.of)
def build(rate):
    return SGD([], lr=rate, first=names[0])

build({"lr": 0.5}, factor=2)
`,
		want: []string{"call torch.optim.SGD lr = 1.0", "call torch.optim.SGD first = cfg"},
	}, {
		name: "a cache leaves a function as it is",
		run:  "train.py",
		files: `-- train.py --
from functools import lru_cache, cache
from torch.optim import SGD

@lru_cache(maxsize=None)
def rate(): return 0.25
@cache
def momentum(): return 0.5
SGD([], lr=rate(), momentum=momentum())
`,
		want: []string{"call torch.optim.SGD lr = 0.25", "call torch.optim.SGD momentum = 0.5"},
	}, {
		name: "a registry of another package finds the class",
		run:  "train.py",
		files: `-- train.py --
from fvcore.common.registry import Registry
from torch.optim import SGD
MODELS = Registry("MODELS")
@MODELS.register()
class Wide:
    rate = 0.125
SGD([], lr=MODELS.get("Wide")().rate)
`,
		want: []string{"call torch.optim.SGD lr = 0.125"},
	}, {
		name: "a comprehension that works on and on ends, and what follows is seen",
		run:  "train.py",
		files: `-- train.py --
from torch.optim import SGD
def spell(word):
    out = ""
    for i in range(100):
        out = out + str(i)
    return out
words = [[spell(w) for w in range(1000)] for v in range(1000)]
SGD([], lr=0.5)
`,
		want: []string{"call torch.optim.SGD lr = 0.5"},
	}, {
		name: "a batch is no larger than the data",
		run:  "train.py",
		files: `-- train.py --
from torch.utils.data import DataLoader
import mydata
data = mydata.load()
DataLoader(data, batch_size=min(32, len(data)))
`,
		want: []string{"call torch.utils.data.DataLoader batch_size = 32"},
	}})
}

func TestFilesThatAreSearched(t *testing.T) {
	tell(t, []story{{
		name: "a configuration that is not there is looked for elsewhere",
		run:  "train.py",
		files: `-- train.py --
import glob, os, yaml, zipfile
from pathlib import Path
from torch.optim import SGD
ROOT = Path(os.path.relpath(Path(__file__).resolve().parent, Path.cwd()))
name = "hyp.yaml"
if not os.path.isfile(name):
    name = glob.glob(str(ROOT / "**" / name), recursive=True)[0]
if zipfile.is_zipfile(name):
    name = "other.yaml"
SGD([], lr=yaml.safe_load(open(name))["lr0"])
-- data/hyp.yaml --
lr0: 0.01
`,
		want: []string{"call torch.optim.SGD lr = 0.01 @ yaml:data/hyp.yaml:1"},
	}, {
		name: "a configuration in a folder that is not there may come with the data",
		run:  "train.py",
		files: `-- train.py --
import os
from torch.optim import SGD
rate = 0.1 if os.path.exists("checkpoints/model/config.yaml") else 0.2
SGD([], lr=rate)
`,
		want: []string{"call torch.optim.SGD lr = one of 0.1 | 0.2"},
	}})
}
