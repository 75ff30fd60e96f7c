package table

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed data/*.csv
var files embed.FS

// record is one row of a table by column name.
type record struct {
	table   string
	line    int
	columns []string
	cells   []string
}

// read loads one embedded table. The files are part of the program, so that an
// error here is a mistake in the data, which the tests find.
func read(table string) ([]record, error) {
	text, err := files.ReadFile("data/" + table + ".csv")
	if err != nil {
		return nil, fmt.Errorf("read table %s: %w: name one of the files in data", table, err)
	}
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comment = '#'
	columns, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("read table %s: %w: the first row must name the columns", table, err)
	}
	var rows []record
	for {
		cells, err := reader.Read()
		if cells == nil {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read table %s: %w: correct the row", table, err)
		}
		if i := slices.Index(columns, "source"); i >= 0 && leftOut(cells[i]) {
			continue
		}
		line, _ := reader.FieldPos(0)
		rows = append(rows, record{table, line, columns, cells})
	}
	return rows, nil
}

// withoutSources are texts separated by commas; rows whose source holds one are
// left out. It is set by the linker to measure what such rows are worth, and
// empty otherwise.
var withoutSources string

func leftOut(source string) bool {
	if withoutSources == "" {
		return false
	}
	source = strings.ToLower(source)
	return slices.ContainsFunc(strings.Split(strings.ToLower(withoutSources), ","), func(s string) bool { return s != "" && strings.Contains(source, s) })
}

// mustRead is read for the first use of a table.
func mustRead(table string) []record {
	rows, err := read(table)
	if err != nil {
		panic(err)
	}
	return rows
}

// text is a cell; a column that the table lacks is a mistake in this package.
func (r record) text(column string) string {
	return r.cells[slices.Index(r.columns, column)]
}

// list is a cell of several possibilities.
func (r record) list(column string) []string {
	if r.text(column) == "" {
		return nil
	}
	return strings.Split(r.text(column), "|")
}

// number is a cell's number, 0 when the source states none.
func (r record) number(column string) float64 {
	text := r.text(column)
	if text == "" {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Errorf("table %s:%d: column %s: %w", r.table, r.line, column, err))
	}
	return x
}
