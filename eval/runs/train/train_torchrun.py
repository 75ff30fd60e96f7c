"""Two ranks under torchrun --tee 3, each prints its own records with the logging module."""
import logging, os
import torch, torch.distributed as dist
from torch import nn
from truth import Truth

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(format="[%(asctime)s] [%(levelname)s] %(message)s", level=logging.INFO)
torch.manual_seed(0)
net = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(500, 1200), nn.GELU(), nn.Linear(1200, 1200), nn.GELU(), nn.Linear(1200, 8)))
rule = torch.optim.SGD(net.parameters(), 0.1)
truth = Truth(os.environ["TRUTH"] if rank == 0 else "/dev/null")
torch.manual_seed(rank)
for it in range(1, 121):
    x = torch.randn(128, 500)
    loss = nn.functional.cross_entropy(net(x), x[:, :8].argmax(1))
    rule.zero_grad(), loss.backward(), rule.step()
    value = loss.item()
    truth.step(it, loss=value)
    logging.info(f"rank={rank} it={it}/120 xent={value:.4f} seen={it * 128}")
dist.destroy_process_group()
