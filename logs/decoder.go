package logs

import (
	"bytes"
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
	EndReturn             // a carriage return: the terminal line will be drawn again
	EndRedraw             // backspaces or a cursor movement over the text
	EndHalf               // the input stopped in the middle of the line
)

// Segment is one piece of text that stood on one terminal line.
type Segment struct {
	Text []byte // valid UTF-8 without control characters except tab; valid until the handler returns
	Byte int64  // offset in the source of the first byte of the piece
	Line int64  // number of the line it is in, from 1, counted at line feeds
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
	unit    []byte // the half of a UTF-16 code unit

	buf     []byte // the piece so far, when it did not end within one Write
	start   int64  // offset of the piece
	skip    bool   // the piece is longer than MaxSegmentBytes: drop until it ends
	inLine  bool   // the piece follows a carriage return in the same line
	control bool   // the piece holds control characters

	labels labeller
	label  Label // of the line the piece is in
	at     int64

	clean []byte // scratch of the terminal emulation
	wide  []byte // scratch of the charset conversion
	seg   Segment
}

// NewDecoder returns a decoder that calls handle for every segment with text,
// in the order of the source. The segment and its text belong to the decoder
// and change after handle returns.
func NewDecoder(handle func(*Segment)) *Decoder {
	return &Decoder{handle: handle, line: 1}
}

// Offset is the number of bytes of the source seen so far.
func (d *Decoder) Offset() int64 { return d.offset + int64(len(d.head)) }

// Line is the number of the line that the next byte will belong to.
func (d *Decoder) Line() int64 { return d.line }

// Skip says that the next n bytes of the source, with the given number of line
// feeds, are left out (lines < 0: nobody counted them, and lines are unknown,
// 0, from here on). The piece in hand is dropped: it is not whole.
func (d *Decoder) Skip(n, lines int64) {
	d.flushHead()
	d.buf, d.control, d.inLine = d.buf[:0], false, false
	d.offset += n
	d.start = d.offset
	d.skip = true // up to the next line feed: the middle of a line is no line
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
		if len(d.head) < charsetProbeBytes && bytes.IndexByte(d.head, '\n') < 0 && bytes.IndexByte(d.head, '\r') < 0 {
			return
		}
		d.flushHead()
		return
	}
	d.write(p)
}

// Peek hands out the text after the last line end so far as EndHalf, and keeps
// it: it may be a record flushed in part, or the state of a bar that is drawn
// without line ends. The whole line is handed out again when it has an end.
func (d *Decoder) Peek() {
	d.flushHead()
	if len(d.buf) > 0 {
		d.emit(d.buf, EndHalf)
	}
}

func (d *Decoder) flushHead() {
	if d.charset != charsetUnknown {
		return
	}
	d.charset = detectCharset(d.head)
	head := d.head
	d.head = nil
	if bom := d.charset.bom(head); bom > 0 {
		d.offset, d.start = int64(bom), int64(bom)
		head = head[bom:]
	}
	d.write(head)
}

func (d *Decoder) write(p []byte) {
	if d.charset.wide() {
		d.writeWide(p)
		return
	}
	from := 0
	for i := 0; i < len(p); i++ {
		c := byteKinds[p[i]]
		if c == plainByte {
			continue
		}
		switch c {
		case newlineByte, returnByte:
			end := EndReturn
			if c == newlineByte {
				end = EndNewline
			}
			if len(d.buf) == 0 && !d.skip && from < i && i-from <= MaxSegmentBytes {
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
			d.control = true
			if d.skip { // a bar drawn with backspaces alone has no other line end
				d.skip = false
				d.buf = d.buf[:0]
				from = i
				d.start = d.offset + int64(from)
			}
		case controlByte:
			d.control = true
		}
	}
	d.take(p[from:], d.offset+int64(from))
	d.offset += int64(len(p))
}

// take appends bytes to the piece, up to its limit.
func (d *Decoder) take(p []byte, at int64) {
	if len(d.buf) == 0 {
		d.start = at
	}
	if d.skip {
		return
	}
	if len(d.buf)+len(p) > MaxSegmentBytes {
		p = p[:MaxSegmentBytes-len(d.buf)]
		d.buf = append(d.buf, p...)
		d.seg.Cut = true
		d.emit(d.buf, EndRedraw)
		d.buf, d.skip = d.buf[:0], true
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
	d.inLine, d.skip, d.control = inLine, false, false
	d.seg.Cut = false
}

// emit hands out the text of one raw piece: labels off, charset and terminal
// codes resolved.
func (d *Decoder) emit(piece []byte, end End) {
	d.seg.Byte, d.seg.Line, d.seg.ArrivedNanos = d.start, d.line, d.at
	control := d.control
	if !d.inLine {
		var inner unwrapped
		piece, inner = d.labels.unwrap(piece, end)
		d.label = inner.label
		if inner.partial { // the rest of the line comes in the wrapper's next line
			return
		}
		control = control || inner.control
	}
	d.seg.Label = d.label
	d.draw(d.utf8(piece), control, end)
}

// utf8 returns the piece as valid UTF-8.
func (d *Decoder) utf8(piece []byte) []byte {
	if utf8.Valid(piece) {
		return piece
	}
	d.wide = repair(d.wide[:0], piece)
	return d.wide
}

func (d *Decoder) send(text []byte, end End) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	d.seg.Text, d.seg.End = text, end
	d.handle(&d.seg)
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
	return t
}()
