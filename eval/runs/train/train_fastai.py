"""fastai: its table per epoch and its console bar."""
import torch
from torch import nn
from fastai.basics import DataLoaders, Learner, accuracy, Callback
from fastai.callback.all import *
from truth import Truth

torch.set_num_threads(1)
torch.manual_seed(0)
x = torch.randn(64 * 30, 600)
y = x[:, :6].argmax(1)
loader = lambda a, b: torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x[a:b], y[a:b]), batch_size=64)
truth = Truth()


class Clock(Callback):
    order = 90

    def before_epoch(self):
        truth.begin()

    def after_batch(self):
        if self.training:
            truth.step(self.iter + 1, epoch=self.epoch, loss=float(self.loss))

    def before_validate(self):
        truth.note(epoch_end=int(self.epoch))


learn = Learner(DataLoaders(loader(0, 64 * 25), loader(64 * 25, None)), nn.Sequential(nn.Linear(600, 3000), nn.ReLU(), nn.Linear(3000, 1500), nn.ReLU(), nn.Linear(1500, 6)),
                loss_func=nn.CrossEntropyLoss(), metrics=accuracy, cbs=[Clock()])
learn.fit_one_cycle(8, 1e-3)
