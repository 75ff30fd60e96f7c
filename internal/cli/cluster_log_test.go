package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A job may say that it logs to anything. Only what is a file is read.
func TestLogsThatAreNone(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "train.log")
	if err := os.WriteFile(file, []byte("step 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(name, to string) string {
		path := filepath.Join(folder, name)
		if err := os.Symlink(to, path); err != nil {
			t.Skip("skipped: no symbolic links here: " + err.Error())
		}
		return path
	}
	for path, want := range map[string]error{
		file:                                   nil,
		link("link.log", file):                 nil,
		folder:                                 errNoRegularFile,
		os.DevNull:                             errNoRegularFile,
		filepath.Join(folder, "absent.log"):    fs.ErrNotExist,
		link("loose.log", folder+"/nothing"):   fs.ErrNotExist,
		link("environ.log", "/proc/1/environ"): errNoRegularFile,
	} {
		if _, err := os.Stat("/proc/1/environ"); err != nil && filepath.Base(path) == "environ.log" {
			t.Log("not tried: there is no /proc here")
			continue
		}
		if _, err := statLog(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}
