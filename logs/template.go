package logs

import "strings"

// Template returns a hash of the shape of a line: two lines that differ only
// in numbers, in the case of letters, in spacing, in colour or in how far a
// progress bar has come have the same template.
//
//   - Letters count, lower-cased; UTF-8 text counts as it is.
//   - A number counts, but not which. It is a run of digits with single
//     separators inside (dates, times, fractions, exponents, addresses) and
//     with the letters that follow directly (units, hexadecimal). Only a
//     standalone 0 is kept apart: "exit code 0" is not "exit code 1".
//   - A word ends where digits begin: gpu018 and gpu7 are alike.
//   - Space counts between words only, a minus before a number does not.
//   - Runs of = # - . > * _ and all box, block and braille glyphs are bars and
//     do not count. A single one of the ASCII ones is punctuation, which does.
//   - Escape sequences of terminals do not count.
//
// It makes one pass and allocates nothing. The low bits may index a table. The
// hash is the same on every machine, but may differ between versions.
func Template(text []byte) uint64 {
	h, state := fnvOffset, uint16(shapeBetween)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if irregular[c] {
			if c == escapeByte {
				i = escapeEnd(text, i) - 1
				continue
			}
			if isGlyph(text[i:]) {
				i += 2
				c = aGlyph
			}
		}
		at := state | uint16(c)
		state = shapeNext[at]
		symbols := uint64(shapeSymbols[at])
		next := (h ^ symbols) * fnvPrime
		if symbols != 0 {
			h = next
		}
	}
	if symbols := uint64(shapeSymbols[state|' ']); symbols != 0 {
		h = (h ^ symbols) * fnvPrime
	}
	return finalise(h)
}

// What the bytes of a line are turned into. Blanks never count, so their codes
// are free for symbols of another meaning.
const (
	escapeByte = 0x1B // starts an escape sequence
	aGlyph     = 0x03 // stands for a box, block or braille glyph
	aNumber    = 0x01
	aZero      = 0x02

	barBytes  = "=#-.>*_"
	joinBytes = ".,:/-+" // separators that a number may have inside
)

// States of the automaton behind Template: what was read last.
const (
	shapeBetween   = iota // a blank or a mark, or nothing
	shapeWord             // a letter, or a byte of UTF-8 text
	shapeAfterWord        // a blank after a word
	shapeNumber           // digits, or letters that belong to them
	shapeZero             // one 0 that may become a number
	shapeBars             // a run of bar characters
	shapeJoin             // plus an index in joinBytes: a number and this separator
)

const (
	shapeZeroJoin = shapeJoin + len(joinBytes)     // plus an index: a 0 and this separator
	shapeBar      = shapeZeroJoin + len(joinBytes) // plus an index in barBytes: this one alone so far
	shapeBarMinus = shapeBar + len(barBytes)       // plus an index: this one and a minus
	shapeCount    = shapeBarMinus + len(barBytes)
)

// shapeStep is the automaton: the next state, and up to three symbols to hash,
// the last in the low byte.
func shapeStep(state int, c byte) (next int, symbols uint32) {
	last := uint32(c)
	if 'A' <= c && c <= 'Z' {
		last += 'a' - 'A'
	}
	join, bar := strings.IndexByte(joinBytes, c), strings.IndexByte(barBytes, c)
	numeric, held := heldBack(state)
	switch {
	case '0' <= c && c <= '9':
		switch {
		case numeric:
			return shapeNumber, 0
		case state == shapeBar+strings.IndexByte(barBytes, '-'):
			held = 0 // a sign
		case state >= shapeBarMinus:
			held = uint32(barBytes[state-shapeBarMinus]) << 8
		}
		if c == '0' && state != shapeWord {
			return shapeZero, held
		}
		return shapeNumber, held
	case c == aGlyph:
		return shapeBars, held
	case c <= ' ' || c == 0x7F:
		if state == shapeWord || state == shapeAfterWord {
			return shapeAfterWord, 0
		}
		return shapeBetween, held
	case c >= 0x80 || 'a' <= last && last <= 'z':
		switch {
		case c < 0x80 && (state == shapeNumber || state == shapeZero):
			return shapeNumber, 0
		case state == shapeAfterWord:
			return shapeWord, ' '<<8 | last
		}
		return shapeWord, held | last
	case join >= 0 && state == shapeNumber:
		return shapeJoin + join, 0
	case join >= 0 && state == shapeZero:
		return shapeZeroJoin + join, 0
	case bar >= 0:
		switch {
		case state >= shapeBar && state < shapeBarMinus && c == '-' && barBytes[state-shapeBar] != '-':
			return shapeBarMinus + state - shapeBar, 0
		case state == shapeBars, state >= shapeBar:
			return shapeBars, 0
		case state >= shapeJoin && strings.IndexByte(barBytes, byte(held>>8)) >= 0:
			return shapeBars, held >> 16 << 16
		}
		return shapeBar + bar, held
	case c == '%' && state == shapeZero:
		return shapeBetween, aNumber<<16 | last
	}
	return shapeBetween, held | last
}

// heldBack returns the symbols that were read and not yet hashed, in their
// places before a last one, and whether a digit would go on with a number.
func heldBack(state int) (numeric bool, symbols uint32) {
	switch {
	case state == shapeNumber:
		return true, aNumber << 16
	case state == shapeZero:
		return true, aZero << 16
	case shapeJoin <= state && state < shapeZeroJoin:
		return true, aNumber<<16 | uint32(joinBytes[state-shapeJoin])<<8
	case shapeZeroJoin <= state && state < shapeBar:
		return true, aZero<<16 | uint32(joinBytes[state-shapeZeroJoin])<<8
	case shapeBar <= state && state < shapeBarMinus:
		return false, uint32(barBytes[state-shapeBar]) << 8
	}
	return false, 0
}

var (
	shapeNext    [1 << 16]uint16
	shapeSymbols [1 << 16]uint32
	irregular    [256]bool // bytes that may begin something that is more than one byte
)

func init() {
	for state := range shapeCount {
		for c := range 256 {
			next, symbols := shapeStep(state, byte(c))
			shapeNext[state<<8|c] = uint16(next) << 8
			shapeSymbols[state<<8|c] = symbols
		}
	}
	irregular[escapeByte], irregular[0xE2] = true, true
}

// isGlyph reports whether the text begins with U+2500 to U+25FF (boxes, blocks,
// shapes) or U+2800 to U+28FF (braille).
func isGlyph(text []byte) bool {
	if len(text) < 3 || text[0] != 0xE2 || text[2] < 0x80 {
		return false
	}
	return 0x94 <= text[1] && text[1] <= 0x97 || 0xA0 <= text[1] && text[1] <= 0xA3
}

// escapeEnd returns where the escape sequence at i ends: ESC [, parameters and
// a final byte, or ESC and one byte.
func escapeEnd(text []byte, i int) int {
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

// The hash is FNV-1a over symbols, and the last steps of MurmurHash3, which
// spread every bit over the whole word.
const (
	fnvOffset uint64 = 14695981039346656037
	fnvPrime  uint64 = 1099511628211
)

func finalise(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
