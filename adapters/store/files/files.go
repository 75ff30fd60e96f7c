// Package files keeps what can be made again: bytes under keys, each in a file
// of its own, bounded in size. It knows nothing of what the bytes mean.
package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Cache is a folder of entries. Several processes may use it at once. Its
// methods may be called from several goroutines.
//
// An entry is a line with the hash of what follows it. One that does not agree
// with its hash, because a disk or a person changed it, is as good as none.
type Cache struct {
	folder string
	limit  int64

	mu   sync.Mutex
	size int64 // of all entries, as far as this process knows; negative: not known
}

// Open returns the cache in a folder, which is made with the first entry. When
// the entries outgrow the limit in bytes, those go that were not used for
// longest.
func Open(folder string, limit int64) *Cache {
	return &Cache{folder: folder, limit: limit, size: -1}
}

const suffix = ".entry"

// Get returns the bytes under a key.
func (c *Cache) Get(key string) ([]byte, bool) {
	path, err := c.path(key)
	if err != nil {
		return nil, false
	}
	text, err := own(path)
	if err != nil {
		return nil, false
	}
	head, body, ok := bytes.Cut(text, []byte("\n"))
	if !ok || string(head) != sum(body) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it only decides what goes first
	return body, true
}

// largest is the size in bytes of the largest entry.
const largest = 4 << 20

var errForeign = errors.New("not an entry that this user wrote")

// own reads a file that nobody else can have written: a link, a pipe or a file
// that others may change is none of ours.
func own(path string) ([]byte, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() || before.Mode().Perm()&0o022 != 0 || before.Size() > largest || !mine(before) {
		return nil, errForeign
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) { // it was changed between the two looks
		return nil, errForeign
	}
	text, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err == nil && len(text) > largest {
		err = errForeign
	}
	return text, err
}

// Put keeps bytes under a key. After a crash the entry is whole or not there.
func (c *Cache) Put(key string, value []byte) error {
	path, err := c.path(key)
	if err != nil {
		return err
	}
	text := append([]byte(sum(value)+"\n"), value...)
	if int64(len(text)) > min(c.limit/4, largest) {
		return nil // it would push out all others
	}
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return fmt.Errorf("keep an entry: %w; make the folder writable", err)
	}
	f, err := os.CreateTemp(c.folder, ".new-*")
	if err != nil {
		return fmt.Errorf("keep an entry: %w; make the folder writable", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep an entry: %w; is there room on the disk?", err), os.Remove(f.Name()))
	}
	return c.grown(int64(len(text)))
}

// path is where an entry is kept. A key is letters and digits.
func (c *Cache) path(key string) (string, error) {
	if key == "" || len(key) > 128 || strings.ContainsFunc(key, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
		return "", fmt.Errorf("key %.40q: must be small letters and digits", key)
	}
	return filepath.Join(c.folder, key+suffix), nil
}

// grown counts a new entry, and lets old ones go when there are too many.
func (c *Cache) grown(by int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size >= 0 {
		if c.size += by; c.size <= c.limit {
			return nil
		}
	}
	listed, err := os.ReadDir(c.folder)
	if err != nil {
		return fmt.Errorf("list %s: %w", c.folder, err)
	}
	var entries []fs.FileInfo
	c.size = 0
	for _, e := range listed {
		info, err := e.Info()
		if err != nil {
			continue // another process let it go
		}
		switch {
		case strings.HasSuffix(e.Name(), suffix):
			entries = append(entries, info)
			c.size += info.Size()
		case strings.HasPrefix(e.Name(), ".new-") && time.Since(info.ModTime()) > time.Hour: // of a process that died
			_ = os.Remove(filepath.Join(c.folder, e.Name())) // another process may have been faster
		}
	}
	if c.size <= c.limit {
		return nil
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, e := range entries {
		if c.size <= c.limit*3/4 {
			break
		}
		if err := os.Remove(filepath.Join(c.folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("let an old entry go: %w", err)
		}
		c.size -= e.Size()
	}
	return nil
}

func sum(value []byte) string {
	s := sha256.Sum256(value)
	return hex.EncodeToString(s[:])
}
