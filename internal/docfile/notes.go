package docfile

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Notes say, field by field, what the documents of some Go types mean. The
// JSON Schemas and the tables in docs/format are made from them.
type Notes map[reflect.Type][]Note

// Note is about one field. The fields of a type are noted in the order of
// their declaration, all of them.
type Note struct {
	Field string
	Text  string // meaning, unit and invariant; Markdown
	Rules []Rule
}

// Rule narrows what a schema accepts.
type Rule func(*jsonschema.Schema)

// Schema returns the JSON Schema of documents of type T. Objects are closed.
// It panics when a field has no note: tests see to it that none is missing.
func Schema[T any](title string, notes Notes) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	notes.annotate(s, reflect.TypeFor[T]())
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	return s
}

// annotate walks a schema along the type it was inferred from.
func (notes Notes) annotate(s *jsonschema.Schema, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		notes.annotate(s, t.Elem())
	case reflect.Slice:
		notes.annotate(s.Items, t.Elem())
	case reflect.Struct:
		fields := fieldsOf(t)
		if !slices.Equal(fieldNames(t), noteNames(notes[t])) {
			panic(fmt.Sprintf("BUG: %s has the fields %v, but notes on %v", t, fieldNames(t), noteNames(notes[t])))
		}
		for _, note := range notes[t] {
			field := s.Properties[note.Field]
			field.Description = note.Text
			notes.annotate(field, fields[note.Field].Type)
			for _, rule := range note.Rules {
				rule(field)
			}
		}
	}
}

func noteNames(notes []Note) []string {
	names := make([]string, len(notes))
	for i, n := range notes {
		names[i] = n.Field
	}
	return names
}

// Between accepts lo <= x <= hi.
func Between(lo, hi int64) Rule {
	return func(s *jsonschema.Schema) {
		s.Minimum, s.Maximum = jsonschema.Ptr(float64(lo)), jsonschema.Ptr(float64(hi))
	}
}

// AtLeast accepts x >= lo.
func AtLeast(lo int64) Rule {
	return func(s *jsonschema.Schema) { s.Minimum = jsonschema.Ptr(float64(lo)) }
}

// OneOf accepts these texts.
func OneOf[S ~string](values ...S) Rule {
	return func(s *jsonschema.Schema) {
		for _, v := range values {
			s.Enum = append(s.Enum, string(v))
		}
	}
}

// Exactly accepts this text.
func Exactly(value string) Rule {
	return func(s *jsonschema.Schema) { s.Const = jsonschema.Ptr[any](value) }
}

// NotEmpty accepts a text of at least one character.
func NotEmpty(s *jsonschema.Schema) { s.MinLength = jsonschema.Ptr(1) }

// Matching accepts texts that match the regular expression.
func Matching(pattern string) Rule {
	return func(s *jsonschema.Schema) { s.Pattern = pattern }
}

// SomeItems accepts a list of at least one item.
func SomeItems(s *jsonschema.Schema) {
	s.Type, s.Types, s.MinItems = "array", nil, jsonschema.Ptr(1)
}

// Never accepts no value: the Go type has the field, this document does not.
func Never(s *jsonschema.Schema) {
	*s = jsonschema.Schema{Description: s.Description, Not: &jsonschema.Schema{}}
}
