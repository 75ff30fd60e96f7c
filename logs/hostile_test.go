package logs_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"schedmate/logs"
)

// floods are inputs that fill memory or take more than linear time in a reader
// that trusts them. Each is written again and again.
var floods = map[string]string{
	"one line":                    "x",
	"one line of words":           "loss 0.5 step 12/100 ",
	"one line of Chinese":         "训练损失",
	"bad bytes":                   "\xff\xfe\x80",
	"half characters":             "\xe6\xad",
	"zeros":                       "\x00",
	"zeros and text":              "\x00x",
	"returns":                     "\r",
	"line feeds":                  "\n",
	"backspaces":                  "\b",
	"a spinner":                   "|\b/\b-\b\\\b",
	"a bar of backspaces":         "10/100 [====>      ]" + strings.Repeat("\b", 20),
	"the end of a long line":      "\b\b\b\b\b\b\b\b12345678",
	"escapes":                     "\x1b",
	"sequences without an end":    "\x1b[",
	"parameters without an end":   ";1",
	"titles without an end":       "\x1b]",
	"colours":                     "\x1b[32mx\x1b[0m",
	"upward":                      "\x1b[1Ax",
	"leftward":                    "x\x1b[9999D",
	"parts of a container's line": "2024-05-01T10:00:00Z stdout P xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
	"parts of a container's bar":  "2024-05-01T10:00:00Z stdout P \rxxxxxxxx\ryyyyyyyyyyyyyyyyyyyyy\n",
	"parts of Docker's line":      `{"log":"xxxxxxxxxxxxxxxxxxxxxxxxx","stream":"stdout","time":"2024-05-01T10:00:00Z"}` + "\n",
	"Docker's escapes":            `{"log":"\u001b[\u001b[\u001b]\b\u0000\r\ud800","stream":"stdout","time":"2024-05-01T10:00:00Z"}` + "\n",
	"open braces":                 `{"log":"`,
	"brackets":                    "[[[[((((",
	"digits":                      "1",
	"numbers":                     "1,234.5e6/7:8-9_",
}

// Whatever comes, the decoder keeps at most a few times MaxSegmentBytes, no
// segment is longer than MaxSegmentBytes, and the work is linear: a reader that
// is not would take hours here.
func TestFloods(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 18
	}
	starts := map[string]string{
		"":                  "",
		" behind text":      "Epoch 1 of 3, step 10: ",
		" behind much text": strings.Repeat("x", 60<<10),
	}
	for name, flood := range floods {
		for where, start := range starts {
			t.Run(name+where, func(t *testing.T) {
				var text, segments int64
				d := logs.NewDecoder(func(s *logs.Segment) {
					segments++
					text += int64(len(s.Text))
					if len(s.Text) > logs.MaxSegmentBytes {
						t.Fatalf("a segment of %d bytes", len(s.Text))
					}
				})
				written := stream(d, start, flood, size)
				if d.Offset() != written {
					t.Errorf("offset %d behind %d bytes", d.Offset(), written)
				}
				kept := retained(d)
				t.Logf("%d bytes: %d segments with %d bytes; %d bytes kept", written, segments, text, kept)
				if kept > 8*logs.MaxSegmentBytes {
					t.Errorf("%d bytes kept, want at most 8 times %d", kept, logs.MaxSegmentBytes)
				}
			})
		}
	}
}

// stream writes start and then the flood until size bytes are written, out of
// one small buffer.
func stream(d *logs.Decoder, start, flood string, size int) int64 {
	d.Write([]byte(start), 0)
	block := []byte(strings.Repeat(flood, 1+(32<<10)/len(flood)))
	written := int64(len(start))
	for written < int64(size) {
		d.Write(block, 0)
		written += int64(len(block))
	}
	d.Peek()
	return written
}

// retained is the memory that goes when d goes.
func retained(d *logs.Decoder) int64 {
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	with := heap()
	runtime.KeepAlive(d)
	*d = logs.Decoder{}
	return with - heap()
}

// One line of a gigabyte: its head is a segment, the rest is counted, and what
// comes behind it is read.
func TestOneLineOfAGigabyte(t *testing.T) {
	if testing.Short() {
		t.Skip("short: writes a gigabyte")
	}
	var got []kept
	d := logs.NewDecoder(func(s *logs.Segment) { got = append(got, keep(s)) })
	d.Write([]byte("head of the line "), 0)
	block := bytes.Repeat([]byte("0123456789abcde "), 1<<16)
	for range 1 << 10 {
		d.Write(block, 0)
	}
	d.Write([]byte("\nstep 2\n"), 0)
	if len(got) != 2 || !got[0].Cut || len(got[0].Text) != logs.MaxSegmentBytes || !strings.HasPrefix(got[0].Text, "head of the line 0123") || got[0].Line != 1 || got[0].Byte != 0 {
		t.Fatalf("%d segments", len(got))
	}
	if want := (kept{Text: "step 2", Byte: 1<<30 + 18, Line: 2, Label: logs.Label{Rank: logs.NoRank}}); got[1] != want {
		t.Errorf("behind the line stands %+v, want %+v", got[1], want)
	}
	if d.Offset() != 1<<30+25 || d.Line() != 3 {
		t.Errorf("offset %d, line %d, want %d and 3", d.Offset(), d.Line(), 1<<30+25)
	}
}

