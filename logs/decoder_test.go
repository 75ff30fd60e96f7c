package logs_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/logs"
)

// Each file in testdata/decode tells what a program wrote and what a person
// saw. testdata/README.md describes the language.
func TestDecodeStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/decode/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, path, tellDecoding)
		})
	}
}

func tellDecoding(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd != "decode" {
		d.Fatalf(t, "unknown command %q, use decode", d.Cmd)
	}
	var writes [][]byte // a Peek stands between two of them
	for part := range strings.SplitSeq(d.Input, `\p`) {
		raw, err := written(part)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		writes = append(writes, raw)
	}
	last := len(writes) - 1
	if cut, ok := bytes.CutSuffix(writes[last], []byte(`\c`)); ok {
		writes[last] = cut
	} else {
		writes[last] = append(writes[last], '\n')
	}
	for _, arg := range d.CmdArgs {
		for i := range writes {
			switch arg.Key {
			case "utf-16le":
				writes[i] = utf16Bytes(string(writes[i]), false)
			case "utf-16be":
				writes[i] = utf16Bytes(string(writes[i]), true)
			default:
				d.Fatalf(t, "unknown argument %q", arg.Key)
			}
		}
	}
	decode := func(chunk int) string {
		var out strings.Builder
		dec := logs.NewDecoder(func(s *logs.Segment) { describe(&out, s) })
		for _, w := range writes {
			for len(w) > 0 {
				n := min(chunk, len(w))
				dec.Write(w[:n], 0)
				w = w[n:]
			}
			dec.Peek()
		}
		return out.String()
	}
	got := decode(1 << 20)
	for _, chunk := range []int{1, 2, 3, 7} {
		if diff := cmp.Diff(got, decode(chunk)); diff != "" {
			d.Fatalf(t, "writes of %d bytes tell another story (-whole +cut):\n%s", chunk, diff)
		}
	}
	return got
}

// describe prints a segment: line:byte, what ended it, label, |text|.
func describe(out *strings.Builder, s *logs.Segment) {
	end := map[logs.End]string{logs.EndNewline: "newline", logs.EndReturn: "return", logs.EndRedraw: "redraw", logs.EndHalf: "half"}[s.End]
	fmt.Fprintf(out, "%d:%d %s", s.Line, s.Byte, end)
	if s.Cut {
		out.WriteString(" cut")
	}
	if s.Label.StampNanos != 0 {
		fmt.Fprintf(out, " at %s", time.Unix(0, s.Label.StampNanos).UTC().Format(time.RFC3339Nano))
	}
	if s.Label.Rank != logs.NoRank {
		fmt.Fprintf(out, " rank %d", s.Label.Rank)
	}
	if s.Label.Host != "" {
		fmt.Fprintf(out, " host %s", s.Label.Host)
	}
	fmt.Fprintf(out, " |%s|\n", strings.ReplaceAll(string(s.Text), "\t", `\t`))
}

// written turns the visible escapes of a story into bytes: \r \b \e \t \0 \n
// \xHH \\, each perhaps with a count behind it as in \b{20}. The \c that leaves
// out the last line end stays.
func written(text string) ([]byte, error) {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		i++
		var b byte
		switch text[i] {
		case 'r':
			b = '\r'
		case 'b':
			b = '\b'
		case 'e':
			b = 0x1b
		case 't':
			b = '\t'
		case '0':
			b = 0
		case 'n':
			b = '\n'
		case '\\':
			b = '\\'
		case 'c':
			out = append(out, `\c`...)
			continue
		case 'x':
			if i+2 >= len(text) {
				return nil, fmt.Errorf("\\x without two digits in %q", text)
			}
			v, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
			if err != nil {
				return nil, fmt.Errorf("\\x without two digits in %q", text)
			}
			b = byte(v)
			i += 2
		default:
			return nil, fmt.Errorf("unknown escape \\%c in %q", text[i], text)
		}
		count := 1
		if rest := text[i+1:]; strings.HasPrefix(rest, "{") {
			inside, _, ok := strings.Cut(rest[1:], "}")
			n, err := strconv.Atoi(inside)
			if !ok || err != nil {
				return nil, fmt.Errorf("no count between braces in %q", text)
			}
			count = n
			i += len(inside) + 2
		}
		out = append(out, bytes.Repeat([]byte{b}, count)...)
	}
	return out, nil
}

