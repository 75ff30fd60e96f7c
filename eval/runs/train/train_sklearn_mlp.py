"""scikit-learn MLPClassifier(verbose=True): a line per epoch, no clock in the text."""
import numpy as np
from sklearn.neural_network import MLPClassifier
from truth import Truth

rng = np.random.default_rng(3)
x = rng.normal(size=(4_000, 64))
y = (np.abs(x[:, :8]).sum(1) > 6.4).astype(int)
truth = Truth()
count = 0
plain = MLPClassifier._update_no_improvement_count


def clocked(self, *args, **kwargs):
    global count
    count += 1
    truth.step(count, loss=float(self.loss_curve_[-1]))
    return plain(self, *args, **kwargs)


MLPClassifier._update_no_improvement_count = clocked
truth.begin()
MLPClassifier((256, 128), batch_size=64, max_iter=70, tol=0.0, n_iter_no_change=100, verbose=True, random_state=0, learning_rate_init=2e-4).fit(x, y)
