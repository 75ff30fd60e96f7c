"""pytorch-lightning with the TQDM bar, validation each epoch."""
import logging, sys, warnings
import torch, pytorch_lightning as pl
from torch import nn
from pytorch_lightning.callbacks import Callback, TQDMProgressBar
from truth import Truth

torch.set_num_threads(1)
torch.manual_seed(0)
truth = Truth()


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 24, 3), nn.ReLU(), nn.Conv2d(24, 32, 3, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
        self.net(torch.zeros(1, 3, 32, 32))

    def training_step(self, batch, i):
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, i):
        out = self.net(batch[0])
        self.log("val_loss", nn.functional.cross_entropy(out, batch[1]), prog_bar=True)
        self.log("val_acc", (out.argmax(1) == batch[1]).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


class Clock(Callback):
    def on_train_batch_start(self, *_):
        truth.begin() if truth.last is None else None

    def on_train_batch_end(self, trainer, module, out, batch, i):
        truth.step(i + 1, epoch=trainer.current_epoch, loss=float(out["loss"]))

    def on_train_epoch_start(self, *_):
        truth.last = None


def data(n):
    x = torch.randn(n, 3, 32, 32)
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, (x[:, 0, :, :16].mean((1, 2)) > 0).long()), batch_size=64)


pl.Trainer(max_epochs=3, accelerator="cpu", logger=False, enable_checkpointing=False, log_every_n_steps=1,
           callbacks=[Clock(), TQDMProgressBar(refresh_rate=int(sys.argv[1]) if len(sys.argv) > 1 else 1)]).fit(Net(), data(64 * 50), data(64 * 6))
