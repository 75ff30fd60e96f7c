package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The conversation of the page on line classes is what the program says about
// the log of testdata/logs_classify.txtar.
func TestLinesPageIsCurrent(t *testing.T) {
	path, err := filepath.Abs("../../docs/lines.md")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile("testdata/logs_classify.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, f := range archive.Files {
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	block := regexp.MustCompile("(?s)```console\n\\$ schedmate ([^\n]*)\n.*?```")
	page(t, path, func(old string) string {
		return block.ReplaceAllStringFunc(old, func(b string) string {
			command := block.FindStringSubmatch(b)[1]
			var out, errs bytes.Buffer
			code := Main(strings.Fields(command), Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
			if code != ExitOK {
				t.Errorf("schedmate %s: exit code %d\n%s", command, code, &errs)
			}
			return "```console\n$ schedmate " + command + "\n" + out.String() + "```"
		})
	})
}
