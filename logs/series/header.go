package series

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"schedmate/logs"
)

// header is the line above a table that names its columns.
type header struct {
	cells     []string
	words     []string // of all cells: names may stand but one space apart
	separator separator
	strict    bool // no two separators without a name between: in rows an empty cell is a cell
	stamped   bool // it is a line of a logger: so are the rows below it
	sequence  int64
}

// cellsOf finds where the cells of a row begin.
func (h *header) cellsOf(row []byte) cellStarts {
	if h.strict {
		if c := strictCells(row, h.separator); len(c.starts) == len(h.cells) {
			return c
		}
	}
	return cellsOf(row, h.separator)
}

// separator is what stands between the cells of a table.
type separator uint8

const (
	bySpaces separator = iota // two or more
	byTab
	byBar
	byComma
	bySemicolon
	byBlank // one or more, with bars or without: in rows of numbers only
)

const maxHeaders = 16

// noteHeader remembers a line that could name the columns of a table: at least
// three cells, each of a word or a few.
func (s *Set) noteHeader(text []byte, stamp logs.Stamp, stamped bool) {
	if len(text) > 600 || !bytes.ContainsAny(text, "\t|;,│┃") && !bytes.Contains(text, []byte("  ")) {
		return
	}
	if h, ok := s.twoLineHeader(text); ok {
		h.stamped = stamped
		s.keepHeader(h)
		return
	}
	for _, sep := range []separator{byTab, byBar, bySemicolon, byComma, bySpaces} {
		cells, ok := split(text, sep, stamp)
		if !ok {
			continue
		}
		cells[0] = firstName(cells[0], text[stamp.Start:stamp.End])
		h := header{cells: cells, separator: sep, strict: len(strictCells(text, sep).starts) == len(cells), stamped: stamped, sequence: s.sequence}
		if sep == bySpaces {
			h.words = named(strings.Fields(string(text)))
		}
		if sep == byBar && len(cells) > 3 && ofProcess(cells[0]) {
			rest := h
			rest.cells, rest.strict = cells[1:], false
			s.keepHeader(rest)
		}
		s.keepHeader(h)
		return
	}
}

// firstName is the name of a first column without what a logger prints before it: the
// stamp, a level, a name and a mark.
func firstName(cell string, stamp []byte) string {
	name := cell
	if len(stamp) > 0 {
		_, behind, _ := strings.Cut(name, string(stamp))
		name = strings.TrimLeft(behind, "] ")
	}
	for _, mark := range []string{": ", " - ", "] "} {
		if i := strings.LastIndex(name, mark); i >= 0 {
			name = name[i+len(mark):]
		}
	}
	if level, behind, ok := strings.Cut(name, " "); ok && len(level) > 3 && logs.IsLevel(level) {
		name = behind
	}
	if name = strings.TrimSpace(name); name == "" {
		return cell
	}
	return name
}

// ofProcess tells whether the text before a first bar is the name of one of several
// processes, worker-0, that may be told apart from the lines later on.
func ofProcess(cell string) bool {
	return !strings.ContainsAny(cell, " ") && len(cell) > 1 && cell[len(cell)-1] >= '0' && cell[len(cell)-1] <= '9'
}

func (s *Set) keepHeader(h header) {
	s.headers = slices.DeleteFunc(s.headers, func(old header) bool { return slices.Equal(old.cells, h.cells) })
	if len(s.headers) >= maxHeaders {
		s.headers = s.headers[1:]
	}
	s.headers = append(s.headers, h)
}

// barLine is a line between bars without a number, such as the first of two that
// name columns together.
type barLine struct {
	names    []string // of all cells; an empty cell has an empty one
	sequence int64
}

// twoLineHeader joins the names of two lines between bars that stand one below the
// other: `Mini-batch` above `Loss`.
func (s *Set) twoLineHeader(text []byte) (header, bool) {
	above := s.bars
	cells := strictCells(text, byBar)
	s.bars = barLine{names: cells.names(text), sequence: s.sequence}
	if len(cells.starts) < 3 || above.sequence != s.sequence-1 || len(above.names) != len(cells.starts) {
		return header{}, false
	}
	h := header{separator: byBar, strict: true, sequence: s.sequence}
	for i, name := range s.bars.names {
		name = strings.TrimSpace(above.names[i] + " " + name)
		if strings.IndexFunc(name, unicode.IsLetter) < 0 || utf8.RuneCountInString(name) > 40 {
			return header{}, false
		}
		h.cells = append(h.cells, name)
	}
	return h, true
}

// names are the texts of the cells.
func (c cellStarts) names(text []byte) []string {
	var out []string
	for i, from := range c.starts {
		to := len(text)
		if i+1 < len(c.starts) {
			to = c.starts[i+1]
		}
		out = append(out, strings.Trim(string(text[from:to]), " \t|│┃"))
	}
	return out
}

