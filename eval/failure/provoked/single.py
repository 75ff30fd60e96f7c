import sys, time, torch, os
mode=sys.argv[1]
m=torch.nn.Linear(64,10); o=torch.optim.SGD(m.parameters(),lr=.1)
class D(torch.utils.data.Dataset):
    def __len__(s): return 2000
    def __getitem__(s,i):
        if mode=="worker" and i==700: os.kill(os.getpid(),9)
        if mode=="baddata" and i==700:
            import io; from PIL import Image
            import numpy as np
            b=io.BytesIO(); Image.fromarray((np.random.rand(64,64,3)*255).astype("uint8")).save(b,"JPEG"); Image.open(io.BytesIO(b.getvalue()[:400])).load()
        if mode=="stack" and i==700: return torch.randn(63), 1
        return torch.randn(64), i%10
dl=torch.utils.data.DataLoader(D(),batch_size=32,num_workers=2)
for step,(x,y) in enumerate(dl,1):
    loss=torch.nn.functional.cross_entropy(m(x),y); o.zero_grad(); loss.backward(); o.step()
    print(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}] iter {step}/63 loss={loss.item():.4f}",flush=True)
    if mode=="disk" and step%10==0: torch.save({"m":m.state_dict(),"x":torch.randn(400000)}, f"small/ckpt_{step}.pt"); print(f"saved checkpoint at step {step}",flush=True)
    if mode=="mem" and step==20: keep=[torch.ones(200_000_000) for _ in range(100)]
    if mode=="missing" and step==20: open("/data/train/shard_0021.bin","rb")
    if mode=="slow": time.sleep(1)
    if mode=="ckpt" and step==20:
        torch.save(m.state_dict(),"c.pt"); b=open("c.pt","rb").read(); open("c.pt","wb").write(b[:len(b)//2]); torch.load("c.pt")
    if mode=="mismatch" and step==20: torch.nn.Linear(32,10).load_state_dict(m.state_dict())
    if mode=="import" and step==20: import flash_attn
    if mode=="handled" and step==20:
        for a in range(3):
            try: raise ConnectionError("Connection reset by peer")
            except ConnectionError as e: print(f"WARNING upload attempt {a+1} failed: {e}, retrying in 1s",flush=True)
        print("upload attempt 4 ok",flush=True)
print("done",flush=True)
