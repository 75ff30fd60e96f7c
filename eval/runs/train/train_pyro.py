"""Pyro SVI, in the words of its tutorials: print('[iteration %04d] loss: %.4f')."""
import torch, pyro, pyro.distributions as dist
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoDiagonalNormal
from truth import Truth

torch.set_num_threads(1)
pyro.set_rng_seed(0)
x = torch.randn(60_000, 40)
y = x @ torch.randn(40) + 0.3 * torch.randn(60_000)


def model(x, y):
    w = pyro.sample("w", dist.Normal(0.0, 1.0).expand([40]).to_event(1))
    s = pyro.sample("s", dist.LogNormal(0.0, 1.0))
    with pyro.plate("data", len(x)):
        pyro.sample("obs", dist.Normal(x @ w, s), obs=y)


svi = SVI(model, AutoDiagonalNormal(model), pyro.optim.ClippedAdam({"lr": 0.02}), Trace_ELBO(num_particles=12))
truth = Truth()
truth.begin()
for j in range(200):
    loss = svi.step(x, y)
    truth.step(j + 1, loss=loss / len(x))
    if j % 10 == 0:
        print("[iteration %04d] loss: %.4f" % (j + 1, loss / len(x)), flush=True)
