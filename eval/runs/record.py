#!/usr/bin/env python3
"""record.py [--pty] [--kill SECONDS] NAME -- COMMAND...

Runs COMMAND and keeps what it prints, byte for byte, as it comes: through a
pipe, or through a pseudo terminal with --pty. Writes NAME.log (the bytes) and
NAME.arr (a line per read: offset after it, seconds since the start).
With --kill the process group gets SIGKILL after that many seconds.
"""
import argparse, fcntl, os, pty, signal, struct, subprocess, sys, termios, threading, time

ap = argparse.ArgumentParser()
ap.add_argument("--pty", action="store_true")
ap.add_argument("--kill", type=float)
ap.add_argument("name")
ap.add_argument("command", nargs=argparse.REMAINDER)
a = ap.parse_args()
command = a.command[1:] if a.command[:1] == ["--"] else a.command

if a.pty:
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
else:
    reader, writer = os.pipe()
start = time.monotonic()
child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, start_new_session=True)
os.close(writer)
signal.signal(signal.SIGTERM, lambda *_: os.killpg(child.pid, signal.SIGKILL))
timer = None
if a.kill:
    timer = threading.Timer(a.kill, lambda: os.killpg(child.pid, signal.SIGKILL))
    timer.start()
size = 0
with open(a.name + ".log", "wb", buffering=0) as log, open(a.name + ".arr", "w", buffering=1) as arr:
    while True:
        try:
            chunk = os.read(reader, 65536)
        except OSError:  # a closed pseudo terminal
            break
        if not chunk:
            break
        size += len(chunk)
        log.write(chunk)
        arr.write(f"{size} {time.monotonic() - start:.4f}\n")
child.wait()
if timer:
    timer.cancel()
print(f"{a.name}: exit {child.returncode}, {size} bytes, {time.monotonic() - start:.1f} s", file=sys.stderr)
