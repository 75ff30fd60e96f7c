package logs

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// MaxSegmentBytes is the longest text a segment keeps. The rest of a longer
// line is counted and dropped: no training record is that long, and a line
// without an end must not fill the memory.
const MaxSegmentBytes = 64 << 10

// End tells what closed a segment.
type End uint8

const (
	EndNewline End = iota // a line feed
	EndReturn             // a carriage return: the terminal line will be drawn again, or ends as on Windows
	EndRedraw             // backspaces or a cursor movement over the text, or its limit
	EndHalf               // the input stopped in the middle of the line
)

// Segment is one piece of text that stood on one terminal line.
type Segment struct {
	Text []byte // valid UTF-8 without control characters except tab; valid until the handler returns
	Byte int64  // offset in the source of the first byte of the piece, with its label
	Line int64  // number of the line it begins in, from 1, counted at line feeds
	End  End
	Cut  bool // the text was longer than MaxSegmentBytes

	// ArrivedNanos is when the bytes arrived, in nanoseconds since any fixed
	// moment; 0 when nobody stamped them.
	ArrivedNanos int64
	Label        Label // what the wrapper around the line said
}

// Decoder turns written bytes into segments. The zero value is not ready; use
// NewDecoder. A Decoder is not safe for concurrent use.
//
// Its memory is bounded by a few times MaxSegmentBytes, and its time is linear
// in the bytes written.
type Decoder struct {
	handle func(*Segment)

	offset  int64 // of the next byte to come
	line    int64 // of the next byte to come
	charset charset
	head    []byte // the first bytes, until the charset is known
	unit    []byte // the part of a UTF-16 character

	buf     []byte // the piece so far, when it did not end within one Write
	start   int64  // offset of the piece
	skip    bool   // the piece is longer than MaxSegmentBytes: drop until it ends
	inLine  bool   // the piece follows a carriage return in the same line
	control bool   // the piece holds control characters
	backs   int    // backspaces at the end of the piece

	labels  labeller
	wrapper unwrapped // of the line the piece is in
	joints  [streams]joint
	at      int64

	clean []byte // what the terminal shows of the piece
	back  int    // characters of it that backspaces at its end take back
	shown []byte // scratch: the latest state of a piece in hand
	wide  []byte // scratch of the charset conversion
	seg   Segment
}

// joint is the text of a line that the container runtime cut, up to where its
// next line goes on.
type joint struct {
	text       []byte
	byte, line int64 // where it began
	label      Label // of its latest part
	control    bool
	cut        bool // it is longer than MaxSegmentBytes
}

// NewDecoder returns a decoder that calls handle for every segment with text,
// in the order of the source. The segment and its text belong to the decoder
// and change after handle returns.
func NewDecoder(handle func(*Segment)) *Decoder {
	return &Decoder{handle: handle, line: 1, wrapper: noWrapper}
}

// Offset is the number of bytes of the source seen so far.
func (d *Decoder) Offset() int64 { return d.offset + int64(len(d.head)) }

// Line is the number of the line that the next byte will belong to.
func (d *Decoder) Line() int64 { return d.line }

// CountsLineFeeds tells whether each byte of value 10 in the source is a line
// feed: not in UTF-16, where it is a part of other characters, too.
func (d *Decoder) CountsLineFeeds() bool {
	if d.charset == charsetUnknown {
		return !detectCharset(d.head).wide()
	}
	return !d.charset.wide()
}

// Skip says that the next n bytes of the source, with the given number of line
// feeds, are left out (lines < 0: nobody counted them, and lines are unknown,
// 0, from here on). The piece in hand is dropped: it is not whole.
func (d *Decoder) Skip(n, lines int64) {
	if n == 0 {
		return
	}
	if len(d.head) > 0 {
		d.flushHead()
	}
	d.buf, d.unit, d.backs, d.control, d.inLine = d.buf[:0], d.unit[:0], 0, false, false
	d.wrapper = noWrapper
	d.joints = [streams]joint{}
	d.offset += n
	d.start = d.offset
	d.skip = true // up to the next line end: the middle of a line is no line
	if lines < 0 || d.line == 0 {
		d.line = 0
	} else {
		d.line += lines
	}
}

// Write takes the next bytes of the source, which arrived at the given moment.
func (d *Decoder) Write(p []byte, arrivedNanos int64) {
	d.at = arrivedNanos
	if d.charset == charsetUnknown {
		d.head = append(d.head, p...)
		if len(d.head) >= charsetProbeBytes {
			d.flushHead()
		}
		return
	}
	d.write(p)
}