// A line that is too long is cut between characters and marked; a return or
// backspaces in it begin a piece that is read again.
func TestLongLinesAreCut(t *testing.T) {
	const limit = logs.MaxSegmentBytes
	f := func(name, source string, want ...kept) {
		t.Helper()
		for _, chunk := range []int{1 << 20, 1000, 1} {
			got := decodeAll([]byte(source), chunk)
			if len(got) != len(want) {
				t.Errorf("%s, in writes of %d: %d segments, want %d", name, chunk, len(got), len(want))
				continue
			}
			for i := range want {
				want[i].Label.Rank = logs.NoRank
				if got[i] != want[i] {
					t.Errorf("%s, in writes of %d, segment %d: %d bytes at %d, line %d, end %d, cut %t; want %d bytes at %d, line %d, end %d, cut %t", name, chunk, i,
						len(got[i].Text), got[i].Byte, got[i].Line, got[i].End, got[i].Cut, len(want[i].Text), want[i].Byte, want[i].Line, want[i].End, want[i].Cut)
				}
			}
		}
	}
	x := strings.Repeat("x", limit)
	f("just not too long", x+"\nnext\n",
		kept{Text: x, Line: 1}, kept{Text: "next", Byte: limit + 1, Line: 2})
	f("one byte too long", x+"x\nnext\n",
		kept{Text: x, Line: 1, End: logs.EndRedraw, Cut: true}, kept{Text: "next", Byte: limit + 2, Line: 2})
	f("a character across the limit", x[1:]+"训\nnext\n",
		kept{Text: x[1:], Line: 1, End: logs.EndRedraw, Cut: true}, kept{Text: "next", Byte: limit + 3, Line: 2})
	f("a return behind the limit", x+"xxx\rstep 2\n",
		kept{Text: x, Line: 1, End: logs.EndRedraw, Cut: true}, kept{Text: "step 2", Byte: limit + 4, Line: 1})
	f("a bar behind the limit", x+"xxx"+strings.Repeat("\b", 10)+"step 2\n",
		kept{Text: x, Line: 1, End: logs.EndRedraw, Cut: true}, kept{Text: "step 2", Byte: limit + 13, Line: 1})
	f("mending makes it too long", strings.Repeat("\xff", limit/2)+"\n",
		kept{Text: strings.Repeat("\ufffd", limit/3), Line: 1, Cut: true})
	f("a container's parts are too long", strings.Repeat("2024-05-01T10:00:00Z stdout P "+x[:limit/2]+"\n", 3)+"2024-05-01T10:00:00Z stdout F \n",
		kept{Text: x, Line: 1, Cut: true, Label: logs.Label{StampNanos: 1714557600e9}})
}

// Names of hosts are kept once each, and not more than a few thousand.
func TestHostsWithoutEnd(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	seen := map[string]bool{}
	d := logs.NewDecoder(func(s *logs.Segment) {
		if s.Label.Host == "" || string(s.Text) != "step 1" {
			t.Fatalf("host %q, text %q", s.Label.Host, s.Text)
		}
		if len(seen) < 1000 {
			seen[s.Label.Host] = true
		}
	})
	for i := range n {
		d.Write(fmt.Appendf(nil, "(Worker pid=7, ip=node-%d.cluster.example.org) step 1\n", i), 0)
	}
	if len(seen) != 1000 {
		t.Errorf("%d hosts among the first 1000", len(seen))
	}
	if kept := retained(d); kept > 1<<20 {
		t.Errorf("%d bytes kept of %d hosts", kept, n)
	}
}

// Lines of the greatest length that would keep a scanner busy that looks back
// or ahead from every number.
func TestFieldsOfHostileLines(t *testing.T) {
	for _, scrap := range []string{"1", "1,", "1,234,", "1/", "a/1/", "1a", "1h", "1h1m", "1.", ".1", "1:", "1:23:", "1-", "a-1-", "#1", "|#1", "%|1", "(1", "[(1)] ", "1 per ", "1 s / ", "x.y:1 ", "0x1", "1e1e", "训1", "1训", "2024-05-01 ", "10:00:00", "Jan 1 ", "-", "_1", "@1", "1 of ", "1 day, ", "1 h 2 ", "=", "\xff1", "1\xe6"} {
		for _, start := range []string{"", "/", "a", "1", "2024-05-01 10:00:00 "} {
			line := []byte(start + strings.Repeat(scrap, logs.MaxSegmentBytes/len(scrap)))
			stamp, _ := logs.FindStamp(line)
			fields := logs.Fields(nil, line, stamp)
			if len(fields) > logs.MaxFields {
				t.Fatalf("%d fields in a line of %q", len(fields), scrap)
			}
			logs.Template(line)
		}
	}
}
