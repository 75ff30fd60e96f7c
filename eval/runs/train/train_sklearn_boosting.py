"""scikit-learn GradientBoostingClassifier(verbose=2): a table row per tree with the remaining time."""
import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.ensemble._gb import VerboseReporter
from truth import Truth

rng = np.random.default_rng(4)
x = rng.normal(size=(6_000, 30))
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(int)
truth = Truth()
plain = VerboseReporter.update


def clocked(self, j, est):
    plain(self, j, est)
    truth.step(j + 1)


VerboseReporter.update = clocked
truth.begin()
GradientBoostingClassifier(n_estimators=150, max_depth=4, verbose=2, subsample=0.8).fit(x, y)
