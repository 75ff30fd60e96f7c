package logs

import (
	"bytes"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// FieldKind is the form a number is printed in.
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
	Decimals int8 // digits after the point
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
	s := fieldScanner{text: text, out: dst[:0], csv: bytes.IndexByte(text, ',') >= 0 && !bytes.ContainsAny(text, " /") && len(text) > 0 && isDigit(text[0])}
	for s.i < len(text) && len(s.out) < MaxFields {
		if stamp.End > stamp.Start && s.i == stamp.Start {
			s.i = stamp.End
			if s.gap == stamp.Start || len(s.out) == 0 {
				s.gap = s.i
			}
			continue
		}
		b := text[s.i]
		switch {
		case isDigit(b), b == '.' && s.i+1 < len(text) && isDigit(text[s.i+1]) && (s.i == 0 || !isDigit(text[s.i-1]) && !isLetter(text[s.i-1])):
			s.number()
		default:
			s.i++
		}
	}
	return s.out
}

type fieldScanner struct {
	text    []byte
	out     []Field
	i       int
	gap     int // where the text since the last field begins
	keyHash uint64
	ordinal int8
	commas  bool // the line has decimals behind commas
	csv     bool // commas stand between numbers only
}

// number reads the token that starts with the digit at i.
func (s *fieldScanner) number() {
	text, i := s.text, s.i
	if i > 0 {
		switch p := text[i-1]; {
		case p == '@' || p == '$':
			s.skipToken()
			return
		case p == '#' && barBefore(text[:i-1]), p == '|' && i > 1 && text[i-2] == '%': // the last cell of an ASCII bar
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
		}
	}
	if matches(text[i:], "####-##-##") || matches(text[i:], "##/##/####") { // a date
		s.i += 10
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
	if !ok {
		s.i = end
		return
	}
	s.suffix(&f)
	s.add(f)
	if f.Kind == Plain && s.counts(&f) {
		s.fraction()
	}
}

// plainNumber finds the end of digits with separators, point and exponent, and
// says no to versions, addresses, dates and ids.
func (s *fieldScanner) plainNumber(i int) (int, bool) {
	text := s.text
	j := i
	for j < len(text) && isDigit(text[j]) {
		j++
	}
	if j-i > 18 || j == i+1 && j+1 < len(text) && text[i] == '0' && text[j]|0x20 == 'x' && (isDigit(text[j+1]) || isLetter(text[j+1])) {
		return j, false
	}
	if j-i <= 3 && j+3 < len(text) && text[j] == ',' && !s.csv { // thousands
		k := j
		for k < len(text) && text[k] == ',' && matches(text[k+1:], "###") {
			k += 4
		}
		if k > j && (k >= len(text) || !isDigit(text[k])) && text[i] != '0' {
			j = k
		}
	}
	if j+1 < len(text) && text[j] == '.' && isDigit(text[j+1]) {
		j++
		for j < len(text) && isDigit(text[j]) {
			j++
		}
		if j+1 < len(text) && text[j] == '.' && isDigit(text[j+1]) { // 1.6.0, 10.2.7.203
			return j, false
		}
	} else if n := s.decimalComma(i, j); n > 0 {
		j += n
	} else if j < len(text) && text[j] == '.' {
		if j+1 < len(text) && isLetter(text[j+1]) { // 00471.tar
			return j, false
		}
		j++ // 100.
	}
	if j+1 < len(text) && text[j]|0x20 == 'e' {
		k := j + 1
		if text[k] == '-' || text[k] == '+' {
			k++
		}
		n := len(leadingDigits(text[k:]))
		if n > 0 && n <= 3 && (k+n >= len(text) || !isLetter(text[k+n])) {
			j = k + n
		}
	}
	if matches(text[i:], "####-##-##") || matches(text[i:], "##/##/####") {
		return j, false
	}
	// letters and digits in turn are an id: 3f9a, 7b2; but not 2h7m13s
	for k, letters := j, false; k < len(text); k++ {
		switch b := text[k]; {
		case isLetter(b):
			letters = true
			continue
		case isDigit(b) && letters:
			return j, durationToken(text[i:])
		}
		break
	}
	return j, true
}

// decimalComma is the length of a comma and the decimals behind it: 6,7909 or
// 0,245, and also 2,345 when the line has such numbers. Three digits are
// thousands otherwise, and several commas a list.
func (s *fieldScanner) decimalComma(i, j int) int {
	text := s.text
	if s.csv || j >= len(text) || text[j] != ',' || j-i > 9 || i > 0 && (text[i-1] == '[' || text[i-1] == '(' || text[i-1] == ',') {
		return 0
	}
	n := len(leadingDigits(text[j+1:]))
	end := j + 1 + n
	if n == 0 || n == 3 && !(text[i] == '0' && j == i+1) && !s.commas || end+1 < len(text) && text[end] == ',' && isDigit(text[end+1]) || end < len(text) && text[end] == '.' && end+1 < len(text) && isDigit(text[end+1]) {
		return 0
	}
	s.commas = true
	return 1 + n
}

// value reads the digits of text[start:end].
func (s *fieldScanner) value(start, end int) (Field, bool) {
	var buf [64]byte
	if end-start > len(buf) { // no measure has so many digits
		return Field{}, false
	}
	n, decimals, point := 0, 0, false
	comma := s.commas && bytes.Count(s.text[start:end], []byte{','}) == 1
	for k := start; k < end; k++ {
		b := s.text[k]
		if b == ',' {
			if !comma {
				continue
			}
			b = '.'
		}
		if b == '.' {
			point = true
		} else if point && isDigit(b) && decimals >= 0 {
			decimals++
		} else if b|0x20 == 'e' {
			point = false
		}
		buf[n] = b
		n++
	}
	v, err := strconv.ParseFloat(string(buf[:n]), 64)
	if err != nil || math.IsInf(v, 0) {
		return Field{}, false
	}
	return Field{Value: v, Start: start, End: end, UnitEnd: end, Integer: decimals == 0 && v == math.Trunc(v) && !bytes.ContainsAny(s.text[start:end], ".eE"), Decimals: int8(min(decimals, 100))}, true
}

// suffix reads what follows a number: a multiplier, a percent sign, a unit.
func (s *fieldScanner) suffix(f *Field) {
	text, j := s.text, f.End
	if j < len(text) {
		if m := multiplier(text[j]); m > 0 && (j+1 >= len(text) || !isLetter(text[j+1]) && text[j+1] < 0x80) && (j+1 >= len(text) || text[j+1] != '/' || m == 1e3 || j+2 < len(text) && isDigit(text[j+2])) {
			f.Value *= m
			f.Scaled = m > 1e3
			f.End, f.UnitEnd = j+1, j+1
			j++
		} else if m > 0 && bytes.HasPrefix(text[j+1:], []byte("it/s")) { // tqdm: 3.36kit/s
			f.Value *= m
			f.End, f.UnitEnd = j+1, j+1
			j++
		}
	}
	if j < len(text) && text[j] == '%' || j+1 < len(text) && text[j] == ' ' && text[j+1] == '%' {
		f.Kind = Percent
		f.UnitEnd = j + 1
		if text[j] == ' ' {
			f.UnitEnd++
		}
		return
	}
	f.UnitEnd = s.unitEnd(j)
	if f.UnitEnd > f.End {
		unit := UnitOf(text[f.End:f.UnitEnd])
		if unit.Kind == UnitTime && unit.Scale >= 60 { // 2h 7m 13s, 1 day, 0:10:20
			v, end := s.compound(f.UnitEnd, unit.Scale)
			f.Value, f.Kind = f.Value*unit.Scale+v, Duration
			f.End, f.UnitEnd, f.Integer = end, end, false
		}
	}
}

// compound reads the smaller units of a duration written in several.
func (s *fieldScanner) compound(i int, above float64) (seconds float64, end int) {
	text, end := s.text, i
	for {
		j := end
		for j < len(text) && (text[j] == ' ' || text[j] == ',') {
			j++
		}
		if bytes.HasPrefix(text[j:], []byte("and ")) {
			j += 4
		}
		if j >= len(text) || !isDigit(text[j]) || j-end > 6 {
			return seconds, end
		}
		if d, n, ok := clockDuration(text[j:]); ok && above >= 86400 {
			return seconds + d, j + n
		}
		k, ok := s.plainNumber(j)
		if !ok {
			return seconds, end
		}
		f, ok := s.value(j, k)
		if !ok {
			return seconds, end
		}
		to := s.unitEnd(k)
		unit := UnitOf(text[k:to])
		if unit.Kind != UnitTime || unit.Scale >= above {
			return seconds, end
		}
		seconds, end, above = seconds+f.Value*unit.Scale, to, unit.Scale
	}
}

// unitEnd is the end of the unit that begins at j, or j. A word is a unit when
// it reads as one, or when nothing of the phrase follows it: in `batch 15 loss
// 2.7` the word after 15 names the next number.
func (s *fieldScanner) unitEnd(j int) int {
	text := s.text
	from := j
	if from < len(text) && text[from] == ' ' {
		from++
	}
	end := from
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if !unicode.IsLetter(r) && r != '/' && r != '°' && r != '%' && !(isDigit(text[end]) && end > from && text[end-1] == '/' || isDigit(text[end]) && end > from && isDigit(text[end-1])) {
			break
		}
		end += size
	}
	if end == from || text[end-1] == '/' && end-from < 2 || text[from] == '/' && (isDigit(text[from+1]) || unknownWhole(text[from+1:]) > 0) {
		return j
	}
	if end < len(text) && (text[end] == '_' || text[end] == '=' || isDigit(text[end]) && from > j) {
		return j // the beginning of the next name
	}
	word := text[from:end]
	if to := perEnd(text, end); to > end && UnitOf(text[from:to]).Kind != UnitNone {
		return to
	}
	if end < len(text) && isDigit(text[end-1]) && text[end] == ' ' { // s/100 iters
		k := end + 1
		for k < len(text) && isLetter(text[k]) {
			k++
		}
		end = k
		word = text[from:end]
	}
	glued := from == j
	unit := UnitOf(word)
	if unit.Kind != UnitNone {
		if end+1 < len(text) && text[end] == ':' && text[end+1] == ' ' && !glued {
			return j // names the next
		}
		return end
	}
	// another word: a unit when the phrase ends behind it
	if glued {
		return end
	}
	if end >= len(text) {
		return end
	}
	switch text[end] {
	case ',', ';', '|', ')', ']', '}', '\t':
		return end
	}
	if r, _ := utf8.DecodeRune(text[end:]); r == '，' || r == '；' || r == '。' || r == '）' || r == '】' {
		return end
	}
	if end+1 < len(text) && text[end] == ' ' && (text[end+1] == ' ' || text[end+1] == '|' || text[end+1] == '-') {
		return end
	}
	return j
}

