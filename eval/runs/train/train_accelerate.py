"""A Hugging Face style script: accelerate, its logger, one tqdm bar over all steps, a gradient accumulation of 2."""
import logging
import torch
from torch import nn
from accelerate import Accelerator
from accelerate.logging import get_logger
from tqdm.auto import tqdm
from truth import Truth

torch.set_num_threads(1)
torch.manual_seed(0)
logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
accelerator = Accelerator(gradient_accumulation_steps=2, cpu=True)
logger = get_logger(__name__)
logger.info(accelerator.state)
net = nn.Sequential(nn.Embedding(2000, 256), nn.TransformerEncoder(nn.TransformerEncoderLayer(256, 4, 512, batch_first=True, dropout=0.0), 2), nn.Linear(256, 2000))
rule = torch.optim.AdamW(net.parameters(), 5e-4)
plan = torch.optim.lr_scheduler.LinearLR(rule, 1.0, 0.0, 120)
batches = [torch.randint(0, 2000, (4, 48)) % torch.randint(1, 60, (4, 1)) for _ in range(80)]
net, rule, loader, plan = accelerator.prepare(net, rule, torch.utils.data.DataLoader(torch.cat(batches), batch_size=4), plan)
epochs, total = 3, 120
logger.info("***** Running training *****")
for k, v in {"Num examples": 320, "Num Epochs": epochs, "Instantaneous batch size per device": 4,
             "Total train batch size (w. parallel, distributed & accumulation)": 8, "Gradient Accumulation steps": 2, "Total optimization steps": total}.items():
    logger.info(f"  {k} = {v}")
bar, done, truth = tqdm(range(total)), 0, Truth()
truth.begin()
for epoch in range(epochs):
    net.train()
    for batch in loader:
        with accelerator.accumulate(net):
            out = net(batch[:, :-1])
            loss = nn.functional.cross_entropy(out.reshape(-1, 2000), batch[:, 1:].reshape(-1))
            accelerator.backward(loss)
            rule.step(), plan.step(), rule.zero_grad()
        if accelerator.sync_gradients:
            bar.update(1)
            done += 1
            truth.step(done, loss=loss.item())
            bar.set_postfix(step_loss=loss.detach().item(), lr=plan.get_last_lr()[0])
    net.eval()
    with torch.no_grad():
        losses = torch.stack([nn.functional.cross_entropy(net(b[:, :-1]).reshape(-1, 2000), b[:, 1:].reshape(-1)) for b in batches[:10]])
    logger.info(f"epoch {epoch}: perplexity: {losses.mean().exp()} eval_loss: {losses.mean()}")
    truth.begin()
