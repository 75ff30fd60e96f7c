package logs_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate/logs"
)

// Every byte, at every place among letters, is what a person sees or is not: the
// fast path over runs of letters misses nothing.
func TestEveryByteEverywhere(t *testing.T) {
	for b := range 256 {
		for at := range 20 {
			line := []byte("abcdefghijklmnopqrst")
			line[at] = byte(b)
			want := string(line[:at]) + string(line[at+1:])
			switch {
			case b >= 0x80:
				want = string(line[:at]) + "\ufffd" + string(line[at+1:])
			case b == '\n' || b == '\r':
				want = string(line[:at]) + "\n" + string(line[at+1:])
			case b == '\b' && at == 1: // all of the text is drawn over
				want = "a\n" + string(line[at+1:])
			case b == '\b' && at < 19: // at the end nothing is drawn over
				want = string(line[:max(at-1, 0)]) + string(line[at+1:])
			case b == 0x1b: // with the letter after it, an escape sequence
				want = string(line[:at]) + string(line[min(at+2, len(line)):])
			case b == '\t' || b >= 0x20 && b < 0x7f:
				want = string(line)
			}
			var got []string
			for _, s := range decodeAll(append(line, '\n'), 1<<10) {
				got = append(got, s.Text)
			}
			if have := strings.Join(got, "\n"); have != strings.Trim(want, "\n") {
				t.Errorf("byte %#02x at %d: %q, want %q", b, at, have, want)
			}
		}
	}
}

// Property: colours, links, titles and switches of the terminal do not change
// what is read, wherever in a line they stand.
func TestSequencesAreNotText(t *testing.T) {
	scrap := rapid.SampledFrom([]string{"step 12", "loss", " 0.345 ", "训练", "é", "|", "100%", "(", "~", ";", "]", "\t", "K"})
	sequence := rapid.SampledFrom([]string{"\x1b[32m", "\x1b[0;1;38;5;12m", "\x1b[m", "\x1b[?25l", "\x1b[K", "\x1b[0K", "\x1b(B", "\x1b=", "\x1b7", "\x1b]8;;https://example.org\x1b\\", "\x1b]0;50%\x07", "\x07", "\x00", "\u0085"})
	rapid.Check(t, func(t *rapid.T) {
		var plain, dressed strings.Builder
		plain.WriteString("a line: ")
		dressed.WriteString("a line: ")
		for range rapid.IntRange(1, 20).Draw(t, "scraps") {
			if rapid.Bool().Draw(t, "dressed") {
				dressed.WriteString(sequence.Draw(t, "sequence"))
			}
			s := scrap.Draw(t, "scrap")
			plain.WriteString(s)
			dressed.WriteString(s)
		}
		want, got := textsOf(plain.String()+"\n"), textsOf(dressed.String()+"\n")
		if got != want {
			t.Fatalf("%q reads %q, want %q", dressed.String(), got, want)
		}
	})
}

// Property: however a bar is drawn again, by a return, by backspaces, or by
// movements of the cursor, its states are the segments.
func TestStatesOfBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.StringMatching(`[a-z]{3,8} [0-9]{1,3}/100 \|[█▎ ]{10}\| [0-9]\.[0-9]it/s`), 1, 10).Draw(t, "states")
		width := rapid.IntRange(60, 100).Draw(t, "width")
		redraw := rapid.SampledFrom([]string{"\r", "\r\x1b[K", "\r\x1b[2K", "\x1b[2K\r", "\x1b[1G", "\x1b[2K\x1b[G", "\x1b[100D", "\x1b[1A\x1b[2K", strings.Repeat("\b", width), strings.Repeat("\b", width) + "\r"}).Draw(t, "redraw")
		source := strings.Join(states, redraw) + "\n"
		if got, want := textsOf(source), strings.Join(states, "\n"); got != want {
			t.Fatalf("%q has the states\n%s\nwant\n%s", source, got, want)
		}
	})
}

// textsOf is the text of each segment of a source, one a line.
func textsOf(source string) string {
	var texts []string
	d := logs.NewDecoder(func(s *logs.Segment) { texts = append(texts, string(s.Text)) })
	d.Write([]byte(source), 0)
	return strings.Join(texts, "\n")
}
