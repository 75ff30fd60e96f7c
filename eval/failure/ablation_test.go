package failure

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	handler "schedmate/failure"
)

// logOf is a log that says the text.
func logOf(text string) handler.Log {
	return handler.Log{Name: "train.log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// story is a job that gets over an error of its object store, trains on, loses a
// GPU at line 44, and brings down its peers.
func story() string {
	var b strings.Builder
	fmt.Fprintln(&b, "starting on gpu-node-3")
	fmt.Fprintln(&b, "botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: \"https://store.example/shard-1\"")
	fmt.Fprintln(&b, "resuming at step 0")
	for step := 1; step <= 40; step++ {
		fmt.Fprintf(&b, "step %d/1000 loss %.3f lr 1.0e-04\n", 10*step, 4-float64(step)/40)
	}
	fmt.Fprintln(&b, "Nov 30 02:11:09 gpu-node-3 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4121, name=python3, GPU has fallen off the bus.")
	fmt.Fprintln(&b, "[rank1]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error")
	fmt.Fprintln(&b, "srun: error: gpu-node-3: task 0: Exited with exit code 1")
	return b.String()
}

func TestAblationsLackWhatTheySay(t *testing.T) {
	rules := handler.Default()
	askers := map[string]Ask{"whole": Whole(rules)}
	for _, a := range Ablations(rules) {
		askers[a.Name] = a.Ask
	}
	got := map[string]string{}
	for name, ask := range askers {
		p, err := ask(context.Background(), logOf(story()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got[name] = fmt.Sprintf("line %d %s %s node %q quarantine %v", p.RootLine, p.Class, p.Component, p.Node, p.Quarantine)
	}
	want := map[string]string{
		"whole":            `line 44 infrastructure gpu node "gpu-node-3" quarantine true`,
		"tail":             `line 44 infrastructure gpu node "gpu-node-3" quarantine true`,
		"first-error-word": `line 2   node "" quarantine false`,
		"first-rule":       `line 2 infrastructure storage node "" quarantine false`, // which the job got over
		"no-locator":       `line 46 user unknown node "" quarantine false`,          // the launcher's word
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
}

// A root that stands far before the end is not in the tail; what is found there
// has the line of the whole log.
func TestTailHasTheLinesOfTheLog(t *testing.T) {
	chatter := strings.Repeat("waiting for the other ranks\n", 600)
	ask := tail(Whole(handler.Default()), tailLines)
	for name, c := range map[string]struct {
		text string
		line int64
	}{
		"the root is in the tail":     {chatter + story(), 644},
		"it is before":                {story() + chatter, 0},
		"the log is shorter":          {story(), 44},
		"the log is in UTF-16":        {wide(chatter + story()), 644},
		"the last line does not end":  {chatter + strings.TrimSuffix(story(), "\n"), 644},
		"there is nothing in the log": {"", 0},
	} {
		p, err := ask(context.Background(), logOf(c.text))
		if err != nil || p.RootLine != c.line {
			t.Errorf("%s: root at line %d (%v), want %d", name, p.RootLine, err, c.line)
		}
	}
}

// wide is a text of ASCII in UTF-16 with its mark.
func wide(text string) string {
	var b bytes.Buffer
	b.WriteString("\xff\xfe")
	for i := range len(text) {
		b.Write([]byte{text[i], 0})
	}
	return b.String()
}

// Where the tail begins is where splitting the whole text says.
func TestTailIsASplit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("a\n")), 0, 60, -1).Draw(rt, "text")
		most := rapid.IntRange(1, 8).Draw(rt, "lines")
		l := newLastStarts(most)
		for _, part := range strings.SplitAfter(text, "a") {
			l.read([]byte(part))
		}
		lines := strings.SplitAfter(text, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		left := max(0, len(lines)-most)
		offset, before := l.first()
		if before != int64(left) || text[offset:] != strings.Join(lines[left:], "") {
			rt.Fatalf("%d lines before %q, want %d before %q", before, text[offset:], left, strings.Join(lines[left:], ""))
		}
	})
}

// Without rules there are no findings, and that is no healthy job.
func TestNoRulesAreAnError(t *testing.T) {
	if _, err := Whole(&handler.RuleSet{})(context.Background(), logOf(story())); err == nil {
		t.Error("a handler without rules answers")
	}
}
