package tracker

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Words replaces every word by a random one of the same length: the same word
// by the same one everywhere, whatever its case, and two words of equal length
// by two. Letters stay in their script and keep their case, so bytes keep their
// number.
//
// What is no word stays: numbers and what belongs to them (`1e-4`, `0x1f`,
// `3.6k`, `nan`), escape sequences, the escapes, true, false and null of JSON,
// and what a container runtime or a launcher writes before a line. Units are
// words: `1.2 it/s` becomes `1.2 qu/w`.
type Words struct {
	seed uint64
}

// NewWords returns the replacement that a seed stands for.
func NewWords(seed uint64) *Words { return &Words{seed: seed} }

// Replace returns the log with its words replaced. A log in UTF-16 with a byte
// order mark comes back in UTF-8.
func (w *Words) Replace(log []byte) []byte {
	log = decodeUTF16(log)
	out := make([]byte, 0, len(log))
	for len(log) > 0 {
		end := bytes.IndexAny(log, "\n\r")
		if end < 0 {
			end = len(log) - 1
		}
		out = w.line(out, log[:end+1])
		log = log[end+1:]
	}
	return out
}

// line appends one line with its words replaced.
func (w *Words) line(out, line []byte) []byte {
	keep := wrapper(line)
	for i := 0; i < len(line); {
		if i < keep {
			out = append(out, line[i:keep]...)
			i = keep
			continue
		}
		if n := escape(line[i:]); n > 0 {
			out = append(out, line[i:i+n]...)
			i += n
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		if !isLetter(r) {
			out = append(out, line[i:i+size]...)
			i += size
			continue
		}
		end := wordEnd(line, i)
		if n := keptPrefix(line, i, end); n > 0 {
			out = append(out, line[i:i+n]...)
			i += n
			continue
		}
		out = w.word(out, line[i:end])
		i = end
	}
	return out
}

// isLetter also takes the marks that combine with letters.
func isLetter(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.Is(unicode.M, r))
}

// wordEnd returns the end of the run of letters that begins at from. Han
// characters stand apart from the letters of other scripts.
func wordEnd(line []byte, from int) int {
	first, _ := utf8.DecodeRune(line[from:])
	end := from
	for end < len(line) {
		r, size := utf8.DecodeRune(line[end:])
		if !isLetter(r) || unicode.Is(unicode.Han, r) != unicode.Is(unicode.Han, first) {
			break
		}
		end += size
	}
	return end
}

// rounds of the Feistel network that maps words to words one to one.
const rounds = 6

// word appends the replacement of one word. A word is mapped to another of the
// same length and alphabet by a permutation; results that mean something beside
// a number are passed on to the next.
func (w *Words) word(out, word []byte) []byte {
	runes := []rune(string(word))
	places := make([]place, len(runes))
	for i, r := range runes {
		places[i] = placeOf(r)
	}
	for range 64 {
		w.permute(places)
		if !meansSomething(places) {
			break
		}
	}
	for _, p := range places {
		out = utf8.AppendRune(out, p.rune())
	}
	return out
}

// permute mixes the letters of a word: each half in turn is shifted by a hash
// of the other.
func (w *Words) permute(places []place) {
	half := len(places) / 2
	for round := range rounds {
		moved, other := places[:half], places[half:]
		if round%2 == 0 {
			moved, other = other, moved
		}
		shift := rand.New(rand.NewPCG(w.seed, digest(round, len(places), other)))
		for i := range moved {
			moved[i].index = (moved[i].index + shift.IntN(moved[i].size)) % moved[i].size
		}
	}
}

func digest(round, length int, places []place) uint64 {
	h := fnv.New64a()
	buf := binary.LittleEndian.AppendUint32(nil, uint32(round))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(length))
	for _, p := range places {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(p.base))
		buf = binary.LittleEndian.AppendUint32(buf, uint32(p.index))
	}
	h.Write(buf)
	return h.Sum64()
}

// place is a letter as an index in an alphabet of letters that take equally
// many bytes.
type place struct {
	base        rune // the first letter of the alphabet
	index, size int
	upper       bool
}

func (p place) rune() rune {
	r := p.base + rune(p.index)
	if p.upper {
		return unicode.ToUpper(r)
	}
	return r
}

// alphabets are runs of letters whose upper case, if they have one, takes as
// many bytes as they do.
var alphabets = []struct {
	first, last rune
}{
	{'a', 'z'},
	{'α', 'ρ'}, {'σ', 'ω'},
	{'а', 'я'},
	{'ぁ', 'ゖ'}, {'ァ', 'ヺ'},
	{'一', '鿿'}, // Han
	{'가', '힣'}, // Hangul
}

func placeOf(r rune) place {
	lower := unicode.ToLower(r)
	for _, a := range alphabets {
		if utf8.RuneLen(lower) != utf8.RuneLen(r) {
			break // İ, the sign for kelvin
		}
		if lower >= a.first && lower <= a.last {
			return place{base: a.first, index: int(lower - a.first), size: int(a.last-a.first) + 1, upper: lower != r}
		}
	}
	return place{base: r, size: 1} // a letter of its own alphabet: é, ß
}

// meansSomething tells whether a result would be read as a unit or a number.
func meansSomething(places []place) bool {
	var word []rune
	for _, p := range places {
		word = append(word, p.base+rune(p.index))
	}
	text := string(word)
	return isUnit(text) || numberWords[text] || calendar[text] || text == "e" || text == "x"
}

// decodeUTF16 returns the UTF-8 of a log that begins with a byte order mark of
// UTF-16, and any other as it is.
func decodeUTF16(log []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(log, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(log, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return log
	}
	units := make([]uint16, 0, len(log)/2)
	for i := 2; i+1 < len(log); i += 2 {
		units = append(units, order.Uint16(log[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}
