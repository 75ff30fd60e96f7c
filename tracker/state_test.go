package tracker_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedmate/logs/series"
	"schedmate/tracker"
)

func steady(records int) recipe {
	return recipe{records: records, every: 10, first: 10, total: 10 * records, stepTime: 0.5, jitter: 0.03, seed: 3, start: time.Date(2024, 3, 1, 10, 0, 0, 0, time.UTC)}
}

func mustPrint(t testing.TB, r recipe, template string) []piece {
	t.Helper()
	pieces, err := r.print(template)
	if err != nil {
		t.Fatal(err)
	}
	return pieces
}

// A slowdown stays after the records before it are forgotten, and goes when the
// step time is back at what it was.
func TestASlowdownLastsUntilItIsOver(t *testing.T) {
	r := steady(700)
	r.slowAt, r.slow, r.recoverAt = 100, 1.6, 500
	s := tracker.New(series.Limits{Families: 8, Columns: 8, History: 64})
	for i, p := range mustPrint(t, r, stamped[0]) {
		s.Write([]byte(p.text), 0)
		if i%5 != 4 {
			continue
		}
		got, _ := s.Progress()
		switch {
		case i < 100 && got.Slowdown != nil:
			t.Fatalf("record %d: slower before it was: %+v", i+1, got.Slowdown)
		case i >= 120 && i < 500 && got.Slowdown == nil:
			t.Fatalf("record %d: the slowdown from record 101 is not known", i+1)
		case i >= 120 && i < 500 && (math.Abs(got.Slowdown.Ratio-1.6) > 0.12 || math.Abs(got.Slowdown.Step-1010) > 30):
			t.Fatalf("record %d: steps take 1.6 times as long from step 1010, got %+v", i+1, *got.Slowdown)
		case i >= 580 && got.Slowdown != nil:
			t.Fatalf("record %d: over since record 501, and yet %+v", i+1, *got.Slowdown)
		}
	}
}

// What the head of the log declared is known when its lines are long forgotten,
// and validation points keep the step at which they came.
func TestWhatTheHeadSaidIsRemembered(t *testing.T) {
	r := steady(3000)
	r.total = 90000
	template := "head |   Total optimization steps = {total}\n" + stamped[0] + "\neach 100 | validation loss {val}"
	s := tracker.New(series.Limits{Families: 32, Columns: 8, History: 32})
	for i, p := range mustPrint(t, r, template) {
		s.Write([]byte(p.text), 0)
		if i%10 == 9 { // a line of a shape that never came before
			s.Write(fmt.Appendf(nil, "%s %d done\n", strings.Repeat(string(rune('a'+i/10%26)), 2+i/260), i), 0)
		}
	}
	got, _ := s.Progress()
	if value(got.TotalSteps) != 90000 {
		t.Errorf("the head said 90000 steps, read %g", value(got.TotalSteps))
	}
	if len(got.Validation) != 1 {
		t.Fatalf("one validation loss, read %+v", got.Validation)
	}
	points := got.Validation[0].Points
	if len(points) < 10 {
		t.Errorf("only %d points are kept", len(points))
	}
	for i, p := range points {
		if want := 30000 - 1000*float64(len(points)-1-i); p[0] != want {
			t.Errorf("validation %d was at step %g, read %g", i, want, p[0])
		}
	}
}

// The tail of a large log tells what the whole log tells, with the same lines.
func TestATailTellsWhatTheWholeTells(t *testing.T) {
	r := steady(40_000)
	log := []byte(text(mustPrint(t, r, "head |   Total optimization steps = {total}\n"+stamped[0])))
	whole := tracker.New(series.DefaultLimits)
	whole.Write(log, 0)
	want, _ := whole.Progress()
	s, read, err := tracker.ReadTail(bytes.NewReader(log), int64(len(log)), series.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := s.Progress()
	if s.Offset() != int64(len(log)) {
		t.Errorf("%d bytes were read or left out of %d", s.Offset(), len(log))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("whole and tail:\n%s", diff)
	}
	t.Logf("%d of %d bytes were read, most of them to count lines", read, len(log))
}

// Left-out bytes make no record: the line they cut is no line.
func TestSkippedBytesCutNoRecord(t *testing.T) {
	log := text(mustPrint(t, steady(200), stamped[0]))
	for cut := 3000; cut < 3200; cut++ {
		s := tracker.New(series.DefaultLimits)
		s.Write([]byte(log[:2000]), 0)
		s.Skip(int64(cut-2000), int64(strings.Count(log[2000:cut], "\n")))
		s.Write([]byte(log[cut:]), 0)
		got, _ := s.Progress()
		if value(got.Step) != 2000 || got.Step.Line != 200 || math.Abs(value(got.StepTime)-0.5) > 0.05 || got.Slowdown != nil {
			t.Fatalf("cut at %d: %s", cut, listing(&got))
		}
		checkEvidence(t, []byte(log), &got)
	}
}
