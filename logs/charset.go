package logs

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// charset is how the source writes characters. UTF-8 sources are the rule;
// single lines of theirs in GBK or with bad bytes are mended line by line.
type charset uint8

const (
	charsetUnknown charset = iota
	charsetUTF8
	charsetUTF16LE
	charsetUTF16BE
)

// charsetProbeBytes is how much of the source is enough to tell its charset.
// Nothing else counts, that it is the same however the source is written.
const charsetProbeBytes = 8

func (c charset) wide() bool { return c == charsetUTF16LE || c == charsetUTF16BE }

// bom is the length of the byte order mark the source starts with.
func (c charset) bom(head []byte) int {
	switch {
	case c == charsetUTF8 && bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return 3
	case c == charsetUTF16LE && bytes.HasPrefix(head, []byte("\xff\xfe")),
		c == charsetUTF16BE && bytes.HasPrefix(head, []byte("\xfe\xff")):
		return 2
	}
	return 0
}

// detectCharset tells the charset from the first bytes: a byte order mark, or
// the zeros that UTF-16 puts beside Latin letters.
func detectCharset(head []byte) charset {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) {
		return charsetUTF16LE
	}
	if bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return charsetUTF16BE
	}
	var even, odd int
	for i, b := range head[:min(len(head), charsetProbeBytes)] {
		if b == 0 && i%2 == 0 {
			even++
		} else if b == 0 {
			odd++
		}
	}
	switch {
	case odd >= 2 && even == 0:
		return charsetUTF16LE
	case even >= 2 && odd == 0:
		return charsetUTF16BE
	}
	return charsetUTF8
}

// Narrow returns a stream as it is, or in UTF-8 when it is UTF-16. Lines stay
// lines. It reads ahead of what it hands out.
func Narrow(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(charsetProbeBytes)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch detectCharset(head) {
	case charsetUTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(buffered), nil
	case charsetUTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Reader(buffered), nil
	}
	return buffered, nil
}

// writeWide takes bytes of a UTF-16 source.
func (d *Decoder) writeWide(p []byte) {
	for _, b := range p {
		d.offset++
		if len(d.unit)%2 == 0 && d.offset%2 == 0 {
			continue // the second byte of a unit whose first was skipped
		}
		d.unit = append(d.unit, b)
		switch len(d.unit) {
		case 2:
			if u := d.code(0); u >= 0xd800 && u < 0xdc00 {
				continue // the second half follows
			}
			d.writeRune(rune(d.code(0)), d.offset-2)
		case 4:
			r := utf16.DecodeRune(rune(d.code(0)), rune(d.code(2)))
			if r == utf8.RuneError { // the first half of nothing
				d.writeRune(r, d.offset-4)
				d.unit = append(d.unit[:0], d.unit[2:]...)
				if u := d.code(0); u >= 0xd800 && u < 0xdc00 {
					continue
				}
				r = rune(d.code(0))
				d.writeRune(r, d.offset-2)
			} else {
				d.writeRune(r, d.offset-4)
			}
		default:
			continue
		}
		d.unit = d.unit[:0]
	}
}

func (d *Decoder) code(i int) uint16 {
	if d.charset == charsetUTF16BE {
		return uint16(d.unit[i])<<8 | uint16(d.unit[i+1])
	}
	return uint16(d.unit[i+1])<<8 | uint16(d.unit[i])
}

// writeRune takes the character that the source has at the given offset.
func (d *Decoder) writeRune(r rune, at int64) {
	if d.backs > 0 {
		d.redraw(byte(min(r, utf8.RuneSelf)), at)
	}
	switch {
	case r == '\n' || r == '\r':
		end := EndReturn
		if r == '\n' {
			end = EndNewline
		}
		d.finishPiece(end)
		if r == '\n' && d.line > 0 {
			d.line++
		}
		d.begin(r == '\r')
		d.start = d.offset
		return
	case r == '\b':
		d.backspace()
	case r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0:
		d.control = true
	}
	var rune8 [utf8.UTFMax]byte
	n := utf8.EncodeRune(rune8[:], r)
	d.take(rune8[:n], at)
}

// Repair appends a line to dst as valid UTF-8. A line that is no UTF-8 but wholly
// valid GBK (GB 18030) with characters of it is read as that; otherwise each
// bad byte becomes U+FFFD.
func Repair(dst, piece []byte) []byte {
	if plausibleGBK(piece) && !mostlyUTF8(piece) {
		if out, err := simplifiedchinese.GB18030.NewDecoder().Bytes(piece); err == nil && !bytes.ContainsRune(out, utf8.RuneError) {
			return append(dst, out...)
		}
	}
	for len(piece) > 0 {
		r, size := utf8.DecodeRune(piece)
		dst = utf8.AppendRune(dst, r)
		piece = piece[size:]
	}
	return dst
}

// mostlyUTF8 tells whether a line has far more characters of UTF-8 beyond ASCII
// than bytes that are none: it was cut or damaged, and is in no other charset.
// Two bytes are weaker evidence than three or four: pairs of GBK can look so.
func mostlyUTF8(piece []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(piece); {
		r, size := utf8.DecodeRune(piece[i:])
		switch {
		case size > 2:
			good += 4
		case size == 2:
			good++
		case r == utf8.RuneError:
			bad += 4
		}
		i += size
	}
	return good > bad
}

// plausibleGBK tells whether all bytes from 0x80 on stand in pairs that GBK
// uses, and at least one pair is a common Chinese character or full-width sign
// (first byte A1-F7, second A1-FE, the GB 2312 plane).
func plausibleGBK(piece []byte) bool {
	common := 0
	for i := 0; i < len(piece); i++ {
		a := piece[i]
		if a < 0x80 {
			continue
		}
		if a == 0x80 || a == 0xff || i+1 == len(piece) {
			return false
		}
		i++
		switch b := piece[i]; {
		case b < 0x40 || b == 0x7f || b == 0xff:
			return false
		case a >= 0xa1 && a <= 0xf7 && b >= 0xa1:
			common++
		}
	}
	return common > 0
}
