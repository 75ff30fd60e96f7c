package logs

import (
	"bytes"
	"math"
)

type FieldKind uint8

const (
	Plain    FieldKind = iota // 0.25, 3,997,696, 3.6k
	Percent                   // 58%
	Duration                  // 1:02:03, 2h 7m, 0.2 h: the value is in seconds
	Part                      // the a of a/b, `a of b`, a/Unknown
	Whole                     // the b of a/b
)

// Field is one number of a line with what stands around it.
type Field struct {
	Value    float64 // with its multiplier (k, M) applied; seconds for a Duration
	Kind     FieldKind
	Integer  bool // printed without a fraction
	Decimals int8 // digits after the point; of a Duration those of its seconds, 0 when it is coarser
	Scaled   bool // printed with M, G or T: the size of something

	KeyHash          uint64 // of the name, lower case, digits masked
	KeyStart, KeyEnd int    // the name: the words before it, empty when the field has none of its own
	Ordinal          int8   // fields since the last name: 0 for the one right after it
	Start, End       int    // the number itself
	UnitEnd          int    // the unit is text[End:UnitEnd]
}

// MaxFields is the number of fields read of one line.
const MaxFields = 48

// Fields finds the numbers of a line, leaving out what looks like one but
// counts nothing: parts of words, versions, addresses, hexadecimal ids, source
// positions (file.py:12), dates, and the stamp, which the caller has found.
func Fields(dst []Field, text []byte, stamp Stamp) []Field {
	return FieldsIn(dst, text, stamp, nil)
}

// FieldsIn is Fields for a line of a log whose other lines have shown how it
// writes numbers; it adds to that what this one shows.
func FieldsIn(dst []Field, text []byte, stamp Stamp, notation *Notation) []Field {
	s := fieldScanner{commas: notation.decimalCommas(), text: text, out: dst[:0], stamp: stamp, csv: bytes.IndexByte(text, ',') >= 0 && !bytes.ContainsAny(text, " /") && len(text) > 0 && isDigit(text[0])}
	for s.i < len(text) && len(s.out) < MaxFields {
		if s.i >= stamp.Start && s.i < stamp.End {
			s.i = stamp.End
			s.gap = s.i
			continue
		}
		b := text[s.i]
		switch {
		case isDigit(b), b == '.' && s.i+1 < len(text) && isDigit(text[s.i+1]) && (s.i == 0 || !isDigit(text[s.i-1]) && !isLetter(text[s.i-1])):
			s.number()
		case b|0x20 == 'n' || b|0x20 == 'i':
			s.noNumber()
		default:
			s.i++
		}
	}
	notation.learn(&s)
	return s.out
}

type fieldScanner struct {
	text    []byte
	out     []Field
	i       int
	gap     int // where the text since the last field begins
	keyHash uint64
	ordinal int8
	stamp   Stamp
	commas  bool // the line has decimals behind commas
	csv     bool // commas stand between numbers only
	spaced  bool // thousands stand behind spaces
	looked  bool // for decimals behind commas
	comma   bool // and found some

	// what the line shows of the log's notation
	shown    bool // a comma that can only stand before decimals
	three    bool // a comma before three digits
	unmarked bool // a total of five digits or more without any mark
	point    bool // decimals behind a point, or several commas in a number
}

// number reads the token that starts with the digit at i.
func (s *fieldScanner) number() {
	text, i := s.text, s.i
	if i > 0 {
		switch p := text[i-1]; {
		case p == '@' && (i == 1 || i > 1 && text[i-2] == ' ') && i+len(leadingDigits(text[i:])) < len(text) && text[i+len(leadingDigits(text[i:]))] == ' ': // @600 loss
		case p == '@' || p == '$':
			s.skipToken()
			return
		case p == '#' && len(leadingDigits(text[i:])) == 1 && barBefore(text[:i-1]), p == '|' && i > 1 && text[i-2] == '%': // the last cell of an ASCII bar
			s.skipDigits()
			return
		case isLetter(p) || p == '_':
			if !s.wordWithNumber() {
				s.skipToken()
				return
			}
		case p == '/' && partOfName(text[:i-1], '/'): // a part of a path
			s.skipToken()
			return
		case p == '.' || p == '-' && partOfName(text[:i-1], '-'):
			s.skipToken()
			return
		case p == ':' && i > 1 && sourceName(text[:i-1]): // trainer.py:464
			s.skipToken()
			s.gap = s.i
			return
		case p == ':' && i > 2 && functionName(text[:i-1]) && endsPosition(text[i:]): // __main__:main:88 -
			s.skipToken()
			s.gap = s.i
			return
		case p == '[' || p == '(':
			if n := rangeInName(text[i:]); n > 0 { // avg. loss [856-900]: 786.7
				s.i += n
				return
			}
			if n := keyOfPair(text[i:]); n > 0 && p == '(' && i > 1 && text[i-2] == '[' { // reward: [(0, '36.2')]
				s.i += n
				return
			}
		}
	}
	if matches(text[i:], "####-##-##") || matches(text[i:], "##/##/####") { // a date, and a time behind it: the stamp of another
		s.i += 10 + timeBehindDate(text[i+10:])
		return
	}
	end, ok := s.plainNumber(i)
	if !ok {
		s.skipToken()
		return
	}
	start := i
	if i > 0 && (text[i-1] == '-' || text[i-1] == '+') && (i == 1 || !isDigit(text[i-2]) && !isLetter(text[i-2]) && text[i-2] != ')' && text[i-2] != ']') {
		start--
	}
	if d, n, ok := clockDuration(text[i:]); ok {
		s.add(Field{Value: d, Kind: Duration, Start: i, End: i + n, UnitEnd: i + n})
		return
	}
	f, ok := s.value(start, end)
	if !ok && !bytes.ContainsAny(text[start:end], "eE") {
		s.i = end
		return
	}
	if !ok { // 1e999
		f = Field{Value: math.NaN(), Start: start, End: end, UnitEnd: end}
	}
	s.suffix(&f)
	before := len(s.out)
	s.add(f)
	if len(s.out) > before && f.Kind == Plain && s.counts(&f) {
		s.fraction()
	}
}

