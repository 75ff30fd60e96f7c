package series_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/logs"
	"schedmate/logs/series"
)

var small = series.Limits{Families: 4, Columns: 3, History: 5}

// only is the one family of a set.
func only(t *testing.T, s *series.Set) *series.Family {
	t.Helper()
	if n := len(s.Families()); n != 1 {
		t.Fatalf("%d families, want one:\n%s", n, listing(s))
	}
	return s.Families()[0]
}

// The last records are kept, the oldest first; all are counted.
func TestTheLastRecordsAreKept(t *testing.T) {
	s := series.NewSet(small)
	for i := range 12 {
		add(s, fmt.Sprintf("step %d loss 2.%d\n", i, i))
		f := only(t, s)
		if want := min(i+1, 5); f.Len() != want || f.Count != i+1 {
			t.Fatalf("after %d lines %d are kept and %d counted", i+1, f.Len(), f.Count)
		}
		for k := range f.Len() {
			if want := float64(i - f.Len() + 1 + k); f.At(k).Value(0) != want {
				t.Fatalf("after %d lines record %d has step %g, want %g", i+1, k, f.At(k).Value(0), want)
			}
		}
	}
}

// Every number has the line and the byte where it stands.
func TestRecordsKnowTheirLines(t *testing.T) {
	s := series.NewSet(small)
	add(s, "hello\nstep 1 loss 2.5\n\nstep 2 loss 2.4\r\nstep 3 loss 2.3\r")
	f := only(t, s)
	var got [][2]int64
	for i := range f.Len() {
		got = append(got, [2]int64{f.At(i).Line, f.At(i).Byte})
	}
	if diff := cmp.Diff([][2]int64{{2, 6}, {4, 23}, {5, 40}}, got); diff != "" {
		t.Error(diff)
	}
}

// A column that no line fills, or that is none, has no value.
func TestMissingValuesAreNaN(t *testing.T) {
	s := series.NewSet(small)
	add(s, "step 1 loss 2.5\nstep 2 loss 2.4 lr 0.1\n")
	f := only(t, s)
	for _, c := range []int{-1, 2, 3, 99} {
		if v := f.At(0).Value(c); !math.IsNaN(v) {
			t.Errorf("column %d of the first line is %g", c, v)
		}
	}
	if v := f.At(1).Value(2); v != 0.1 {
		t.Errorf("the learning rate is %g", v)
	}
}

// More numbers than the limit are left out; the first stay.
func TestColumnsBeyondTheLimitAreLeftOut(t *testing.T) {
	s := series.NewSet(small)
	add(s, "one=1 two=2 three=3 four=4 five=5\none=10 two=20 three=30 four=40 five=50\n")
	if got := values(only(t, s), 2); cmp.Diff([]string{"3", "30"}, got) != "" || len(only(t, s).Columns) != 3 {
		t.Errorf("the third of %d columns is %v", len(only(t, s).Columns), got)
	}
}

// A line flushed in part does not count; one that only lacks its end does, and
// is the same record when the end comes.
func TestHalfLines(t *testing.T) {
	for _, c := range []struct{ half, want string }{
		{"step 3", "1 2"},                       // the loss is missing
		{"step 3 los", "1 2"},                   //
		{"step 3 loss 2.3 lr 0.1", "1 2 3"},     // whole, perhaps
		{"step 3 loss 2.3 lr 0.", "1 2"},        // ends in a point: cut
		{"other 3 loss 2.3 lr 0.1", "1 2"},      // a shape that never came as a whole
		{"step 3 loss 2.3 lr 0.1 x", "1 2"},     // no line ended in a letter
		{"step 3 loss 2.3 lr 0.1 x 7", "1 2 3"}, // more than all others have
	} {
		s := series.NewSet(series.DefaultLimits)
		d := logs.NewDecoder(func(seg *logs.Segment) { s.Add(seg) })
		d.Write([]byte("step 1 loss 2.5 lr 0.1\nstep 2 loss 2.4 lr 0.1\n"+c.half), 0)
		for range 3 { // however often one looks
			d.Peek()
		}
		f := only(t, s)
		if got := strings.Join(values(f, 0), " "); got != c.want {
			t.Errorf("%q: steps %s, want %s", c.half, got, c.want)
		}
		if f.Len() == 3 && (!f.At(2).Half || !math.IsNaN(f.At(2).Value(len(f.Columns)-1)) && f.Columns[len(f.Columns)-1].Count == 3) {
			t.Errorf("%q: the last number may be cut, and yet it is believed", c.half)
		}
	}
}

