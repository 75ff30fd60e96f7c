package logs

import (
	"bytes"
	"unicode/utf8"
)

// redrawRunes is the number of backspaces in a row from which they are taken
// for the redrawing of a bar and not for a correction within a line.
const redrawRunes = 8

// maxBarBytes is the longest text that is taken for a bar: the states of a
// longer one, each drawn over its end alone, would be many times what was
// written.
const maxBarBytes = 2048

// draw hands out what a terminal would have shown for one piece: escape
// sequences are taken off, backspaces take text back, and a movement to
// another line or over the whole text ends a segment. Of a piece that is not
// whole, only the latest state is handed out: the others come again.
func (d *Decoder) draw(piece []byte, control bool, end End) {
	if !control {
		d.send(piece, end)
		return
	}
	out := d.clean[:0]
	d.shown = d.shown[:0]
	back := 0 // backspaces since the last character
	for i := 0; i < len(piece); {
		switch b := piece[i]; {
		case b == '\b':
			back++
			i++
			continue
		case b == 0x1b:
			n, action, columns := escapeSequence(piece[i:])
			i += n
			switch action {
			case moveLine:
				d.drawn(out, EndRedraw, end)
				out, back = out[:0], 0
			case moveRight:
				out = append(out, ' ')
			case moveLeft:
				back += columns
			}
			continue
		case b == '\n' || b == '\r': // from within a container's JSON string
			d.drawn(out, EndReturn, end)
			out, back = out[:0], 0
			i++
			continue
		case b < 0x20 && b != '\t' || b == 0x7f:
			i++
			continue
		case b == 0xc2 && piece[i+1] < 0xa0:
			i += 2
			continue
		}
		if back > 0 {
			kept := takeBack(out, back)
			if len(out) <= maxBarBytes && (back >= redrawRunes || len(kept) == 0) {
				d.drawn(out, EndRedraw, end)
			}
			out, back = kept, 0
		}
		from := i
		for i++; i < len(piece) && byteKinds[piece[i]] == plainByte; i++ {
			for i+9 <= len(piece) && printable(piece[i+1:i+9]) {
				i += 8
			}
		}
		out = append(out, piece[from:i]...)
	}
	d.clean, d.back = out, back
	if end == EndHalf && len(bytes.TrimSpace(out)) == 0 {
		out = d.shown // nothing stands in its place yet
	}
	d.send(out, end)
}

// drawn takes a state that was drawn over within the piece.
func (d *Decoder) drawn(text []byte, by, end End) {
	switch {
	case len(bytes.TrimSpace(text)) == 0:
	case end == EndHalf:
		d.shown = append(d.shown[:0], text...)
	default:
		d.send(text, by)
	}
}

// takeBack leaves out the last n characters.
func takeBack(text []byte, n int) []byte {
	for ; n > 0 && len(text) > 0; n-- {
		_, size := utf8.DecodeLastRune(text)
		text = text[:len(text)-size]
	}
	return text
}

type movement uint8

const (
	moveNone  movement = iota
	moveLine           // to another line or the start of this one, or the line is erased
	moveRight          // within the line
	moveLeft           // by some columns
)

// escapeSequence returns the length of the escape sequence at the start of p
// (ECMA-48: CSI, OSC and the two-character ones) and what it does to the text.
func escapeSequence(p []byte) (n int, action movement, columns int) {
	if len(p) < 2 {
		return len(p), moveNone, 0
	}
	switch b := p[1]; {
	case b == '[':
		for i := 2; i < len(p); i++ {
			if b := p[i]; b >= 0x40 && b <= 0x7e {
				action, columns = movementOf(b, p[2:i])
				return i + 1, action, columns
			} else if b < 0x20 || b > 0x3f {
				return i, moveNone, 0 // not a control sequence after all
			}
		}
		return len(p), moveNone, 0
	case b == ']', b == 'P', b == '_', b == '^': // a string up to BEL or ST, such as a link or a title
		for i := 2; i < len(p) && i < 4096; i++ {
			if p[i] == 0x07 {
				return i + 1, moveNone, 0
			}
			if p[i] == 0x1b {
				if i+1 < len(p) && p[i+1] == '\\' {
					return i + 2, moveNone, 0
				}
				break // another sequence begins
			}
		}
		return 2, moveNone, 0
	case b == '8': // back to the saved place
		return 2, moveLine, 0
	case b >= 0x20 && b <= 0x2f: // a character set, one more byte follows
		if len(p) > 2 && p[2] >= 0x20 && p[2] < 0x7f {
			return 3, moveNone, 0
		}
		return 2, moveNone, 0
	case b >= 0x30 && b <= 0x7e:
		return 2, moveNone, 0
	}
	return 1, moveNone, 0
}

// movementOf is what a control sequence with this final byte does.
func movementOf(final byte, parameter []byte) (movement, int) {
	switch final {
	case 'A', 'B', 'E', 'F', 'H', 'J', 'f', 'u':
		return moveLine, 0
	case 'K':
		if len(parameter) > 0 && parameter[len(parameter)-1] != '0' { // 1 and 2 take away what stands there
			return moveLine, 0
		}
	case 'G':
		if n := leadingDigits(parameter); len(n) == 0 || len(n) == 1 && n[0] <= '1' { // the first column
			return moveLine, 0
		}
		return moveRight, 0
	case 'C':
		return moveRight, 0
	case 'D':
		if n := leadingDigits(parameter); len(n) > 4 {
			return moveLeft, 9999
		} else if len(n) > 0 {
			return moveLeft, max(digits(n), 1)
		}
		return moveLeft, 1
	}
	return moveNone, 0
}
