package logs_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedmate/logs"
)

// addStories seeds a fuzz target with the lines of all stories of a kind.
func addStories(f *testing.F, folder string, add func(line string)) {
	stories, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
	if err != nil || len(stories) == 0 {
		f.Fatalf("no stories in %s: %v", folder, err)
	}
	for _, path := range stories {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			add(line)
		}
	}
}

// Whatever is written, in whatever pieces and with a Peek after each: the
// segments are clean, in their places, and those of the source as a whole.
func FuzzDecoder(f *testing.F) {
	addStories(f, "decode", func(line string) {
		if raw, err := written(line); err == nil {
			f.Add(raw, uint16(7))
			f.Add(utf16Bytes(string(raw), false), uint16(3))
		}
	})
	f.Add([]byte(strings.Repeat("0: a\n1: b\n", 10)), uint16(1))
	f.Add(bytes.Repeat([]byte{'x'}, logs.MaxSegmentBytes+10), uint16(9999))
	f.Fuzz(func(t *testing.T, src []byte, chunk uint16) {
		var whole, got []kept
		d := logs.NewDecoder(func(s *logs.Segment) { whole = append(whole, keep(s)) })
		d.Write(src, 0)
		lines := int64(bytes.Count(src, []byte{'\n'})) + 1
		for _, s := range whole {
			if problem := uncleanText(s.Text); problem != "" {
				t.Fatalf("segment %q: %s", s.Text, problem)
			}
			if s.End == logs.EndHalf {
				t.Fatalf("segment %q is half, but nobody peeked", s.Text)
			}
			if s.Byte < 0 || s.Byte >= int64(len(src)) || s.Line < 1 || s.Line > lines {
				t.Fatalf("segment %q at byte %d of %d, line %d of %d", s.Text, s.Byte, len(src), s.Line, lines)
			}
		}
		d = logs.NewDecoder(func(s *logs.Segment) {
			if problem := uncleanText(string(s.Text)); problem != "" {
				t.Fatalf("segment %q: %s", s.Text, problem)
			}
			if s.End != logs.EndHalf {
				got = append(got, keep(s))
			}
		})
		// Few enough Peeks that the work stays linear in a long line.
		n := max(int(chunk), 1, len(src)/500)
		for rest := src; len(rest) > 0; {
			n := min(n, len(rest))
			d.Write(rest[:n], 0)
			d.Peek()
			rest = rest[n:]
		}
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Fatalf("in one write and in writes of %d bytes (-one +cut):\n%s", n, diff)
		}
		if d.Offset() != int64(len(src)) {
			t.Fatalf("offset %d behind %d bytes", d.Offset(), len(src))
		}
	})
}

