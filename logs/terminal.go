package logs

import "unicode/utf8"

// redrawRunes is the number of backspaces in a row from which they are taken
// for the redrawing of a bar and not for a correction within a line.
const redrawRunes = 8

// draw hands out what a terminal would have shown for one piece: escape
// sequences are taken off, backspaces take text back, and a movement to
// another line or over the whole text ends a segment.
func (d *Decoder) draw(piece []byte, control bool, end End) {
	if !control {
		d.send(piece, end)
		return
	}
	out := d.clean[:0]
	back := 0 // backspaces since the last character
	for i := 0; i < len(piece); {
		switch b := piece[i]; {
		case b == '\b':
			back++
			i++
			continue
		case b == 0x1b:
			n, action := escapeSequence(piece[i:])
			i += n
			if action == moveLine && len(out) > 0 {
				d.send(out, EndRedraw)
				out = out[:0]
			}
			if action == moveRight {
				out = append(out, ' ')
			}
			continue
		case b == '\n' || b == '\r': // from within a container's JSON string
			d.send(out, EndReturn)
			out, back = out[:0], 0
			i++
			continue
		case b < 0x20 && b != '\t' || b == 0x7f:
			i++
			continue
		}
		if back > 0 {
			kept := out
			for n := back; n > 0 && len(kept) > 0; n-- {
				_, size := utf8.DecodeLastRune(kept)
				kept = kept[:len(kept)-size]
			}
			if back >= redrawRunes || len(kept) == 0 {
				d.send(out, EndRedraw)
			}
			out, back = out[:len(kept)], 0
		}
		_, size := utf8.DecodeRune(piece[i:])
		out = append(out, piece[i:i+size]...)
		i += size
	}
	d.clean = out[:0]
	d.send(out, end)
}

type movement uint8

const (
	moveNone  movement = iota
	moveLine           // to another line, or the line is erased
	moveRight          // within the line
)

// escapeSequence returns the length of the escape sequence at the start of p (ECMA-48:
// CSI, OSC and the two-character ones) and what it does to the text.
func escapeSequence(p []byte) (int, movement) {
	if len(p) < 2 {
		return len(p), moveNone
	}
	switch p[1] {
	case '[':
		for i := 2; i < len(p); i++ {
			if b := p[i]; b >= 0x40 && b <= 0x7e {
				switch b {
				case 'A', 'B', 'E', 'F', 'H', 'J', 'f':
					return i + 1, moveLine
				case 'K':
					if i > 2 && p[i-1] != '0' { // 1 and 2 take away what stands there
						return i + 1, moveLine
					}
				case 'C', 'G':
					return i + 1, moveRight
				}
				return i + 1, moveNone
			} else if b < 0x20 || b > 0x3f {
				return i, moveNone // not a control sequence after all
			}
		}
		return len(p), moveNone
	case ']', 'P', '_', '^': // a string up to BEL or ST, such as a link or a title
		for i := 2; i < len(p) && i < 4096; i++ {
			if p[i] == 0x07 {
				return i + 1, moveNone
			}
			if p[i] == 0x1b && i+1 < len(p) && p[i+1] == '\\' {
				return i + 2, moveNone
			}
		}
		return 2, moveNone
	}
	if p[1] >= 0x20 && p[1] <= 0x2f { // a character set, one more byte follows
		return min(3, len(p)), moveNone
	}
	return 2, moveNone
}
