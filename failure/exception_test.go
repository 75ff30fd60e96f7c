package failure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readText reads one text as a log.
func readText(t interface{ Fatalf(string, ...any) }, text string) *Scanner {
	s := NewScanner(Default())
	if err := s.Read("train.log", strings.NewReader(text)); err != nil {
		t.Fatalf("read the log: %v", err)
	}
	return s
}

// raised are the exceptions that blocks of a log ended with: line and text.
func raised(s *Scanner) []string {
	var out []string
	for _, e := range s.events {
		if e.exception != nil {
			out = append(out, fmt.Sprintf("%d %s", e.line, e.text))
		}
	}
	return out
}

// What a traceback raised is the line after its frames, whatever is printed
// around it.
func TestTracebacksAreRead(t *testing.T) {
	known := 0
	for name, c := range map[string]struct {
		log   string
		want  []string // line and text of what was raised
		wrong bool     // not read so yet
	}{
		"plain": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
    main()
ValueError: bad input
`, []string{"5 ValueError: bad input"}, false},
		"without a message": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
    assert ok
AssertionError
`, []string{"5 AssertionError"}, false},
		"with an empty message": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
ValueError: 
`, []string{"4 ValueError: "}, false},
		"without frames": {`
Traceback (most recent call last):
ValueError: bad input
`, []string{"3 ValueError: bad input"}, false},
		"of a class of the script": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
__main__.NotReady: not ready
`, []string{"4 __main__.NotReady: not ready"}, false},
		"marks below the source": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
    a + b
    ~~^~~
TypeError: unsupported operand type(s) for +: 'int' and 'str'
`, []string{"6 TypeError: unsupported operand type(s) for +: 'int' and 'str'"}, false},
		"frames that repeat": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in f
    return f(x)
  [Previous line repeated 996 more times]
RecursionError: maximum recursion depth exceeded
`, []string{"6 RecursionError: maximum recursion depth exceeded"}, false},
		"source that reads like an exception": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
    raise RuntimeError("KeyError: not this")
RuntimeError: KeyError: not this
`, []string{"5 RuntimeError: KeyError: not this"}, false},
		"syntax": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
    import model
  File "/home/ann/model.py", line 9
    def f(:
          ^
SyntaxError: invalid syntax
`, []string{"8 SyntaxError: invalid syntax"}, false},
		"one after the other": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
ValueError: one
Traceback (most recent call last):
  File "/home/ann/train.py", line 9, in <module>
TypeError: two
`, []string{"4 ValueError: one", "7 TypeError: two"}, false},
		"a chain": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/ann/train.py", line 5, in <module>
TypeError: b
`, []string{"4 KeyError: 'a'", "10 TypeError: b"}, false},
		"what a pool's worker raised": {`
multiprocessing.pool.RemoteTraceback:
"""
Traceback (most recent call last):
  File "/opt/env/lib/python3.10/multiprocessing/pool.py", line 125, in worker
    result = (True, func(*args, **kwds))
  File "/home/ann/train.py", line 3, in work
    return 1 / 0
ZeroDivisionError: division by zero
"""

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/ann/train.py", line 9, in <module>
    pool.map(work, [1])
ZeroDivisionError: division by zero
`, []string{"9 ZeroDivisionError: division by zero"}, false}, // the second is the same again
		"what a data loader's worker raised": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
  File "/opt/env/torch/_utils.py", line 644, in reraise
ValueError: Caught ValueError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/home/ann/data.py", line 9, in __getitem__
ValueError: bad row
`, []string{"8 ValueError: bad row"}, false},
		"behind a label and a prefix on its head only": {`
[rank0]: 2024-03-01 10:00:00,123 ERROR trainer: Traceback (most recent call last):
[rank0]:   File "/home/ann/train.py", line 3, in <module>
[rank0]: ValueError: bad input
`, []string{"4 ValueError: bad input"}, false},
		"behind a label and a prefix": {`
[rank0]: 2024-03-01 10:00:00,123 ERROR trainer: Traceback (most recent call last):
[rank0]: 2024-03-01 10:00:00,123 ERROR trainer:   File "/home/ann/train.py", line 3, in <module>
[rank0]: 2024-03-01 10:00:00,123 ERROR trainer: ValueError: bad input
`, []string{"4 ValueError: bad input"}, false},
		"cut at the prefix of its head": {`
