package traces

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// sacctRows puts the lines of sacct's output together to rows.
//
// sacct quotes nothing: a job's name may hold the delimiter and line ends, and
// then a row has too many cells, or goes on in the next line. A row is over
// when every column of a known look (a job id, a state, an instant ...) can
// have a cell that looks so, and the next line begins like a row. What is too
// much belongs to the free columns, to JobName before others.
//
// A name can still be written so that a piece of it looks like a whole row.
// Nothing in the file could tell it from one; a site that must not trust its
// users' names leaves the column out.
type sacctRows struct {
	src       *source
	header    string
	delimiter string
	kinds     []kind // of the columns of the file
	names     []string
	lead      int // columns of a known look before the first free one

	ahead     string // a line that was read but belongs to the next row
	aheadLine int
	hasAhead  bool
}

// Bounds on a row that goes on over lines.
const (
	maxRowLines   = 1 << 10
	maxExtraCells = 1 << 12
)

// newSacctRows reads the header.
func newSacctRows(src *source) (*sacctRows, error) {
	src.anyByte = true
	text, err := src.next()
	if err == io.EOF {
		return nil, &InputError{File: src.file, Problem: "holds no text", Next: "check that the file is complete"}
	}
	if err != nil {
		return nil, err
	}
	text = strings.TrimPrefix(text, byteOrderMark)
	r := &sacctRows{src: src, header: text, delimiter: delimiterOf(text)}
	if strings.Trim(r.delimiter, " ") == "" && r.delimiter != "" {
		return nil, &InputError{File: src.file, Line: 1, Problem: "is a table for people, which cuts long cells off", Next: "run: " + sacctCommand}
	}
	r.names = []string{text}
	if r.delimiter != "" {
		r.names = strings.Split(text, r.delimiter)
	}
	for i, name := range r.names {
		look, known := sacctKinds[strings.ToLower(name)]
		if !known {
			look = word
		}
		if known && slices.Index(r.names, name) < i {
			return nil, &InputError{File: src.file, Line: 1, Column: name, Problem: "occurs twice", Next: "remove or rename one of them"}
		}
		if name == "" && i < len(r.names)-1 {
			return nil, &InputError{File: src.file, Line: 1, Problem: fmt.Sprintf("column %d has no name", i+1), Next: "run: " + sacctCommand}
		}
		r.kinds = append(r.kinds, look)
	}
	for _, either := range sacctNeeds {
		if !slices.ContainsFunc(either, func(name string) bool { return r.column(name) >= 0 }) {
			return nil, missingSacct(src.file, either[0])
		}
	}
	for r.lead < len(r.kinds) && r.kinds[r.lead] != free {
		r.lead++
	}
	return r, nil
}

// delimiterOf returns what stands between the first two names of a header. A
// name is letters and digits.
func delimiterOf(header string) string {
	plain := func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	from := strings.IndexFunc(header, plain)
	if from < 0 {
		return ""
	}
	rest := header[from:]
	if to := strings.IndexFunc(rest, func(c rune) bool { return !plain(c) }); to >= 0 {
		return rest[:to]
	}
	return rest
}

// column returns the place of a column, or -1. Case does not matter.
func (r *sacctRows) column(name string) int {
	return slices.IndexFunc(r.names, func(have string) bool { return strings.EqualFold(have, name) })
}

// row returns the cells of the next row with the number of its first line, and
// io.EOF after the last one.
func (r *sacctRows) row() (line int, cells []string, err error) {
	text, err := r.next()
	for err == nil && text == "" {
		text, err = r.next()
	}
	if err != nil {
		return 0, nil, err
	}
	line = r.aheadLine
	cells = r.match(text)
	for lines := 1; ; lines++ {
		after, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, nil, err
		}
		if r.over(text, cells, after) {
			r.hasAhead = true
			break
		}
		if lines == maxRowLines || len(text)+len(after) > r.src.max.lineBytes {
			return 0, nil, r.torn(line, text)
		}
		text += "\n" + after
		cells = r.match(text)
	}
	if cells == nil {
		text = strings.TrimRight(text, "\n")
		cells = r.match(text)
	}
	if cells == nil {
		if cells = strings.Split(text, r.delimiter); len(cells) != len(r.kinds) {
			return 0, nil, r.torn(line, text)
		}
	}
	return line, cells, nil
}

