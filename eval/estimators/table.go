package estimators

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Open opens a file of the data folder by its path there.
type Open func(name string) (io.ReadCloser, error)

// table reads a gzip'd CSV file with these columns, among others, and hands over
// each row, in the order of the columns.
func table(open Open, name string, want []string, row func(line int, cells []string) error) (err error) {
	file, err := open(name)
	if err != nil {
		return err
	}
	defer file.Close() // it is only read
	unpacked, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	return readRows(name, unpacked, want, row)
}

// readRows is table for text that is unpacked.
func readRows(name string, in io.Reader, want []string, row func(line int, cells []string) error) error {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: is empty, must begin with the names of its columns", name)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	header = slices.Clone(header)
	at := make([]int, len(want))
	for i, column := range want {
		if at[i] = slices.Index(header, column); at[i] < 0 {
			return fmt.Errorf("%s:1: has no column %s", name, column)
		}
	}
	cells := make([]string, len(want))
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		for i := range want {
			cells[i] = record[at[i]]
		}
		line, _ := r.FieldPos(0)
		if err := row(line, cells); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}

// positive reads a number above zero.
func positive(column, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s: must be a positive number, got %q", column, text)
	}
	return v, nil
}