// Looking at half lines in between leaves no trace, not even when the ring of
// records is full.
func TestLookingLeavesNoTrace(t *testing.T) {
	var log strings.Builder
	for i := range 40 {
		fmt.Fprintf(&log, "step %d loss 2.%02d\nvalidation accuracy 0.%02d after %d steps\nSaving.\n", i, i, i, i)
	}
	quiet, seen := series.NewSet(small), series.NewSet(small)
	add(quiet, log.String())
	d := logs.NewDecoder(func(seg *logs.Segment) { seen.Add(seg) })
	for i := range log.Len() {
		d.Write([]byte(log.String()[i:i+1]), 0)
		if i%3 == 0 {
			d.Peek()
			d.Peek()
		}
	}
	d.Peek()
	if diff := cmp.Diff(listing(quiet), listing(seen)); diff != "" {
		t.Error(diff)
	}
	if quiet.Sequence() != seen.Sequence() {
		t.Errorf("%d segments, but %d when looked at", quiet.Sequence(), seen.Sequence())
	}
	for i, f := range quiet.Families() {
		g := seen.Families()[i]
		for k := range f.Len() {
			if f.At(k).Sequence != g.At(k).Sequence || f.At(k).Line != g.At(k).Line || g.At(k).Half {
				t.Errorf("record %d of %q differs", k, f.Sample)
			}
		}
	}
}

// Times of a day go on past midnight, for each rank by itself.
func TestMidnight(t *testing.T) {
	s := series.NewSet(series.DefaultLimits)
	add(s, "[rank0]:23:59:58 step 1\n[rank1]:23:59:59 step 1\n[rank0]:00:00:01 step 2\n[rank1]:00:00:02 step 2\n[rank0]:23:59:59 step 3\n[rank0]:00:00:01 step 4\n")
	for _, f := range s.Families() {
		var seconds []int64
		for i := range f.Len() {
			seconds = append(seconds, f.At(i).StampNanos/1e9)
		}
		want := []int64{86398, 86401, 172799, 172801}
		if f.Rank == 1 {
			want = []int64{86399, 86402}
		}
		if diff := cmp.Diff(want, seconds); diff != "" {
			t.Errorf("rank %d:\n%s", f.Rank, diff)
		}
	}
}

// The stamp of the container runtime counts where the line has none, or one of
// whole seconds.
func TestStamps(t *testing.T) {
	for line, want := range map[string][2]int64{ // nanoseconds after ten o'clock, resolution
		"2024-03-01T10:00:00.250000000Z stdout F step 1":                            {250e6, 1},
		"2024-03-01T10:00:00.250000000Z stdout F 2024-03-01 10:00:00 step 1":        {250e6, 1},
		"2024-03-01T10:00:00.250000000Z stdout F 2024-03-01 10:00:00.125000 step 1": {125e6, 1000},
		"2024-03-01 10:00:03 step 1":                                                {3e9, 1e9},
		"step 1 of the run":                                                         {-1709287200e9, 0},
	} {
		s := series.NewSet(small)
		add(s, line+"\n")
		r := only(t, s).At(0)
		if got := [2]int64{r.StampNanos - 1709287200e9, r.StampStep}; got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

// The anchor is where the job was when a line came.
func TestAnchor(t *testing.T) {
	s := series.NewSet(small)
	add(s, "step 10 loss 2.5\nbleu 20.5 of dev\n")
	for _, f := range s.Families() {
		if strings.HasPrefix(f.Sample, "step") {
			s.SetAnchor(f, 0)
		}
	}
	add(s, "bleu 21.5 of dev\nstep 20 loss 2.4\nbleu 22.5 of dev\n")
	for _, f := range s.Families() {
		if strings.HasPrefix(f.Sample, "bleu") {
			got := fmt.Sprint(f.At(0).Anchor, f.At(1).Anchor, f.At(2).Anchor)
			if got != "NaN 10 20" {
				t.Errorf("the scores came at steps %s, want NaN 10 20", got)
			}
		}
	}
}

// The family that came last is the first; the last line without a number is known.
func TestOrderOfFamilies(t *testing.T) {
	s := series.NewSet(small)
	add(s, "a 1\nb 1\nhello\na 2\n")
	f := s.Families()
	if len(f) != 2 || f[0].Sample != "a 1" || f[1].Sample != "b 1" {
		t.Errorf("got\n%s", listing(s))
	}
	if text, at := s.LastPlain(); text != "hello" || at != 3 {
		t.Errorf("the last plain line is %q, the %d-th", text, at)
	}
}

// Shapes that came once give way to new ones first, shapes that come again and
// again stay, however far their lines are apart.
func TestShapesThatReturnStay(t *testing.T) {
	s := series.NewSet(small)
	for i := range 2000 {
		add(s, fmt.Sprintf("%s %d\n", strings.Repeat(string(rune('a'+i%26)), 1+i/26), i))
		if i%20 == 0 {
			add(s, fmt.Sprintf("step %d loss 2.5\n", i))
		}
		if n := len(s.Families()); n > small.Families {
			t.Fatalf("%d families, at most %d are allowed", n, small.Families)
		}
	}
	for _, f := range s.Families() {
		if strings.HasPrefix(f.Sample, "step") && f.Len() == small.History {
			return
		}
	}
	t.Errorf("the steps are lost:\n%s", listing(s))
}
