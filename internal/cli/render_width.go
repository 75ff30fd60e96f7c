package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// terminal tells whether results go to a terminal.
func (a *app) terminal() bool {
	f, ok := a.streams.Out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is how many columns the terminal has to which results go; 0 where they go
// elsewhere, or where the terminal does not tell.
func (a *app) width() int {
	if !a.terminal() {
		return 0
	}
	width, _, err := term.GetSize(int(a.streams.Out.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// fittingColumns writes rows as [columns] does. On a terminal that is too narrow the
// spare columns are left out, in the order in which their headers are given, and the
// reader is told.
func (a *app) fittingColumns(w io.Writer, rows [][]string, spare ...string) error {
	rows, without := fitted(rows, a.width(), spare)
	if err := columns(w, rows); err != nil {
		return err
	}
	if len(without) > 0 {
		fmt.Fprintf(a.streams.Err, "schedmate: no room here for %s; '| cat' shows all\n", strings.Join(without, ", "))
	}
	return nil
}

// fitted leaves columns out of a table until its lines fit into width columns of a
// terminal: first those that tell nothing of any row, then the spare ones, which it
// names. At last it cuts the beginnings of paths. A width of 0 has room for all. Rows
// must be as long as the header.
func fitted(rows [][]string, width int, spare []string) (fit [][]string, without []string) {
	tooWide := func() bool { return width > 0 && tableWidth(rows) > width }
	for i := len(rows[0]) - 1; i > 0 && tooWide(); i-- {
		if tellsNothing(rows, i) {
			rows = withoutColumn(rows, i)
		}
	}
	for _, header := range spare {
		if i := slices.Index(rows[0], header); i >= 0 && tooWide() {
			rows, without = withoutColumn(rows, i), append(without, header)
		}
	}
	if rows[0][0] == pathHeader && tooWide() {
		rows = withShortPaths(rows, tableWidth(rows)-width)
	}
	return rows, without
}

func tellsNothing(rows [][]string, column int) bool {
	return len(rows) > 1 && !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[column] != "" && row[column] != "-" })
}

func withoutColumn(rows [][]string, column int) [][]string {
	narrower := make([][]string, len(rows))
	for k, row := range rows {
		narrower[k] = slices.Delete(slices.Clone(row), column, column+1)
	}
	return narrower
}

// pathHeader is over a first column of paths, of which the ends tell most, and
// shortestPath is what is left of them at least.
const (
	pathHeader   = "FILE"
	shortestPath = 16
)

// withShortPaths takes so much of the longest paths.
func withShortPaths(rows [][]string, tooLong int) [][]string {
	longest := 0
	for _, row := range rows {
		longest = max(longest, len([]rune(row[0])))
	}
	most := max(shortestPath, longest-tooLong)
	shorter := make([][]string, len(rows))
	for k, row := range rows {
		shorter[k] = slices.Clone(row)
		if path := []rune(row[0]); len(path) > most {
			shorter[k][0] = "…" + string(path[len(path)-most+1:])
		}
	}
	return shorter
}

// tableWidth is how wide the lines of [columns] are.
func tableWidth(rows [][]string) int {
	total := 0
	for i := range rows[0] {
		cell := 0
		for _, row := range rows {
			cell = max(cell, textWidth(printable(row[i])))
		}
		total += cell + columnGap
	}
	return total - columnGap
}

// textWidth is how many columns of a terminal a text takes.
func textWidth(text string) int {
	used := 0
	for _, r := range text {
		used += runeWidth(r)
	}
	return used
}

// wrapped breaks a line between words so that it fits into width columns; what follows
// is indented. A width of 0, or one with no room for words, breaks nothing.
func wrapped(line string, width, indent int) string {
	if width < 2*indent || textWidth(line) <= width {
		return line
	}
	var b strings.Builder
	used := 0
	for len(line) > 0 {
		end := len(line) - len(strings.TrimLeft(line, " "))
		if next := strings.IndexByte(line[end:], ' '); next >= 0 {
			end += next
		} else {
			end = len(line)
		}
		word := line[:end] // with the blanks before it
		if bare := strings.TrimLeft(word, " "); used > indent && used+textWidth(word) > width {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			word, used = bare, indent
		}
		b.WriteString(word)
		used += textWidth(word)
		line = line[end:]
	}
	return b.String()
}

// clipWidth cuts a line to what fits in so many columns of a terminal.
func clipWidth(line string, width int) string {
	used := 0
	for i, r := range line {
		if used += runeWidth(r); used > width {
			return line[:i]
		}
	}
	return line
}

func runeWidth(r rune) int {
	if r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0xff01 && r <= 0xff60 || r >= 0x1f300 {
		return 2
	}
	return 1
}