// Whatever the line: fields stand in it one behind another, each on a digit,
// with a number that can be calculated with.
func FuzzFields(f *testing.F) {
	for _, folder := range []string{"fields", "stamps"} {
		addStories(f, folder, func(line string) { f.Add([]byte(line)) })
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		stamp, _ := logs.FindStamp(text)
		fields := logs.Fields(nil, text, stamp)
		if len(fields) > logs.MaxFields {
			t.Fatalf("%d fields", len(fields))
		}
		at := 0
		for i, f := range fields {
			if f.Start < at || f.Start >= f.End || f.End > f.UnitEnd || f.UnitEnd > len(text) {
				t.Fatalf("field %d stands at %d to %d, unit to %d, behind %d, in %d bytes", i, f.Start, f.End, f.UnitEnd, at, len(text))
			}
			at = f.UnitEnd
			digits := bytes.ContainsAny(text[f.Start:f.End], "0123456789")
			undefined := bytes.ContainsAny(text[f.Start:f.End], "nNiIeE") // nan, inf, 1e999
			if !digits && !undefined {
				t.Fatalf("field %d is %q", i, text[f.Start:f.End])
			}
			if math.IsInf(f.Value, 0) || math.IsNaN(f.Value) && !undefined {
				t.Fatalf("field %d, %q, is %v", i, text[f.Start:f.End], f.Value)
			}
			if f.KeyStart < 0 || f.KeyEnd < f.KeyStart || f.KeyEnd > f.Start {
				t.Fatalf("field %d at %d has its name at %d to %d", i, f.Start, f.KeyStart, f.KeyEnd)
			}
			if f.Ordinal < 0 || f.Decimals < 0 || f.Integer && f.Decimals > 0 {
				t.Fatalf("field %d, %q: %+v", i, text[f.Start:f.End], f)
			}
			if f.Kind == logs.Whole && (i == 0 || fields[i-1].Kind != logs.Part) {
				t.Fatalf("field %d, %q, is the whole of no part", i, text[f.Start:f.End])
			}
			if stamp.End > stamp.Start && f.Start < stamp.End && f.End > stamp.Start {
				t.Fatalf("field %d, %q, stands in the stamp %q", i, text[f.Start:f.End], text[stamp.Start:stamp.End])
			}
			checkUnit(t, string(text[f.End:f.UnitEnd]), logs.UnitOf(text[f.End:f.UnitEnd]))
		}
		again := logs.Fields(nil, text, stamp)
		if diff := cmp.Diff(fields, again, cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("read again (-first +second):\n%s", diff)
		}
	})
}

// Whatever the line: a stamp stands in it, begins early, and is a moment that
// is found again where it stood.
func FuzzStamp(f *testing.F) {
	addStories(f, "stamps", func(line string) { f.Add([]byte(line)) })
	f.Fuzz(func(t *testing.T, text []byte) {
		s, ok := logs.FindStamp(text)
		if !ok {
			if s != (logs.Stamp{}) {
				t.Fatalf("no stamp, but %+v", s)
			}
			return
		}
		const day = int64(86400e9)
		switch {
		case s.Start < 0 || s.Start >= s.End || s.End > len(text):
			t.Fatalf("stamp at %d to %d of %d bytes", s.Start, s.End, len(text))
		case s.Start > 96:
			t.Fatalf("stamp at %d", s.Start)
		case s.Resolution < 1 || s.Resolution > 60e9:
			t.Fatalf("%q is printed to %d ns", text[s.Start:s.End], s.Resolution)
		case !s.Day && (s.Nanos < 0 || s.Nanos > day):
			t.Fatalf("%q is %d ns after midnight", text[s.Start:s.End], s.Nanos)
		}
		if again, ok := logs.FindStamp(text[:s.End]); !ok || again.Start != s.Start || again.Nanos != s.Nanos {
			t.Fatalf("%q is %+v, but without what follows %+v", text, s, again)
		}
	})
}

// Whatever the word: its unit can be calculated with, and is remembered as it
// was parsed.
func FuzzUnit(f *testing.F) {
	for _, word := range []string{"s", "it/s", "s/it", "s/100 iters", "tokens per second", "MB/s", "memory(GiB)", "elapsed time per iteration (ms)", "秒/步", "每步耗时", "CurrSamplesPerSec", "s/0 it", "s/99999999 it", "per", "/", "(", "a per b per c", "time per", "per s time"} {
		f.Add(word)
	}
	addStories(f, "fields", func(line string) {
		for word := range strings.FieldsSeq(line) {
			f.Add(word)
		}
	})
	f.Fuzz(func(t *testing.T, word string) {
		u := logs.ParseUnit(word)
		checkUnit(t, word, u)
		if diff := cmp.Diff(u, logs.UnitOf([]byte(word))); diff != "" {
			t.Fatalf("%q (-parsed +remembered):\n%s", word, diff)
		}
		checkUnit(t, word, logs.UnitInName(word))
		for _, w := range logs.Words(word) {
			if w == "" {
				t.Fatalf("%q has an empty word", word)
			}
		}
	})
}
