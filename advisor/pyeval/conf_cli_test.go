package pyeval

import "testing"

func TestSignaturesAsCommandLines(t *testing.T) {
	tell(t, []story{
		{
			name: "fire",
			files: `-- train.py --
import fire, torch
def train(base: str = "", lr: float = 3e-4, modules=["q"], group=False):
    torch.optim.AdamW([], lr=lr, modules=modules, base=base, group=group)
if __name__ == "__main__":
    fire.Fire(train)
`,
			run: "train.py --base x/y --lr 1e-4 --modules [q,v] --group",
			want: []string{
				"call torch.optim.AdamW lr = 0.0001 @ cli:--lr < py:train.py:2",
				`call torch.optim.AdamW modules = ["q", "v"]`,
				"call torch.optim.AdamW base = x/y",
				"call torch.optim.AdamW group = True",
			},
		},
		{
			name: "tyro with nested dataclasses",
			files: `-- train.py --
from dataclasses import dataclass, field
import tyro, torch
@dataclass
class Opt:
    lr: float = 0.1
    nesterov: bool = True
@dataclass
class Args:
    opt: Opt = field(default_factory=Opt)
    num_steps: int = 5
    batch: int = 0
args = tyro.cli(Args)
args.batch = args.num_steps * 2
torch.optim.SGD([], lr=args.opt.lr, nesterov=args.opt.nesterov, batch=args.batch)
`,
			run: "train.py --opt.lr 0.5 --opt.no-nesterov --num-steps 7",
			want: []string{
				"call torch.optim.SGD lr = 0.5 @ cli:--opt.lr < py:train.py:5",
				"call torch.optim.SGD nesterov = False",
				"call torch.optim.SGD batch = 14",
			},
		},
		{
			name: "jsonargparse: a file, flags over it, a class by its name",
			files: `-- app.py --
from jsonargparse import CLI
from args import Train
from data import Data
import torch
def fit(name: str, train: Train = Train(lr=0.3), data: Data | None = None, optimizer: str | dict = "SGD"):
    torch.fit(name=name, lr=train.lr, steps=train.steps, path=data.path, width=data.width, opt=optimizer)
def main():
    CLI({"fit": fit, "other": print})
-- args.py --
from dataclasses import dataclass
@dataclass
class Train:
    lr: float = 0.1
    steps: int = 1
-- data.py --
class Data:
    def __init__(self):
        pass
class Text(Data):
    def __init__(self, path: str, width: int = 3):
        self.path = path
        self.width = width
-- c.yaml --
train:
  steps: 100
optimizer:
  class_path: torch.optim.AdamW
`,
			run: "app.py fit llama --config c.yaml --train.lr 0.5 --data Text --data.path x --data.width 1_000", fn: "main",
			want: []string{
				"call torch.fit name = llama",
				"call torch.fit lr = 0.5 @ cli:--train.lr < py:app.py:5 < py:args.py:4",
				"call torch.fit steps = 100 @ yaml:c.yaml:2 < py:args.py:5",
				"call torch.fit path = x",
				"call torch.fit width = 1000",
			},
		},
		{
			name: "click",
			files: `-- train.py --
import click, torch
@click.group()
def cli():
    pass
@cli.command()
@click.option('--lr', default=0.1)
@click.option('--amp/--no-amp', default=True)
@click.argument('name')
def train(lr, amp, name):
    torch.optim.SGD([], lr=lr, amp=amp, name=name)
if __name__ == '__main__':
    cli()
`,
			run: "train.py train --lr 0.5 --no-amp resnet",
			want: []string{
				"call torch.optim.SGD lr = 0.5 @ cli:--lr < py:train.py:6",
				"call torch.optim.SGD amp = False",
				"call torch.optim.SGD name = resnet",
			},
		},
		{
			name: "LightningCLI",
			files: `-- main.py --
from lightning.pytorch.cli import LightningCLI
import torch
class Net:
    def __init__(self, width: int = 2):
        torch.nn.Linear(width, 1)
class Data:
    def __init__(self, batch: int = 8):
        torch.utils.data.DataLoader([], batch_size=batch)
LightningCLI(Net, Data)
-- c.yaml --
trainer:
  max_epochs: 3
model:
  width: 16
`,
			run: "main.py fit --config c.yaml --trainer.max_epochs 5 --data.batch 32",
			want: []string{
				"call lightning.Trainer max_epochs = 5 @ cli:--trainer.max_epochs < yaml:c.yaml:2",
				"call torch.nn.Linear 0 = 16",
				"call torch.utils.data.DataLoader batch_size = 32",
			},
		},
	})
}
