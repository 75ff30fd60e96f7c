"""XGBoost, verbose evaluation each round."""
import numpy as np, xgboost as xgb
from truth import Truth

rng = np.random.default_rng(1)
x = rng.normal(size=(60_000, 40)).astype("float32")
y = (x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + rng.normal(scale=0.3, size=len(x)) > 0).astype(int)
train, valid = xgb.DMatrix(x[:50_000], y[:50_000]), xgb.DMatrix(x[50_000:], y[50_000:])
truth = Truth()


class Clock(xgb.callback.TrainingCallback):
    def before_iteration(self, model, epoch, evals_log):
        if truth.last is None:
            truth.begin()
        return False

    def after_iteration(self, model, epoch, evals_log):
        truth.step(epoch)
        return False


xgb.train(dict(objective="binary:logistic", max_depth=9, eta=0.05, nthread=1, eval_metric=["logloss", "auc"]),
          train, 120, [(train, "train"), (valid, "valid")], callbacks=[Clock()])