// Peek hands out the text after the last line end so far as EndHalf, and keeps
// it: it may be a record flushed in part, or the state of a bar that is drawn
// without line ends. The whole line is handed out again when it has an end.
func (d *Decoder) Peek() {
	switch {
	case d.charset == charsetUnknown: // a log of a few bytes
		text := bytes.TrimRight(d.head, "\r\n")
		from := bytes.LastIndexByte(text, '\n') + 1
		d.seg.Byte, d.seg.Line, d.seg.ArrivedNanos = d.offset+int64(from), d.line+int64(bytes.Count(text, []byte{'\n'})), d.at
		d.seg.Label = noWrapper.label
		d.draw(d.utf8(text[from:], EndHalf), true, EndHalf)
	case len(d.buf) > 0:
		d.emit(d.buf, EndHalf)
	default:
		for i := range d.joints {
			if j := &d.joints[i]; len(j.text) > 0 {
				d.seg.Byte, d.seg.Line, d.seg.ArrivedNanos, d.seg.Label = j.byte, j.line, d.at, j.label
				d.draw(d.utf8(j.text, EndHalf), true, EndHalf)
			}
		}
	}
}

func (d *Decoder) flushHead() {
	d.charset = detectCharset(d.head)
	head := d.head
	d.head = nil
	bom := d.charset.bom(head)
	d.offset += int64(bom)
	d.start = d.offset
	d.write(head[bom:])
}

func (d *Decoder) write(p []byte) {
	if d.charset.wide() {
		d.writeWide(p)
		return
	}
	from := 0
	if d.backs > 0 && len(p) > 0 {
		d.redraw(p[0], d.offset)
	}
	i := 0
	if d.skip {
		i = nextPiece(p)
	}
	for ; i < len(p); i++ {
		c := byteKinds[p[i]]
		if c == plainByte {
			for p[i] < utf8.RuneSelf && i+9 <= len(p) && printable(p[i+1:i+9]) {
				i += 8
			}
			continue
		}
		switch c {
		case newlineByte, returnByte:
			end := EndReturn
			if c == newlineByte {
				end = EndNewline
			}
			if len(d.buf) == 0 && !d.skip && from < i && i-from <= MaxSegmentBytes && p[from] != 0 {
				d.start = d.offset + int64(from)
				d.emit(p[from:i], end) // whole within this Write: no copy
			} else {
				d.take(p[from:i], d.offset+int64(from))
				d.finishPiece(end)
			}
			from = i + 1
			if c == newlineByte && d.line > 0 {
				d.line++
			}
			d.begin(c == returnByte)
			d.start = d.offset + int64(from)
		case backByte:
			d.take(p[from:i], d.offset+int64(from))
			d.backspace()
			d.take(p[i:i+1], d.offset+int64(i))
			from = i + 1
			if from < len(p) {
				d.redraw(p[from], d.offset+int64(from))
			}
		case controlByte:
			d.control = true
		}
	}
	d.take(p[from:], d.offset+int64(from))
	d.offset += int64(len(p))
}

// backspace prepares for a backspace. A bar that is drawn with them alone has no
// other end, so one also ends a piece that was too long.
func (d *Decoder) backspace() {
	if d.skip {
		d.skip, d.buf = false, d.buf[:0]
	}
	d.control = true
	d.backs++
}

// redraw ends the state of a bar that the backspaces at the end of the piece
// take back, when they are many and next, the byte behind them at the given
// offset, draws over it. Whether a control character does, draw finds out.
func (d *Decoder) redraw(next byte, at int64) {
	if next == '\b' {
		return
	}
	many := d.backs >= redrawRunes && len(d.buf) <= 2*maxBarBytes // with what takes it back
	d.backs = 0
	if !many || next < 0x20 || next == 0x7f {
		return
	}
	d.emit(d.buf, EndRedraw)
	d.inLine = true
	d.buf = append(d.buf[:0], takeBack(d.clean, d.back)...)
	if len(d.buf) == 0 {
		d.start = at
	}
}

// take appends bytes to the piece, up to its limit. Zeros before it, such as
// the hole of a file that was cut while it was written, do not count.
func (d *Decoder) take(p []byte, at int64) {
	if d.skip {
		return
	}
	if len(d.buf) == 0 {
		n := len(p)
		p = bytes.TrimLeft(p, "\x00")
		d.start = at + int64(n-len(p))
	}
	if len(d.buf)+len(p) > MaxSegmentBytes {
		d.buf = append(d.buf, p[:MaxSegmentBytes-len(d.buf)]...)
		d.seg.Cut = true
		d.emit(d.buf, EndRedraw)
		d.seg.Cut = false
		d.buf, d.skip, d.inLine = d.buf[:0], true, true
		return
	}
	d.buf = append(d.buf, p...)
}