// perEnd is the end of what a number is of when its unit goes on so behind
// end: ` per second`, ` / it`, ` / 100 iters`; else end.
func perEnd(text []byte, end int) int {
	if end+3 > len(text) || text[end] != ' ' {
		return end
	}
	k := end + 1
	for k < len(text) && text[k] != ' ' {
		k++
		if k-end > 5 {
			return end
		}
	}
	if word := text[end+1 : k]; string(word) != "/" && !perWords[string(word)] {
		return end
	}
	k++
	if n := len(leadingDigits(text[min(k, len(text)):])); n > 0 {
		k += n
		if k >= len(text) || text[k] != ' ' {
			return end
		}
		k++
	}
	from := k
	for k < len(text) {
		r, size := utf8.DecodeRune(text[k:])
		if !unicode.IsLetter(r) {
			break
		}
		k += size
	}
	if k == from {
		return end
	}
	return k
}

// fraction turns the field just added into a Part when a Whole follows it.
func (s *fieldScanner) fraction() {
	text := s.text
	f := &s.out[len(s.out)-1]
	if f.UnitEnd > f.End || f.Start > 1 && text[f.Start-1] == '/' && isDigit(text[f.Start-2]) { // 2/3/4
		return
	}
	j := f.End
	for j < len(text) && text[j] == ' ' {
		j++
	}
	switch {
	case j < len(text) && text[j] == '/':
		j++
	case j > f.End && ofWord(text[j:]) > 0:
		j += ofWord(text[j:])
	default:
		return
	}
	for j < len(text) && text[j] == ' ' {
		j++
	}
	if j < len(text) && text[j] == '~' {
		j++
	}
	if j >= len(text) {
		return
	}
	if !isDigit(text[j]) {
		if n := unknownWhole(text[j:]); n > 0 {
			f.Kind, f.UnitEnd = Part, f.End
			s.i, s.gap = j+n, j+n
		}
		return
	}
	end, ok := s.plainNumber(j)
	if !ok || end < len(text) && text[end] == '/' && end+1 < len(text) && isDigit(text[end+1]) {
		return
	}
	if _, _, clock := clockDuration(text[j:]); clock {
		return
	}
	w, ok := s.value(j, end)
	if !ok {
		return
	}
	s.suffix(&w)
	if !s.counts(&w) {
		return
	}
	f.Kind = Part
	if w.Kind == Plain {
		w.Kind = Whole
	}
	s.gap = j
	s.add(w)
}

