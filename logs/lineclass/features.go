package lineclass

import "math/bits"

// family keeps the features of different kinds apart.
type family uint32

const (
	famBias     family = iota
	famStem            // a word without its ending
	famBigram          // two words in a row; numbers and bars are words here
	famGroup           // a group of words occurs; occurs among the first words
	famPair            // two groups occur
	famShape           // two and three tokens in a row, as they look
	famChars           // three and five characters in a row
	famCount           // how many of something there are
	famNoFault         // a fault that did not occur: "0 ECC errors"
	famMeasured        // a number right behind a word of this group
)

// maxFeatures bounds the work of one line.
const maxFeatures = 1024

// maxChars is how much of a line is read character by character.
const maxChars = 300

// firstWords is how many words count as the beginning of a line.
const firstWords = 8

// extractor turns lines into features. It is reused, and not safe for
// concurrent use.
type extractor struct {
	scanner
	lexicon  *lexicon
	features []uint32 // hashes, some of them twice
	storage  [maxFeatures]uint32
	counts   lineCounts
}

// lineCounts are the numbers of things in a line.
type lineCounts struct {
	words, numbers, decimals, ratios, clocks, bars int
	percents, equals, colons, capitals             int
	metrics, steps, paces                          int // words of these groups with their numbers
}

func (x *extractor) add(f family, a, b uint32) {
	if len(x.features) == maxFeatures {
		return
	}
	h := hashOffset ^ uint32(f)*0x9E3779B1
	h = (h ^ a) * hashPrime
	h ^= h >> 15
	h = (h ^ b) * 0x85EBCA6B
	h ^= h >> 13
	h *= 0xC2B2AE35
	x.features = append(x.features, h^h>>16)
}

// extract returns the hashes of the line's features, valid until the next call.
func (x *extractor) extract(text []byte) []uint32 {
	x.features, x.counts = x.storage[:0], lineCounts{}
	x.add(famBias, 0, 0)
	tokens := x.scan(text)
	all, first := x.words(tokens)
	x.groups(all, first)
	x.shapes(tokens)
	x.countAll(text)
	x.chars(text)
	return x.features
}

// words adds what single tokens and their neighbours tell, and returns the
// groups that occur, in all and among the first words.
func (x *extractor) words(tokens []token) (all, first uint64) {
	var before uint32 // the last word, number or bar
	noFault := 0      // words to come that "no" or "0" speaks of
	absent := false   // a fault that it speaks of
	for i := range tokens {
		t := &tokens[i]
		x.count(tokens, i)
		var here uint32
		switch t.kind {
		case word:
			t.groups = x.lexicon.groups(t.stem)
			x.add(famStem, t.stem, 0)
			here = t.stem
			if noFault > 0 && t.groups&(1<<groupFailure) != 0 {
				absent = true
				t.groups &^= 1<<groupFailure | 1<<groupError
			}
			noFault--
			if t.stem == stemNo || t.stem == stemWithout || t.stem == stemZero {
				noFault = 3
			}
			all |= t.groups
			if x.counts.words <= firstWords {
				first |= t.groups
			}
			if measured(tokens[i+1:]) {
				x.measured(t.groups)
			}
		case number:
			here = shapeNumber
			if t.zero {
				here, noFault = '0', 3
			}
		case bar:
			here = shapeBar
		case mark:
			continue
		}
		if before != 0 {
			x.add(famBigram, before, here)
		}
		before = here
	}
	if absent {
		for g := all; g != 0; g &= g - 1 {
			x.add(famNoFault, uint32(bits.TrailingZeros64(g)), 0)
		}
	}
	return all, first
}

var stemNo, stemWithout, stemZero = stemOf([]byte("no")), stemOf([]byte("without")), stemOf([]byte("zero"))

// measured reports whether a number follows, with only such marks between as
// stand between a name and its value.
func measured(tokens []token) bool {
	for i := range min(4, len(tokens)) {
		switch t := &tokens[i]; {
		case t.kind == number:
			return true
		case t.kind != mark:
			return false
		}
		switch tokens[i].shape {
		case ':', '=', '(', '[', '\'', '"', '#':
		default:
			return false
		}
	}
	return false
}