// next returns the next line. It stays at hand in ahead.
func (r *sacctRows) next() (string, error) {
	if r.hasAhead {
		r.hasAhead = false
		return r.ahead, nil
	}
	for {
		text, err := r.src.next()
		if err == nil && text == r.header {
			continue // files of several months, one behind the other
		}
		r.ahead, r.aheadLine = text, r.src.line
		return text, err
	}
}

// over reports whether the row in text, which matched as cells, ends before
// the line after it.
func (r *sacctRows) over(text string, cells []string, after string) bool {
	switch {
	case cells != nil && (after == "" || r.lead == 0):
		return r.kinds[len(r.kinds)-1] != free || after != "" && r.starts(after)
	case cells != nil:
		return r.starts(after)
	case strings.Count(text, r.delimiter)+1 == len(r.kinds) && r.starts(after):
		return true // a cell is wrong, and whoever reads it says so
	case r.lead == 0:
		return false // the end of a row by itself looks like one
	}
	// A row that was cut off, and a whole one after it: unless both together are
	// one row with a strange name, which sacct really prints.
	return r.match(after) != nil && r.match(text+"\n"+after) == nil
}

// starts reports whether a line begins like a row.
func (r *sacctRows) starts(line string) bool {
	cells := strings.SplitN(line, r.delimiter, r.lead+2)
	if len(cells) < min(r.lead+1, len(r.kinds)) || len(cells) < 2 {
		return false
	}
	for i := range min(r.lead, len(cells)) {
		if !r.kinds[i].fits(cells[i]) {
			return false
		}
	}
	return true
}

// match returns the cells of a row, one a column, or nil where the text is
// none.
func (r *sacctRows) match(text string) []string {
	pieces := strings.Split(text, r.delimiter)
	extra := len(pieces) - len(r.kinds)
	if extra < 0 || extra > maxExtraCells {
		return nil
	}
	if extra == 0 {
		for i, k := range r.kinds {
			if !k.fits(pieces[i]) {
				return nil
			}
		}
		return pieces
	}
	if at := slices.Index(r.kinds, free); at >= 0 && !slices.Contains(r.kinds[at+1:], free) { // the usual case, without a search
		name := strings.Join(pieces[at:at+extra+1], r.delimiter)
		pieces = slices.Replace(pieces, at, at+extra+1, name)
		for i, k := range r.kinds {
			if !k.fits(pieces[i]) {
				return nil
			}
		}
		return pieces
	}
	f := fitting{rows: r, pieces: pieces, failed: make(map[[2]int]bool)}
	if !f.fit(0, 0) {
		return nil
	}
	slices.Reverse(f.cells)
	return f.cells
}

// fitting gives the pieces of a row to its columns when there are more of them
// than columns.
type fitting struct {
	rows   *sacctRows
	pieces []string
	failed map[[2]int]bool // column and piece from which there is no way
	cells  []string        // from the last column to the first
}

func (f *fitting) fit(column, piece int) bool {
	kinds := f.rows.kinds
	if column == len(kinds) {
		return piece == len(f.pieces)
	}
	at := [2]int{column, piece}
	extra := len(f.pieces) - piece - (len(kinds) - column)
	if extra < 0 || f.failed[at] {
		return false
	}
	try := func(k int) bool {
		cell := strings.Join(f.pieces[piece:piece+1+k], f.rows.delimiter)
		if !kinds[column].fits(cell) || !f.fit(column+1, piece+1+k) {
			return false
		}
		f.cells = append(f.cells, cell)
		return true
	}
	switch {
	case kinds[column] != free:
		if try(0) {
			return true
		}
	case strings.EqualFold(f.rows.names[column], "JobName"):
		for k := extra; k >= 0; k-- {
			if try(k) {
				return true
			}
		}
	default:
		for k := 0; k <= extra; k++ {
			if try(k) {
				return true
			}
		}
	}
	f.failed[at] = true
	return false
}

// torn is the error for a row whose cells cannot be told apart.
func (r *sacctRows) torn(line int, text string) error {
	return &InputError{File: r.src.file, Line: line,
		Problem: fmt.Sprintf("the row has %d cells, the header has %d, and they cannot be told apart", strings.Count(text, r.delimiter)+1, len(r.kinds)),
		Next:    "remove the row, or leave JobName and other texts of users out of --format"}
}

// readable makes a text of a user fit for terminals and reports: on one line,
// in UTF-8, without control characters.
func readable(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, text)
}
