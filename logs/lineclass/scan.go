package lineclass

// token is a word, a number, a mark or a bar of a line.
type token struct {
	kind    tokenKind
	shape   byte   // how it looks; a mark is its own shape
	stem    uint32 // of a word: hash of its lower-case letters without the ending
	zero    bool   // of a number: it is 0
	spaced  bool   // a blank comes before
	decimal bool   // of a number
	clock   bool   // of a number: has a colon
	ratio   bool   // of a number: has a slash
	groups  uint64 // of a word: the evidence it gives, one bit a group
}

type tokenKind uint8

const (
	word tokenKind = iota
	number
	mark
	bar
)

// Shapes of what is not a mark.
const (
	shapeWord    = 'w'
	shapeCapital = 'C' // Word
	shapeUpper   = 'W' // WORD
	shapeNumber  = '#'
	shapeBar     = 'B'
)

// What is read of a line: classes show at its start.
const (
	maxBytes  = 2048
	maxTokens = 192
)

const (
	hashOffset uint32 = 2166136261
	hashPrime  uint32 = 16777619
)

// hashed is one step of FNV-1a.
func hashed(h uint32, c byte) uint32 { return (h ^ uint32(c)) * hashPrime }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// isGlyph reports whether U+2500 to U+25FF (boxes, blocks) or U+2800 to U+28FF
// (braille) begins at i: what progress bars are drawn with.
func isGlyph(text []byte, i int) bool {
	if i+2 >= len(text) || text[i] != 0xE2 || text[i+2] < 0x80 {
		return false
	}
	c := text[i+1]
	return 0x94 <= c && c <= 0x97 || 0xA0 <= c && c <= 0xA3
}

// scanner cuts a line into tokens.
type scanner struct {
	text   []byte
	at     int
	tokens []token
	buffer [maxTokens]token
}

func (s *scanner) scan(text []byte) []token {
	s.text, s.at, s.tokens = text[:min(len(text), maxBytes)], 0, s.buffer[:0]
	spaced := true
	for s.at < len(s.text) && len(s.tokens) < maxTokens {
		c := s.text[s.at]
		switch {
		case c == 0x1B:
			s.skipEscape()
			continue
		case c <= ' ' || c == 0x7F:
			s.at++
			spaced = true
			continue
		}
		n := len(s.tokens)
		switch {
		case isDigit(c):
			s.number()
		case isLetter(c):
			s.identifier()
		case isGlyph(s.text, s.at):
			for isGlyph(s.text, s.at) {
				s.at += 3
			}
			s.tokens = append(s.tokens, token{kind: bar, shape: shapeBar})
		case c >= 0x80:
			h := hashOffset
			for s.at < len(s.text) && s.text[s.at] >= 0x80 && !isGlyph(s.text, s.at) {
				h = hashed(h, s.text[s.at])
				s.at++
			}
			s.tokens = append(s.tokens, token{kind: word, shape: shapeWord, stem: h})
		default:
			s.mark(c)
		}
		if n < len(s.tokens) {
			s.tokens[n].spaced = spaced
		}
		spaced = false
	}
	return s.tokens
}

// skipEscape passes over a terminal's escape sequence.
func (s *scanner) skipEscape() {
	s.at++
	if s.at < len(s.text) && s.text[s.at] == '[' {
		for s.at++; s.at < len(s.text) && (s.text[s.at] < 0x40 || s.text[s.at] > 0x7E); s.at++ {
		}
	}
	s.at = min(s.at+1, len(s.text))
}

// mark reads punctuation. Four or more of what bars are drawn with are a bar,
// and dots in a row are one.
func (s *scanner) mark(c byte) {
	drawn := c == '=' || c == '#' || c == '-' || c == '.' || c == '>' || c == '*' || c == '_'
	end := s.at + 1
	for drawn && end < len(s.text) && s.text[end] == c {
		end++
	}
	switch {
	case drawn && end-s.at >= 4:
		s.tokens = append(s.tokens, token{kind: bar, shape: shapeBar})
		s.at = end
		return
	case c == '.':
		s.at = end
	default:
		s.at++
	}
	s.tokens = append(s.tokens, token{kind: mark, shape: c})
}

