package pyeval

import "testing"

func TestFoldersThatAreListed(t *testing.T) {
	tell(t, []story{{
		name: "a generator over a folder's entries imports the modules that register themselves",
		run:  "train.py",
		files: `-- train.py --
from torch.optim import SGD
from zoo import NETS
SGD([], lr=NETS["small"])
-- zoo/__init__.py --
import importlib
import os
from os import path as osp
from zoo.registry import NETS

def scan(top, deep=False):
    def below(folder):
        for entry in os.scandir(folder):
            if not entry.name.startswith(".") and entry.is_file():
                yield osp.relpath(entry.path, top)
            elif deep:
                yield from below(entry.path)
    return below(top)

here = osp.dirname(osp.abspath(__file__))
names = [osp.splitext(osp.basename(f))[0] for f in scan(here) if f.endswith("_net.py")]
modules = [importlib.import_module(f"zoo.{name}") for name in names]
-- zoo/registry.py --
NETS = {}
-- zoo/small_net.py --
from zoo.registry import NETS
NETS["small"] = 0.25
-- zoo/other.py --
from zoo.registry import NETS
NETS["small"] = 0.5
`,
		want: []string{"call torch.optim.SGD lr = 0.25"},
	}, {
		name: "the modules of a package are imported by their listing",
		run:  "train.py",
		files: `-- train.py --
from torch.optim import SGD
from zoo import NETS
SGD([], lr=NETS["small"], momentum=NETS["deep"])
-- zoo/__init__.py --
import importlib
import pkgutil
NETS = {}
for _, name, is_pkg in pkgutil.iter_modules(__path__):
    if not is_pkg:
        importlib.import_module(__name__ + "." + name)
for info in pkgutil.walk_packages(__path__, prefix=__name__ + "."):
    if info.ispkg:
        importlib.import_module(info.name)
-- zoo/small.py --
from zoo import NETS
NETS["small"] = 0.25
-- zoo/deep/__init__.py --
from zoo import NETS
NETS["deep"] = 0.75
`,
		want: []string{"call torch.optim.SGD lr = 0.25", "call torch.optim.SGD momentum = 0.75"},
	}, {
		name: "a walk finds the configuration in a folder below",
		run:  "train.py",
		files: `-- train.py --
import os
import yaml
from torch.optim import SGD
for folder, folders, files in os.walk("conf"):
    for f in files:
        if f == "rate.yaml":
            found = yaml.safe_load(open(os.path.join(folder, f)))
SGD([], lr=found["lr"])
-- conf/a/rate.yaml --
lr: 0.125
-- conf/b.yaml --
lr: 1.0
`,
		want: []string{"call torch.optim.SGD lr = 0.125"},
	}})
}