// timeBehindDate is the length of the time of day that a date goes on with, to its
// fraction of a second; 0 when there is none.
func timeBehindDate(p []byte) int {
	if len(p) == 0 || p[0] != ' ' && p[0] != 'T' || !matches(p[1:], "##:##:##") {
		return 0
	}
	n := 9
	if n+1 < len(p) && (p[n] == ',' || p[n] == '.') && isDigit(p[n+1]) {
		n++
		n += len(leadingDigits(p[n:]))
	}
	return n
}

// rangeInName is the length of a range in brackets that belongs to the name of
// the number behind it, what that is the mean of: `856-900]: 786.7`; else 0.
func rangeInName(p []byte) int {
	n := len(leadingDigits(p))
	if n == 0 || n >= len(p) || p[n] != '-' {
		return 0
	}
	m := len(leadingDigits(p[n+1:]))
	end := n + 1 + m
	if m == 0 || end+1 >= len(p) || p[end] != ']' && p[end] != ')' || p[end+1] != ':' && p[end+1] != '=' {
		return 0
	}
	k := end + 2
	for k < len(p) && (p[k] == ' ' || p[k] == '-') {
		k++
	}
	if k >= len(p) || !isDigit(p[k]) {
		return 0
	}
	return end
}

// keyOfPair is the length of the number before a comma that tells to what the one
// behind it belongs, in a list of pairs: `0, '36.2')`; else 0.
func keyOfPair(p []byte) int {
	n := len(leadingDigits(p))
	if n == 0 || !bytes.HasPrefix(p[n:], []byte(", ")) {
		return 0
	}
	rest := bytes.TrimPrefix(bytes.TrimLeft(p[n+2:], "'\""), []byte("-"))
	if to := bytes.IndexByte(rest, ')'); to < 1 || !isDigit(rest[0]) || bytes.IndexByte(rest[:to], ',') >= 0 || bytes.IndexByte(rest, ']') < 0 {
		return 0 // or a list that goes on in the next line
	}
	return n
}

// noNumber reads nan and inf, which stand where a number would: the field has
// the value NaN. They count as such behind `=`, `:`, a bracket or a name only.
func (s *fieldScanner) noNumber() {
	text, i := s.text, s.i
	end := i
	for end < len(text) && isLetter(text[end]) {
		end++
	}
	word := text[i:end]
	if !equalFold(word, "nan") && !equalFold(word, "inf") && !equalFold(word, "infinity") ||
		i == 0 || isLetter(text[i-1]) || isDigit(text[i-1]) || text[i-1] == '_' || text[i-1] >= 0x80 ||
		end < len(text) && (isDigit(text[end]) || text[end] == '_' || text[end] == '-' || text[end] == '/' || text[end] >= 0x80) {
		s.i = end
		if end == i {
			s.i++
		}
		return
	}
	start := i
	if text[i-1] == '-' || text[i-1] == '+' {
		start--
	}
	if from, to := keySpan(text[s.gap:max(start, s.gap)], len(s.out) == 0); to <= from {
		s.i = end // of nothing
		return
	}
	s.add(Field{Value: math.NaN(), Start: start, End: end, UnitEnd: end})
}

// equalFold compares ASCII words whatever their case.
func equalFold(p []byte, word string) bool {
	if len(p) != len(word) {
		return false
	}
	for i, b := range p {
		if b|0x20 != word[i] {
			return false
		}
	}
	return true
}

