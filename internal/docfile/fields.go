package docfile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// field is one field of a struct as its yaml tag names it.
type field struct {
	Type     reflect.Type
	Required bool // no omitempty
	order    int
}

var fieldCache sync.Map // reflect.Type -> map[string]field

// fieldsOf returns the fields of a struct type by name, as the YAML package
// sees them.
func fieldsOf(t reflect.Type) map[string]field {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.(map[string]field)
	}
	fields := make(map[string]field)
	collectFields(t, fields)
	fieldCache.Store(t, fields)
	return fields
}

func collectFields(t reflect.Type, into map[string]field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		opts := strings.Split(options, ",")
		switch {
		case name == "-" || f.PkgPath != "" && !f.Anonymous:
			continue
		case slices.Contains(opts, "inline"):
			collectFields(f.Type, into)
			continue
		case name == "":
			name = strings.ToLower(f.Name)
		}
		into[name] = field{Type: f.Type, Required: !slices.Contains(opts, "omitempty"), order: len(into)}
	}
}

// fieldNames lists the fields in the order of their declaration.
func fieldNames(t reflect.Type) []string {
	fields := fieldsOf(t)
	names := make([]string, len(fields))
	for name, f := range fields {
		names[f.order] = name
	}
	return names
}

// suggest says what to write instead of a field that does not exist.
func suggest(wrong string, names []string) string {
	best, distance := "", 3
	for _, name := range names {
		d := editDistance(strings.ToLower(wrong), strings.ToLower(name))
		if strings.HasPrefix(name, wrong+"_") { // the unit was left out
			d = min(d, 1)
		}
		if d < distance && d < len(name) {
			best, distance = name, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "the fields here are " + strings.Join(names, ", ")
}

// editDistance counts the insertions, deletions and replacements of bytes that
// turn a into b, and stops counting at 3.
func editDistance(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return min(3, row[len(b)])
}
