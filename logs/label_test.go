package logs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/logs"
)

// linesOfText draws lines as a program may print them, with such redraws.
func linesOfText(t *rapid.T, redraws ...string) []string {
	piece := rapid.SampledFrom(append(redraws, "step 12 loss 0.345", "训练", "\U0001f600", " ", "\t", "\x1b[32m", "\x1b[0m", "\"", "\\", "{}", "<&>", "\u2028", "100%|"))
	return rapid.SliceOfN(rapid.Map(rapid.SliceOfN(piece, 0, 6), func(p []string) string { return "a line: " + strings.Join(p, "") }), 1, 8).Draw(t, "lines")
}

// Property: what a wrapper puts around a line becomes its label and changes
// nothing of its text.
func TestLabelsComeOff(t *testing.T) {
	const nanos = 1714557600_123456789
	stamp := time.Unix(0, nanos).UTC().Format(time.RFC3339Nano)
	docker := func(text string) string {
		b, err := json.Marshal(map[string]string{"log": text + "\n", "stream": "stdout", "time": stamp})
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	wrappers := map[string]struct {
		wrap  func(text string) string
		label logs.Label
	}{
		"as it is":       {func(s string) string { return s }, logs.Label{Rank: logs.NoRank}},
		"Kubernetes":     {func(s string) string { return stamp + " stderr F " + s }, logs.Label{Rank: logs.NoRank, StampNanos: nanos}},
		"kubectl":        {func(s string) string { return stamp + " " + s }, logs.Label{Rank: logs.NoRank, StampNanos: nanos}},
		"Docker":         {docker, logs.Label{Rank: logs.NoRank, StampNanos: nanos}},
		"syslog":         {func(s string) string { return "<134>1 " + stamp + " gpu-a17 trainer 3121 - - " + s }, logs.Label{Rank: logs.NoRank, StampNanos: nanos, Host: "gpu-a17"}},
		"torchrun":       {func(s string) string { return "[default12]:" + s }, logs.Label{Rank: 12}},
		"rank":           {func(s string) string { return "[rank0]:" + s }, logs.Label{Rank: 0}},
		"Open MPI":       {func(s string) string { return "[1,7]<stdout>:" + s }, logs.Label{Rank: 7}},
		"Ray":            {func(s string) string { return "\x1b[36m(Worker pid=31, ip=10.0.0.2)\x1b[0m " + s }, logs.Label{Rank: 31, Host: "10.0.0.2"}},
		"Ray in Docker":  {func(s string) string { return docker("(Worker pid=31) " + s) }, logs.Label{Rank: 31, StampNanos: nanos}},
		"MPI in kubectl": {func(s string) string { return stamp + " [1,7]<stderr>:" + s }, logs.Label{Rank: 7, StampNanos: nanos}},
	}
	names := make([]string, 0, len(wrappers))
	for name := range wrappers {
		names = append(names, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "wrapper")
		w := wrappers[name]
		lines := linesOfText(t, "\r", "\b\b\b\b\b\b\b\b\b", "\x1b[2K")
		var wrapped []string
		for _, line := range lines {
			wrapped = append(wrapped, w.wrap(line))
		}
		plain, source := strings.Join(lines, "\n")+"\n", strings.Join(wrapped, "\n")+"\n"
		if got, want := textsOf(source), textsOf(plain); got != want {
			t.Fatalf("%q reads\n%q, without %s\n%q", source, got, name, want)
		}
		for _, s := range decodeAll([]byte(source), len(source)) {
			if diff := cmp.Diff(w.label, s.Label); diff != "" {
				t.Fatalf("%q: label of %q (-want +got):\n%s", source, s.Text, diff)
			}
		}
	})
}

