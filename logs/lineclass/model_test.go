package lineclass_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// A run of a training job, as an operator would sort its lines. None of them is
// in the labelled lines.
func TestARunLineByLine(t *testing.T) {
	for _, l := range []struct {
		class lineclass.Class
		line  string
	}{
		{lineclass.InitConfig, "Using device cuda:0, world size 16, model with 1.3B parameters"},
		{lineclass.ProgressMetric, "step 100/5000 loss 2.31 lr 3e-4 12.1 it/s"},
		{lineclass.ProgressMetric, " 12%|█▏        | 600/5000 [00:50<06:06, 12.00it/s]"},
		{lineclass.ProgressMetric, "epoch 3: val_acc=0.712 val_loss=1.11"},
		{lineclass.Warning, "UserWarning: this option is deprecated and will be removed, use the other one"},
		{lineclass.Warning, "reading shard 12 failed, retry 2 of 5"},
		{lineclass.BenignInfo, "Saved checkpoint to /ckpt/step_1000.pt"},
		{lineclass.BenignInfo, "node check: 8 GPUs ok, 0 ECC errors, all links up"},
		{lineclass.InfraError, "NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus."},
		{lineclass.InfraError, "OSError: [Errno 5] Input/output error: '/data/shard-3.tar'"},
		{lineclass.InfraError, "ncclRemoteError: connection to peer 10.0.0.7 lost"},
		{lineclass.FrameworkError, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB."},
		{lineclass.UserTraceback, "Traceback (most recent call last):"},
		{lineclass.UserTraceback, `  File "/home/me/job.py", line 12, in <module>`},
		{lineclass.UserTraceback, "NameError: name 'lerning_rate' is not defined"},
		{lineclass.ShutdownCascade, "srun: error: n17: task 9: Exited with exit code 1"},
		{lineclass.ShutdownCascade, "received SIGTERM, stopping the remaining workers"},
		{lineclass.BenignInfo, "   "},
		{lineclass.BenignInfo, ""},
	} {
		if got, sure := lineclass.Default().Classify([]byte(l.line)); got != l.class {
			t.Errorf("%q: %s (%.2f), want %s", l.line, got, sure, l.class)
		}
	}
}

// What the program carries is what the files say, and can be told apart from
// what it is tested on.
func TestExamples(t *testing.T) {
	lines, more := byFile(t)
	if got := len(lineclass.Examples()); got != len(lines)+len(more) {
		t.Errorf("%d examples, the files have %d and %d", got, len(lines), len(more))
	}
	template := make(map[uint64]string)
	for _, e := range lines {
		template[logs.Template([]byte(e.Line))] = e.Line
	}
	names := frameworks(lines)
	for _, e := range more {
		if slices.Contains(names, e.Framework) {
			t.Errorf("more.jsonl has lines of %s, which lines.jsonl has, too", e.Framework)
		}
		if same, ok := template[logs.Template([]byte(e.Line))]; ok {
			t.Errorf("more.jsonl has a copy of %q: %q", same, e.Line)
		}
	}
	for _, class := range lineclass.Classes() {
		n := 0
		for _, e := range more {
			if e.Class == class {
				n++
			}
		}
		if n < len(more)/20 {
			t.Errorf("more.jsonl has only %d lines of %s", n, class)
		}
	}
}

func TestReadExamplesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"line": "x", "class": "noise", "framework": "f"}`: `f.jsonl:1: unknown class "noise": use one of`,
		`{"class": "warning"}`:                              `f.jsonl:1: a labelled line needs "line" and "class"`,
		`{"line": "x"}`:                                     `f.jsonl:1: a labelled line needs "line" and "class"`,
		`{`:                                                 `f.jsonl:1: unexpected end of JSON input`,
	} {
		_, err := lineclass.ReadExamples("f.jsonl", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestClassNames(t *testing.T) {
	for _, class := range lineclass.Classes() {
		text, err := class.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back lineclass.Class
		if err := back.UnmarshalText(text); err != nil || back != class {
			t.Errorf("%s becomes %s, error %v", class, back, err)
		}
	}
	if _, err := lineclass.Class(0).MarshalText(); err == nil {
		t.Error("no class has a name")
	}
	if got := lineclass.Class(9).String(); got != "class(9)" {
		t.Errorf("class 9 is called %s", got)
	}
}

func TestModelAllocatesNothing(t *testing.T) {
	m := lineclass.Default()
	line := []byte("[rank3]: RuntimeError: NCCL error: unhandled system error, Connection reset by peer")
	if n := testing.AllocsPerRun(200, func() { m.Classify(line) }); n >= 1 {
		t.Errorf("%v allocations a line", n)
	}
}

// Whatever the bytes, the answer is one of the classes with a probability, and
// it is the same the next time.
func FuzzClassify(f *testing.F) {
	for _, name := range []string{"lines.jsonl", "more.jsonl"} {
		text, err := os.ReadFile(filepath.Join(".", name))
		if err != nil {
			f.Fatal(err)
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if i%100 == 0 {
				f.Add(line)
			}
		}
	}
	for _, s := range []string{"", "\x1b[", "\xe2\x96", "0e", "a_", "_", "THEWord", "1e+", strings.Repeat("a1 ", 2000), strings.Repeat("é", 3000)} {
		f.Add([]byte(s))
	}
	m := lineclass.Default()
	c := lineclass.New(lineclass.Options{})
	f.Fuzz(func(t *testing.T, line []byte) {
		class, sure := m.Classify(line)
		if !slices.Contains(lineclass.Classes(), class) || !(sure >= 0.125 && sure <= 1) {
			t.Fatalf("%q: %s, %v", line, class, sure)
		}
		if again, sure2 := m.Classify(line); again != class || sure2 != sure {
			t.Fatalf("%q: first %s %v, then %s %v", line, class, sure, again, sure2)
		}
		first, a := c.Classify(line)
		second, b := c.Classify(line)
		if first != second || a != b {
			t.Fatalf("%q: first %s %v, then %s %v from the cache", line, first, a, second, b)
		}
		if utf8.Valid(line) && len(line) == 0 && class != lineclass.BenignInfo {
			t.Fatalf("an empty line is %s", class)
		}
	})
}

func BenchmarkTrain(b *testing.B) {
	examples := lineclass.Examples()
	for b.Loop() {
		lineclass.Train(examples)
	}
}

// The model alone: what a line costs whose template is new.
func BenchmarkModel(b *testing.B) {
	var lines [][]byte
	for _, e := range lineclass.Examples() {
		lines = append(lines, []byte(e.Line))
	}
	m := lineclass.Default()
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			m.Classify(line)
		}
	}
	b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds(), "lines/s")
}