func utf16Bytes(text string, bigEndian bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if bigEndian {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

// kept is a segment that outlives its handler.
type kept struct {
	Text  string
	Byte  int64
	Line  int64
	End   logs.End
	Cut   bool
	Label logs.Label
}

func keep(s *logs.Segment) kept {
	return kept{string(s.Text), s.Byte, s.Line, s.End, s.Cut, s.Label}
}

// decodeAll decodes a source that is written in pieces of the given lengths,
// the last of which repeats.
func decodeAll(source []byte, lengths ...int) []kept {
	var out []kept
	d := logs.NewDecoder(func(s *logs.Segment) { out = append(out, keep(s)) })
	for i := 0; len(source) > 0; i++ {
		n := min(max(lengths[min(i, len(lengths)-1)], 1), len(source))
		d.Write(source[:n], 0)
		source = source[n:]
	}
	d.Peek()
	return out
}

// scraps are what logs are made of, wrapped, redrawn and broken.
var scraps = []string{
	"step 12 loss 0.345", "epoch 3/10", "训练 第 3 轮", "größe 3", "\U0001f600", " ", "\t", "||", "100%|####|", "12:", "[3]", "é",
	"\r", "\r\n", "\n", "\n", "\n", "\b", "\b\b\b\b\b\b\b\b\b\b", "\x1b[32m", "\x1b[0m", "\x1b[1A", "\x1b[2K", "\x1b[K", "\x1b[12D", "\x1b[1G",
	"\x1b]8;;http://example.org\x1b\\", "\x1b]0;title\x07", "\x1b", "\x1b[", "\x1b(B", "\x1b]",
	"\x00", "\x00\x00\x00\x00", "\x7f", "\x0c", "\xef\xbb\xbf", "\xff", "\xe6\xad", "\xd1\xb5\xc1\xb7", "\xc2\x9b", "\xc2\xb0",
	"2024-05-01T10:00:00.123456789Z stdout F ", "2024-05-01T10:00:00.123456789Z stdout P ", "2024-05-01T10:00:00.1Z stderr P ", "2024-05-01T10:00:00.1+02:00 ",
	`{"log":"step 7\r step 8\u001b[0m\n","stream":"stdout","time":"2024-05-01T10:00:00.1Z"}` + "\n", `{"log":"part`, `{"log":"a part","stream":"stderr","time":"2024-05-01T10:00:00.1Z"}` + "\n",
	"0: ", "1: ", "[0] ", "[1,0]<stdout>:", "[rank3]:", "[default2]:", "[trainer1]:", "(Worker pid=7, ip=10.0.0.2) ", "\x1b[36m(Worker pid=7)\x1b[0m ", "node07: ", "trainer-1  | ",
}

// source draws a source out of scraps, in one of the charsets.
func source(t *rapid.T) []byte {
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(scraps), 0, 60).Draw(t, "scraps"), "")
	switch rapid.SampledFrom([]string{"as it is", "as it is", "utf-16le", "utf-16be", "utf-16le with mark", "bytes"}).Draw(t, "charset") {
	case "utf-16le":
		return utf16Bytes(text, false)
	case "utf-16be":
		return utf16Bytes(text, true)
	case "utf-16le with mark":
		return utf16Bytes("\ufeff"+text, false)
	case "bytes":
		return append([]byte(text), rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes")...)
	}
	return []byte(text)
}

// Property: however the bytes are cut into writes, the segments are the same.
func TestCutsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		whole := decodeAll(src, len(src))
		lengths := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 20).Draw(t, "lengths")
		if diff := cmp.Diff(whole, decodeAll(src, lengths...)); diff != "" {
			t.Fatalf("%q\nin one write and in writes of %v (-one +cut):\n%s", src, lengths, diff)
		}
	})
}

