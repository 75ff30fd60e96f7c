package docfile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"schedmate"
)

// A value that is added to the vocabulary must not be forgotten in the schema.
func TestEnumsListEveryDeclaredValue(t *testing.T) {
	declared := declaredStrings(t)
	snapshot, job := SnapshotSchema(), JobSchema()
	fact := at(snapshot, "waiting", "facts")
	outcome := Schema[schedmate.Outcome]("", Vocabulary)
	for _, c := range []struct {
		typeName string
		schema   *jsonschema.Schema
		without  []string // declared, but meaningless in a document
	}{
		{"Health", at(snapshot, "cluster", "nodes").Properties["health"], nil},
		{"SLOClass", at(job, "job", "slo").Properties["class"], nil},
		{"FactKind", fact.Properties["kind"], nil},
		{"FactSource", fact.Properties["source"], nil},
		{"FailureClass", outcome.Properties["failure"], []string{""}},
		{"State", outcome.Properties["state"], []string{string(schedmate.Waiting), string(schedmate.Running)}},
	} {
		var got []string
		for _, v := range c.schema.Enum {
			got = append(got, v.(string))
		}
		want := slices.DeleteFunc(declared[c.typeName], func(v string) bool { return slices.Contains(c.without, v) })
		slices.Sort(got)
		slices.Sort(want)
		if len(want) == 0 {
			t.Errorf("the root package declares no %s", c.typeName)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: declared values against the schema's:\n%s", c.typeName, diff)
		}
	}
}

// at follows properties, and the items of lists.
func at(s *jsonschema.Schema, names ...string) *jsonschema.Schema {
	for _, name := range names {
		s = s.Properties[name]
		if s.Items != nil {
			s = s.Items
		}
	}
	return s
}

// declaredStrings returns the typed string constants of the root package, from
// the files that declare the types in question.
func declaredStrings(t *testing.T) map[string][]string {
	t.Helper()
	values := make(map[string][]string)
	collect := func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			name, isIdent := spec.Type.(*ast.Ident)
			text, isText := v.(*ast.BasicLit)
			if isIdent && isText && text.Kind == token.STRING {
				s, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				values[name.Name] = append(values[name.Name], s)
			}
		}
		return true
	}
	for _, name := range []string{"cluster.go", "fact.go", "job.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, collect)
	}
	return values
}

// The two encodings of a type have the same field names and the same fields
// that may be left out.
func TestJSONAndYAMLTagsAgree(t *testing.T) {
	for typ := range Vocabulary {
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			jsonName, jsonOptions, _ := strings.Cut(f.Tag.Get("json"), ",")
			yamlName, yamlOptions, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if jsonName != yamlName || jsonName == "" || (jsonOptions == "") != (yamlOptions == "") {
				t.Errorf("%s.%s: json %q, yaml %q", typ, f.Name, f.Tag.Get("json"), f.Tag.Get("yaml"))
			}
		}
	}
}

// A type of the vocabulary that nobody describes would be a hole in the pages.
func TestEveryNotedFieldHasText(t *testing.T) {
	for typ, notes := range Vocabulary {
		for _, n := range notes {
			if !strings.HasSuffix(n.Text, ".") {
				t.Errorf("%s.%s: %q is no sentence", typ, n.Field, n.Text)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a schema was made of a type with a field that has no note")
		}
	}()
	Schema[schedmate.VC]("", Notes{reflect.TypeFor[schedmate.VC](): {{"name", "Name.", nil}}})
}
