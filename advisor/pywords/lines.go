package pywords

import "strings"

// Lines goes through the logical lines of a text: those that hold words, with
// what continues them.
type Lines struct {
	text string
	at   int
	row  int // of at, from 1

	Start, End int  // bytes of the line's words
	First      int  // its row, from 1
	Indent     int  // columns; -1: there are tabs, and columns cannot be told
	Opens      bool // it ends in a colon
	Broken     bool // a string or a bracket is not closed: there are no more lines
}

// LinesOf returns the lines of a text; Next goes to the first.
func LinesOf(text string) *Lines { return &Lines{text: text, row: 1} }

// Next goes to the next line; false at the end.
func (l *Lines) Next() bool {
	for l.at < len(l.text) {
		l.Indent = 0
		tabs := false
		for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t' || l.text[l.at] == '\f') {
			tabs = tabs || l.text[l.at] != ' '
			l.Indent++
			l.at++
		}
		if l.at == len(l.text) {
			return false
		}
		switch l.text[l.at] {
		case '#':
			l.comment()
			continue
		case '\r':
			l.at++
			continue
		case '\n':
			l.at++
			l.row++
			continue
		}
		if tabs {
			l.Indent = -1
		}
		l.Start, l.End, l.First = l.at, l.at, l.row
		return l.words()
	}
	return false
}

func (l *Lines) comment() {
	if i := strings.IndexByte(l.text[l.at:], '\n'); i >= 0 {
		l.at += i
		return
	}
	l.at = len(l.text)
}

// words goes to the end of a logical line.
func (l *Lines) words() bool {
	depth := 0
	last := byte(0)
	for l.at < len(l.text) {
		c := l.text[l.at]
		switch c {
		case '#':
			l.comment()
			continue
		case '\'', '"':
			if !l.quoted(c) {
				return false
			}
			last = c
			l.End = l.at
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				l.Broken = true
				return false
			}
		case '\\':
			if strings.HasPrefix(l.text[l.at+1:], "\r\n") {
				l.at++
			}
			if l.at++; l.at < len(l.text) && l.text[l.at] == '\n' {
				l.row++
			}
			l.at++
			continue
		case '\n':
			l.at++
			l.row++
			if depth == 0 {
				l.Opens = last == ':'
				return true
			}
			continue
		case ' ', '\t', '\r', '\f':
			l.at++
			continue
		}
		last = c
		l.at++
		l.End = l.at
	}
	l.Broken = depth > 0
	l.Opens = false
	return !l.Broken
}

// quoted goes past a string.
func (l *Lines) quoted(quote byte) bool {
	mark := l.text[l.at : l.at+1]
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(l.text[l.at:], triple) {
		mark = triple
	}
	for l.at += len(mark); l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\\':
			if l.at++; l.at < len(l.text) && l.text[l.at] == '\n' {
				l.row++
			}
		case c == '\n' && len(mark) == 1:
			l.Broken = true
			return false
		case c == '\n':
			l.row++
		case c == quote && strings.HasPrefix(l.text[l.at:], mark):
			l.at += len(mark)
			return true
		}
	}
	l.Broken = true
	return false
}
