package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// Whatever a job is called, its documents can be written, steer no terminal, and are
// read back as they were.
func TestDocumentsHoldAnyText(t *testing.T) {
	special := []rune{0x00, 0x07, 0x1b, '\n', '\t', 0x7f, 0x85, 0x9b, 0xad, 0x200b, 0x2028, 0x2029, 0x202e, 0xfeff, 0xfffe, 0xffff, 0xe000, 0xe0001, 0x1f600, 0x1fffe, '"', '\\', '\'', ':', '#', '-'}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.SampledFrom(special), rapid.Rune())).Draw(t, "text")
		doc := map[string]string{"name": strings.ToValidUTF8(text, "?")}
		for _, form := range []struct {
			name  string
			write func(io.Writer, any) error
			read  func([]byte, any) error
		}{{"json", writeJSON, json.Unmarshal}, {"yaml", writeYAML, yaml.Unmarshal}} {
			var out bytes.Buffer
			if err := form.write(&out, doc); err != nil {
				t.Fatalf("%s: %v", form.name, err)
			}
			if i := bytes.IndexFunc(out.Bytes(), steers); i >= 0 {
				t.Fatalf("%s steers a terminal at byte %d: %q", form.name, i, out.String())
			}
			var back map[string]string
			if err := form.read(out.Bytes(), &back); err != nil || back["name"] != doc["name"] {
				t.Fatalf("%s: %q came back as %q, %v:\n%s", form.name, doc["name"], back["name"], err, out.String())
			}
		}
	})
}
