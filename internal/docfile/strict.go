package docfile

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// shape checks that a tree has exactly the shape of a Go type. The YAML
// package would forgive too much: it cuts 1.5 down to 1, takes "yes" for true,
// and leaves a field that is missing or null at its zero value.
type shape struct{ doc *Document }

func (s shape) refuse(n *yaml.Node, path, next, problem string, args ...any) error {
	if next == "" {
		next = s.doc.seePage()
	}
	return &Error{File: s.doc.Name, Line: n.Line, Path: path, Problem: fmt.Sprintf(problem, args...), Next: next}
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	yamlReader   = reflect.TypeFor[yaml.Unmarshaler]()
	textReader   = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (s shape) check(n *yaml.Node, t reflect.Type, path string) error {
	null := n.Kind == yaml.ScalarNode && n.Tag == "!!null"
	if t.Kind() == reflect.Pointer {
		if null {
			return nil
		}
		return s.check(n, t.Elem(), path)
	}
	switch pointer := reflect.PointerTo(t); {
	case t == durationType:
		return s.duration(n, path)
	case pointer.Implements(yamlReader):
		if err := n.Decode(reflect.New(t).Interface()); err != nil {
			return s.refuse(n, path, "", "%s", err)
		}
		return nil
	case pointer.Implements(textReader):
		if err := s.text(n, path); err != nil {
			return err
		}
		if err := reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil {
			return s.refuse(n, path, "", "%s", err)
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Interface:
		return nil
	case reflect.Struct:
		return s.object(n, t, path)
	case reflect.Map:
		return s.table(n, t, path)
	case reflect.Slice:
		if null {
			return nil
		}
		return s.list(n, t, path)
	case reflect.String:
		return s.text(n, path)
	case reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			return s.refuse(n, path, "write true or false without quotes", "must be true or false, got %s", describe(n))
		}
		return nil
	case reflect.Float32, reflect.Float64:
		return s.number(n, path)
	}
	if lo, hi, ok := intRange(t); ok {
		return s.integer(n, path, lo, hi)
	}
	panic(fmt.Sprintf("BUG: %s: documents cannot hold a %s", path, t))
}

func (s shape) object(n *yaml.Node, t reflect.Type, path string) error {
	if n.Kind != yaml.MappingNode {
		return s.refuse(n, path, "", "must be a mapping with fields such as %q, got %s", fieldNames(t)[0], describe(n))
	}
	fields := fieldsOf(t)
	given := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		f, ok := fields[key.Value]
		if !ok {
			return s.refuse(key, member(path, key.Value), suggest(key.Value, fieldNames(t)), "there is no such field")
		}
		given[key.Value] = true
		if err := s.check(n.Content[i+1], f.Type, member(path, key.Value)); err != nil {
			return err
		}
	}
	for _, name := range fieldNames(t) {
		if f := fields[name]; f.Required && !given[name] {
			next := "add it"
			if f.Type.Kind() == reflect.Slice {
				next = fmt.Sprintf("add it; write %s: [] for none", name)
			}
			return s.refuse(n, member(path, name), next, "is missing")
		}
	}
	return nil
}

func (s shape) table(n *yaml.Node, t reflect.Type, path string) error {
	if n.Kind != yaml.MappingNode {
		return s.refuse(n, path, "", "must be a mapping, got %s", describe(n))
	}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if err := s.check(key, t.Key(), member(path, key.Value)); err != nil {
			return err
		}
		if err := s.check(n.Content[i+1], t.Elem(), member(path, key.Value)); err != nil {
			return err
		}
	}
	return nil
}

func (s shape) list(n *yaml.Node, t reflect.Type, path string) error {
	if n.Kind != yaml.SequenceNode {
		return s.refuse(n, path, "write one item a line, each after a dash", "must be a list, got %s", describe(n))
	}
	for i, item := range n.Content {
		if err := s.check(item, t.Elem(), element(path, i)); err != nil {
			return err
		}
	}
	return nil
}

func (s shape) text(n *yaml.Node, path string) error {
	switch {
	case n.Kind != yaml.ScalarNode:
		return s.refuse(n, path, "", "must be text, got %s", describe(n))
	case n.Tag == "!!null":
		return s.refuse(n, path, "write the text, or leave the field out if it is optional", "must be text, got nothing")
	case n.Tag != "!!str":
		return s.refuse(n, path, fmt.Sprintf("put it in quotes: %q", n.Value), "must be text, got %s", describe(n))
	}
	return nil
}

func (s shape) duration(n *yaml.Node, path string) error {
	if err := s.text(n, path); err != nil {
		return s.refuse(n, path, `write a number with a unit, such as "90s" or "1h30m"`, "must be a duration, got %s", describe(n))
	}
	if _, err := time.ParseDuration(n.Value); err != nil {
		return s.refuse(n, path, `write a number with a unit, such as "90s" or "1h30m"`, "must be a duration, got %q", n.Value)
	}
	return nil
}

func (s shape) number(n *yaml.Node, path string) error {
	if n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float") {
		if x, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
			return nil
		}
	}
	return s.refuse(n, path, "write a plain decimal number", "must be a number, got %s", describe(n))
}

var (
	plainInteger = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	fraction     = regexp.MustCompile(`^[-+]?[0-9]*\.[0-9]*$`)
)

func (s shape) integer(n *yaml.Node, path string, lo int64, hi uint64) error {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" {
		next := "write a whole number"
		if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && plainInteger.MatchString(n.Value) {
			next = "take off the quotes"
		}
		return s.refuse(n, path, next, "must be a whole number, got %s", describe(n))
	}
	if !plainInteger.MatchString(n.Value) {
		next := "write it in plain decimal digits"
		if fraction.MatchString(n.Value) {
			next = "write it without a fraction"
		}
		return s.refuse(n, path, next, "must be a whole number, got %s", n.Value)
	}
	if strings.HasPrefix(n.Value, "-") {
		if x, err := strconv.ParseInt(n.Value, 10, 64); err == nil && x >= lo {
			return nil
		}
	} else if x, err := strconv.ParseUint(n.Value, 10, 64); err == nil && x <= hi {
		return nil
	}
	return s.refuse(n, path, "write a number in that range", "must lie in [%d, %d], got %s", lo, hi, n.Value)
}

// intRange returns the values an integer type can hold.
func intRange(t reflect.Type) (lo int64, hi uint64, ok bool) {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return math.MinInt64 >> (64 - t.Bits()), math.MaxInt64 >> (64 - t.Bits()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return 0, math.MaxUint64 >> (64 - t.Bits()), true
	}
	return 0, 0, false
}

// describe says what a node is, in words for people.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	case n.Tag == "!!str":
		return fmt.Sprintf("the text %q", shorten(n.Value))
	}
	return shorten(n.Value)
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:37]) + "..."
	}
	return s
}