2024-03-01 10:00:00,123 - trainer - ERROR - Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
RuntimeError: no room is left for the tenth pool
`, []string{"4 RuntimeError: no room is left for the tenth pool"}, false},
		"a group": {`
  + Exception Group Traceback (most recent call last):
  |   File "/home/ann/train.py", line 3, in <module>
  |     raise ExceptionGroup("both", [ValueError(1), TypeError(2)])
  | ExceptionGroup: both (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: 1
    +---------------- 2 ----------------
    | TypeError: 2
    +------------------------------------
`, []string{"5 ExceptionGroup: both (2 sub-exceptions)"}, false},
		"a group of what tasks raised": {`
  + Exception Group Traceback (most recent call last):
  |   File "/home/ann/train.py", line 3, in <module>
  |     asyncio.run(main())
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/home/ann/load.py", line 8, in load
    | KeyError: 'shard-7'
    +------------------------------------
`, []string{"9 KeyError: 'shard-7'"}, false},
		"what a task of Ray raised": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
    ray.get(work.remote())
ray.exceptions.RayTaskError(ValueError): ray::work() (pid=311, ip=10.0.0.4)
  File "/home/ann/work.py", line 5, in work
    raise ValueError("bad row")
ValueError: bad row
`, []string{"8 ValueError: bad row"}, false},
		"of two processes, without an end between": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
KeyError: 'a'Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
ValueError: bad input in the row of the ninth
`, []string{"4 KeyError: 'a'", "6 ValueError: bad input in the row of the ninth"}, false},
		"in a box behind a prefix of its own": {`
[rank0]: 10:00:00 ERROR ╭──── Traceback (most recent call last) ────╮
[rank0]:                │ /home/ann/train.py:3 in <module>          │
[rank0]:                ╰───────────────────────────────────────────╯
[rank0]:                ValueError: bad input
`, []string{"5 ValueError: bad input"}, false},
		"behind a logger's prefix": {`
2024-03-01 10:00:00,123 ERROR trainer: Traceback (most recent call last):
2024-03-01 10:00:00,123 ERROR trainer:   File "/home/ann/train.py", line 3, in <module>
2024-03-01 10:00:00,123 ERROR trainer:     main()
2024-03-01 10:00:00,123 ERROR trainer: ValueError: bad input
2024-03-01 10:00:00,124 INFO trainer: closing
`, []string{"5 ValueError: bad input"}, false},
		"behind a prefix on its head only": {`
2024-03-01 10:00:00,123 ERROR trainer: Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
    main()
ValueError: bad input
2024-03-01 10:00:00,124 INFO trainer: closing
`, []string{"5 ValueError: bad input"}, false},
		"behind a prefix that grows": {`
[9.999] Traceback (most recent call last):
[9.999]   File "/home/ann/train.py", line 3, in <module>
[10.001] ValueError: bad input
`, []string{"4 ValueError: bad input"}, false},
		"indented": {`
report:
    Traceback (most recent call last):
      File "/home/ann/train.py", line 3, in <module>
        main()
    ValueError: bad input
`, []string{"6 ValueError: bad input"}, false},
		"of two ranks that mix": {`
[rank0]: Traceback (most recent call last):
[rank1]: Traceback (most recent call last):
[rank0]:   File "/home/ann/train.py", line 3, in <module>
[rank1]:   File "/home/ann/train.py", line 4, in <module>
[rank1]: KeyError: 'b'
[rank0]: KeyError: 'a'
`, []string{"6 KeyError: 'b'", "7 KeyError: 'a'"}, false},
		"lines of others between": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
downloading 3 of 7 files
    main()
the cache is warm
ValueError: bad input
`, []string{"7 ValueError: bad input"}, false},
		"cut off": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
    main()
`, nil, false},
		"a message of several lines": {`
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in <module>
ValueError: these do not fit:
  a: 3
  b: 4
and so nothing was done
`, []string{"4 ValueError: these do not fit:"}, false},
		"of a notebook": {`
---------------------------------------------------------------------------
ValueError                                Traceback (most recent call last)
Cell In[1], line 1
----> 1 main()
ValueError: bad input
`, []string{"6 ValueError: bad input"}, false},
		"in a box": {`
╭───────────── Traceback (most recent call last) ─────────────╮
│ /home/ann/train.py:3 in <module>                            │
│                                                             │
│ ❱ 3 main()                                                  │
╰─────────────────────────────────────────────────────────────╯
ValueError: bad input
`, []string{"7 ValueError: bad input"}, false},
		"in a box behind a prefix": {`
[10:00:00] ERROR    failed                                        train.py:9
                    ╭──── Traceback (most recent call last) ────╮
                    │ /home/ann/train.py:3 in <module>          │
                    │ ❱ 3 main()                                │
                    ╰───────────────────────────────────────────╯
                    ValueError: bad input
`, []string{"7 ValueError: bad input"}, false},
		"ignored": {`
Exception ignored in: <function Client.__del__ at 0x7f3c>
Traceback (most recent call last):
  File "/opt/env/client.py", line 3, in __del__
