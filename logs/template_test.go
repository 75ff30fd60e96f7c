package logs_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate/logs"
)

// Lines of one shape have one template.
func TestTemplateOfOneShape(t *testing.T) {
	same := func(first string, others ...string) {
		t.Helper()
		for _, o := range others {
			if logs.Template([]byte(first)) != logs.Template([]byte(o)) {
				t.Errorf("%q and %q have different templates", first, o)
			}
		}
	}
	// Numbers: counts, decimals, exponents, signs, thousands, fractions, times.
	same("step 12 loss 2.31", "step 13 loss 2.3", "Step 1,200  LOSS 1e-05", "step 7 loss -0.51")
	same("loss=0.5 lr=0.001", "loss=-0.5 lr=1.2e-05")
	same("2026-11-02 10:11:12,345 saved", "2027-01-31 23:59:59.001 saved")
	same("[ 410/5005]", "[1410/5005]", "[5005/5005]")
	same("took 81ms", "took 1.2s", "took 1200us")
	same("from 10.0.3.2:8476", "from 192.168.17.4:41")
	same("comm 0x7f1c done", "comm 0x55aa0 done", "comm 91 done")
	// Names that end in digits.
	same("gpu018: ok", "gpu7: ok")
	same("epoch12.pt", "epoch3.pt")
	// Spacing, colour, case.
	same("a b", "A  b", "\ta b ", "\x1b[32ma\x1b[0m b", "a b\r")
	same("key: value", "key:value", "key : value")
	// Bars, however far they are.
	same(" 42%|████▏     | 2048/4875 [1:12<1:39,  2.12s/it]", "  7%|▋         | 61/903 [09:21<2:08,  9.17s/it]", "100%|██████████| 903/903 [2:17<00:00,  9.1s/it]")
	same("310/1251 [======>.......................] - ETA: 3:58", "1250/1251 [=============================>.] - ETA: 1")
	same("━━━━━━━╸     41.2 MB", "━━━━━━━━━━━━ 755.5 MB")
	same("⠋ installing", "⠹ installing")
	// Text that is not English.
	same("第 3 轮, 损失 0.81", "第 12 轮, 损失 0.4")
}

// Lines of different shapes have different templates.
func TestTemplateOfDifferentShapes(t *testing.T) {
	seen := make(map[uint64]string)
	for _, line := range []string{
		"", "a", "ab", "a b", "b a", "a.b", "a-b", "a_b", "a=b", "a: b", "a, b", "(a) b",
		"exit code 0", "exit code 1", "exit code", "0 ECC errors", "3 ECC errors", "ECC errors",
		"12s/it", "12it/s", "12%", "12",
		"loss 2.3", "loss nan", "loss inf", "loss",
		"rank 3 left", "rank 3 joined", "rank 3, 4 left",
		"损失 0.81", "精度 0.81", "é", "è",
	} {
		template := logs.Template([]byte(line))
		if other, ok := seen[template]; ok {
			t.Errorf("%q and %q have one template", line, other)
		}
		seen[template] = line
	}
}

// Property: a template does not change when the number in a line does, unless
// it becomes a standalone 0.
func TestTemplateForgetsNumbers(t *testing.T) {
	text := rapid.StringMatching(`[a-zA-Z :=,()\[\]/-]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		a, b := rapid.StringMatching(`[1-9][0-9]{0,3}(\.[0-9]{1,3})?`), rapid.StringMatching(`[1-9][0-9]{0,6}`)
		one := []byte(before + a.Draw(t, "a") + after)
		other := []byte(before + b.Draw(t, "b") + after)
		if logs.Template(one) != logs.Template(other) {
			t.Fatalf("%q and %q have different templates", one, other)
		}
	})
}

// Property: colour, spacing at the ends and the case of letters change nothing.
func TestTemplateForgetsDress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`([A-Za-z]{1,6}|[0-9.]{1,5}|[:=(),%|]| ){0,20}`).Draw(t, "line")
		dressed := "  \x1b[1;31m" + strings.ToUpper(line) + "\x1b[0m \t"
		if logs.Template([]byte(line)) != logs.Template([]byte(dressed)) {
			t.Fatalf("%q and %q have different templates", line, dressed)
		}
	})
}

// labelled lines of the line classes.
func labelled(t testing.TB) (lines, classes []string) {
	t.Helper()
	for _, name := range []string{"lines.jsonl", "more.jsonl"} {
		text, err := os.ReadFile(filepath.Join("lineclass", name))
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(bytes.NewReader(text))
		for in.Scan() {
			var l struct{ Line, Class string }
			if err := json.Unmarshal(in.Bytes(), &l); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			lines, classes = append(lines, l.Line), append(classes, l.Class)
		}
	}
	return lines, classes
}

// Labelled lines of two classes never share a template, and few of one class do.
func TestTemplatesTellClassesApart(t *testing.T) {
	lines, classes := labelled(t)
	first := make(map[uint64]int)
	for i, line := range lines {
		template := logs.Template([]byte(line))
		j, ok := first[template]
		if !ok {
			first[template] = i
			continue
		}
		if classes[i] != classes[j] {
			t.Errorf("one template:\n%s %q\n%s %q", classes[j], lines[j], classes[i], line)
		}
	}
	if n := len(lines) - len(first); n > len(lines)/100 {
		t.Errorf("%d of %d lines share the template of another", n, len(lines))
	}
}

func TestTemplateAllocatesNothing(t *testing.T) {
	line := []byte("Epoch 4:  37%|███▋      | 462/1250 [03:11<05:26,  2.41it/s, train_loss=1.870]")
	if n := testing.AllocsPerRun(100, func() { logs.Template(line) }); n > 0 {
		t.Errorf("%v allocations a line", n)
	}
}

// Whatever the bytes: no panic, and spaces at the end change nothing.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"step 0 of 10", "\x1b[", "\xe2\x96", "0.", "a1/0-", "=-0", "0x1f", "--0--"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		template := logs.Template(line)
		if bytes.IndexByte(line, 0x1b) < 0 && logs.Template(append(bytes.Clone(line), "  "...)) != template {
			t.Errorf("%q: spaces at the end change the template", line)
		}
	})
}

func BenchmarkTemplate(b *testing.B) {
	lines, _ := labelled(b)
	var size int64
	texts := make([][]byte, len(lines))
	for i, l := range lines {
		texts[i] = []byte(l)
		size += int64(len(l))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			logs.Template(text)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "lines/s")
}
