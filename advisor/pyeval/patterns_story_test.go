package pyeval

import "testing"

func TestPatternsInTexts(t *testing.T) {
	tell(t, []story{{
		name: "a name with short forms of packages finds its class",
		run:  "train.py",
		files: `-- train.py --
import importlib
import re

def find(name):
    name = re.sub("^opt.", "torch.optim.", name)
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:cut]))
            found = module
            for part in parts[cut:]:
                found = getattr(found, part)
            return found
        except:
            pass
    raise ImportError(name)

find("nets.wide.Wide")(0.5)
-- nets/__init__.py --
-- nets/wide.py --
from torch.optim import SGD
class Wide:
    def __init__(self, lr):
        SGD([], lr=lr)
`,
		want: []string{"call torch.optim.SGD lr = 0.5"},
	}, {
		name: "compiled patterns, replacements with groups, parts and matches",
		run:  "train.py",
		files: `-- train.py --
import re
from torch.optim import SGD
unit = re.compile(r"(\d+)k")
SGD([], first=unit.sub(r"\g<1>000", "25k"), second=re.split(r"[,;]\s*", "a, b;c")[2], third=re.findall(r"lr=(\S+)", "x lr=0.5 y")[0], fourth=unit.match("3k").group(1))
`,
		want: []string{"call torch.optim.SGD first = 25000", "call torch.optim.SGD second = c", "call torch.optim.SGD third = 0.5", "call torch.optim.SGD fourth = 3"},
	}, {
		name: "a part of a package is chosen by a name of the configuration",
		run:  "train.py",
		files: `-- train.py --
import operator
import optax
config = {"optimizer": {"name": "adamw", "lr": 0.5}}
name, rate = operator.itemgetter("name", "lr")(config["optimizer"])
operator.attrgetter(name)(optax)(rate)
`,
		want: []string{"call optax.adamw 0 = 0.5"},
	}, {
		name: "ranges of click are numbers",
		run:  "train.py --batch=32 --gpus 8 --gamma 2",
		files: `-- train.py --
import click
from torch.optim import SGD
@click.command()
@click.option("--batch", type=click.IntRange(min=1), required=True)
@click.option("--gpus", type=click.INT, required=True)
@click.option("--gamma", type=click.FloatRange(min=0))
def main(**kwargs):
    if kwargs["batch"] % kwargs["gpus"] != 0:
        raise click.ClickException("--batch must be a multiple of --gpus")
    SGD([], lr=kwargs["batch"] // kwargs["gpus"], momentum=kwargs["gamma"] / 4)
main()
`,
		want: []string{"call torch.optim.SGD lr = 4", "call torch.optim.SGD momentum = 0.5"},
	}})
}
