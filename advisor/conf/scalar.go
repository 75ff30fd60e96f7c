package conf

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// Dialect is a program that reads YAML scalars in its own way.
type Dialect int

const (
	PyYAML    Dialect = iota // YAML 1.1; "1e-4" is a string, "yes" is true, "010" is 8
	OmegaConf                // PyYAML, but "1e-4" is a number
	Ruamel12                 // YAML 1.2; "1e-4" is a number, "yes" is a string, "010" is 10
)

// The patterns are those of the resolvers of the three programs.
var (
	intYAML11   = regexp.MustCompile(`^[-+]?(0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(:[0-5]?[0-9])+)$`)
	intYAML12   = regexp.MustCompile(`^[-+]?(0b[01_]+|0o[0-7_]+|[0-9][0-9_]*|0x[0-9a-fA-F_]+)$`)
	floatPyYAML = regexp.MustCompile(`^([-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*)$`)
	floatOmega  = regexp.MustCompile(`^([-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9_]+([eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*)$`)
	floatYAML12 = regexp.MustCompile(`^([-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|[-+]?\.[0-9_]+([eE][-+][0-9]+)?)$`)
	infinite    = regexp.MustCompile(`^[-+]?\.(inf|Inf|INF)$`)
	notNumber   = regexp.MustCompile(`^\.(nan|NaN|NAN)$`)
)

// Scalar reads the text of a plain (unquoted) YAML scalar. Dates stay text.
func Scalar(text string, d Dialect, at *origin.Origin) *Node {
	n := &Node{Kind: String, Text: text, Origin: at}
	switch text {
	case "", "~", "null", "Null", "NULL":
		return &Node{Kind: Null, Origin: at}
	case "true", "True", "TRUE":
		return &Node{Kind: Bool, Bool: true, Origin: at}
	case "false", "False", "FALSE":
		return &Node{Kind: Bool, Origin: at}
	case "yes", "Yes", "YES", "on", "On", "ON":
		if d != Ruamel12 {
			return &Node{Kind: Bool, Bool: true, Origin: at}
		}
		return n
	case "no", "No", "NO", "off", "Off", "OFF":
		if d != Ruamel12 {
			return &Node{Kind: Bool, Origin: at}
		}
		return n
	}
	if len(text) > 64 || !strings.ContainsRune("+-.0123456789", rune(text[0])) {
		return n
	}
	ints, floats := intYAML11, floatPyYAML
	switch d {
	case OmegaConf:
		floats = floatOmega
	case Ruamel12:
		ints, floats = intYAML12, floatYAML12
	}
	switch {
	case infinite.MatchString(text):
		return &Node{Kind: Float, Float: math.Inf(map[bool]int{true: -1, false: 1}[text[0] == '-']), Origin: at}
	case notNumber.MatchString(text):
		return &Node{Kind: Float, Float: math.NaN(), Origin: at}
	case ints.MatchString(text):
		if v := yamlInt(text, d, at); v != nil {
			return v
		}
	case floats.MatchString(text):
		if v, ok := yamlFloat(text); ok {
			return &Node{Kind: Float, Float: v, Origin: at}
		}
	}
	return n
}

// yamlInt reads an integer that matched its pattern; one that is too large for
// 64 bits becomes a float.
func yamlInt(text string, d Dialect, at *origin.Origin) *Node {
	digits := strings.ReplaceAll(text, "_", "")
	sign := ""
	if digits[0] == '-' || digits[0] == '+' {
		sign, digits = strings.TrimPrefix(digits[:1], "+"), digits[1:]
	}
	base := 10
	switch {
	case strings.Contains(digits, ":"):
		v, ok := sexagesimal(digits)
		if sign == "-" {
			v = -v
		}
		if !ok || math.Abs(v) > 1<<53 {
			return nil
		}
		return &Node{Kind: Int, Int: int64(v), Origin: at}
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0o"):
		base, digits = 8, digits[2:]
	case len(digits) > 1 && digits[0] == '0' && d != Ruamel12:
		base = 8
	}
	if v, err := strconv.ParseInt(sign+digits, base, 64); err == nil {
		return &Node{Kind: Int, Int: v, Origin: at}
	}
	if v, err := strconv.ParseFloat(sign+digits, 64); err == nil && base == 10 {
		return &Node{Kind: Float, Float: v, Origin: at}
	}
	return nil
}

func yamlFloat(text string) (float64, bool) {
	text = strings.ReplaceAll(text, "_", "")
	if strings.Contains(text, ":") {
		v, ok := sexagesimal(strings.TrimLeft(text, "+-"))
		if text[0] == '-' {
			v = -v
		}
		return v, ok
	}
	return pythonParse(text)
}

// pythonParse reads a float; as in Python, one that is too large is infinite.
func pythonParse(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// sexagesimal reads "1:30:00" as YAML 1.1 does: 5400.
func sexagesimal(text string) (float64, bool) {
	var total float64
	for part := range strings.SplitSeq(text, ":") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0, false
		}
		total = total*60 + v
	}
	return total, true
}
