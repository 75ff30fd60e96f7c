"""Vowpal Wabbit: its table on standard error, one row each 2,000 examples."""
import random
import vowpalwabbit
from truth import Truth

random.seed(11)
truth = Truth()
model = vowpalwabbit.Workspace("--loss_function logistic -P 2000 -q ::")
n = 0
truth.begin()
while n < 120_000:
    f = [(random.randrange(5000), random.random()) for _ in range(40)]
    label = 1 if sum(v for k, v in f if k % 3 == 0) > 6.6 else -1
    model.learn(f"{label} | " + " ".join(f"x{k}:{v:.3f}" for k, v in f))
    n += 1
    if n % 100 == 0:
        truth.step(n)
model.finish()
