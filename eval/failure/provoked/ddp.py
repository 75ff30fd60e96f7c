import os, sys, time, torch, torch.distributed as dist, signal
mode=sys.argv[1]
dist.init_process_group("gloo", timeout=__import__("datetime").timedelta(seconds=12))
r=dist.get_rank()
m=torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64,10)); o=torch.optim.SGD(m.parameters(),lr=.1)
for step in range(1,61):
    x=torch.randn(32,64); y=torch.randint(0,10,(32,))
    if mode=="shape" and step==25: x=torch.randn(32,65)
    if mode=="label" and step==25 and r==1: y[3]=10
    if mode=="kill" and step==25 and r==1: os.kill(os.getpid(),signal.SIGKILL)
    if mode=="hang" and step==25 and r==1: time.sleep(60)
    if mode=="segv" and step==25 and r==1: import ctypes; ctypes.string_at(0)
    if mode=="desync" and step==25 and r==1: dist.barrier()
    loss=torch.nn.functional.cross_entropy(m(x),y)
    if mode=="nan" and step>=25: loss=loss*float("nan")
    if mode=="nan" and not torch.isfinite(loss): raise FloatingPointError(f"Loss is nan at step {step}, stopping training")
    o.zero_grad(); loss.backward(); o.step()
    if r==0: print(f"step {step}/60 loss {loss.item():.4f} lr 0.1",flush=True)
    time.sleep(.05)
if r==0: print("training finished",flush=True)
