//go:build unix

package files

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What somebody else may have put into the folder is no entry: a link, a pipe,
// a file that others can write, one of any size.
func TestOnlyOwnFilesAreEntries(t *testing.T) {
	c := Open(t.TempDir(), 64<<20)
	put(t, c, "good", "one")
	good := filepath.Join(c.folder, "good.entry")
	at := func(key string) string { return filepath.Join(c.folder, key+".entry") }
	if err := os.Symlink(good, at("link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("open"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(at("open"), 0o666); err != nil {
		t.Fatal(err)
	}
	large := bytes.Repeat([]byte("x"), 5<<20)
	if err := os.WriteFile(at("large"), append([]byte(sum(large)+"\n"), large...), 0o600); err != nil {
		t.Fatal(err)
	}
	if !holds(c, "good", "one") {
		t.Error("the own entry is lost")
	}
	for _, key := range []string{"link", "pipe", "open", "large"} {
		if _, ok := c.Get(key); ok {
			t.Errorf("%s is an entry", key)
		}
	}
	if os.Geteuid() == 0 { // only then a file can be given away
		put(t, c, "given", "one")
		if err := os.Chown(at("given"), 12345, 12345); err != nil {
			t.Skip("files cannot be given away here")
		}
		if _, ok := c.Get("given"); ok {
			t.Error("the file of another user is an entry")
		}
	}
}