// partOfName tells whether text ends with a name that goes on behind the given
// mark: a path, a uuid, a version of a thing, but no number or date.
func partOfName(text []byte, mark byte) bool {
	j, limit, points := len(text), max(0, len(text)-256), 0
	for j > limit && (isLetter(text[j-1]) || isDigit(text[j-1]) || text[j-1] == mark || text[j-1] == '_' || text[j-1] == '.') {
		j--
		if text[j] == '.' {
			points++
		}
		if isLetter(text[j]) || text[j] == '_' || points == 2 {
			return true
		}
	}
	return j < len(text) && text[j] == mark && mark == '/'
}

// durationToken tells whether p begins with a duration like 2h7m13s: numbers
// and units of time in turn, each unit smaller.
func durationToken(p []byte) bool {
	above := math.Inf(1)
	for len(p) > 0 && isDigit(p[0]) {
		p = p[len(leadingDigits(p)):]
		n := 0
		for n < len(p) && isLetter(p[n]) {
			n++
		}
		unit := UnitOf(p[:n])
		if n == 0 || unit.Kind != UnitTime || unit.Scale >= above {
			return false
		}
		p, above = p[n:], unit.Scale
	}
	return true
}

// sourceName tells whether text ends with the name of a source file.
func sourceName(text []byte) bool {
	j := len(text)
	for j > 0 && (isLetter(text[j-1]) || text[j-1] == '_') {
		j--
	}
	return j > 0 && j < len(text) && text[j-1] == '.' && j > 1 && (isLetter(text[j-2]) || isDigit(text[j-2]) || text[j-2] == '_')
}

// functionName tells whether text ends with the names of a module and a function, as
// the position in a source does: __main__:main.
func functionName(text []byte) bool {
	j := len(text)
	name := func() bool {
		from := j
		for j > 0 && (isLetter(text[j-1]) || isDigit(text[j-1]) || text[j-1] == '_' || text[j-1] == '.' || text[j-1] == '<' || text[j-1] == '>') {
			j--
		}
		return j < from && !isDigit(text[j])
	}
	if !name() || j == 0 || text[j-1] != ':' {
		return false
	}
	j--
	return name() && (j == 0 || text[j-1] == ' ')
}

// endsPosition tells whether the digits that p begins with end the position: ` - `.
func endsPosition(p []byte) bool {
	n := len(leadingDigits(p))
	return bytes.HasPrefix(p[n:], []byte(" - ")) || bytes.HasPrefix(p[n:], []byte(" | "))
}

// wordWithNumber tells whether the digits at i end a longer word and stand for
// its number (epoch12), and are no part of a name (top1:, conv2d).
func (s *fieldScanner) wordWithNumber() bool {
	i := s.i
	for i > 0 && isLetter(s.text[i-1]) {
		i--
	}
	if numberType(s.text[i:s.i]) {
		return false
	}
	end := s.i + len(leadingDigits(s.text[s.i:]))
	if s.i-i == 1 && (i == 0 || s.text[i-1] == ' ' || s.text[i-1] == '[' || s.text[i-1] == '(') { // E1 B0020/0400
		if end+1 >= len(s.text) {
			return false
		}
		switch next := s.text[end+1]; s.text[end] {
		case '/':
			return isDigit(next)
		case ' ': // F1 0.8 and F1 score name a metric
			return !isDigit(next) && next != '.' && next != '-' && next != '=' && next != ':' && !(s.text[i] == 'F' && s.text[s.i] == '1')
		}
		return false
	}
	if s.i-i < 4 || i > 0 && (s.text[i-1] == '_' || s.text[i-1] == '-' || s.text[i-1] == '.' || s.text[i-1] == '/') {
		return false
	}
	if end >= len(s.text) {
		return true
	}
	switch s.text[end] {
	case ' ', ',', '/', ']', ')', '|', ';':
		return true
	}
	return false
}

func (s *fieldScanner) skipDigits() {
	s.i++ // also a point that the number begins with
	s.i++ // a digit, or the point before one
	for s.i < len(s.text) && isDigit(s.text[s.i]) {
		s.i++
	}
}

// skipToken passes over an id with all its letters, digits and points.
func (s *fieldScanner) skipToken() {
	for s.i < len(s.text) {
		b := s.text[s.i]
		if !isDigit(b) && !isLetter(b) && b != '_' && !(b == '.' && s.i+1 < len(s.text) && (isDigit(s.text[s.i+1]) || isLetter(s.text[s.i+1]))) &&
			!(b == ':' && s.i+1 < len(s.text) && isDigit(s.text[s.i+1]) && s.i > 0 && isDigit(s.text[s.i-1])) {
			return
		}
		s.i++
	}
}