// Property: nor where a line reaches the longest text that a segment keeps.
func TestCutsDoNotMatterInLongLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scrap := rapid.SliceOfN(rapid.SampledFrom(scraps), 0, 20)
		filler := rapid.SampledFrom([]string{"x", "训", "x\b", "\b", "\x00", "\xff", "\x1b[32mx", "12345678\b\b\b\b\b\b\b\b"}).Draw(t, "filler")
		n := logs.MaxSegmentBytes/len(filler) - rapid.IntRange(-20, 40).Draw(t, "less")
		src := []byte(strings.Join(scrap.Draw(t, "before"), "") + strings.Repeat(filler, n) + strings.Join(scrap.Draw(t, "behind"), "") + "\nend\n")
		whole := decodeAll(src, len(src))
		lengths := rapid.SliceOfN(rapid.IntRange(100, 9000), 1, 20).Draw(t, "lengths")
		cut := decodeAll(src, lengths...)
		if len(whole) != len(cut) {
			t.Fatalf("%d segments in one write, %d in writes of %v", len(whole), len(cut), lengths)
		}
		for i := range whole {
			if whole[i] != cut[i] {
				t.Fatalf("segment %d in one write (%d bytes at %d, end %d) and in writes of %v (%d bytes at %d, end %d)", i,
					len(whole[i].Text), whole[i].Byte, whole[i].End, lengths, len(cut[i].Text), cut[i].Byte, cut[i].End)
			}
		}
	})
}

// Property: no segment holds a control character or invalid UTF-8, is blank, or
// is longer than the limit.
func TestTextIsClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		for _, s := range decodeAll(src, len(src)) {
			if problem := uncleanText(s.Text); problem != "" {
				t.Fatalf("%q\nhas the segment %q: %s", src, s.Text, problem)
			}
		}
	})
}

func uncleanText(text string) string {
	switch {
	case !utf8.ValidString(text):
		return "invalid UTF-8"
	case strings.TrimSpace(text) == "":
		return "nothing to see"
	case len(text) > logs.MaxSegmentBytes:
		return fmt.Sprintf("%d bytes long", len(text))
	}
	for _, r := range text {
		if r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0 {
			return fmt.Sprintf("control character %U", r)
		}
	}
	return ""
}

// Property: offsets and line numbers never go back but to the start of the line
// that the container runtime cut, and stay within the source.
func TestPlacesAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		lines := int64(bytes.Count(src, []byte{'\n'})) + 1
		for _, s := range decodeAll(src, len(src)) {
			if s.Byte < 0 || s.Byte >= int64(len(src)) || s.Line < 1 || s.Line > lines {
				t.Fatalf("%q\nhas %d bytes and %d lines, the segment %q stands at byte %d, line %d", src, len(src), lines, s.Text, s.Byte, s.Line)
			}
		}
	})
}

// Property: every segment's Byte and Line point at its text in the source.
func TestPlacesPointAtTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z=|%#]{1,8} [0-9]{1,4}/[0-9]{4}|第[0-9]{2}步|ü \x{1f600}`)
		end := rapid.SampledFrom([]string{"\n", "\n", "\r", "\r\n", "\n\n", "\b" + strings.Repeat("\b", 40)})
		var text strings.Builder
		for range rapid.IntRange(0, 30).Draw(t, "pieces") {
			text.WriteString(word.Draw(t, "word") + end.Draw(t, "end"))
		}
		text.WriteString("the end")
		check := func(src []byte, encode func(string) []byte) {
			for _, s := range decodeAll(src, rapid.IntRange(1, 50).Draw(t, "length")) {
				want := encode(s.Text)
				if !bytes.HasPrefix(src[s.Byte:], want) {
					t.Fatalf("%q\nhas the segment %q, but at its byte %d stands %q", src, s.Text, s.Byte, src[s.Byte:min(len(src), int(s.Byte)+len(want))])
				}
				if line := 1 + int64(bytes.Count(src[:s.Byte], encode("\n"))); s.Line != line {
					t.Fatalf("%q\nhas the segment %q at line %d, want %d", src, s.Text, s.Line, line)
				}
			}
		}
		check([]byte(text.String()), func(s string) []byte { return []byte(s) })
		wide := "log " + text.String()
		check(utf16Bytes(wide, true), func(s string) []byte { return utf16Bytes(s, true) })
	})
}

