package failure

import (
	"strings"
	"testing"
)

// The frame that its owner can mend is the last of the stack that is not of what is
// installed.
func TestOwnFrameOfAnException(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{"in a library", `Traceback (most recent call last):
  File "/home/ana/run/train.py", line 212, in <module>
    main()
  File "/home/ana/run/data/loader.py", line 88, in load_batch
    x = torch.stack(rows)
  File "/opt/conda/lib/python3.11/site-packages/torch/functional.py", line 12, in stack
    return f(rows)
ValueError: stack expects rows of one size
`, "loader.py:88, load_batch"},
		{"at the top", `Traceback (most recent call last):
  File "train.py", line 3, in <module>
    x = y
NameError: name 'y' is not defined
`, "train.py:3"},
		{"of what is installed only", `Traceback (most recent call last):
  File "/usr/local/bin/torchrun", line 8, in <module>
    sys.exit(main())
  File "/usr/lib/python3.10/runpy.py", line 196, in _run_module_as_main
    return _run_code(code)
  File "<frozen runpy>", line 88, in _run_code
ValueError: no such thing
`, ""},
		{"of a worker", `Traceback (most recent call last):
  File "/home/ana/train.py", line 9, in <module>
    main()
  File "/home/ana/train.py", line 5, in main
    next(it)
ValueError: Caught ValueError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/opt/conda/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", line 308, in _worker_loop
    data = fetcher.fetch(index)
  File "/home/ana/dataset.py", line 41, in __getitem__
    raise ValueError("bad row")
ValueError: bad row
`, "dataset.py:41, __getitem__"},
		{"on Windows", `Traceback (most recent call last):
  File "C:\Users\ana\train.py", line 7, in run
    x()
  File "C:\Python311\Lib\json\decoder.py", line 355, in raw_decode
    raise err
ValueError: no JSON
`, "train.py:7, run"},
		{"in a box", `╭──────── Traceback (most recent call last) ─────────╮
│ /home/ana/train.py:31 in step                      │
│                                                    │
│ /opt/conda/lib/python3.11/site-packages/x/y.py:9 in f │
╰────────────────────────────────────────────────────╯
ValueError: no such thing
`, "train.py:31, step"},
		{"without a stack", "ValueError: no such thing\n", ""},
	} {
		s := NewScanner(Default())
		if err := s.Read("train.log", strings.NewReader(c.log)); err != nil {
			t.Fatal(err)
		}
		if got := s.Incident().Frame; got != c.want {
			t.Errorf("%s: own frame %q, want %q", c.name, got, c.want)
		}
	}
}

// What a code means is told with the failure that it names.
func TestMeaningOfACode(t *testing.T) {
	s := NewScanner(Default())
	if err := s.Read("dmesg.log", strings.NewReader("Nov 30 02:11:09 gpu-node-3 kernel: NVRM: Xid (PCI:0000:3b:00): 94, pid=4121, name=python3, Contained: SM (0x1).\n")); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Incident().Meaning, "contained memory error: the program that was hit dies"; got != want {
		t.Errorf("meaning %q, want %q", got, want)
	}
}
