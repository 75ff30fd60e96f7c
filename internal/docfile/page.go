package docfile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Table returns the fields of T as a Markdown table.
func Table[T any](notes Notes) string {
	t := reflect.TypeFor[T]()
	s := Schema[T]("", notes)
	var b strings.Builder
	b.WriteString("| field | holds | needed | meaning |\n|---|---|---|---|\n")
	for _, note := range notes[t] {
		needed := ""
		if slices.Contains(s.Required, note.Field) {
			needed = "yes"
		}
		text := strings.ReplaceAll(note.Text, "|", `\|`)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", note.Field, holds(s.Properties[note.Field], fieldsOf(t)[note.Field].Type), needed, text)
	}
	return b.String()
}

// holds says in words what a field holds.
func holds(s *jsonschema.Schema, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case s.Not != nil:
		return "nothing"
	case t.Kind() == reflect.Slice:
		item := t.Elem()
		if item.Kind() == reflect.Pointer {
			item = item.Elem()
		}
		return "list of " + item.Name()
	case t.Kind() == reflect.Struct:
		return t.Name()
	case t.Kind() == reflect.Bool:
		return "true or false"
	case s.Const != nil:
		return fmt.Sprintf("`%v`", *s.Const)
	case len(s.Enum) > 0:
		return "one of " + strings.Trim(strings.ReplaceAll(fmt.Sprintf("%q", s.Enum), `"`, "`"), "[]")
	case t.Kind() == reflect.String:
		return "text"
	case s.Maximum != nil:
		return fmt.Sprintf("integer, %.0f to %.0f", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("integer, at least %.0f", *s.Minimum)
	}
	return "integer"
}

// FillPage replaces what stands between the lines "<!-- begin NAME -->" and
// "<!-- end NAME -->" of a page, for every name in parts.
func FillPage(page string, parts map[string]string) (string, error) {
	for name, text := range parts {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->\n"
		before, rest, ok := strings.Cut(page, begin)
		if !ok {
			return "", fmt.Errorf("the page has no line %q: add it where the generated part belongs", strings.TrimSpace(begin))
		}
		_, after, ok := strings.Cut(rest, end)
		if !ok {
			return "", fmt.Errorf("the page has no line %q after its beginning: add it", strings.TrimSpace(end))
		}
		page = before + begin + text + end + after
	}
	return page, nil
}
