#!/bin/sh
# Provokes the failures of this folder: provoke.sh PYTHON, with PyTorch and Pillow
# installed there. Writes logs/*.log. The full disk needs the right to mount.
set -u
python=$1
export OMP_NUM_THREADS=1
mkdir -p logs small
run() { name=$1; shift; timeout 90 "$@" >"logs/$name.log" 2>&1; echo "$name: exit $?"; }
ranks="$python -m torch.distributed.run --nproc_per_node 2 --master_port 29577"
run killed_peer $ranks ddp.py kill
for how in shape label nan hang segv desync ok; do run $how $ranks ddp.py $how; done
"$python" -c 'import socket, time; s = socket.socket(); s.bind(("0.0.0.0", 29577)); s.listen(); time.sleep(25)' &
sleep 1
run port $ranks ddp.py ok
wait
mount -t tmpfs -o size=4m tmpfs small && run disk "$python" single.py disk
umount small
(ulimit -v 6000000 && run mem "$python" single.py mem)
for how in worker baddata stack missing ckpt mismatch import handled; do run $how "$python" single.py $how; done
run timelimit timeout -s TERM 8 "$python" single.py slow
run ctrlc timeout -s INT 6 "$python" single.py slow
