package failure

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"schedmate"
)

// written is a log that is made while it is read: n pieces.
type written struct {
	n     int
	piece func(i int) string
	i     int
	rest  string
}

func (w *written) Read(p []byte) (int, error) {
	for w.rest == "" {
		if w.i == w.n {
			return 0, io.EOF
		}
		w.rest = w.piece(w.i)
		w.i++
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

// Whatever a log is made of, what is kept of it is bounded, and what is said is
// valid and can be shown.
func TestHostileLogsAreBounded(t *testing.T) {
	const big = 100_000 / hostileScale
	long := strings.Repeat("error ", 10_000)
	quotes := strings.Repeat(`"'`+"`", 20_000)
	for name, c := range map[string]struct {
		n     int
		piece func(i int) string
		check func(t *testing.T, s *Scanner, d schedmate.Diagnosis)
	}{
		"one line of 50 MB": {50 << 20 / len(long) / hostileScale, func(int) string { return long }, nil},
		"one line of 256 KB that is an error again and again": {256 << 10 / 64 / hostileScale, func(int) string {
			return "RuntimeError: CUDA error: uncorrectable ECC error encountered!! "
		}, nil},
		"labels of 20,000 ranks": {20_000 / hostileScale, func(i int) string { return fmt.Sprintf("[rank%d]: RuntimeError: bad input %d\n", i, i) }, nil},
		"labels of 20,000 hosts": {20_000 / hostileScale, func(i int) string {
			return fmt.Sprintf("(W pid=7, ip=10.%d.%d.%d) ValueError: x\n", i>>16, i>>8&255, i&255)
		}, nil},
		"the names of 20,000 hosts": {20_000 / hostileScale, func(i int) string {
			return fmt.Sprintf("Mar  1 10:00:21 n%d kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n", i)
		}, nil},
		"distinct lines of errors":                {5000 / hostileScale, func(i int) string { return fmt.Sprintf("%sError: %s is not %s\n", word(i), word(i+1), word(i+2)) }, nil},
		"more distinct lines than are remembered": {maxShapes/hostileScale + 5000, func(i int) string { return word(i) + "\n" }, nil},
		"distinct lines of 30 numbers":            {big / 10, func(i int) string { return strings.Repeat(fmt.Sprintf("%d ", i), 30) + word(i) + "\n" }, nil},
		"a traceback that never ends": {big, func(i int) string {
			if i == 0 {
				return "Traceback (most recent call last):\n"
			}
			return fmt.Sprintf("  File \"/home/ann/f%d.py\", line %d, in f\n    f(x)\n", i, i)
		}, nil},
		"a message that never ends": {big, func(i int) string {
			switch i {
			case 0:
				return "Traceback (most recent call last):\n  File \"a.py\", line 1\n"
			case 1:
				return "ValueError: begins\n"
			}
			return "  and goes on\n"
		}, func(t *testing.T, _ *Scanner, d schedmate.Diagnosis) {
			if d.Root == nil || d.Root.Line != 3 {
				t.Errorf("the root is %+v, want line 3", d.Root)
			}
		}},
		"heads of tracebacks only": {big, func(int) string { return "Traceback (most recent call last):\n" }, nil},
		"a chain of 5,000": {5_000 / hostileScale, func(i int) string {
			return fmt.Sprintf("Traceback (most recent call last):\n  File \"a.py\", line %d\nValueError: %d\n\nDuring handling of the above exception, another exception occurred:\n\n", i, i)
		}, func(t *testing.T, _ *Scanner, d schedmate.Diagnosis) {
			if d.Root == nil || d.Root.Line != 3 {
				t.Errorf("the root is %+v, want line 3", d.Root)
			}
		}},
		"a chain of distinct exceptions": {3_000 / hostileScale, func(i int) string {
			return fmt.Sprintf("Traceback (most recent call last):\n  File \"a.py\", line %d\n[rank%d]: x\n%sError: %d\n\nDuring handling of the above exception, another exception occurred:\n\n", i, i, word(i), i)
		}, nil},
		"nothing but zero bytes": {64, func(int) string { return strings.Repeat("\x00", 64<<10) }, nil},
		"zero bytes between":     {1000 / hostileScale, func(int) string { return "Value\x00Error: b\x00ad\x00\n" }, nil},
		"lines of quotes only":   {200 / hostileScale, func(int) string { return quotes + "\n" }, nil},
		"an error among quotes": {100 / hostileScale, func(i int) string {
			return quotes[:1500] + "CUDA error: uncorrectable ECC error encountered" + quotes[:1500] + "\n"
		}, nil},
		"settings with quotes": {400 / hostileScale, func(i int) string {
			return fmt.Sprintf("key%d: %s CUDA out of memory. Tried to allocate 3 %s\n", i, quotes[:2000], quotes[:2000])
		}, nil},
		"waits of 5,000 ranks": {5_000 / hostileScale, func(i int) string {
			return fmt.Sprintf("[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600001 milliseconds\n", i, i%7)
		}, func(t *testing.T, s *Scanner, _ schedmate.Diagnosis) {
			if len(s.watches.seen) > maxWatches {
				t.Errorf("%d watches are kept", len(s.watches.seen))
			}
		}},
		"a world of two thousand million": {2, func(i int) string {
			return []string{"world_size: 2147483647\n", "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000)\n"}[i]
		}, nil},
		"redrawn 20,000 times":   {20_000 / hostileScale, func(i int) string { return fmt.Sprintf("\r%d%% CUDA out of memory. Tried to allocate", i%100) }, nil},
		"a half escape sequence": {1 << 14, func(int) string { return "\x1b[31;" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewScanner(Default())
			if err := s.Read("train.log", &written{n: c.n, piece: c.piece}); err != nil {
				t.Fatal(err)
			}
			checkBounds(t, s)
			d := s.Diagnosis()
			if err := d.Validate("diagnosis"); err != nil {
				t.Error(err)
			}
			for _, q := range slices.Concat(d.Evidence, d.Witnesses) {
				if len(q.Text) > maxText {
					t.Errorf("a quote has %d bytes", len(q.Text))
				}
			}
			log := Log{Name: "train.log", Open: func() (io.ReadCloser, error) { return io.NopCloser(&written{n: c.n, piece: c.piece}), nil }}
			if err := Verify(context.Background(), []Log{log}, slices.Concat(d.Evidence, d.Witnesses)); err != nil {
				t.Error(err)
			}
			if c.check != nil {
				c.check(t, s, d)
			}
			t.Logf("%d lines, %d events, %d dropped, %d shapes, %d streams: %s", s.sequence, len(s.events), s.dropped, len(s.shapes), len(s.streams), verdict(d))
		})
	}
}

// word is one of many words without digits.
func word(i int) string {
	var b []byte
	for i += 26; i > 0; i /= 26 {
		b = append(b, byte('a'+i%26))
	}
	return string(b)
}

// checkBounds checks that a scanner keeps no more than it says.
func checkBounds(t *testing.T, s *Scanner) {
	t.Helper()
	type bound struct {
		what      string
		got, most int
	}
	bounds := []bound{
		{"events", len(s.events), maxEvents}, {"shapes", len(s.shapes), maxShapes}, {"streams", len(s.streams), maxStreams + 1},
		{"watches", len(s.watches.seen), maxWatches}, {"hosts", len(s.hosts.seen), maxStreams}, {"ranks of hosts", len(s.hosts.ofRank), maxStreams},
		{"chunks", len(s.chunks.list), maxChunks}, {"recent events", len(s.recent), 4 * maxEvents},
	}
	for _, e := range s.events {
		bounds = append(bounds, bound{"bytes of an event", len(e.text), maxText}, bound{"lines of an event", len(e.lines), maxLines})
	}
	for _, st := range s.ordered {
		bounds = append(bounds, bound{"bytes of a record", len(st.record), maxRecord}, bound{"bytes of a tail", len(st.tail), stampReach})
		if st.block != nil {
			bounds = append(bounds, bound{"frames", len(st.block.files), maxFrames})
		}
	}
	for _, b := range bounds {
		if b.got > b.most {
			t.Errorf("%d %s are kept, want at most %d", b.got, b.what, b.most)
			return
		}
	}
}

// The encoding of a log does not hide its error: UTF-16 in both orders, GBK, and
// Latin-1.
func TestEncodingsAreRead(t *testing.T) {
	const text = "step 10 loss 2.2\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nValueError: bad input\n"
	wide := func(little bool) []byte {
		out := []byte{0xfe, 0xff}
		if little {
			out = []byte{0xff, 0xfe}
		}
		for _, u := range utf16.Encode([]rune(text)) {
			if little {
				out = append(out, byte(u), byte(u>>8))
			} else {
				out = append(out, byte(u>>8), byte(u))
			}
		}
		return out
	}
	gbk := []byte("\xb1\xa3\xb4\xe6\xbc\xec\xb2\xe9\xb5\xe3\xca\xa7\xb0\xdc\n") // a sentence of seven Chinese characters
	for name, log := range map[string][]byte{
		"UTF-16, the low byte first":  wide(true),
		"UTF-16, the high byte first": wide(false),
		"GBK":                         slices.Concat(gbk, []byte(text)),
		"Latin-1":                     slices.Concat([]byte("t\xe2che commenc\xe9e\n"), []byte(text)),
		"a mark before UTF-8":         slices.Concat([]byte("\xef\xbb\xbf"), []byte(text)),
	} {
		t.Run(name, func(t *testing.T) {
			s := NewScanner(Default())
			if err := s.Read("train.log", bytes.NewReader(log)); err != nil {
				t.Fatal(err)
			}
			d := s.Diagnosis()
			if d.Root == nil || d.Root.Text != "ValueError: bad input" {
				t.Fatalf("the root is %+v", d.Root)
			}
			if err := Verify(context.Background(), []Log{memoryLog("train.log", log)}, d.Evidence); err != nil {
				t.Error(err)
			}
		})
	}
}

// Many logs of one incident are kept apart, and each costs little.
func TestManyLogs(t *testing.T) {
	s := NewScanner(Default())
	const logs = 1000
	for i := range logs {
		if err := s.Read(fmt.Sprintf("rank-%d.log", i), strings.NewReader("step 10 loss 2.2\nConnection closed by peer\n")); err != nil {
			t.Fatal(err)
		}
	}
	checkBounds(t, s)
	if in := s.Incident(); len(in.Logs) != logs || len(in.Lanes) != logs {
		t.Errorf("%d logs and %d lanes are told, want %d", len(in.Logs), len(in.Lanes), logs)
	}
}