AttributeError: 'NoneType' object has no attribute 'close'
`, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := raised(readText(t, c.log))
			switch diff := cmp.Diff(c.want, got); {
			case c.wrong && diff == "":
				t.Error("is read by now: say so here")
			case c.wrong:
				known++
				t.Logf("known to be wrong: want %q, got %q", c.want, got)
			case diff != "":
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	t.Logf("%d are known to be read wrong", known)
}

// pythonBlock draws a traceback: its lines, and which of them (from 0) is the
// exception's.
func pythonBlock(rt *rapid.T, tag string) (lines []string, at int) {
	sources := []string{"main()", `raise ValueError("KeyError: no")`, "x = a[b]  # RuntimeError: no", "return fn(*args, **kwargs)", "^^^^^^^^", "~~~^^^"}
	depth := rapid.IntRange(0, 90).Draw(rt, tag+" depth")
	lines = append(lines, "Traceback (most recent call last):")
	for i := range depth {
		lines = append(lines, fmt.Sprintf("  File %q, line %d, in f%d", rapid.SampledFrom([]string{"/home/ann/train.py", "/opt/env/lib/python3.10/site-packages/torch/nn/modules/module.py", "<string>"}).Draw(rt, tag+" file"), i+1, i))
		for range rapid.IntRange(0, 2).Draw(rt, tag+" source lines") {
			lines = append(lines, "    "+rapid.SampledFrom(sources).Draw(rt, tag+" source"))
		}
	}
	at = len(lines)
	name := rapid.SampledFrom([]string{"ValueError", "KeyError", "AssertionError", "__main__.NotReady", "pkg.mod.CustomError", "TypeError"}).Draw(rt, tag+" name")
	message := rapid.StringMatching(`[a-z]{3,8}( [a-z]{2,7}){0,5}`).Draw(rt, tag+" message")
	return append(lines, name+": "+message), at
}

// The exception that is found is the one that was raised: for any depth, behind a
// logger's prefix, and between the lines of another rank.
func TestRaisedExceptionIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		block, at := pythonBlock(rt, "block")
		want := block[at]
		prefix := rapid.SampledFrom([]string{"none", "head", "every line", "indent"}).Draw(rt, "prefix")
		switch prefix {
		case "head":
			head := "2024-03-01 10:00:00,123 - trainer - ERROR - "
			if len(want) > len(head) {
				return // a longer line may be cut at the length of the prefix: see the table above
			}
			block[0] = head + block[0]
		case "every line":
			for i := range block {
				block[i] = "2024-03-01 10:00:00,123 - trainer - ERROR - " + block[i]
			}
		case "indent":
			for i := range block {
				block[i] = "    " + block[i]
			}
		}
		var log []string
		line := 0
		mixed := (prefix == "none" || prefix == "indent") && rapid.Bool().Draw(rt, "mixed") // a label before a prefix is not read yet
		for i, l := range block {
			if mixed {
				for n := range rapid.IntRange(0, 2).Draw(rt, "others") {
					log = append(log, fmt.Sprintf("[rank1]: epoch %d of 9000 done, mood %d", len(log), n))
				}
				l = "[rank0]: " + l
			}
			log = append(log, l)
			if i == at {
				line = len(log)
			}
		}
		got := raised(readText(rt, strings.Join(log, "\n")+"\n"))
		if wanted := []string{fmt.Sprintf("%d %s", line, want)}; !cmp.Equal(got, wanted) {
			rt.Fatalf("raised is %q, found %q in\n%s", wanted, got, strings.Join(log, "\n"))
		}
	})
}

// Of a chain of exceptions the first is the root, and it explains the others.
func TestFirstOfAChainIsTheRoot(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var log []string
		line := 0
		for i := range rapid.IntRange(1, 4).Draw(rt, "links") {
			if i > 0 {
				log = append(log, "", rapid.SampledFrom([]string{
					"During handling of the above exception, another exception occurred:",
					"The above exception was the direct cause of the following exception:",
				}).Draw(rt, "mark"), "")
			}
			block, at := pythonBlock(rt, fmt.Sprint(i))
			if i == 0 {
				line = at + 1
			}
			log = append(log, block...)
		}
		d := readText(rt, strings.Join(log, "\n")+"\n").Diagnosis()
		if d.Root == nil || d.Root.Line != int64(line) {
			rt.Fatalf("the first exception is in line %d, the root is %+v in\n%s", line, d.Root, strings.Join(log, "\n"))
		}
		if len(d.Also) > 0 || d.ExplainedErrors != d.ErrorLines {
			rt.Fatalf("the chain is one failure: also %+v, %d of %d explained", d.Also, d.ExplainedErrors, d.ErrorLines)
		}
	})
}
