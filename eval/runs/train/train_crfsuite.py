"""CRFsuite: a block of lines per L-BFGS iteration."""
import random
import pycrfsuite
from truth import Truth

random.seed(8)
truth = Truth()


class Trainer(pycrfsuite.Trainer):
    def on_iteration(self, log, info):
        super().on_iteration(log, info)
        truth.step(info["num"], loss=info["loss"])


trainer = Trainer(verbose=True)
for _ in range(12000):
    words = [random.randrange(3000) for _ in range(25)]
    tags = [f"T{(w * 7 + v) % 9 // 2}" for w, v in zip(words, [0] + words)]
    trainer.append([[f"w={w}", f"m={w % 13}", f"p={v % 29}"] for w, v in zip(words, [0] + words)], tags)
trainer.select("lbfgs")
trainer.set_params({"c1": 0.1, "c2": 1e-3, "max_iterations": 70, "feature.possible_transitions": True})
truth.begin()
trainer.train("/dev/null")
