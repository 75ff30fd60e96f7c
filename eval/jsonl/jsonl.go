// Package jsonl reads lists of labels and predictions: one JSON object a line.
package jsonl

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// maxLine bounds one line: a validation curve and evidence can be long.
const maxLine = 64 << 20

// Read reads one value a line and checks each; empty lines are skipped. An error
// names the file and the line.
func Read[T any](name string, r io.Reader, check func(*T) error) ([]T, error) {
	var list []T
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if len(lines.Bytes()) == 0 {
			continue
		}
		var v T
		err := json.Unmarshal(lines.Bytes(), &v)
		if err == nil {
			err = check(&v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w: write one JSON object a line", name, n, err)
		}
		list = append(list, v)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	return list, nil
}