// headerFor finds the latest header whose cells fit the numbers of a row. What a
// logger says with its stamp is no header of what is printed without one.
func (s *Set) headerFor(text []byte, fields []logs.Field, stamped bool) *header {
	for i := len(s.headers) - 1; i >= 0; i-- {
		h := &s.headers[i]
		if h.stamped && !stamped {
			continue
		}
		cells := h.cellsOf(text)
		if n := len(cells.starts); n > len(h.cells) && n == len(h.words) {
			byWords := *h
			byWords.cells = h.words
			h = &byWords
		} else if n < len(h.cells) && len(fields) == len(h.words) && len(cellsOf(text, byBlank).starts) == len(h.words) {
			byWords := *h
			byWords.cells, byWords.separator = h.words, byBlank // columns stand close: `-1 5.12e+02       1 | -913.96`
			h, cells = &byWords, cellsOf(text, byBlank)
		}
		if len(cells.starts) < len(h.cells) || len(cells.starts) > len(h.cells)+4 {
			continue
		}
		filled := 0
		last := -1
		for j := range fields {
			f := &fields[j]
			if f.KeyEnd > f.KeyStart && f.Ordinal == 0 && len(bytes.TrimSpace(text[f.KeyStart:f.KeyEnd])) > 0 && cells.at(f.KeyStart) == cells.at(f.Start) {
				continue // named within its cell
			}
			if c := cells.at(f.Start); c < len(h.cells) && c != last {
				filled++
				last = c
			}
		}
		if filled*2 >= len(h.cells) && filled >= 2 {
			found := *h
			return &found
		}
	}
	return nil
}

// named are the words with a letter.
func named(words []string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return strings.IndexFunc(w, unicode.IsLetter) < 0 })
}

// split divides a line without numbers into the names of columns; a cell may be the stamp.
func split(text []byte, sep separator, stamp logs.Stamp) ([]string, bool) {
	starts := cellsOf(text, sep)
	if len(starts.starts) < 3 {
		return nil, false
	}
	var cells []string
	for i, from := range starts.starts {
		to := len(text)
		if i+1 < len(starts.starts) {
			to = starts.starts[i+1]
		}
		name := bytes.TrimRight(text[from:to], " \t|,;│┃")
		letters := 0
		for _, r := range string(name) {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if sep != bySpaces && bytes.Contains(name, []byte("  ")) { // |GRAD| in a table set out with spaces
			return nil, false
		}
		if utf8.RuneCount(name) > 40 || letters == 0 && len(name) > 3 && (stamp.End <= from || stamp.End > to) {
			return nil, false
		}
		cells = append(cells, string(name))
	}
	return cells, true
}

// cellStarts are the offsets where the cells of a row begin.
type cellStarts struct{ starts []int }

// at is the cell that the byte at i is in.
func (c cellStarts) at(i int) int {
	n, _ := slices.BinarySearch(c.starts, i+1)
	return n - 1
}

func cellsOf(text []byte, sep separator) cellStarts {
	var starts []int
	fresh := true // the next character begins a cell
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case sep == byTab && b == '\t', (sep == byBar || sep == byBlank) && barAt(text, i) > 0, sep == byComma && b == ',', sep == bySemicolon && b == ';':
			fresh = true
			if b >= 0x80 {
				i += 2
			}
			continue
		case b == ' ':
			if sep == byBlank || sep == bySpaces && i+1 < len(text) && text[i+1] == ' ' {
				fresh = true
			}
			continue
		case b == '\t' && (sep == bySpaces || sep == byBlank):
			fresh = true
			continue
		}
		if fresh {
			starts = append(starts, i)
			fresh = false
		}
	}
	return cellStarts{starts: starts}
}

// strictCells are the cells of a row in which two separators have an empty cell
// between them, as in files of comma-separated values.
func strictCells(text []byte, sep separator) cellStarts {
	var mark byte
	switch sep {
	case byTab:
		mark = '\t'
	case byComma:
		mark = ','
	case bySemicolon:
		mark = ';'
	case byBar:
		return barCells(text)
	default:
		return cellStarts{}
	}
	starts := []int{0}
	for i, b := range text {
		if b == mark {
			starts = append(starts, i+1)
		}
	}
	return cellStarts{starts: starts}
}

// barCells are the cells of a row that begins and ends with a bar.
func barCells(text []byte) cellStarts {
	text = bytes.TrimRight(text, " ")
	if barAt(text, 0) == 0 {
		return cellStarts{}
	}
	var starts []int
	last := 0 // where the last bar ends
	for i := 0; i < len(text); i++ {
		if n := barAt(text, i); n > 0 {
			last = i + n
			starts = append(starts, last)
			i = last - 1
		}
	}
	if last != len(text) {
		return cellStarts{}
	}
	return cellStarts{starts: starts[:len(starts)-1]}
}

// barAt is the length of the bar at i, 0 when there is none.
func barAt(text []byte, i int) int {
	switch {
	case i < len(text) && text[i] == '|':
		return 1
	case bytes.HasPrefix(text[i:], []byte("│")), bytes.HasPrefix(text[i:], []byte("┃")):
		return len("│")
	}
	return 0
}
