package logs_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
	"pgregory.net/rapid"

	"schedmate/logs"
)

// Property: a source in UTF-16 reads as the same source in UTF-8.
func TestUTF16ReadsAsUTF8(t *testing.T) {
	piece := rapid.SampledFrom([]string{"step 12 loss 0.345", "第 3 轮", "\U0001f600", " ", "\n", "\n", "\r", "\r\n", "\b\b\b\b\b\b\b\b\b", "\x1b[32m", "é", "[rank3]:", "0: ", "\t"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
		want := decodeAll([]byte("the first line\n"+text), 1<<20)
		for i := range want {
			want[i].Byte = 0
		}
		for _, wide := range [][]byte{
			utf16Bytes("\ufeffthe first line\n"+text, false), utf16Bytes("\ufeffthe first line\n"+text, true),
			utf16Bytes("the first line\n"+text, false), utf16Bytes("the first line\n"+text, true),
		} {
			got := decodeAll(wide, 1<<20)
			for i := range got {
				got[i].Byte = 0
			}
			if len(got) != len(want) {
				t.Fatalf("%q has %d segments in UTF-16 and %d in UTF-8", text, len(got), len(want))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%q, segment %d: in UTF-16 %+v, in UTF-8 %+v", text, i, got[i], want[i])
				}
			}
		}
	})
}

// Property: a line in GBK reads as the same line in UTF-8.
func TestGBKReadsAsUTF8(t *testing.T) {
	// Common characters (GB 2312), as a console of Windows prints them.
	piece := rapid.SampledFrom([]string{"训练", "损失", "学习率", "第", "轮", "步", "，", "：", "秒", "【验证】", " 0.25", "12/100", " loss=", "%", " "})
	rapid.Check(t, func(t *rapid.T) {
		text := "训练" + strings.Join(rapid.SliceOfNDistinct(piece, 0, 14, rapid.ID[string]).Draw(t, "pieces"), "")
		gbk, err := simplifiedchinese.GBK.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := textsOf("step 1\n" + gbk + "\nstep 2\n"); got != "step 1\n"+text+"\nstep 2" {
			t.Fatalf("%q reads %q", text, got)
		}
	})
}

// Property: a line of UTF-8 in which bytes were damaged keeps all that was not.
func TestDamagedLinesKeepTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"训练", "损失", "0.25", "step", "12/100", "größe"}), 4, 20).Draw(t, "words")
		line := "训练 损失 训练 " + strings.Join(words, " ")
		bad := rapid.SampledFrom([]string{"\xff", "\x80", "\xe6\xad", "\xf0\x9f", "\xc3"}).Draw(t, "bad")
		at := rapid.IntRange(0, len(line)).Draw(t, "at")
		for !utf8.RuneStart(append([]byte(line), ' ')[at]) {
			at--
		}
		got := textsOf(line[:at] + bad + line[at:] + "\n")
		if want := line[:at] + strings.Repeat("\ufffd", len(bad)) + line[at:]; got != want {
			t.Fatalf("%q reads %q", line[:at]+bad+line[at:], got)
		}
	})
}

// Any bytes at all read as valid UTF-8 of which ASCII is kept, in its order.
func TestASCIIIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(rapid.ByteRange(0x20, 0xff), 8, 100).Draw(t, "line")
		line = bytes.ReplaceAll(line, []byte{0x7f}, nil)
		line = append([]byte("loss: "), line...)
		var got string
		d := logs.NewDecoder(func(s *logs.Segment) { got = string(s.Text) })
		d.Write(append(line, '\n'), 0)
		ascii := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r < utf8.RuneSelf {
					return r
				}
				return -1
			}, s)
		}
		// A second byte of GBK may be a letter, so only what is no pair is sure.
		if utf8.Valid(line) || bytes.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
			if ascii(got) != ascii(string(line)) {
				t.Fatalf("%q reads %q", line, got)
			}
		}
		if !utf8.ValidString(got) || !strings.HasPrefix(got, "loss: ") {
			t.Fatalf("%q reads %q", line, got)
		}
	})
}
