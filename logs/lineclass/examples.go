package lineclass

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Example is a labelled line.
type Example struct {
	Line      string `json:"line"`
	Class     Class  `json:"class"`
	Framework string `json:"framework"` // what printed it
}

// Both files were written by hand for this project, in the styles of the
// frameworks they name; numbers, hosts and paths are invented. No framework is
// in both.
var (
	//go:embed lines.jsonl
	linesFile string
	//go:embed more.jsonl
	moreFile string
)

// Examples returns the labelled lines that the program carries.
func Examples() []Example {
	var all []Example
	for _, file := range []struct{ name, text string }{{"lines.jsonl", linesFile}, {"more.jsonl", moreFile}} {
		lines, err := ReadExamples(file.name, strings.NewReader(file.text))
		if err != nil {
			panic("BUG: " + err.Error()) // a test reads both
		}
		all = append(all, lines...)
	}
	return all
}

// ReadExamples reads labelled lines: a JSON object a line with line, class and
// framework. The name is for error messages.
func ReadExamples(name string, r io.Reader) ([]Example, error) {
	var all []Example
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxExampleBytes)
	for n := 1; in.Scan(); n++ {
		var e Example
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if e.Line == "" || e.Class == 0 {
			return nil, fmt.Errorf("%s:%d: a labelled line needs \"line\" and \"class\"", name, n)
		}
		all = append(all, e)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return all, nil
}

const maxExampleBytes = 1 << 20