func (x *extractor) measured(groups uint64) {
	if groups&(1<<groupMetric) != 0 {
		x.counts.metrics++
	}
	if groups&(1<<groupStep) != 0 {
		x.counts.steps++
	}
	for g := groups; g != 0; g &= g - 1 {
		x.add(famMeasured, uint32(bits.TrailingZeros64(g)), 0)
	}
}

// count counts the token at i.
func (x *extractor) count(tokens []token, i int) {
	t, n := &tokens[i], &x.counts
	switch t.kind {
	case word:
		n.words++
		if t.shape == shapeUpper {
			n.capitals++
		}
		if i > 0 && (tokens[i-1].kind == number || tokens[i-1].shape == '/') && x.lexicon.groups(t.stem)&(1<<groupPace) != 0 {
			n.paces++
		}
	case number:
		n.numbers++
		n.decimals += one(t.decimal)
		n.ratios += one(t.ratio)
		n.clocks += one(t.clock)
	case bar:
		n.bars++
	case mark:
		n.percents += one(t.shape == '%')
		n.equals += one(t.shape == '=')
		n.colons += one(t.shape == ':' && i+1 < len(tokens) && tokens[i+1].spaced)
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// groups adds the groups that occur, alone and in pairs.
func (x *extractor) groups(all, first uint64) {
	for g := all; g != 0; g &= g - 1 {
		a := uint32(bits.TrailingZeros64(g))
		x.add(famGroup, a, 0)
		if first>>a&1 != 0 {
			x.add(famGroup, a, 1)
		}
		for h := g & (g - 1); h != 0; h &= h - 1 {
			x.add(famPair, a, uint32(bits.TrailingZeros64(h)))
		}
	}
}

// shapes adds the looks of tokens in a row; the line's start is one, too.
func (x *extractor) shapes(tokens []token) {
	var two, three uint32
	for i := range tokens {
		s := uint32(tokens[i].shape)
		three = (three<<8 | s) & 0xFFFFFF
		two = three & 0xFFFF
		x.add(famShape, two, 0)
		x.add(famShape, three, 1)
	}
}

// countAll adds each count as the steps that it reaches, so that more of
// something can only add evidence.
func (x *extractor) countAll(text []byte) {
	n := &x.counts
	x.reaches(1, n.numbers, 1, 2, 3, 4, 6, 9)
	x.reaches(2, n.decimals, 1, 2, 3, 5)
	x.reaches(3, n.words, 2, 3, 5, 8, 12, 18, 25)
	x.reaches(4, n.metrics, 1, 2, 3)
	x.reaches(5, n.steps, 1, 2)
	x.reaches(6, n.paces, 1, 2)
	x.reaches(7, n.ratios, 1)
	x.reaches(8, n.percents, 1)
	x.reaches(9, n.bars, 1)
	x.reaches(10, n.equals, 1, 2, 4)
	x.reaches(11, n.colons, 1, 2, 4)
	x.reaches(12, n.capitals, 1, 2, 4)
	x.reaches(13, n.clocks, 1, 2)
	if n.words > 0 {
		x.reaches(14, 4*n.numbers/n.words, 1, 2, 4, 6)
	}
	if len(text) > 0 && text[0] == ' ' {
		x.add(famCount, 15, 1)
	}
}

func (x *extractor) reaches(what uint32, n int, steps ...int) {
	for _, s := range steps {
		if n >= s {
			x.add(famCount, what, uint32(s))
		}
	}
}

// chars adds runs of three and of five characters. Letters are lower-cased, all
// digits are alike, and blanks, digits and bars in a row are one character.
func (x *extractor) chars(text []byte) {
	var last uint64 // the last eight characters
	text = text[:min(len(text), maxChars)]
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = folded[text[i]]
		}
		if byte(last) == c && runs[c] {
			continue
		}
		last = last<<8 | uint64(c)
		if last >= 1<<16 {
			x.add(famChars, uint32(last&0xFFFFFF), 3)
		}
		if last >= 1<<32 {
			x.add(famChars, uint32(last), uint32(last>>32&0xFF)<<3|5)
		}
	}
}

var (
	folded [256]byte
	runs   [256]bool
)

func init() {
	for i := range folded {
		c := byte(i)
		switch {
		case isUpper(c):
			c |= 0x20
		case isDigit(c):
			c = '0'
		case c < ' ':
			c = ' '
		}
		folded[i] = c
	}
	for _, c := range []byte("0 =.-#") {
		runs[c] = true
	}
}
