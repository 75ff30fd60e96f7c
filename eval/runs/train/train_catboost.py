"""CatBoost with its total/remaining columns; a record each 5 iterations."""
import numpy as np
from catboost import CatBoostClassifier, Pool
from truth import Truth

rng = np.random.default_rng(2)
x = rng.normal(size=(60_000, 30)).astype("float32")
y = (x[:, 0] * x[:, 1] + np.cos(2 * x[:, 2]) > 0.4).astype(int)
truth = Truth()


class Clock:
    def after_iteration(self, info):
        truth.step(info.iteration - 1)
        return True


truth.begin()
CatBoostClassifier(iterations=150, depth=8, learning_rate=0.08, thread_count=1, metric_period=5, use_best_model=False,
                   allow_writing_files=False).fit(Pool(x[:50_000], y[:50_000]), eval_set=Pool(x[50_000:], y[50_000:]), callbacks=[Clock()])
