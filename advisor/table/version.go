package table

import (
	"strconv"
	"strings"
)

// version is the numbers of a library's version, such as 4.46.1.
type version []int

// parseVersion reads the leading numbers; "4.46.0.dev0" is 4.46.0. A text
// without any is no version.
func parseVersion(text string) version {
	var v version
	for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSpace(text), "v"), ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || len(v) == 8 {
			break
		}
		v = append(v, n)
	}
	return v
}

// before compares; missing numbers are 0.
func (v version) before(w version) bool {
	for i := range max(len(v), len(w)) {
		a, b := 0, 0
		if i < len(v) {
			a = v[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return a < b
		}
	}
	return false
}