// counts tells whether a number may be one of a count: an integer, or one that
// a multiplier shortens.
func (s *fieldScanner) counts(f *Field) bool {
	return f.Value == math.Trunc(f.Value) || isLetter(s.text[f.End-1])
}

// unknownWhole is the length of a word that stands for a whole nobody knows.
func unknownWhole(p []byte) int {
	n := 0
	for n < len(p) && (isLetter(p[n]) || p[n] == '?') {
		n++
	}
	switch string(p[:n]) {
	case "?", "Unknown", "unknown", "inf", "Inf":
		return n
	}
	return 0
}

// ofWord is the length of a word between a part and its whole.
func ofWord(p []byte) int {
	for _, w := range []string{"of ", "von ", "de ", "di ", "sur ", "av ", "из "} {
		if len(p) > len(w) && string(p[:len(w)]) == w && isDigit(p[len(w)]) {
			return len(w)
		}
	}
	return 0
}

// add appends the field with its name and moves on behind it.
func (s *fieldScanner) add(f Field) {
	from, to := keySpan(s.text[s.gap:max(f.Start, s.gap)], len(s.out) == 0)
	if to > from {
		f.KeyStart, f.KeyEnd = s.gap+from, s.gap+to
		s.keyHash, s.ordinal = hashKey(s.text[f.KeyStart:f.KeyEnd]), 0
		for _, earlier := range s.out {
			if earlier.KeyHash == s.keyHash && earlier.KeyEnd > earlier.KeyStart {
				s.ordinal = min(s.ordinal+16, 96)
			}
		}
	} else if len(s.out) > 0 {
		s.ordinal = min(s.ordinal+1, 100)
	}
	f.KeyHash, f.Ordinal = s.keyHash, s.ordinal
	s.out = append(s.out, f)
	s.i, s.gap = f.UnitEnd, f.UnitEnd
}

