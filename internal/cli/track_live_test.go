package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"schedmate"
)

func liveTableOf(width, height int) (*liveTable, *bytes.Buffer) {
	var out bytes.Buffer
	return &liveTable{out: &out, rows: make(map[string]liveRow), size: func() (int, int) { return width, height }}, &out
}

func atStep(step float64) *schedmate.Progress {
	return &schedmate.Progress{Trackable: true, Step: &schedmate.Reading{Value: step, Confidence: 1}}
}

// The table is drawn over the one before, and never wraps or scrolls.
func TestLiveTableStaysInPlace(t *testing.T) {
	table, out := liveTableOf(100, 8)
	show := func() string {
		t.Helper()
		out.Reset()
		table.next = time.Time{}
		if err := table.flush(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for i := range 3 {
		if err := table.report(&trackLine{File: fmt.Sprintf("job-%d.log", i)}, atStep(float64(i))); err != nil {
			t.Fatal(err)
		}
	}
	first := show()
	if strings.Contains(first, "\x1b[5A") || strings.Count(first, "\n") != 5 || !strings.Contains(first, "3 logs\x1b[K") {
		t.Errorf("the first drawing is a header, three rows and a footer: %q", first)
	}
	if got := show(); got != "" {
		t.Errorf("without news nothing is drawn, got %q", got)
	}

	for i := range 20 {
		if err := table.report(&trackLine{File: fmt.Sprintf("job-%d.log", i)}, atStep(100)); err != nil {
			t.Fatal(err)
		}
	}
	table.note("node\x1b[7 is away")
	second := show()
	if !strings.HasPrefix(second, "\x1b[5A\r") {
		t.Errorf("the second drawing begins five lines up: %q", second)
	}
	if lines := strings.Count(second, "\n"); lines != 7 {
		t.Errorf("%d lines on a terminal of 8, want 7", lines)
	}
	for line := range strings.Lines(second) {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\x1b[K\n"), "\x1b[5A\r")
		if len([]rune(line)) > 99 && line != "\x1b[J" {
			t.Errorf("%q is as wide as the terminal", line)
		}
	}
	if !strings.Contains(second, "20 logs, 15 of them changed earlier and are not shown; ") || strings.Contains(second, "node\x1b[7") {
		t.Errorf("the footer counts the rows left out, and escapes notes: %q", second)
	}

	if err := table.report(&trackLine{File: "job-3.log", Gone: true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := table.report(&trackLine{File: "job-4.log", Error: "gone bad"}, nil); err != nil {
		t.Fatal(err)
	}
	if third := show(); strings.Contains(third, "job-3.log") || !strings.Contains(third, "cannot be read") || !strings.Contains(third, "19 logs") {
		t.Errorf("a log that is gone has no row, one that cannot be read says so: %q", third)
	}
}
