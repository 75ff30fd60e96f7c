package series

import (
	"bytes"
	"math"

	"schedmate/logs"
)

// keyItems is the number of numbers after which a line's beginning is enough to
// tell its family.
const keyItems = 2

// familyKey hashes the beginning of a line: its text up to the second number
// (a fraction is one, percents and what bars are drawn of do not count), with
// numbers masked, the stamp left out, and the wholes of fractions as they are:
// 12/24 and 5/6 are bars of different things. It returns the hash without the
// wholes, too, and the last of them, 0 when there is none.
func familyKey(text []byte, stamp logs.Stamp, fields []logs.Field, rank int32) (key, bare uint64, whole float64) {
	h := hasher(14695981039346656037)
	h.int(uint64(uint32(rank)))
	b := h
	mark := func(c byte) {
		h.mark(c)
		b.mark(c)
	}
	stop, items := len(text), 0
	for i := range fields {
		f := &fields[i]
		if f.Kind == logs.Percent || f.Kind == logs.Whole {
			continue
		}
		items++
		if items == keyItems {
			stop = f.End
			if f.Kind == logs.Part && i+1 < len(fields) && fields[i+1].Kind == logs.Whole {
				stop = fields[i+1].End
			}
			break
		}
	}
	i, next := 0, 0
	for i < stop {
		if stamp.End > stamp.Start && i == stamp.Start {
			i = stamp.End
			continue
		}
		for next < len(fields) && fields[next].Start < i {
			next++
		}
		if next < len(fields) && fields[next].Start == i {
			f := &fields[next]
			mark('#')
			if f.Kind == logs.Whole && f.Integer && next > 0 && fields[next-1].Integer && fields[next-1].Value <= f.Value {
				h.int(math.Float64bits(f.Value))
				whole = f.Value
			}
			i = max(f.End, i+1)
			continue
		}
		c := text[i]
		switch {
		case c >= '0' && c <= '9' && i > 0 && (text[i-1] == '#' || text[i-1] == '|' && i > 1 && text[i-2] == '%'): // the last cell of an ASCII bar
		case c >= '0' && c <= '9':
			if items == 1 && i > 0 && letter(text[i-1]) { // top1 and top5 are two things, and all that their lines say
				mark(c)
				break
			}
			mark('#')
		case c >= 'A' && c <= 'Z':
			mark(c | 0x20)
		case c >= 'a' && c <= 'z':
			mark(c)
		case c == 0xe2 && i+2 < stop && (text[i+1] >= 0x94 && text[i+1] <= 0x97 || text[i+1] >= 0xa0 && text[i+1] <= 0xa3):
			i += 2 // a glyph of a bar
		case c >= 0x80:
			mark(c)
		case drawn(text, i): // a bar
		case c == ':' || c == '=' || c == '|' || c == '(' || c == '[' || c == '{' || c == '\'' || c == '"' || c == ',':
			mark(c)
		}
		i++
	}
	mark(heldOutMark(text[stop:]))
	return uint64(h), uint64(b), whole
}

// heldOutMark is the first letter of the word behind the beginning of a line where that
// tells lines of held-out data from those of training, `[3: 0/80] test loss`; else 0.
func heldOutMark(rest []byte) byte {
	i := 0
	for i < len(rest) && !letter(rest[i]) && (rest[i] < '0' || rest[i] > '9') && i < 4 {
		i++
	}
	n := i
	for n < len(rest) && letter(rest[n]) {
		n++
	}
	switch string(bytes.ToLower(rest[i:n])) {
	case "test", "val", "valid", "validation", "eval", "dev":
		return rest[i] | 0x20
	}
	return 0
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// drawn tells whether the byte at i is in a run of what ASCII bars are drawn of.
func drawn(text []byte, i int) bool {
	return ink(text[i]) && (i > 0 && ink(text[i-1]) || i+1 < len(text) && ink(text[i+1]))
}

func ink(b byte) bool {
	return b == '=' || b == '>' || b == '.' || b == '#' || b == '-' || b == '*' || b == '_' || b == '~'
}

type hasher uint64

func (h *hasher) mark(b byte) { *h = (*h ^ hasher(b)) * 1099511628211 }

func (h *hasher) int(v uint64) {
	for range 8 {
		h.mark(byte(v))
		v >>= 8
	}
}
