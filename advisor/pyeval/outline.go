package pyeval

import (
	"strings"

	"schedmate/advisor/pywords"
)

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
	l := pywords.LinesOf(text)
	header := false // the last line was the head of a function
	for l.Next() {
		if l.Indent < 0 {
			return nil
		}
		switch {
		case header && l.Indent > inner:
			open = &cut{from: l.Start, line: l.First}
		case open != nil && l.Indent <= inner:
			cuts = appendCut(cuts, open)
			open, inner = nil, -1
		}
		if header && open == nil { // a head without a body
			return nil
		}
		header = false
		if open != nil {
			open.to = l.End
			continue
		}
		if l.Indent <= class {
			class = -1
		}
		words := text[l.Start:l.End]
		switch {
		case l.Indent > 0 && class < 0: // below an if, a loop
		case strings.HasPrefix(words, "class ") && l.Indent == 0 && l.Opens:
			class = 0
		case (strings.HasPrefix(words, "def ") || strings.HasPrefix(words, "async def ")) && l.Opens:
			header, inner = true, l.Indent
		}
	}
	if l.Broken || header {
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
