package pyeval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedmate/advisor/source"

	"github.com/google/go-cmp/cmp"
)

// written writes files to a new folder and opens it as a repository.
func written(t testing.TB, files map[string]string) *source.Root {
	t.Helper()
	dir := t.TempDir()
	for _, name := range sortedKeys(files) {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := source.Open(dir, source.DefaultLimits, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func oneMachine() Machine {
	return Machine{Devices: integer(4), WorldSize: integer(4), LocalSize: integer(4), Nodes: integer(1)}
}

// follow runs train.py of a repository.
func follow(t testing.TB, files map[string]string, args ...string) *Observations {
	t.Helper()
	p := Program{File: "train.py", Dir: ".", Machine: oneMachine()}
	for _, a := range args {
		p.Args = append(p.Args, str(a))
	}
	return Run(written(t, files), p, DefaultBudget)
}

// script runs a single file.
func script(t testing.TB, lines ...string) *Observations {
	return follow(t, map[string]string{"train.py": strings.Join(lines, "\n") + "\n"})
}

// said writes the observed calls of a name, one a line, with their arguments
// and, in front of them, the number of loops around.
func said(o *Observations, name string) []string {
	var all []string
	for _, c := range o.Calls {
		if c.Name != name {
			continue
		}
		var parts []string
		for _, a := range c.Args {
			parts = append(parts, a.String())
		}
		for _, k := range c.Kw {
			parts = append(parts, k.Name+"="+k.Value.String())
		}
		loops := ""
		for l := c.Loops; l != nil; l = l.Parent {
			loops += "in a loop: "
		}
		all = append(all, loops+strings.Join(parts, ", "))
	}
	return all
}

func expect(t *testing.T, o *Observations, name string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, said(o, name)); diff != "" {
		t.Errorf("calls of %s (-want +got):\n%s\nnotes: %q aborts: %v", name, diff, o.Notes, o.Aborts)
	}
}

func TestAGeneratorAroundALoaderKeepsTheLoopsOfTraining(t *testing.T) {
	o := follow(t, map[string]string{
		"train.py": `
import argparse
import torch
from engine import train_one_epoch
def main(args):
    loader = torch.utils.data.DataLoader(torch.load("x"), batch_size=args.batch_size, num_workers=10)
    model = torch.nn.Linear(4, 4)
    model.to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr * args.batch_size / 512)
    for epoch in range(args.epochs):
        train_one_epoch(model, loader, optimizer)
if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--batch-size", default=64, type=int)
    p.add_argument("--epochs", default=300, type=int)
    p.add_argument("--lr", default=0.1, type=float)
    main(p.parse_args())
`,
		"engine.py": `
import logger
def train_one_epoch(model, loader, optimizer):
    metrics = logger.Metrics()
    for x, y in metrics.log_every(loader, 10):
        loss = model(x)
        value = loss.item()
        loss.backward()
        optimizer.step()
        metrics.update(loss=value)
`,
		"logger.py": `
class Metrics:
    def update(self, **kwargs):
        for k, v in kwargs.items():
            assert isinstance(v, (float, int))
    def log_every(self, iterable, freq):
        for obj in iterable:
            yield obj
`,
	}, "--batch-size", "256")
	expect(t, o, "torch.utils.data.DataLoader", "<torch.load>, batch_size=256, num_workers=10")
	expect(t, o, "torch.optim.SGD", "<torch.nn.Linear.parameters()>, lr=0.05")
	expect(t, o, "torch.optim.SGD.step", "in a loop: in a loop: ")
	if len(o.Aborts) != 0 {
		t.Errorf("an assertion about a number that nobody knows ended the program: %v", o.Aborts)
	}
}

func TestAProcessThatIsSpawnedIsFollowedAsTheFirst(t *testing.T) {
	o := script(t,
		"import torch, torch.multiprocessing as mp",
		"def worker(rank, args):",
		"    torch.optim.Adam([1], lr=args['lr'] * rank + args['lr'])",
		"mp.spawn(worker, args=({'lr': 0.25},), nprocs=4)",
		"p = mp.Process(target=worker, args=(1, {'lr': 0.25}))",
		"p.start()")
	expect(t, o, "torch.optim.Adam", "[1], lr=0.25", "[1], lr=0.5")
}

func TestATaskGivenToAnExecutorIsFollowed(t *testing.T) {
	o := script(t,
		"import submitit, torch",
		"class Task:",
		"    def __init__(self, lr): self.lr = lr",
		"    def __call__(self): torch.optim.Adam([1], lr=self.lr)",
		"ex = submitit.AutoExecutor(folder='logs')",
		"ex.update_parameters(gpus_per_node=8, nodes=2)",
		"job = ex.submit(Task(0.5))",
		"torch.note(job.job_id)")
	expect(t, o, "torch.optim.Adam", "[1], lr=0.5")
	expect(t, o, "submitit.AutoExecutor.update_parameters", "gpus_per_node=8, nodes=2")
}

func TestRayFunctionsAreCalledThroughRemote(t *testing.T) {
	o := script(t,
		"import ray, torch",
		"@ray.remote(num_gpus=1)",
		"def job(lr):",
		"    torch.optim.Adam([1], lr=lr)",
		"    return 7",
		"@ray.remote",
		"class Actor:",
		"    def __init__(self, n): self.n = n",
		"    def run(self, m): return self.n + m",
		"torch.see(ray.get(job.remote(0.5)))",
		"a = Actor.remote(2)",
		"torch.see(ray.get(a.run.remote(3)))")
	expect(t, o, "torch.optim.Adam", "[1], lr=0.5")
	expect(t, o, "torch.see", "7", "5")
}

func TestALightningTrainerCallsTheModuleBack(t *testing.T) {
	o := script(t,
		"import torch",
		"import pytorch_lightning as pl",
		"class Net(pl.LightningModule):",
		"    def __init__(self, lr=0.1, width=8, **more):",
		"        super().__init__()",
		"        self.save_hyperparameters(ignore=['width'])",
		"    def configure_optimizers(self):",
		"        steps = 10 * self.trainer.max_epochs",
		"        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, eps=self.hparams['eps'], steps=steps, w='width' in self.hparams)",
		"class Data(pl.LightningDataModule):",
		"    def __init__(self, batch_size):",
		"        super().__init__()",
		"        self.save_hyperparameters()",
		"    def setup(self, stage): self.set = torch.make(stage)",
		"    def train_dataloader(self):",
		"        return torch.utils.data.DataLoader(self.set, batch_size=self.hparams.batch_size)",
		"pl.Trainer(max_epochs=3).fit(Net(lr=0.5, eps=0.25), datamodule=Data(16))")
	expect(t, o, "torch.optim.AdamW", "<pytorch_lightning.LightningModule.parameters()>, lr=0.5, eps=0.25, steps=30, w=False")
	expect(t, o, "torch.make", "fit")
	expect(t, o, "torch.utils.data.DataLoader", "<torch.make>, batch_size=16")
}

func TestWrappersGiveBackWhatTheyWereGiven(t *testing.T) {
	o := script(t,
		"import torch, deepspeed, accelerate",
		"from apex import amp",
		"net = torch.nn.Linear(2, 3).cuda()",
		"opt = torch.optim.SGD([1], lr=0.25)",
		"acc = accelerate.Accelerator(mixed_precision='bf16')",
		"net, opt = acc.prepare(net, opt)",
		"net, opt = amp.initialize(net, opt, opt_level='O1')",
		"ddp = torch.nn.parallel.DistributedDataParallel(net, device_ids=[0])",
		"torch.see(ddp.module, opt.param_groups[0]['lr'], acc.num_processes, acc.mixed_precision)",
		"engine, opt2, loader, schedule = deepspeed.initialize(model=net, config={'a': 1})",
		"engine.backward(1)",
		"torch.see(engine.module)")
	expect(t, o, "torch.see", "<torch.nn.Linear>, 0.25, 4, bf16", "<torch.nn.Linear>")
	expect(t, o, "deepspeed.initialize.engine.backward", "1")
	expect(t, o, "accelerate.Accelerator.prepare", "<torch.nn.Linear>, <torch.optim.SGD>")
}

func TestModelsAddedToAZooAreBuiltByTheirName(t *testing.T) {
	o := follow(t, map[string]string{
		"train.py": "import torch\nfrom timm.models import create_model\nimport models\nm = create_model('tiny_net', pretrained=False, num_classes=10, img_size=None)\ntorch.see(m)\n",
		"models.py": `
import torch
from timm.models.registry import register_model
class Net(torch.nn.Module):
    def __init__(self, width, num_classes=1000, img_size=224):
        super().__init__()
        self.head = torch.nn.Linear(width, num_classes, size=img_size)
@register_model
def tiny_net(pretrained=False, **kwargs):
    return Net(width=192, **kwargs)
`})
	expect(t, o, "torch.nn.Linear", "192, 10, size=224")
	expect(t, o, "torch.see", "<Net>")
}

func TestEntryPointsAreFoundByNameInManyWays(t *testing.T) {
	o := follow(t, map[string]string{
		"train.py": `
import torch
import models
from models import *
torch.see(models.__dict__['resnet'](4), getattr(models, 'resnet')(5), globals()['mobile'](6))
`,
		"models/__init__.py": "from .resnet import *\nfrom .mobile import *\n",
		"models/resnet.py":   "__all__ = ['resnet']\ndef resnet(n): return n * 10\ndef mobile(n): return 0\n",
		"models/mobile.py":   "def mobile(n): return n * 100\n",
	})
	expect(t, o, "torch.see", "40, 50, 600")
}

func TestSuperWritesToTheObjectItself(t *testing.T) {
	o := script(t,
		"import torch",
		"from abc import ABC",
		"class Base(ABC):",
		"    def __init__(self, lr, warmup=3):",
		"        self.lr, self.warmup = lr, warmup",
		"class Child(Base):",
		"    def __init__(self, lr):",
		"        super().__init__(lr, warmup=5)",
		"c = Child(0.5)",
		"torch.see(c.lr, c.warmup)")
	expect(t, o, "torch.see", "0.5, 5")
}

func TestAClassBelowDictIsADict(t *testing.T) {
	o := script(t,
		"import torch",
		"class Config(dict):",
		"    def __getattr__(self, k): return self[k]",
		"    def __setattr__(self, k, v): self[k] = v",
		"c = Config(a=1, b=2)",
		"c.c = 3",
		"torch.see(c.a, c['c'], c.get('z', 9), len(c), 'b' in c, isinstance(c, dict), list(c), dict(**c)['b'])")
	expect(t, o, "torch.see", `1, 3, 9, 3, True, True, ["a", "b", "c"], 2`)
}

func TestExceptionsThatAreRaisedAgainKeepTheirKind(t *testing.T) {
	o := script(t,
		"import torch",
		"def inner():",
		"    try:",
		"        raise KeyError('x')",
		"    except KeyError:",
		"        raise",
		"try:",
		"    inner()",
		"except ValueError:",
		"    torch.see('wrong')",
		"except KeyError:",
		"    torch.see('right')")
	expect(t, o, "torch.see", "right")
}

func TestAFunctionThatReturnsOrRaisesReturns(t *testing.T) {
	o := script(t,
		"import torch",
		"from pathlib import Path",
		"def shared():",
		"    if Path('/checkpoint/').is_dir():",
		"        return Path('/checkpoint/me')",
		"    raise RuntimeError('no shared folder')",
		"torch.see(shared())")
	expect(t, o, "torch.see", "/checkpoint/me")
	if len(o.Aborts) != 0 {
		t.Errorf("the program ended: %v", o.Aborts)
	}
}

func TestAFailedAssertionIsToldAndTheRestIsStillSeen(t *testing.T) {
	o := script(t, "import torch", "n = 3", "assert n == 4, 'n must be 4'", "torch.optim.Adam([1], lr=0.5)")
	expect(t, o, "torch.optim.Adam", "[1], lr=0.5")
	if len(o.Aborts) != 1 || o.Aborts[0].Text != "AssertionError: n must be 4" {
		t.Errorf("aborts: %v", o.Aborts)
	}
}

func TestANameThatAModuleImportsFromItselfEnds(t *testing.T) {
	o := follow(t, map[string]string{
		"train.py":        "import torch\nfrom pkg import part, ghost\ntorch.see(part.n)\ntorch.see(ghost)\n",
		"pkg/__init__.py": "from . import part\nfrom pkg import ghost\n",
		"pkg/part.py":     "n = 4\n",
	})
	if got := said(o, "torch.see"); len(got) != 2 || got[0] != "4" {
		t.Errorf("seen: %q", got)
	}
}

func TestAnUnknownSettingWithADefaultIsEither(t *testing.T) {
	o := script(t,
		"import torch, os",
		"lr = torch.load('x')['lr'] or 0.5",
		"torch.optim.Adam([1], lr=lr)",
		"torch.see(min(64, torch.load('y')))")
	expect(t, o, "torch.optim.Adam", "[1], lr=one of <torch.load[lr]> | 0.5")
	expect(t, o, "torch.see", "one of 64 | <torch.load>")
}

func TestBlocksOfADeepNetworkAreAllBuilt(t *testing.T) {
	o := script(t,
		"import torch",
		"blocks = torch.nn.ModuleList()",
		"for i in range(48):",
		"    blocks.append(torch.nn.Linear(1600, 1600))",
		"torch.see(len(blocks))")
	expect(t, o, "torch.see", "48")
}

func TestAKeyThatNobodyKnowsMayBeInADict(t *testing.T) {
	o := script(t,
		"import torch",
		"known = {'a': 1}",
		"for key in torch.load('x'):",
		"    if key not in known:",
		"        raise ValueError('unknown key')",
		"torch.see(1)")
	expect(t, o, "torch.see", "1")
	if len(o.Aborts) != 0 {
		t.Errorf("the program ended: %v", o.Aborts)
	}
}

func TestARunIsTheSameEachTime(t *testing.T) {
	lines := []string{
		"import torch",
		"d = {'a': 1, 'b': 2}",
		"for k in d: torch.see(k, d[k], torch.load(k) or 3)",
		"torch.optim.Adam([1], lr=torch.load('x') or 0.5)"}
	var first []string
	for range 5 {
		var all []string
		for _, c := range script(t, lines...).Calls {
			all = append(all, c.Name, Value{Kind: TupleKind, Ref: &List{Items: c.Args}}.String())
		}
		if first == nil {
			first = all
		} else if diff := cmp.Diff(first, all); diff != "" {
			t.Fatal(diff)
		}
	}
}
