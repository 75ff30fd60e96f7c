package logs

// Template returns a hash of the shape of a line: two lines that differ only
// in numbers, in the case of letters, in spacing, in colour or in how far a
// progress bar has come have the same template.
//
// What counts:
//   - Letters, lower-cased; bytes from 0x80 on (UTF-8 text) as they are.
//   - A run of digits with the separators inside it (dates, times, fractions,
//     exponents, hexadecimal) is one number, and all numbers are alike. Only a
//     standalone 0 stays apart: "exit code 0" is not "exit code 1".
//   - A word that turns into digits ends there, so gpu018 and gpu7 are alike.
//   - Space counts between words only.
//   - Runs of = # - . > * _ and all block, box, and braille glyphs are bars and
//     do not count. A single one of the ASCII ones does: it is punctuation.
//   - Escape sequences of terminals do not count.
//
// One pass, no allocation. The hash is FNV-1a with a finaliser, so its low bits
// may index a table. It is stable within one version of the program only.
func Template(text []byte) uint64 {
	h := shape{hash: fnvOffset}
	for i := 0; i < len(text); {
		c := text[i]
		switch kinds[c] {
		case blank:
			h.gap = true
			i++
		case letter:
			i = h.word(text, i)
		case digit:
			i = h.number(text, i)
		case bar:
			i = h.bar(text, i)
		case high:
			if isGlyph(text, i) {
				i += 3
				h.gap = true
				continue
			}
			h.letter(c)
			i++
		case escape:
			i = skipEscape(text, i)
		default:
			h.mark(c)
			i++
		}
	}
	return finalise(h.hash)
}

// shape is the state of one pass.
type shape struct {
	hash   uint64
	gap    bool // space since the last byte that counted
	inWord bool // the last byte that counted belongs to a word
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211

	// What numbers become: bytes that no line has, since blanks do not count.
	aNumber = 0x01
	aZero   = 0x02
)

func (h *shape) put(c byte) { h.hash = (h.hash ^ uint64(c)) * fnvPrime }

func (h *shape) letter(c byte) {
	if h.gap && h.inWord {
		h.put(' ')
	}
	h.put(c)
	h.gap, h.inWord = false, true
}

func (h *shape) mark(c byte) {
	h.put(c)
	h.gap, h.inWord = false, false
}

// word reads the letters from i on, and the digits that end the word.
func (h *shape) word(text []byte, i int) int {
	before := *h
	allHex := true
	h.letter(lower[text[i]])
	allHex = allHex && hexLetter[text[i]]
	for i++; i < len(text) && kinds[text[i]] == letter; i++ {
		h.put(lower[text[i]])
		allHex = allHex && hexLetter[text[i]]
	}
	if i == len(text) || kinds[text[i]] != digit {
		return i
	}
	if allHex { // a3f9 is a number in another base
		*h = before
		h.mark(aNumber)
		return skipNumber(text, i)
	}
	for i < len(text) && (kinds[text[i]] == letter || kinds[text[i]] == digit) {
		i++
	}
	return i
}

// number reads the number whose first digit is at i.
func (h *shape) number(text []byte, i int) int {
	start := i
	i = skipNumber(text, i)
	if i == start+1 && text[start] == '0' && (i == len(text) || kinds[text[i]] != letter && text[i] != '%') {
		h.mark(aZero)
	} else {
		h.mark(aNumber)
	}
	return i
}

// skipNumber returns the place after the number whose first digit is at i.
// Letters that follow belong to it if they are hexadecimal or if digits come
// after them; else they are a unit, and the next word.
func skipNumber(text []byte, i int) int {
	for {
		for i < len(text) && kinds[text[i]] == digit {
			i++
		}
		j, allHex := i, true
		for j < len(text) && kinds[text[j]] == letter {
			allHex = allHex && hexLetter[text[j]]
			j++
		}
		moreDigits := j > i && j < len(text) && kinds[text[j]] == digit
		if allHex || moreDigits {
			i = j
		}
		if moreDigits {
			continue
		}
		if i+1 >= len(text) || !joins[text[i]] || kinds[text[i+1]] != digit {
			return i
		}
		i++
	}
}

// bar reads a run of bar characters: nothing, or punctuation if there is one
// alone. A minus before a digit is the sign of a number, and does not count.
func (h *shape) bar(text []byte, i int) int {
	start := i
	for i < len(text) && kinds[text[i]] == bar {
		i++
	}
	length := i - start
	signed := text[i-1] == '-' && i < len(text) && kinds[text[i]] == digit
	if signed && (length > 1 || h.gap || !h.inWord) {
		length--
	}
	switch length {
	case 0:
	case 1:
		h.mark(text[start])
	default:
		h.gap = true
	}
	return i
}

// isGlyph reports whether the UTF-8 character at i is a box, block, geometric
// or braille glyph: U+2500 to U+25FF and U+2800 to U+28FF.
func isGlyph(text []byte, i int) bool {
	if text[i] != 0xE2 || i+2 >= len(text) {
		return false
	}
	c := text[i+1]
	return 0x94 <= c && c <= 0x97 || 0xA0 <= c && c <= 0xA3
}

// skipEscape returns the place after the escape sequence at i: ESC [ with its
// parameters up to the final byte, or ESC and one byte.
func skipEscape(text []byte, i int) int {
	i++
	if i == len(text) {
		return i
	}
	if text[i] != '[' {
		return i + 1
	}
	for i++; i < len(text); i++ {
		if 0x40 <= text[i] && text[i] <= 0x7E {
			return i + 1
		}
	}
	return i
}

// finalise spreads every bit of the hash over the whole word (the last steps
// of MurmurHash3).
func finalise(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

type kind uint8

const (
	mark kind = iota
	blank
	letter
	digit
	bar
	high
	escape
)

var (
	kinds     [256]kind
	lower     [256]byte
	hexLetter [256]bool
	joins     [256]bool // separators that a number may have inside
)

func init() {
	for i := range 256 {
		c := byte(i)
		lower[c] = c
		switch {
		case c == 0x1b:
			kinds[c] = escape
		case c <= ' ', c == 0x7f:
			kinds[c] = blank
		case 'a' <= c && c <= 'z':
			kinds[c] = letter
		case 'A' <= c && c <= 'Z':
			kinds[c] = letter
			lower[c] = c + 'a' - 'A'
		case '0' <= c && c <= '9':
			kinds[c] = digit
		case c >= 0x80:
			kinds[c] = high
		}
	}
	for _, c := range []byte("=#-.>*_") {
		kinds[c] = bar
	}
	for _, c := range []byte("abcdefABCDEF") {
		hexLetter[c] = true
	}
	for _, c := range []byte(".,:/-+") {
		joins[c] = true
	}
}
