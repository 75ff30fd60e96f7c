package lineclass

import (
	"fmt"
	"io"

	"schedmate/logs"
)

// ReadOverrides reads the operator's answers: a JSON object a line with a line
// as it is printed, and its class. Each holds for all lines of the same
// template. The name is for error messages.
func ReadOverrides(name string, r io.Reader) (map[uint64]Class, error) {
	lines, err := ReadExamples(name, r)
	if err != nil {
		return nil, err
	}
	overrides := make(map[uint64]Class, len(lines))
	for _, e := range lines {
		template := logs.Template([]byte(e.Line))
		if other, ok := overrides[template]; ok && other != e.Class {
			return nil, fmt.Errorf("%s: %q is %s, but an earlier line of the same template is %s; keep one of them", name, e.Line, e.Class, other)
		}
		overrides[template] = e.Class
	}
	return overrides, nil
}