// number reads digits with the separators, the exponent, and the digits and
// letters of other bases among them. A unit behind it is a word of its own.
func (s *scanner) number() {
	t := token{kind: number, shape: shapeNumber}
	start := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		if isDigit(c) {
			s.at++
			continue
		}
		next := s.at + 1
		if (c == 'e' || c == 'E') && next < len(s.text) && (s.text[next] == '-' || s.text[next] == '+') {
			next++
		}
		if next >= len(s.text) || !isDigit(s.text[next]) {
			break
		}
		switch c {
		case '.', 'e', 'E':
			t.decimal = true
		case '/':
			t.ratio = true
		case ':':
			t.clock = true
		case ',', '-', '+', '_', 'x':
		default:
			if !isLetter(c) {
				s.endNumber(t, start)
				return
			}
		}
		s.at = next + 1
	}
	s.endNumber(t, start)
}

func (s *scanner) endNumber(t token, start int) {
	t.zero = s.at == start+1 && s.text[start] == '0'
	s.tokens = append(s.tokens, t)
}

// identifier reads letters, digits and underscores, and cuts them into words:
// at underscores, at digits, and where a capital begins a word, so that
// FileNotFoundError is four.
func (s *scanner) identifier() {
	for s.at < len(s.text) && len(s.tokens) < maxTokens {
		c := s.text[s.at]
		switch {
		case c == '_' && s.at+1 < len(s.text) && (isLetter(s.text[s.at+1]) || isDigit(s.text[s.at+1])):
			s.at++
		case isDigit(c):
			for s.at < len(s.text) && (isDigit(s.text[s.at]) || isLetter(s.text[s.at])) {
				s.at++
			}
		case isLetter(c):
			s.word()
		default:
			return
		}
	}
}

// word reads letters up to the next capital that begins a word.
func (s *scanner) word() {
	start, capitals := s.at, 0
	for ; s.at < len(s.text) && isLetter(s.text[s.at]); s.at++ {
		if !isUpper(s.text[s.at]) {
			continue
		}
		if s.at > start && !isUpper(s.text[s.at-1]) {
			break // theWord
		}
		if s.at > start+1 && s.at+1 < len(s.text) && isLetter(s.text[s.at+1]) && !isUpper(s.text[s.at+1]) {
			break // THEWord
		}
		capitals++
	}
	letters := s.text[start:s.at]
	t := token{kind: word, shape: shapeWord, stem: stemOf(letters)}
	if capitals == len(letters) && capitals > 1 {
		t.shape = shapeUpper
	} else if isUpper(letters[0]) {
		t.shape = shapeCapital
	}
	s.tokens = append(s.tokens, t)
}

var endings = [...]string{"ations", "ation", "ings", "ing", "ions", "ion", "ers", "ed", "es", "s", "e"}

// stemOf returns the hash of a word's lower-case letters without a common
// ending and without a doubled last letter: kill, killed and killing are one.
func stemOf(letters []byte) uint32 {
	n := len(letters)
	if n >= 4 && n <= 40 {
		for _, ending := range endings {
			if n-len(ending) >= 3 && hasEnding(letters, ending) {
				n -= len(ending)
				break
			}
		}
		if n >= 4 && letters[n-1]|0x20 == letters[n-2]|0x20 {
			n--
		}
	}
	h := hashOffset
	for _, c := range letters[:n] {
		h = hashed(h, c|0x20)
	}
	return h
}

func hasEnding(letters []byte, ending string) bool {
	tail := letters[len(letters)-len(ending):]
	for i := range len(ending) {
		if tail[i]|0x20 != ending[i] {
			return false
		}
	}
	return true
}
