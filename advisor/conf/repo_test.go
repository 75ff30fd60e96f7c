package conf

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"schedmate/advisor/source"
)

// repo is a small repository written as an archive of files.
func repo(t testing.TB, archive string) *source.Root {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := source.Open(dir, source.DefaultLimits, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// words are known words of a command.
func words(texts ...string) []Word {
	var all []Word
	for _, text := range texts {
		all = append(all, Word{Text: text, Known: true})
	}
	return all
}

// M and L keep expected trees short.
type (
	M = map[string]any
	L = []any
)

func same(t *testing.T, what string, want any, got *Node) {
	t.Helper()
	if diff := cmp.Diff(want, got.Plain()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// says checks the whole evidence of the node at a path.
func says(t *testing.T, tree *Node, path, want string) {
	t.Helper()
	n := tree.Get(path)
	if n == nil {
		t.Errorf("%s: it is not there", path)
		return
	}
	if got := n.Origin.Explain(); got != want {
		t.Errorf("%s comes from\n  %s, want\n  %s", path, got, want)
	}
}

var noDeadline time.Time
