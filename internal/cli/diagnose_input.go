package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// readsAgain tells whether a log can be read a second time: a pipe, also one that
// a shell names /dev/fd/63, gives each byte once.
func readsAgain(path string) bool {
	if path == "-" {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular() // opening it tells what is wrong
}

// unshrunk is the bytes of a log; one that became shorter while it was read is an
// error, for part of what was said may stand nowhere.
func unshrunk(in source) io.Reader {
	file, ok := in.at.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return in.stream
	}
	return &shrinking{in.stream, file, in.size}
}

type shrinking struct {
	io.Reader
	file interface{ Stat() (fs.FileInfo, error) }
	size int64 // when it was opened
}

func (s *shrinking) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		if info, e := s.file.Stat(); e == nil && info.Size() < s.size {
			return n, fmt.Errorf("it has shrunk from %s to %s while it was read: diagnose it again when nothing writes to it", sizeText(s.size), sizeText(info.Size()))
		}
	}
	return n, err
}

// bounded gives the end of a log that unpacks to too much a next step.
type bounded struct {
	io.Reader
	limit  int64 // bytes
	stored *countedReader
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, errTooLong) {
		err = tooLong(b.limit, b.stored.n)
	}
	return n, err
}

// mustBeFile refuses a memory of past incidents that is no regular file: a pipe
// would be waited for, and a folder holds no lines.
func mustBeFile(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return usage(fmt.Errorf("--memory %s: is no regular file: name one, or one that does not exist yet together with --remember", path))
	}
	return nil
}

// samePlace tells whether two names are of one file, also of one that is not
// there yet.
func samePlace(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		y, err := os.Stat(b)
		return err == nil && os.SameFile(x, y)
	}
	return resolved(a) == resolved(b)
}

func resolved(path string) string {
	if to, err := destination(path); err == nil {
		path = to
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}
