// Package source reads a submitted repository: read-only, below its root
// alone, within limits. Nothing else in the advisor opens a file.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Errors that tell why a file was not read. They are wrapped with its path.
var (
	ErrSecret     = errors.New("its name says that it holds secrets; it was not opened")
	ErrNotRegular = errors.New("not a regular file; it was not opened")
	ErrTooLarge   = errors.New("larger than the advisor reads of one file")
	ErrBinary     = errors.New("not a text file")
	ErrBudget     = errors.New("the budget of files or bytes of this job is used up")
	ErrOutside    = errors.New("the path leaves the repository")
)

// Limits bound what one job may read.
type Limits struct {
	FileBytes  int64 // the largest file that is opened
	TotalBytes int64 // over all files
	Files      int   // files opened
	DirEntries int   // entries listed, over all folders
}

// DefaultLimits are far above what real jobs need (measured: p95 5 files of
// evidence, p95 9.3 MB in the whole import closure) and far below what hurts.
var DefaultLimits = Limits{FileBytes: 4 << 20, TotalBytes: 24 << 20, Files: 2000, DirEntries: 20000}

// Root is one repository, open for reading. Paths are slash-separated and
// relative to the repository's root; a link inside it is followed, one that
// leaves it is not. Each file counts against the limits once. A Root is not
// safe for concurrent use.
type Root struct {
	root     *os.Root
	handles  map[string]handle // of the folders below it that were looked into
	limits   Limits
	bytes    int64
	dirs     int
	files    map[string]*file
	order    []string
	listed   map[string][]fs.DirEntry
	looked   map[string]look // at paths that were not read
	solid    map[string]bool // paths that are no links
	deadline time.Time
	opened   time.Time
}

type file struct {
	text []byte
	err  error
}

// Open opens the repository in a folder. The deadline (zero: none) stops all
// reading when it has passed.
func Open(folder string, limits Limits, deadline time.Time) (*Root, error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() { // to open a pipe would wait for ever
		return nil, fmt.Errorf("open repository %s: not a folder; name an existing folder", folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w; name an existing folder", err)
	}
	return &Root{root: root, handles: map[string]handle{}, limits: limits, files: map[string]*file{}, listed: map[string][]fs.DirEntry{}, looked: map[string]look{}, solid: map[string]bool{}, deadline: deadline, opened: time.Now()}, nil
}

// Clean brings a path to the form that all methods take: relative to the root,
// no "." or "..". It reports false for a path that is absolute or leaves the
// root.
func Clean(name string) (string, bool) {
	name = strings.ReplaceAll(name, "\\", "/")
	if name == "" || strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0) {
		return "", false
	}
	name = path.Clean(name)
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", false
	}
	return name, true
}

// Read returns the text of a file. The result is shared and must not be
// changed. Errors are of this package's kinds or fs.ErrNotExist, wrapped.
func (r *Root) Read(name string) ([]byte, error) {
	clean, ok := Clean(name)
	if !ok {
		return nil, fmt.Errorf("read %s: %w", name, ErrOutside)
	}
	if f, seen := r.files[clean]; seen {
		return f.text, f.err
	}
	text, err := r.read(clean)
	if err != nil {
		err = fmt.Errorf("read %s: %w", clean, err)
	}
	r.files[clean] = &file{text, err}
	if err == nil {
		r.order = append(r.order, clean)
	}
	return text, err
}

func (r *Root) read(name string) ([]byte, error) {
	if err := r.allowed(name); err != nil {
		return nil, err
	}
	if len(r.order) >= r.limits.Files || r.bytes >= r.limits.TotalBytes || r.late() {
		return nil, ErrBudget
	}
	info, err := r.info(name) // follows links that stay inside; errors on those that do not
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	if info.Size() > r.limits.FileBytes {
		return nil, ErrTooLarge
	}
	f, err := r.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // it was changed between the two looks
		return nil, ErrNotRegular
	}
	limit := min(r.limits.FileBytes, r.limits.TotalBytes-r.bytes)
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		r.bytes += limit
		return nil, ErrTooLarge
	}
	r.bytes += int64(len(text))
	if slices.Contains(text[:min(len(text), 8192)], 0) {
		return nil, ErrBinary
	}
	return text, nil
}

// allowed refuses names that say they hold secrets, on the path itself and on
// every link that it goes through.
func (r *Root) allowed(name string) error {
	for hops := 0; hops < 16; hops++ {
		if Secret(name) {
			return ErrSecret
		}
		target, moved := r.follow(name)
		if !moved {
			return nil
		}
		clean, ok := Clean(target)
		if !ok {
			return ErrOutside
		}
		name = clean
	}
	return fmt.Errorf("%w: too many links", ErrOutside)
}

// follow resolves the first link on a path, as text.
func (r *Root) follow(name string) (string, bool) {
	parts := strings.Split(name, "/")
	for i := range parts {
		prefix := strings.Join(parts[:i+1], "/")
		if r.solid[prefix] {
			continue
		}
		info, err := r.lstat(prefix)
		if err != nil { // nothing stands here, so nothing stands below it
			return "", false
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			r.solid[prefix] = true
			continue
		}
		target, err := r.root.Readlink(prefix)
		if err != nil {
			return "", false
		}
		if strings.HasPrefix(target, "/") {
			return target, true
		}
		return strings.Join(append([]string{path.Dir(prefix), target}, parts[i+1:]...), "/"), true
	}
	return "", false
}

// IsFile reports whether a regular file that may be read stands at the path.
func (r *Root) IsFile(name string) bool {
	info, ok := r.stat(name)
	return ok && info.Mode().IsRegular()
}

// IsDir reports whether a folder stands at the path.
func (r *Root) IsDir(name string) bool {
	info, ok := r.stat(name)
	return ok && info.IsDir()
}

func (r *Root) stat(name string) (fs.FileInfo, bool) {
	clean, ok := Clean(name)
	if !ok {
		return nil, false
	}
	if l, seen := r.looked[clean]; seen {
		return l.info, l.info != nil
	}
	var l look
	if r.allowed(clean) == nil {
		if info, err := r.info(clean); err == nil {
			l.info = info
		}
	}
	if len(r.looked) < r.limits.DirEntries {
		r.looked[clean] = l
	}
	return l.info, l.info != nil
}

// List returns the entries of a folder by name; links are not followed. It
// returns nothing for what is not a folder or lies outside, and stops at the
// limit of entries.
func (r *Root) List(name string) []fs.DirEntry {
	clean, ok := Clean(name)
	if !ok {
		return nil
	}
	if all, seen := r.listed[clean]; seen {
		return all
	}
	left := r.limits.DirEntries - r.dirs
	if left <= 0 || r.late() || r.allowed(clean) != nil {
		return nil
	}
	info, err := r.info(clean)
	if err != nil || !info.IsDir() {
		return nil
	}
	f, err := r.root.OpenFile(clean, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.ReadDir(left) // an error leaves what could be listed
	r.dirs += len(all)
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	r.listed[clean] = all
	return all
}

// BytesRead is what was read of all files together.
func (r *Root) BytesRead() int64 { return r.bytes }

// FilesRead lists the files that were read, in the order of reading.
func (r *Root) FilesRead() []string { return slices.Clone(r.order) }

func (r *Root) late() bool { return !r.deadline.IsZero() && time.Now().After(r.deadline) }
