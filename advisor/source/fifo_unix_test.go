//go:build unix

package source

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestANamedPipeDoesNotBlock(t *testing.T) {
	dir := tree(t, map[string]string{"train.py": ""})
	if err := syscall.Mkfifo(filepath.Join(dir, "config.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	root := open(t, dir, DefaultLimits)
	if _, err := root.Read("config.yaml"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a named pipe: %v", err)
	}
	if root.IsFile("config.yaml") {
		t.Error("a named pipe is said to be a file")
	}
}

// A repository that is a pipe is refused; to open it would wait for ever.
func TestARepositoryIsAFolder(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Open(pipe, DefaultLimits, time.Time{}); err == nil {
		r.Close()
		t.Error("a pipe was opened as a repository")
	}
}
