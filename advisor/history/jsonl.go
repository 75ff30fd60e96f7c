package history

import (
	"bufio"
	"fmt"
	"io"
)

// WriteJSONL exports all records by end, one a line.
func (h *History) WriteJSONL(w io.Writer) error {
	out := bufio.NewWriter(w)
	err := h.Each(func(r *Record) error {
		line, err := Encode(r)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("export history: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// ReadJSONL imports what WriteJSONL exports. An error names the line.
func ReadJSONL(name string, r io.Reader) ([]*Record, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRecord+1)
	var records []*Record
	known := &decoder{}
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		record, err := known.decode(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		records = append(records, record)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w: one record a line, each under %d bytes", name, err, maxRecord)
	}
	return records, nil
}
