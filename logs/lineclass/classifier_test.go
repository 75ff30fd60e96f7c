package lineclass_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// The life of a template: the model answers its first line, the cache the
// others, whatever their numbers; the operator's word counts more.
func TestFirstLineAnswersForItsTemplate(t *testing.T) {
	c := lineclass.New(lineclass.Options{})
	class, sure := c.Classify([]byte("step 100 loss 2.31"))
	if class != lineclass.ProgressMetric {
		t.Fatalf("the first line is %s", class)
	}
	for i := range 1000 {
		line := fmt.Appendf(nil, "step %d loss %.2f", 101+i, 2.3-float64(i)/1000)
		if again, s := c.Classify(line); again != class || s != sure {
			t.Fatalf("%q: %s %v, the first line was %s %v", line, again, s, class, sure)
		}
	}
	line := []byte("step 7 loss 1.9")
	if n := testing.AllocsPerRun(100, func() { c.Classify(line) }); n > 0 {
		t.Errorf("%v allocations a line", n)
	}
}

// The cache changes no answer: with it and without it, every labelled line of a
// template of its own is the same, even when the lines do not all fit.
func TestCacheIsTransparent(t *testing.T) {
	c := lineclass.New(lineclass.Options{})
	for i := range 70_000 { // more templates than the cache has places
		c.Classify([]byte(templateNumber(i)))
	}
	seen := make(map[uint64]bool)
	for _, e := range lineclass.Examples() {
		template := logs.Template([]byte(e.Line))
		if seen[template] {
			continue
		}
		seen[template] = true
		want, wantSure := lineclass.Default().Classify([]byte(e.Line))
		for range 2 {
			if got, sure := c.Classify([]byte(e.Line)); got != want || sure != wantSure {
				t.Fatalf("%q: %s %v, the model says %s %v", e.Line, got, sure, want, wantSure)
			}
		}
	}
}

// templateNumber writes a number in letters, so that each is another template.
func templateNumber(i int) string {
	word := ""
	for ; i > 0; i /= 26 {
		word += string(rune('a' + i%26))
	}
	return "unit " + word + " says hello"
}

// The operator teaches a line; all lines of its shape follow, nothing else does.
func TestOverrides(t *testing.T) {
	overrides, err := lineclass.ReadOverrides("site.jsonl", strings.NewReader(
		`{"line": "lnet: router 10.4.0.1 flapped 3 times", "class": "infra_error"}
{"line": "lnet: router 10.4.0.9 flapped 12 times", "class": "infra_error"}
{"line": "badge reader 7 ok", "class": "benign_info"}`))
	if err != nil {
		t.Fatal(err)
	}
	c := lineclass.New(lineclass.Options{Overrides: overrides})
	for range 2 {
		if class, sure := c.Classify([]byte("lnet: router 10.9.9.9 flapped 41 times")); class != lineclass.InfraError || sure != 1 {
			t.Errorf("the line of the operator is %s %v", class, sure)
		}
	}
	want, wantSure := lineclass.Default().Classify([]byte("lnet: router 10.9.9.9 joined"))
	if class, sure := c.Classify([]byte("lnet: router 10.9.9.9 joined")); class != want || sure != wantSure {
		t.Errorf("another line is %s %v, want %s %v", class, sure, want, wantSure)
	}

	_, err = lineclass.ReadOverrides("site.jsonl", strings.NewReader(
		`{"line": "reader 7 ok", "class": "benign_info"}
{"line": "reader 8 ok", "class": "warning"}`))
	if err == nil || !strings.Contains(err.Error(), "earlier line of the same template is benign_info") {
		t.Errorf("two words of the operator about one template: error %v", err)
	}
}

// Many goroutines may ask one classifier.
func TestConcurrentUse(t *testing.T) {
	c := lineclass.New(lineclass.Options{})
	examples := lineclass.Examples()
	want := make([]lineclass.Class, len(examples))
	seen := make(map[uint64]int)
	for i, e := range examples {
		want[i], _ = lineclass.Default().Classify([]byte(e.Line))
		if _, ok := seen[logs.Template([]byte(e.Line))]; !ok {
			seen[logs.Template([]byte(e.Line))] = i
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			job := c.ForJob()
			for i, e := range examples {
				if seen[logs.Template([]byte(e.Line))] != i {
					continue // another line may have answered for it
				}
				if got, _ := job.Classify([]byte(e.Line)); got != want[i] {
					t.Errorf("%q: %s, want %s", e.Line, got, want[i])
					return
				}
			}
		})
	}
	wg.Wait()
}

// A log as a busy job writes it: 70 % progress, the rest from 1,500 templates.
func BenchmarkClassifier(b *testing.B) {
	var lines [][]byte
	var size int64
	examples := lineclass.Examples()
	for i := range 20_000 {
		line := fmt.Appendf(nil, "2026-03-02 09:15:%02d INFO epoch 1/3 step %d/200000 loss %.4f lr 0.100 %.1f img/s eta 1:%02d:%02d", i%60, i, 2.3, 855.5, i%60, i%59)
		if i%10 >= 7 {
			line = []byte(examples[i*7919%len(examples)].Line)
		}
		lines = append(lines, line)
		size += int64(len(line))
	}
	c := lineclass.New(lineclass.Options{})
	for _, line := range lines {
		c.Classify(line)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			c.Classify(line)
		}
	}
	b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds(), "lines/s")
}

// The worst case: free text, every line a template that the cache has not.
func BenchmarkClassifierFreeText(b *testing.B) {
	lines := make([][]byte, 200_000)
	for i := range lines {
		lines[i] = []byte("the model wrote: " + templateNumber(i*7919) + " and " + templateNumber(i*104729))
	}
	c := lineclass.New(lineclass.Options{})
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			c.Classify(line)
		}
	}
	b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds(), "lines/s")
}
