"""gensim Word2Vec with its own logging; the step is an epoch."""
import logging
import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from truth import Truth

logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.INFO)
rng = np.random.default_rng(5)
words = np.array([f"w{i}" for i in range(3_000)])
text = [list(words[np.minimum(rng.zipf(1.3, 20) - 1, 2_999)]) for _ in range(6_000)]
truth = Truth()


class Clock(CallbackAny2Vec):
    epoch = 0

    def on_epoch_begin(self, model):
        truth.begin()

    def on_epoch_end(self, model):
        truth.step(self.epoch)
        self.epoch += 1


Word2Vec(text, vector_size=200, window=8, min_count=2, workers=1, epochs=40, sample=0, callbacks=[Clock()])
