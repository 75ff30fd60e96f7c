"""Not training: a model is loaded, evaluated under a tqdm bar, and its accuracy printed."""
import logging, os, tempfile, torch
from torch import nn
from tqdm import tqdm

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
torch.set_num_threads(1)
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(1024, 10))
path = os.path.join(tempfile.mkdtemp(), "eval-model.pt")
torch.save(net.state_dict(), path)
net.load_state_dict(torch.load(path))
logging.info("Loaded checkpoint eval-model.pt (%d parameters)", sum(p.numel() for p in net.parameters()))
logging.info("***** Running evaluation *****")
logging.info("  Num examples = 4800")
logging.info("  Batch size = 32")
hits = 0
with torch.inference_mode():
    for i in tqdm(range(150), desc="Evaluating"):
        hits += (net(torch.randn(32, 3, 40, 40)).argmax(1) == 1).sum().item()
logging.info("accuracy = %.4f (%d of 4800)", hits / 4800, hits)