// keySpan finds the name of a number in the text before it: the last phrase,
// up to a separator. A phrase that is closed by a separator (`50.3% MFU |`)
// belongs to the number before, unless it opens the line or stands between two
// separators, as the cells of a table do.
func keySpan(gap []byte, first bool) (from, to int) {
	to = len(gap)
	closed := false
trim:
	for to > 0 {
		r, size := utf8.DecodeLastRune(gap[:to])
		if unicode.IsLetter(r) || r == '_' || r >= '0' && r <= '9' {
			break
		}
		switch r {
		case ')', ']': // elapsed time per iteration (ms)
			open := byte('(')
			if r == ']' {
				open = '['
			}
			if at := bytes.LastIndexByte(gap[:to], open); at > 0 && to-at > 2 && (isLetter(gap[at-1]) || gap[at-1] == ' ' && at > 1 && isLetter(gap[at-2])) && bytes.IndexByte(gap[at:to], ',') < 0 {
				break trim
			}
			closed = true
		case ',', ';', '|', '，', '；', '│':
			closed = true
		}
		to -= size
	}
	from = phraseStart(gap, to)
	for from < to {
		r, size := utf8.DecodeRune(gap[from:])
		if unicode.IsLetter(r) || r == '_' || r == '(' || r >= '0' && r <= '9' {
			break
		}
		from += size
	}
	if closed && !first && bytes.IndexAny(gap[:from], ",;|") < 0 {
		return 0, 0
	}
	if bytes.IndexFunc(gap[from:to], unicode.IsLetter) < 0 {
		return 0, 0
	}
	return from, to
}

