"""PyTorch-Ignite with its tqdm handler, an evaluator and a line per epoch."""
import torch
from torch import nn
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import ProgressBar
from ignite.metrics import Accuracy, Loss, RunningAverage
from truth import Truth

torch.set_num_threads(1)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(800, 1600), nn.ReLU(), nn.Linear(1600, 1600), nn.ReLU(), nn.Linear(1600, 5))
data = []
for _ in range(50):
    x = torch.randn(256, 800)
    data.append((x, x[:, :5].argmax(1)))
rule, loss = torch.optim.Adam(net.parameters(), 2e-4), nn.CrossEntropyLoss()
trainer = create_supervised_trainer(net, rule, loss)
judge = create_supervised_evaluator(net, {"accuracy": Accuracy(), "nll": Loss(loss)})
RunningAverage(output_transform=lambda v: v).attach(trainer, "loss")
bar = ProgressBar()
bar.attach(trainer, ["loss"])
truth = Truth()


@trainer.on(Events.EPOCH_STARTED)
def begin(engine):
    truth.begin()


@trainer.on(Events.ITERATION_COMPLETED)
def tick(engine):
    truth.step((engine.state.iteration - 1) % 50 + 1, epoch=engine.state.epoch, loss=engine.state.output)


@trainer.on(Events.EPOCH_COMPLETED)
def report(engine):
    judge.run(data[:8])
    m = judge.state.metrics
    bar.log_message(f"Validation Results - Epoch: {engine.state.epoch}  Avg accuracy: {m['accuracy']:.2f} Avg loss: {m['nll']:.2f}")


trainer.run(data, max_epochs=3)
