package resolve

import (
	"strconv"
	"strings"
)

// parseFloat reads a number as configurations write it: 1e9, 5_000.
func parseFloat(text string) (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(text), "_", ""), 64)
}
