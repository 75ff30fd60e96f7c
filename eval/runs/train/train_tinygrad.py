"""tinygrad with its own trange bar."""
import os
os.environ.setdefault("DEV", "CPU")
from tinygrad import Tensor, nn
from tinygrad.helpers import Context, trange
from truth import Truth


class Net:
    def __init__(self):
        self.a, self.b, self.c = nn.Linear(128, 192), nn.Linear(192, 128), nn.Linear(128, 10)

    def __call__(self, x):
        return self.c(self.b(self.a(x).relu()).relu())


Tensor.manual_seed(7)
net = Net()
rule = nn.optim.Adam(nn.state.get_parameters(net), lr=1e-3)
truth = Truth()
with Context(TRAINING=1):
    for step in (bar := trange(120)):
        x = Tensor.randn(96, 128).realize()
        y = x[:, :10].argmax(1)
        rule.zero_grad()
        loss = net(x).sparse_categorical_crossentropy(y).backward()
        rule.step()
        value = loss.item()
        truth.step(step + 1, loss=value)
        bar.set_description(f"loss: {value:6.3f}")