// phraseStart goes back from to to the separator before the phrase.
func phraseStart(gap []byte, to int) int {
	from, depth := to, 0
	for from > 0 && to-from <= 64 {
		r, size := utf8.DecodeLastRune(gap[:from])
		switch r {
		case ')', ']':
			if from != to && depth == 0 {
				return from
			}
			if from == to {
				depth++
			}
		case '(', '[':
			if depth == 0 {
				return from
			}
			depth--
		case '\'':
			if !apostrophe(gap, from-1) {
				return from
			}
		case ',', ';', '|', '{', '}', '"', '\t', '=', '<', '>', '，', '；', '。', '【', '】', '（', '）', '：', '、', '•', '·', '│', '┃':
			return from
		case ':':
			if depth == 0 {
				return from
			}
		case ' ':
			if before := gap[:from-1]; len(before) > 0 && (before[len(before)-1] == ' ' || before[len(before)-1] == '.' || bytes.HasSuffix(before, []byte(" -"))) {
				return from
			}
		}
		from -= size
	}
	return from
}

// apostrophe tells whether the quote at i stands within a word: valid_0's.
func apostrophe(text []byte, i int) bool {
	return i > 0 && i+1 < len(text) && (isLetter(text[i-1]) || isDigit(text[i-1])) && isLetter(text[i+1])
}

func hashKey(key []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range key {
		switch {
		case isDigit(b):
			b = '#'
		case b >= 'A' && b <= 'Z':
			b |= 0x20
		}
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// clockDuration reads 00:52, 1:02:03 or 1:02:03.5.
func clockDuration(p []byte) (seconds float64, n int, ok bool) {
	a := leadingDigits(p)
	if len(a) == 0 || len(a) > 4 || !matches(p[len(a):], ":##") {
		return 0, 0, false
	}
	n = len(a) + 3
	v := float64(digits(a)*60 + digits(p[n-2:n]))
	if digits(p[n-2:n]) > 59 {
		return 0, 0, false
	}
	if matches(p[n:], ":##") {
		v = v*60 + float64(digits(p[n+1:n+3]))
		n += 3
	}
	if n < len(p) && isDigit(p[n]) || n+1 < len(p) && p[n] == ':' && isDigit(p[n+1]) {
		return 0, 0, false
	}
	if n+1 < len(p) && p[n] == '.' && isDigit(p[n+1]) {
		scale := 0.1
		for n++; n < len(p) && isDigit(p[n]); n++ {
			v += float64(p[n]-'0') * scale
			scale /= 10
		}
	}
	return v, n, true
}

// barBefore tells whether text ends within an ASCII bar: |###.
func barBefore(text []byte) bool {
	j := len(text)
	for j > 0 && text[j-1] == '#' {
		j--
	}
	return j < len(text) || j > 0 && (text[j-1] == '|' || text[j-1] == '[')
}

func multiplier(b byte) float64 {
	switch b {
	case 'k', 'K':
		return 1e3
	case 'M':
		return 1e6
	case 'G', 'B':
		return 1e9
	case 'T':
		return 1e12
	}
	return 0
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

// wordWithNumber tells whether the digits at i end a longer word and stand for
// its number (epoch12), and are no part of a name (top1:, conv2d).
func (s *fieldScanner) wordWithNumber() bool {
	i := s.i
	for i > 0 && isLetter(s.text[i-1]) {
		i--
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
