package traces

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"schedmate"
)

// row is one row with typed access to its cells. The first problem is kept in
// err and makes the row worthless; the accessors then return zero values, so a
// format reads all its columns and does not look at errors.
type row struct {
	file   string
	name   string // of the trace, for evidence
	line   int
	cells  []string
	column map[string]int // name -> index
	names  map[string]string
	clock  *clock
	err    error

	options  Options
	sia      *siaProfiles
	scores   map[schedmate.Workload]int64 // of format lucid
	workload string                       // of the rows so far, for formats that have some
}

func newRow(file, name string, header []string, c *clock) *row {
	column := make(map[string]int, len(header))
	for i, h := range header {
		column[h] = i
	}
	return &row{file: file, name: name, column: column, names: make(map[string]string), clock: c}
}

func (r *row) set(line int, cells []string) {
	r.line, r.cells, r.err = line, cells, nil
}

// fail records a problem with a column.
func (r *row) fail(column, problem, next string) {
	if r.err == nil {
		r.err = &InputError{File: r.file, Line: r.line, Column: column, Problem: problem, Next: next}
	}
}

const correctCell = "correct the cell or remove the row"

// has reports whether the file has the column and the row a value in it.
func (r *row) has(column string) bool { return r.cell(column) != "" }

func (r *row) cell(column string) string {
	if i, ok := r.column[column]; ok {
		return r.cells[i]
	}
	return ""
}

// text returns a cell as it is; a column that is not there is empty. Names
// repeat, so each is stored once.
func (r *row) text(column string) string {
	cell := r.cell(column)
	if cell == "" {
		return ""
	}
	if known, ok := r.names[cell]; ok {
		return known
	}
	if len(r.names) >= 1<<16 { // not names after all: stop remembering
		clear(r.names)
	}
	own := strings.Clone(cell) // do not keep the whole line alive
	r.names[own] = own
	return own
}

// id returns the cell that tells jobs apart. It must not be empty.
func (r *row) id(column string) string {
	cell := r.cell(column)
	if cell == "" {
		r.fail(column, "is empty", "give every job an id")
	}
	return strings.Clone(cell)
}

// whole returns a whole number in [0, max].
func (r *row) whole(column string, max int64) int64 {
	n, problem := whole(r.cell(column), max)
	if problem != "" {
		r.fail(column, problem, correctCell)
	}
	return n
}

// gpus returns the size of a gang, 0 included.
func (r *row) gpus(column string) int { return int(r.whole(column, schedmate.MaxGangGPUs)) }

// seconds and minutes return a duration, or an instant of a clock that starts
// at 0, in whole seconds.
func (r *row) seconds(column string) schedmate.Seconds {
	return schedmate.Seconds(r.scaled(column, 1, int64(schedmate.MaxSeconds)))
}

func (r *row) minutes(column string) schedmate.Seconds {
	return schedmate.Seconds(r.scaled(column, 60, int64(schedmate.MaxSeconds)))
}

// scaled returns a decimal number times scale, rounded to the nearest whole
// number, halves up, in [0, max].
func (r *row) scaled(column string, scale float64, max int64) int64 {
	n, problem := scaled(r.cell(column), scale, max)
	if problem != "" {
		r.fail(column, problem, correctCell)
	}
	return n
}

// flag returns a cell that is 0 or 1.
func (r *row) flag(column string) bool {
	switch cell := r.cell(column); cell {
	case "1":
		return true
	case "0":
	default:
		r.fail(column, fmt.Sprintf("must be 0 or 1, got %.40q", cell), correctCell)
	}
	return false
}

// whole parses a whole number in [0, max] or says what is wrong with it.
func whole(text string, max int64) (n int64, problem string) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "":
		return 0, "is empty where a whole number is needed"
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Sprintf("must lie in [0, %d], got %.40s", max, text)
	case err != nil:
		return 0, fmt.Sprintf("must be a whole number, got %.40q", text)
	case n < 0 || n > max:
		return 0, fmt.Sprintf("must lie in [0, %d], got %d", max, n)
	}
	return n, ""
}

// scaled parses a decimal number, see row.scaled.
func scaled(text string, scale float64, max int64) (n int64, problem string) {
	if text == "" {
		return 0, "is empty where a number is needed"
	}
	if strings.Trim(text, "0123456789.eE+-") != "" { // refuses inf, nan and hex, which ParseFloat takes
		return 0, fmt.Sprintf("must be a number, got %.40q", text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Sprintf("must be a number, got %.40q", text)
	}
	if limit := float64(max) / scale; !(v >= 0 && v <= limit) {
		return 0, fmt.Sprintf("must lie in [0, %s], got %.40s", strconv.FormatFloat(limit, 'f', -1, 64), text)
	}
	return int64(math.Floor(v*scale + 0.5)), ""
}

// clock remembers how a file writes instants: by the calendar, or as seconds
// from an epoch of its own. One file has one clock.
type clock struct {
	kind string // "", "calendar" or "seconds"
	line int    // where the kind was seen first
}

func (c *clock) calendar() bool { return c.kind == "calendar" }

// timestamp is how Helios and Philly write an instant.
const timestamp = "2006-01-02 15:04:05"

// stamp returns an instant of the calendar, read as UTC, in Unix seconds.
func (r *row) stamp(column string) schedmate.Seconds {
	cell := r.cell(column)
	at, err := time.Parse(timestamp, cell)
	if err != nil || len(cell) != len(timestamp) { // Parse also takes fractions
		r.fail(column, fmt.Sprintf("must be a time like 2020-04-01 00:00:00, got %.40q", cell), correctCell)
		return 0
	}
	r.tells("calendar", column)
	return schedmate.Seconds(at.Unix())
}

// instant returns an instant of either clock.
func (r *row) instant(column string) schedmate.Seconds {
	if strings.ContainsRune(r.cell(column), ':') {
		return r.stamp(column)
	}
	r.tells("seconds", column)
	return r.seconds(column)
}

func (r *row) tells(kind, column string) {
	switch r.clock.kind {
	case "":
		r.clock.kind, r.clock.line = kind, r.line
	case kind:
	default:
		r.fail(column, fmt.Sprintf("mixes times of day and seconds: %.40q here, the other on line %d", r.cell(column), r.clock.line),
			"write all of them in one way")
	}
}
