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

// besideJobs goes to a folder with the files of testdata/estimate.txtar, and
// returns a function that runs a command line there, with one state folder.
func besideJobs(t *testing.T) func(command string) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/estimate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, f := range archive.Files {
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	state := t.TempDir()
	env := func(name string) (string, bool) { return state, name == "SCHEDMATE_STATE" }
	return func(command string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := Main(strings.Fields(command), Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: env})
		if code != ExitOK {
			t.Errorf("schedmate %s: exit code %d\n%s", command, code, &errs)
		}
		return ownSeconds.ReplaceAllString(out.String(), "${1}0.1")
	}
}

// ownSeconds matches the time that an answer took.
var ownSeconds = regexp.MustCompile(`("seconds": ?)[0-9.e-]+`)

// The conversations of the pages on estimates, matches and the history are what
// the program says.
func TestAdvisorPagesAreCurrent(t *testing.T) {
	var paths []string
	for _, name := range []string{"estimate", "match", "history"} {
		path, err := filepath.Abs("../../docs/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	block := regexp.MustCompile("(?s)```console\n\\$ schedmate ([^\n]*)\n.*?```")
	run := besideJobs(t)
	for _, path := range paths {
		page(t, path, func(old string) string {
			n := 0
			text := block.ReplaceAllStringFunc(old, func(b string) string {
				n++
				command := block.FindStringSubmatch(b)[1]
				return "```console\n$ schedmate " + command + "\n" + run(command) + "```"
			})
			if n < 2 {
				t.Errorf("%s has %d conversations", path, n)
			}
			return text
		})
	}
}
