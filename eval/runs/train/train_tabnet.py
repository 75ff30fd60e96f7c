"""pytorch-tabnet: 'epoch 3  | loss: 0.5 | val_0_auc: 0.9 |  0:00:02s'."""
import numpy as np, torch
from pytorch_tabnet.callbacks import Callback
from pytorch_tabnet.tab_model import TabNetClassifier
from truth import Truth

torch.set_num_threads(1)
rng = np.random.default_rng(0)
x = rng.normal(size=(5000, 30)).astype("float32")
y = (x[:, 0] * x[:, 1] > 0).astype(int)
truth = Truth()


class Clock(Callback):
    def on_train_begin(self, logs=None):
        truth.begin()

    def on_epoch_end(self, epoch, logs=None):
        truth.step(epoch, loss=float(self.trainer.history.epoch_metrics["loss"]))


TabNetClassifier(seed=0, device_name="cpu").fit(x[:4000], y[:4000], eval_set=[(x[4000:], y[4000:])], eval_metric=["auc"], max_epochs=60,
                                                batch_size=512, virtual_batch_size=256, patience=0, callbacks=[Clock()])
