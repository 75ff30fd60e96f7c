"""The clock inside a run. Each finished step is one JSON line in $TRUTH, written
at once, so that a killed run keeps what it measured."""
import json, os, time


class Truth:
    def __init__(self, path=None):
        self.out = open(path or os.environ["TRUTH"], "w", buffering=1)
        self.last = None

    def begin(self):
        """Starts the clock of the next step; pauses before it do not count."""
        self.last = time.perf_counter()

    def step(self, n, **more):
        """Step n ended now. Its duration runs from begin() or from the last step."""
        now = time.perf_counter()
        took = None if self.last is None else now - self.last
        self.last = now
        self.out.write(json.dumps({"step": n, "at": time.time(), "s": took, **more}) + "\n")

    def note(self, **more):
        self.out.write(json.dumps(more) + "\n")
