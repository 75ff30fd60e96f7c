package logs

import (
	"bytes"
	"math"
	"strconv"
)

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
	if k := s.spacedThousands(i, j); k > j {
		j = k
	} else if k := s.dottedThousands(i, j); k > j {
		return k, true
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
		if j+1 >= len(text) || text[j+1] != ' ' || j+2 >= len(text) || !isUpper(text[j+2]) { // the full stop of a sentence
			j++ // 100.
		}
	}
	if j+1 < len(text) && (text[j]|0x20 == 'e' || text[j]|0x20 == 'd' && (text[j+1] == '+' || text[j+1] == '-')) { // 3.8D+00 is Fortran's
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

// groupsOfThree is the end of the groups of three digits that a separator puts
// behind the one to three digits in text[i:j], j when there are none.
func groupsOfThree(text []byte, i, j int, separator string) int {
	if j-i > 3 || text[i] == '0' {
		return j
	}
	k := j
	for bytes.HasPrefix(text[k:], []byte(separator)) && matches(text[k+len(separator):], "###") {
		k += len(separator) + 3
	}
	if k < len(text) && isDigit(text[k]) {
		return j
	}
	return k
}

// spacedThousands is the end of a number in groups: 18 414. A narrow or unbroken
// space says so by itself; a plain one only where the whole behind `sur` or `/` is
// written in the same way, as two numbers may stand side by side.
func (s *fieldScanner) spacedThousands(i, j int) int {
	text := s.text
	for _, space := range []string{"\u202f", "\u00a0"} {
		if k := groupsOfThree(text, i, j, space); k > j {
			s.commas, s.shown = true, true // they are not of thousands
			return k
		}
	}
	if s.spaced {
		return groupsOfThree(text, i, j, " ")
	}
	k := groupsOfThree(text, i, j, " ")
	if k == j {
		return j
	}
	m := k
	for m < len(text) && text[m] == ' ' {
		m++
	}
	switch n := ofWord(text[m:]); {
	case n > 0:
		m += n
	case m < len(text) && text[m] == '/':
		for m++; m < len(text) && text[m] == ' '; m++ {
		}
	default:
		return j
	}
	n := len(leadingDigits(text[m:]))
	if n == 0 || groupsOfThree(text, m, m+n, " ") == m+n {
		return j
	}
	s.spaced, s.commas, s.shown = true, true, true
	return k
}

// dottedThousands is the end of a number like 96.000 in a line whose decimals
// stand behind commas.
func (s *fieldScanner) dottedThousands(i, j int) int {
	if j >= len(s.text) || s.text[j] != '.' || !s.decimalCommas() {
		return j
	}
	k := groupsOfThree(s.text, i, j, ".")
	if k < len(s.text) && s.text[k] == ',' && k+1 < len(s.text) && isDigit(s.text[k+1]) {
		return j
	}
	return k
}

// decimalCommas tells whether the line has a decimal that can only be one with a
// comma before it: 3,0945 or 12,5.
func (s *fieldScanner) decimalCommas() bool {
	if s.looked {
		return s.comma
	}
	s.looked = true
	text := s.text
	for i := 1; i < len(text); i++ {
		if text[i] != ',' || !isDigit(text[i-1]) || i >= s.stamp.Start && i < s.stamp.End || s.csv {
			continue
		}
		n := len(leadingDigits(text[i+1:]))
		end := i + 1 + n
		if n == 0 || n == 3 || end < len(text) && bytes.IndexByte(inNumbers, text[end]) >= 0 && (end+1 >= len(text) || isDigit(text[end+1])) {
			continue
		}
		before := i
		for before > 0 && isDigit(text[before-1]) {
			before--
		}
		if before == 0 || text[before-1] == ' ' || text[before-1] == '=' || text[before-1] >= 0x80 {
			s.comma = true
			break
		}
	}
	return s.comma
}

// inNumbers are marks that stand within dates, lists and clocks.
var inNumbers = []byte(",.:-/")

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
	s.shown = s.shown || n != 3 || text[i] == '0'
	return 1 + n
}

// value reads the digits of text[start:end].
func (s *fieldScanner) value(start, end int) (Field, bool) {
	var buf [64]byte
	if end-start > len(buf) { // no measure has so many digits
		return Field{}, false
	}
	n, decimals, point := 0, 0, false
	comma := s.commas && bytes.Count(s.text[start:end], []byte{','}) == 1 && bytes.IndexByte(s.text[start:end], '.') < 0
	dots := bytes.Count(s.text[start:end], []byte{'.'})
	grouped := s.comma && dots > 0 && groupsOfThree(s.text[:end], start, start+len(leadingDigits(s.text[start:end])), ".") == end
	for k := start; k < end; k++ {
		b := s.text[k]
		if b == ' ' || b >= 0x80 || grouped && b == '.' { // between thousands
			continue
		}
		if b == ',' {
			if !comma {
				continue
			}
			b = '.'
		}
		if b|0x20 == 'd' {
			b = 'e'
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
	s.note(start, end, dots, grouped)
	v, err := strconv.ParseFloat(string(buf[:n]), 64)
	if err != nil || math.IsInf(v, 0) {
		return Field{}, false
	}
	return Field{Value: v, Start: start, End: end, UnitEnd: end, Integer: decimals == 0 && v == math.Trunc(v) && (grouped || !bytes.ContainsAny(s.text[start:end], ".eEdD")), Decimals: int8(min(decimals, 100))}, true
}

// note keeps what a number shows of how the log writes numbers.
func (s *fieldScanner) note(start, end, dots int, grouped bool) {
	switch commas := bytes.Count(s.text[start:end], []byte{','}); {
	case commas > 1 || dots == 1 && !grouped && s.text[end-1] != '.':
		s.point = true
	case commas == 1 && end-start > 4 && s.text[end-4] == ',':
		s.three = true
	}
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
