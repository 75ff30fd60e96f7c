"""A user's own loop that prints a CSV table: seconds since the start come first, the step third."""
import time
import numpy as np
from truth import Truth

rng = np.random.default_rng(10)
a = rng.normal(size=(700, 700)) / 26
u = rng.normal(size=(700, 60))
truth, t0 = Truth(), time.time()
print("t_s,phase,it,obj,gnorm,samples", flush=True)
for it in range(140):
    for _ in range(25):
        r = a @ u
        g = a.T @ (np.tanh(r) - np.sin(u[:, :60]))
        u = u - 0.05 * g
    obj = float(((np.tanh(a @ u) - np.sin(u)) ** 2).mean())
    truth.step(it, loss=obj)
    print(f"{time.time() - t0:.3f},warm,{it},{obj:.6f},{np.linalg.norm(g):.3e},{(it + 1) * 60 * 25}" if it < 20 else
          f"{time.time() - t0:.3f},main,{it},{obj:.6f},{np.linalg.norm(g):.3e},{(it + 1) * 60 * 25}", flush=True)
