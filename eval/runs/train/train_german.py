"""A user's own loop in numpy, German words, decimal commas, a record each 3 steps."""
import time
import numpy as np
from truth import Truth

rng = np.random.default_rng(9)
w1, w2 = rng.normal(scale=0.05, size=(400, 900)), rng.normal(scale=0.05, size=(900, 12))
truth, gesamt = Truth(), 135
print("Lade Daten ... fertig, 24000 Beispiele in 12 Klassen", flush=True)
t0 = time.time()
for runde in range(1, gesamt + 1):
    x = rng.normal(size=(1500, 400))
    y = x[:, :12].argmax(1)
    h = np.maximum(x @ w1, 0)
    z = h @ w2
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    verlust = -np.log(p[np.arange(len(y)), y]).mean()
    p[np.arange(len(y)), y] -= 1
    p /= len(y)
    dh = (p @ w2.T) * (h > 0)
    w2 -= 0.5 * (h.T @ p)
    w1 -= 0.5 * (x.T @ dh)
    truth.step(runde, loss=float(verlust))
    if runde % 3 == 0:
        dauer = (time.time() - t0) / 3
        t0 = time.time()
        print(f"Runde {runde} von {gesamt}   Verlust {verlust:.4f}   Treffer {(z.argmax(1) == y).mean() * 100:.1f} %   Dauer je Runde {dauer:.3f} s".replace(".", ","), flush=True)
    if runde % 45 == 0:
        print(f"   Zwischenstand gesichert: modell_{runde}.npz", flush=True)
        t0 = time.time()
print("Fertig.", flush=True)
