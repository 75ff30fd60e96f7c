"""Keras 3 on torch: verbose=1 (bar) or verbose=2 (a line per epoch)."""
import sys
import numpy as np, torch, keras
from truth import Truth

torch.set_num_threads(1)
verbose = int(sys.argv[1])
rng = np.random.default_rng(0)
batch, steps, epochs = (64, 40, 4) if verbose == 1 else (64, 10, 16)
x = rng.normal(size=(batch * steps, 28, 28, 1)).astype("float32")
y = (x[:, :14].mean((1, 2, 3)) > x[:, 14:].mean((1, 2, 3))).astype(int)
truth = Truth()


class Clock(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch + 1
        truth.begin()

    def on_train_batch_end(self, i, logs=None):
        truth.step(i + 1, epoch=self.epoch, loss=float((logs or {}).get("loss", 0)))


model = keras.Sequential([keras.layers.Input((28, 28, 1)), keras.layers.Conv2D(24, 3, activation="relu"), keras.layers.Conv2D(24, 3, activation="relu"),
                          keras.layers.MaxPooling2D(), keras.layers.Flatten(), keras.layers.Dense(2, activation="softmax")])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.summary()
model.fit(x, y, batch_size=batch, epochs=epochs, verbose=verbose, validation_data=(x[:300], y[:300]), callbacks=[Clock()])
