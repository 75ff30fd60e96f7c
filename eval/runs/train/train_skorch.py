"""skorch: a growing table, a row per epoch."""
import numpy as np, torch
from torch import nn
from skorch import NeuralNetClassifier
from skorch.callbacks import Callback
from truth import Truth

torch.set_num_threads(1)
torch.manual_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(1500, 200)).astype("float32")
y = (x[:, 0] + x[:, 1] ** 2 > 1).astype("int64")
truth = Truth()


class Clock(Callback):
    def on_train_begin(self, net, **_):
        truth.begin()

    def on_epoch_end(self, net, **_):
        truth.step(len(net.history), loss=net.history[-1, "train_loss"])


NeuralNetClassifier(nn.Sequential(nn.Linear(200, 1500), nn.ReLU(), nn.Linear(1500, 700), nn.ReLU(), nn.Linear(700, 2)), criterion=nn.CrossEntropyLoss,
                    max_epochs=60, lr=0.05, batch_size=64, callbacks=[Clock()]).fit(x, y)
