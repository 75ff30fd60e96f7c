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
	comma := s.commas && bytes.Count(s.text[start:end], []byte{','}) == 1 && bytes.IndexByte(s.text[start:end], '.') < 0
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