// Property: lines that a container runtime cut anywhere, on two streams at once,
// are whole again.
func TestPartsAreJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		streams := map[string][]string{}
		texts := map[string][]string{}
		docker := rapid.Bool().Draw(t, "docker")
		for _, name := range []string{"stdout", "stderr"} {
			for _, line := range linesOfText(t) {
				line = name + " " + line
				texts[name] = append(texts[name], strings.Split(textsOf(line+"\n"), "\n")...)
				for from := 0; ; {
					to := min(from+rapid.IntRange(1, 20).Draw(t, "length"), len(line))
					if docker { // as JSON cannot hold half a character
						for to < len(line) && line[to]&0xc0 == 0x80 {
							to++
						}
					}
					tag, end := "P", ""
					if to == len(line) {
						tag, end = "F", "\n"
					}
					if docker {
						b, err := json.Marshal(map[string]string{"log": line[from:to] + end, "stream": name, "time": "2024-05-01T10:00:00Z"})
						if err != nil {
							t.Fatal(err)
						}
						streams[name] = append(streams[name], string(b))
					} else {
						streams[name] = append(streams[name], "2024-05-01T10:00:00Z "+name+" "+tag+" "+line[from:to])
					}
					if from = to; from == len(line) {
						break
					}
				}
			}
		}
		var source strings.Builder
		for len(streams["stdout"])+len(streams["stderr"]) > 0 {
			name := rapid.SampledFrom([]string{"stdout", "stderr"}).Draw(t, "next")
			if rest := streams[name]; len(rest) > 0 {
				source.WriteString(rest[0] + "\n")
				streams[name] = rest[1:]
			}
		}
		got := map[string][]string{}
		stream := ""
		for _, s := range decodeAll([]byte(source.String()), source.Len()) {
			if name, _, ok := strings.Cut(s.Text, " "); ok && texts[name] != nil {
				stream = name
			}
			got[stream] = append(got[stream], s.Text)
		}
		if diff := cmp.Diff(texts, got); diff != "" {
			t.Fatalf("%s(-want +got):\n%s", source.String(), diff)
		}
	})
}

// Property: the ranks of four processes or more that take turns by chance are
// believed, and every line after a few is without its label.
func TestRanksAreBelieved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 64).Draw(t, "processes")
		shape := rapid.SampledFrom([]string{"%d: ", "[%d] ", "node%d: ", "trainer-%d  | ", "[worker%d]:"}).Draw(t, "shape")
		ranks := rapid.SliceOfN(rapid.IntRange(0, n-1), 100, 200).Draw(t, "ranks")
		var source strings.Builder
		falls := 0
		for i, r := range ranks {
			fmt.Fprintf(&source, shape+"step %d loss 0.5\n", r, i)
			if i > 0 && r < ranks[i-1] {
				falls++
			}
		}
		if n > 1 && falls < 25 {
			t.Skip("hardly by chance")
		}
		if n == 1 && strings.HasPrefix(shape, "trainer") {
			t.Skip("a single service has no need of a label")
		}
		for i, s := range decodeAll([]byte(source.String()), source.Len()) {
			if want := fmt.Sprintf("step %d loss 0.5", i); i >= 50 && s.Text != want {
				t.Fatalf("%s, ranks %v: line %d reads %q", shape, ranks, i, s.Text)
			}
		}
	})
}

// Property: a counter before a colon, in brackets, or in a word is text, by
// whatever it counts and wherever it begins, and starts again after many lines.
func TestCountersAreText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom([]string{"%d: ", "[%d] ", "epoch%d: ", "step-%d  | ", "[iter%d]: "}).Draw(t, "shape")
		from, by := rapid.IntRange(0, 500).Draw(t, "from"), rapid.IntRange(1, 50).Draw(t, "by")
		period := rapid.IntRange(20, 200).Draw(t, "period")
		var lines []string
		for i := range 200 {
			lines = append(lines, fmt.Sprintf(shape+"loss 0.%d", from+i%period*by, i))
		}
		source := strings.Join(lines, "\n") + "\n"
		if got := textsOf(source) + "\n"; got != source {
			t.Fatalf("%q reads %q", source, got)
		}
	})
}