func (d *Decoder) finishPiece(end End) {
	if !d.skip && len(d.buf) > 0 {
		d.emit(d.buf, end)
	}
	d.buf = d.buf[:0]
}

func (d *Decoder) begin(inLine bool) {
	d.inLine, d.skip, d.control, d.backs = inLine, false, false, 0
	if !inLine {
		d.wrapper = noWrapper
	}
}

// emit hands out the text of one raw piece: labels off, charset and terminal
// codes resolved.
func (d *Decoder) emit(piece []byte, end End) {
	d.seg.Byte, d.seg.Line, d.seg.ArrivedNanos = d.start, d.line, d.at
	control := d.control
	if !d.inLine {
		piece, d.wrapper = d.labels.unwrap(piece, end)
		control = control || d.wrapper.control
	}
	d.seg.Label = d.wrapper.label
	if d.wrapper.stream == noStream {
		d.draw(d.utf8(piece, end), control, end)
		return
	}
	j := &d.joints[d.wrapper.stream]
	if len(j.text) == 0 {
		j.byte, j.line = d.start, d.line
	}
	cut := d.wrapper.partial && end == EndNewline // the line goes on in the runtime's next
	if len(j.text) == 0 && !cut {
		d.draw(d.utf8(piece, end), control, end)
		return
	}
	before := *j
	j.add(piece, control)
	j.label = d.wrapper.label
	if cut {
		return
	}
	d.seg.Byte, d.seg.Line, d.seg.Cut = j.byte, j.line, j.cut
	d.draw(d.utf8(j.text, end), j.control, end)
	d.seg.Cut = false
	if end == EndHalf {
		*j = before
	} else {
		*j = joint{text: j.text[:0]}
	}
}

func (j *joint) add(piece []byte, control bool) {
	room := MaxSegmentBytes - len(j.text)
	j.cut = j.cut || len(piece) > room
	j.text = append(j.text, piece[:min(len(piece), room)]...)
	j.control = j.control || control
}

// utf8 returns the piece as valid UTF-8. A character that is cut at the end of
// a piece without an end is left out.
func (d *Decoder) utf8(piece []byte, end End) []byte {
	if utf8.Valid(piece) {
		return piece
	}
	if end == EndHalf || d.seg.Cut {
		piece = wholeRunes(piece)
		if utf8.Valid(piece) {
			return piece
		}
	}
	d.wide = Repair(d.wide[:0], piece)
	return d.wide
}

// wholeRunes leaves out the first bytes of a character at the end.
func wholeRunes(p []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if b := p[len(p)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(p[len(p)-n:]) {
				return p[:len(p)-n]
			}
			break
		}
	}
	return p
}

func (d *Decoder) send(text []byte, end End) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	cut := d.seg.Cut
	if len(text) > MaxSegmentBytes { // mending made it longer
		text, d.seg.Cut = wholeRunes(text[:MaxSegmentBytes]), true
	}
	d.seg.Text, d.seg.End = text, end
	d.handle(&d.seg)
	d.seg.Text, d.seg.Cut = nil, cut // the writer's buffer is its own again
}

// nextPiece is where the first byte stands that ends a piece of any length.
func nextPiece(p []byte) int {
	for _, b := range []byte("\n\r\b") {
		if i := bytes.IndexByte(p, b); i >= 0 {
			p = p[:i]
		}
	}
	return len(p)
}

// printable tells whether all of eight bytes are from 0x20 to 0x7e: none is
// below 0x20 (the difference borrows), is 0x7f (the sum reaches 0x80) or is
// above.
func printable(p []byte) bool {
	const each = 0x0101010101010101
	x := binary.LittleEndian.Uint64(p)
	return (x|(x-0x20*each)|(x+each))&(0x80*each) == 0
}

type byteKind uint8

const (
	plainByte byteKind = iota
	newlineByte
	returnByte
	backByte
	controlByte
)

var byteKinds = func() (t [256]byteKind) {
	for b := range 0x20 {
		t[b] = controlByte
	}
	t['\t'], t['\n'], t['\r'], t['\b'], t[0x7f] = plainByte, newlineByte, returnByte, backByte, controlByte
	t[0xc2] = controlByte // U+0080 to U+009F begin with it
	return t
}()
