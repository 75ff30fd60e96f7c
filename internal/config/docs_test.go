package config

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/internal/docfile"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the configuration's schema and page in docs/format; understand each change before you commit it")

const formatDocs = "../../docs/format"

// The published schema and the page are what the code says today.
func TestDocsAreCurrent(t *testing.T) {
	schema, err := json.MarshalIndent(Schema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	sameFile(t, "config.schema.json", string(schema)+"\n")
	page, err := docfile.FillPage(read(t, "config.md"), map[string]string{
		"Config":  docfile.Table[document](notes),
		"example": "```yaml\n" + read(t, "examples/config.yaml") + "```\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	sameFile(t, "config.md", page)
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(formatDocs, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func sameFile(t *testing.T, name, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(filepath.Join(formatDocs, name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got := read(t, name); got != want {
		t.Errorf("%s is out of date; run go test ./internal/config -rewrite and read the difference:\n%s", name, cmp.Diff(got, want))
	}
}

// The example is accepted by the loader and by the schema.
func TestExample(t *testing.T) {
	e, err := Load(Sources{Flags: map[string]string{"config": filepath.Join(formatDocs, "examples/config.yaml")}, Processors: 8})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Config{Data: "/srv/gpu-traces", Output: "json", Policy: "srtf", Parallel: 4}, e.Config); diff != "" {
		t.Error(diff)
	}
	resolved, err := Schema().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var instance map[string]any
	if err := docfile.Read("config.yaml", strings.NewReader(read(t, "examples/config.yaml")), &instance); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(instance); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]any{"parallel": 0, "output": "xml", "data": "traces", "policy": "Shortest First", "polcy": "srtf"} {
		before, had := instance[name]
		instance[name] = wrong
		if err := resolved.Validate(instance); err == nil {
			t.Errorf("the schema accepts %s: %v", name, wrong)
		}
		delete(instance, name)
		if had {
			instance[name] = before
		}
	}
}

// Every setting is a field of the file, in the same order.
func TestSettingsAreFields(t *testing.T) {
	var names, fields []string
	for _, s := range settings {
		names = append(names, s.name)
	}
	for f := range reflect.TypeFor[document]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		fields = append(fields, name)
	}
	if !slices.Equal(fields, append([]string{"apiVersion", "kind"}, names...)) {
		t.Errorf("fields %v, settings %v", fields, names)
	}
}