// Property: Peek does not change what comes after, hands out at most the text
// in hand, and hands out the same when it is asked again.
func TestPeekChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		var want, got []kept
		d := logs.NewDecoder(func(s *logs.Segment) { want = append(want, keep(s)) })
		d.Write(src, 0)
		var peeks int
		d = logs.NewDecoder(func(s *logs.Segment) {
			if s.End == logs.EndHalf {
				peeks++
			} else {
				got = append(got, keep(s))
			}
		})
		for rest := src; len(rest) > 0; {
			n := min(rapid.IntRange(1, 60).Draw(t, "length"), len(rest))
			d.Write(rest[:n], 0)
			rest = rest[n:]
			before := len(got)
			peeks = 0
			d.Peek()
			first := peeks
			d.Peek()
			if len(got) != before || first > 2 || peeks != 2*first {
				t.Fatalf("%q\nPeek handed out %d half and %d whole segments, and %d half when it was asked again", src[:len(src)-len(rest)], first, len(got)-before, peeks-first)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q\n(-without +with Peek):\n%s", src, diff)
		}
	})
}

// Property: what is skipped is as if nobody had written it: the segments behind
// the next line end are those of the whole source.
func TestSkipLeavesOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`step [0-9]{1,5} loss [0-9]\.[0-9]{3}|第[0-9]{2}步`), 3, 40).Draw(t, "lines")
		text := "first line\n" + strings.Join(lines, "\n") + "\n"
		src, width := []byte(text), 1
		if rapid.Bool().Draw(t, "utf-16") {
			src, width = utf16Bytes(text, false), 2
		}
		from := rapid.IntRange(22, len(src)-1).Draw(t, "from")
		if width == 2 && src[from-1] == '\n' {
			from--
		}
		to := rapid.IntRange(from+1, len(src)).Draw(t, "to")
		if width == 2 && src[to-1] == '\n' {
			to++
		}
		var got []kept
		d := logs.NewDecoder(func(s *logs.Segment) { got = append(got, keep(s)) })
		d.Write(src[:from], 0)
		d.Skip(int64(to-from), int64(bytes.Count(src[from:to], []byte{'\n'})))
		d.Write(src[to:], 0)
		var want []kept
		behind := int64(len(src))
		if n := bytes.IndexByte(src[to:], '\n'); n >= 0 {
			behind = int64(to + n)
		}
		for _, s := range decodeAll(src, len(src)) {
			end := s.Byte + int64(bytes.IndexByte(src[s.Byte:], '\n'))
			if end+int64(width) <= int64(from) || s.Byte > behind {
				want = append(want, s)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q\nwithout bytes %d to %d (-want +got):\n%s", src, from, to, diff)
		}
		if d.Offset() != int64(len(src)) {
			t.Fatalf("offset %d behind %d bytes", d.Offset(), len(src))
		}
	})
}

// The lines of a source are unknown once lines were skipped that nobody counted.
func TestSkippedLinesMayBeUnknown(t *testing.T) {
	var got []kept
	d := logs.NewDecoder(func(s *logs.Segment) { got = append(got, keep(s)) })
	d.Write([]byte("one\ntwo\nthr"), 0)
	d.Skip(1000, -1)
	d.Write([]byte("ee\nlast\n"), 0)
	none := logs.Label{Rank: logs.NoRank}
	want := []kept{{Text: "one", Line: 1, Label: none}, {Text: "two", Byte: 4, Line: 2, Label: none}, {Text: "last", Byte: 1014, Label: none}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d.Line() != 0 || d.Offset() != 1019 {
		t.Errorf("line %d, offset %d, want 0 (unknown) and 1019", d.Line(), d.Offset())
	}
}

// Bytes keep the moment at which they came.
func TestArrival(t *testing.T) {
	var at []int64
	d := logs.NewDecoder(func(s *logs.Segment) { at = append(at, s.ArrivedNanos) })
	d.Write([]byte("step 1\nste"), 100)
	d.Write([]byte("p 2\nstep 3\n"), 200)
	if diff := cmp.Diff([]int64{100, 200, 200}, at); diff != "" {
		t.Errorf("a line arrives with its last byte (-want +got):\n%s", diff)
	}
}
