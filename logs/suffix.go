package logs

import (
	"bytes"
	"math"
	"unicode"
	"unicode/utf8"
)

// suffix reads what follows a number: a multiplier, a percent sign, a unit.
func (s *fieldScanner) suffix(f *Field) {
	text, j := s.text, f.End
	if j < len(text) {
		if m := multiplier(text[j]); m > 0 && (j+1 >= len(text) || !isLetter(text[j+1]) && text[j+1] < 0x80) && (j+1 >= len(text) || text[j+1] != '/' || m == 1e3 || j+2 < len(text) && isDigit(text[j+2])) {
			f.Value = scaled(f.Value, m)
			f.Scaled = m > 1e3
			f.End, f.UnitEnd = j+1, j+1
			j++
		} else if m > 0 && (bytes.HasPrefix(text[j+1:], []byte("it ")) || bytes.HasPrefix(text[j+1:], []byte("it/")) && j+4 < len(text) && isDigit(text[j+4])) { // tqdm: 3.81kit/10.0kit
			f.Value *= m
			f.End, f.UnitEnd = j+1, j+1
			return
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
	f.UnitEnd = s.unitEnd(f.Start, j)
	if f.UnitEnd > f.End {
		unit := UnitOf(text[f.End:f.UnitEnd])
		if unit.Kind == UnitTime && unit.Scale >= 60 { // 2h 7m 13s, 1 day, 0:10:20
			f.Decimals = max(0, f.Decimals-int8(math.Ceil(math.Log10(unit.Scale)))) // 15.41 m is no nearer than a second
			v, end := s.compound(f.UnitEnd, unit.Scale)
			f.Value, f.Kind = f.Value*unit.Scale+v, Duration
			f.End, f.UnitEnd, f.Integer = end, end, false
		}
	}
}

// scaled multiplies without what binary fractions add: 1.13M are 1130000.
func scaled(v, multiplier float64) float64 {
	v *= multiplier
	if r := math.Round(v); math.Abs(v-r) < 1e-6*multiplier/1e3 {
		return r
	}
	return v
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
		to := s.unitEnd(j, k)
		unit := UnitOf(text[k:to])
		if unit.Kind != UnitTime || unit.Scale >= above {
			return seconds, end
		}
		seconds, end, above = seconds+f.Value*unit.Scale, to, unit.Scale
	}
}

// unitEnd is the end of the unit that begins at j, behind the number at start,
// or j. A word is a unit when it reads as one, or when nothing of the phrase
// follows it: in `batch 15 loss 2.7` the word after 15 names the next number.
func (s *fieldScanner) unitEnd(start, j int) int {
	text := s.text
	from := j
	if from < len(text) && text[from] == ' ' {
		from++
	}
	if n := paddedUnit(text[from:]); n > 0 { // ( 0.63  s/it)
		return from + n
	}
	end := from
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if !unicode.IsLetter(r) && r != '/' && r != '／' && r != '°' && r != '%' && !(isDigit(text[end]) && end > from && text[end-1] == '/' || isDigit(text[end]) && end > from && isDigit(text[end-1])) {
			break
		}
		end += size
	}
	if end == from || bytes.HasPrefix(text[from:], fullSlash) || text[end-1] == '/' && end-from < 2 || text[from] == '/' && (isDigit(text[from+1]) || unknownWhole(text[from+1:]) > 0) {
		return j
	}
	if end < len(text) && (text[end] == '_' || text[end] == '=' || isDigit(text[end]) && from > j) {
		return j // the beginning of the next name
	}
	if slash := bytes.IndexByte(text[from:end], '/'); slash > 0 && isDigit(text[end-1]) && end+1 < len(text) && text[end] == '.' && isDigit(text[end+1]) {
		end = from + slash // 1.30s/141.66s
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
		if !glued && s.namesNext(end, unit) {
			return j
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
	if text[end] == '.' && (end+1 == len(text) || text[end+1] == ' ') { // 3945.6 SPS. Loss 4.7
		return end
	}
	if end+2 < len(text) && text[end] == ' ' && text[end+1] == ' ' && isDigit(text[end+2]) && behindTwoSpaces(text, start) {
		return j
	}
	if end+1 < len(text) && text[end] == ' ' && (text[end+1] == ' ' || text[end+1] == '|' || text[end+1] == '-') {
		return end
	}
	return j
}

// paddedUnit is the length of a time for an item, or items in a time, that more
// than one space stands before and a bracket behind; else 0.
func paddedUnit(p []byte) int {
	from := 0
	for from < len(p) && p[from] == ' ' {
		from++
	}
	if from == 0 || from > 4 {
		return 0
	}
	end := from
	for end < len(p) && (isLetter(p[end]) || p[end] == '/') {
		end++
	}
	if end == from || end >= len(p) || p[end] != ')' && p[end] != ']' {
		return 0
	}
	if k := UnitOf(p[from:end]).Kind; k != UnitTimePer && k != UnitPerTime {
		return 0
	}
	return end
}

// behindTwoSpaces tells whether the number at start stands two spaces behind its
// name, as lists printed by Python 2 do: `Epoch  2 Update  44000 Cost  3.41`.
func behindTwoSpaces(text []byte, start int) bool {
	return start > 2 && text[start-1] == ' ' && text[start-2] == ' ' && isLetter(text[start-3])
}

// namesNext tells whether a word that could be a unit names the next number:
// `D(x): 0.4`, `D(G(z)): 0.1`, `min 0.6`, `s: 0.3`. In `2 h 7 m` it does not.
func (s *fieldScanner) namesNext(end int, unit Unit) bool {
	text := s.text
	if end >= len(text) {
		return false
	}
	switch text[end] {
	case ':', '=':
		return end+1 < len(text)
	case '(':
		return callNames(text[end:])
	}
	next := end
	for next < len(text) && text[next] == ' ' {
		next++
	}
	if next == end || next-end > 1 || next >= len(text) || !isDigit(text[next]) && text[next] != '-' || unit.Kind != UnitTime || text[end-1] >= 0x80 {
		return false
	}
	_, to := s.compound(end, unit.Scale)
	return to == end
}

// callNames tells whether the brackets that p begins with belong to the name of the
// next number, as those of a function do: `D(x): 0.6`, `D(G(z)): 0.1`.
func callNames(p []byte) bool {
	depth := 0
	for i, b := range p[:min(len(p), 40)] {
		switch b {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i == 2 || i+1 < len(p) && (p[i+1] == ':' || p[i+1] == '=')
		}
	}
	return false
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
