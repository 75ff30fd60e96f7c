package logs

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
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
const charsetProbeBytes = 64

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
	var even, odd, n int
	for i, b := range head[:min(len(head), charsetProbeBytes)] {
		n++
		if b == 0 && i%2 == 0 {
			even++
		} else if b == 0 {
			odd++
		}
	}
	switch {
	case n >= 8 && odd*3 >= n && even == 0:
		return charsetUTF16LE
	case n >= 8 && even*3 >= n && odd == 0:
		return charsetUTF16BE
	}
	return charsetUTF8
}

// writeWide takes bytes of a UTF-16 source.
func (d *Decoder) writeWide(p []byte) {
	for _, b := range p {
		d.offset++
		d.unit = append(d.unit, b)
		if len(d.unit)%2 != 0 {
			continue
		}
		u := d.code(0)
		if utf16.IsSurrogate(rune(u)) && len(d.unit) == 2 && u < 0xdc00 {
			continue // the second half follows
		}
		r := rune(u)
		if len(d.unit) == 4 {
			r = utf16.DecodeRune(r, rune(d.code(2)))
		}
		d.unit = d.unit[:0]
		d.writeRune(r)
	}
}

func (d *Decoder) code(i int) uint16 {
	if d.charset == charsetUTF16BE {
		return uint16(d.unit[i])<<8 | uint16(d.unit[i+1])
	}
	return uint16(d.unit[i+1])<<8 | uint16(d.unit[i])
}

func (d *Decoder) writeRune(r rune) {
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
	case r < 0x20 && r != '\t' || r == 0x7f:
		d.control = true
	}
	var rune8 [utf8.UTFMax]byte
	n := utf8.EncodeRune(rune8[:], r)
	d.take(rune8[:n], max(d.start, d.offset-2))
}

// repair appends piece to dst as valid UTF-8. A line that is no UTF-8 but wholly
// valid GBK (GB 18030) with characters of it is read as that; otherwise each
// bad byte becomes U+FFFD.
func repair(dst, piece []byte) []byte {
	if plausibleGBK(piece) {
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
