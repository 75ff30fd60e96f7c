package logs

import (
	"bytes"
	"math"
)

// fullSlash is the slash of Chinese and Japanese text.
var fullSlash = []byte("／")

// fraction turns the field just added into a Part when a Whole follows it.
func (s *fieldScanner) fraction() {
	text := s.text
	f := &s.out[len(s.out)-1]
	if f.UnitEnd > f.End || f.Start > 1 && text[f.Start-1] == '/' && isDigit(text[f.Start-2]) { // 2/3/4
		return
	}
	j := f.End
	if bytes.HasPrefix(text[j:], []byte("it/")) && multiplier(text[j-1]) > 0 {
		j += 2
	}
	for j < len(text) && text[j] == ' ' {
		j++
	}
	unit := f.End
	if n := namedTwice(text[j:]); n > 0 { // 3 epoch / 20 epochs
		j += n
		unit = j
		for text[j] == ' ' {
			j++
		}
	}
	switch {
	case j < len(text) && text[j] == '/':
		j++
	case bytes.HasPrefix(text[j:], fullSlash):
		j += len(fullSlash)
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
	s.unmarked = s.unmarked || len(leadingDigits(text[j:end])) >= 5
	f.Kind, f.UnitEnd = Part, unit
	if w.Kind == Plain {
		w.Kind = Whole
	}
	s.gap = j
	s.add(w)
}

// namedTwice is the length of a word that stands behind both numbers of a fraction,
// `epoch / 20 epochs`; else 0.
func namedTwice(p []byte) int {
	n := 0
	for n < len(p) && isLetter(p[n]) {
		n++
	}
	if n < 3 || n+1 >= len(p) || p[n] != ' ' || p[n+1] != '/' {
		return 0
	}
	rest := bytes.TrimLeft(p[n+2:], " ")
	digits := len(leadingDigits(rest))
	if digits == 0 || !bytes.HasPrefix(bytes.TrimLeft(rest[digits:], " "), p[:n]) {
		return 0
	}
	return n
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
	for _, w := range []string{"of ", "von ", "de ", "di ", "sur ", "av ", "из ", "van "} {
		if len(p) > len(w) && string(p[:len(w)]) == w && isDigit(p[len(w)]) {
			return len(w)
		}
	}
	return 0
}
