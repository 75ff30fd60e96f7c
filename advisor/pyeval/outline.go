package pyeval

import "strings"

// cut is the body of a function that is left out when its file is parsed: most
// functions of a file never run.
type cut struct {
	from, to int // bytes of the text, without the first line's indentation
	line     int // of its first statement, from 1
}

// smallestCut is the size in bytes below which a body is parsed with its file.
const smallestCut = 256

// outline finds the bodies of a file's functions and of its classes' methods.
// It reads Python's words only as far as it must: strings, brackets and
// indentation. It finds nothing in a text that it cannot be sure of.
func outline(text string) []cut {
	var cuts []cut
	var open *cut // the body that the scan is in
	inner := -1   // the indentation of the definition that open belongs to; -1: outside
	class := -1   // the indentation of the class around; -1: none
	l := lines{text: text, row: 1}
	header := false // the last line was the head of a function
	for l.next() {
		if l.indent < 0 {
			return nil
		}
		switch {
		case header && l.indent > inner:
			open = &cut{from: l.start, line: l.first}
		case open != nil && l.indent <= inner:
			cuts = appendCut(cuts, open)
			open, inner = nil, -1
		}
		if header && open == nil { // a head without a body
			return nil
		}
		header = false
		if open != nil {
			open.to = l.end
			continue
		}
		if l.indent <= class {
			class = -1
		}
		words := text[l.start:l.end]
		switch {
		case l.indent > 0 && class < 0: // below an if, a loop
		case strings.HasPrefix(words, "class ") && l.indent == 0 && l.opens:
			class = 0
		case (strings.HasPrefix(words, "def ") || strings.HasPrefix(words, "async def ")) && l.opens:
			header, inner = true, l.indent
		}
	}
	if l.broken || header {
		return nil
	}
	if open != nil {
		cuts = appendCut(cuts, open)
	}
	return cuts
}

func appendCut(cuts []cut, c *cut) []cut {
	if c.to-c.from < smallestCut {
		return cuts
	}
	return append(cuts, *c)
}

// lines goes through the logical lines of a text: those that hold words, with
// what continues them.
type lines struct {
	text string
	at   int
	row  int // of at, from 1

	start, end int  // bytes of the line's words
	first      int  // its row
	indent     int  // columns; -1: it cannot be told
	opens      bool // it ends in a colon
	broken     bool // a string or a bracket is not closed
}

// next goes to the next line; false at the end.
func (l *lines) next() bool {
	for l.at < len(l.text) {
		l.indent = 0
		tabs := false
		for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t' || l.text[l.at] == '\f') {
			tabs = tabs || l.text[l.at] != ' '
			l.indent++
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
			l.indent = -1
		}
		l.start, l.first = l.at, l.row
		return l.words()
	}
	return false
}

func (l *lines) comment() {
	if i := strings.IndexByte(l.text[l.at:], '\n'); i >= 0 {
		l.at += i
		return
	}
	l.at = len(l.text)
}

// words goes to the end of a logical line.
func (l *lines) words() bool {
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
			l.end = l.at
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				l.broken = true
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
				l.opens = last == ':'
				return true
			}
			continue
		case ' ', '\t', '\r', '\f':
			l.at++
			continue
		}
		last = c
		l.at++
		l.end = l.at
	}
	l.broken = depth > 0
	l.opens = false
	return !l.broken
}

// quoted goes past a string.
func (l *lines) quoted(quote byte) bool {
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
			l.broken = true
			return false
		case c == '\n':
			l.row++
		case c == quote && strings.HasPrefix(l.text[l.at:], mark):
			l.at += len(mark)
			return true
		}
	}
	l.broken = true
	return false
}
