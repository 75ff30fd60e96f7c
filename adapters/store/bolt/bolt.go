// Package bolt keeps tables of keyed bytes in one file that survives a crash. It
// knows nothing of what the bytes mean.
package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Schema is the version of the file's layout. A file of schema 1 has one table,
// named data; whoever knew only that would let other tables grow old. It is read
// as it is, and becomes one of schema 2 when it is opened to be written.
const (
	Schema    = "2"
	oneTable  = "1"
	dataTable = "data"
)

const patience = 2 * time.Second // how long Open waits for another writer to end

var (
	metaBucket = []byte("meta")
	schemaKey  = []byte("schema")
)

// Reasons of errors: another process has the file; its bytes make no sense.
var (
	ErrBusy    = errors.New("in use by another process")
	ErrDamaged = errors.New("it is not a store or is damaged; move it away and import its export again")
)

// Store is a file of tables, each ordered by its keys. One process at a time has
// it open to write. Its methods may be called from several goroutines.
type Store struct {
	db     *bbolt.DB
	holder string      // file that says who has the store open; empty: opened to read
	broken atomic.Bool // the database gave up half way and may hold its locks for ever
}

// Open opens the file, or makes it and its folder. While another process has
// it open, the error is ErrBusy and says which.
func Open(file string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("open store %s: %w: choose a folder that can be written", file, err)
	}
	s, err := opened(file, false)
	if err != nil {
		return nil, err
	}
	s.holder = file + ".holder"
	if err := s.guarded("open store "+file, func() error { return s.prepare(file) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// OpenToRead opens a file that exists. It changes nothing, not even in the
// folder; others may read at the same time.
func OpenToRead(file string) (*Store, error) {
	s, err := opened(file, true)
	if err != nil {
		return nil, err
	}
	err = s.guarded("open store "+file, func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			if meta := tx.Bucket(metaBucket); meta != nil {
				return checkSchema(file, string(meta.Get(schemaKey)))
			}
			return fmt.Errorf("open store %s: %w", file, ErrDamaged)
		})
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func opened(file string, readOnly bool) (s *Store, err error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for ever
		return nil, fmt.Errorf("open store %s: %w", file, ErrDamaged)
	}
	s = &Store{}
	err = s.guarded("read its pages", func() error {
		s.db, err = bbolt.Open(file, 0o600, &bbolt.Options{Timeout: patience, ReadOnly: readOnly})
		return err
	})
	holder := file + ".holder"
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("open store %s: %w (%s): wait until it ends or stop it; the file %s names it", file, ErrBusy, heldBy(holder), holder)
	case errors.Is(err, ErrDamaged):
		return nil, fmt.Errorf("open store %s: %w", file, err)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, fmt.Errorf("open store %s: %w: %w", file, err, ErrDamaged)
	case err != nil && !errors.As(err, new(syscall.Errno)): // no fault of the system
		return nil, fmt.Errorf("open store %s: %w: %w", file, err, ErrDamaged)
	case err != nil:
		return nil, fmt.Errorf("open store %s: %w: check that it is a file of yours on a file system with locks", file, err)
	}
	return s, nil
}

// guarded does something with the database. The library believes what the file
// says: on damaged bytes it panics, or reads where no memory is.
func (s *Store) guarded(what string, work func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			s.broken.Store(true)
			err = fmt.Errorf("%s: %.200v: %w", what, r, ErrDamaged)
		}
	}()
	return work()
}

func checkSchema(file, schema string) error {
	if schema != Schema && schema != oneTable {
		return fmt.Errorf("open store %s: it has schema %.20q, this program reads up to %q: export it with the program that wrote it", file, schema, Schema)
	}
	return nil
}

// prepare makes an empty file a store, checks the schema of any other, and
// says who has it.
func (s *Store) prepare(file string) error {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucketIfNotExists(metaBucket)
		if err != nil {
			return err
		}
		if _, err := tx.CreateBucketIfNotExists([]byte(dataTable)); err != nil {
			return err
		}
		switch schema := string(meta.Get(schemaKey)); schema {
		case Schema:
			return nil
		case "", oneTable:
			return meta.Put(schemaKey, []byte(Schema))
		default:
			return checkSchema(file, schema)
		}
	})
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		program = "program unknown"
	}
	text := fmt.Sprintf("process %d, %s\n", os.Getpid(), program)
	if err := os.WriteFile(s.holder, []byte(text), 0o600); err != nil {
		return fmt.Errorf("open store %s: write who has it: %w", file, err)
	}
	return nil
}

// heldBy reads who has the store. The lock decides, this file only tells: one
// that is left over from a crash does no harm.
func heldBy(holder string) string {
	text, err := os.ReadFile(holder)
	if err != nil || len(text) > 4096 {
		return "process unknown"
	}
	return strings.TrimSpace(string(text))
}

// Close lets another process open the file. What broke is not closed: it may
// wait for itself. Its lock ends with this process.
func (s *Store) Close() error {
	var err error
	if s.holder != "" {
		if err = os.Remove(s.holder); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		err = fmt.Errorf("close store: %w", err)
	}
	if s.broken.Load() {
		return err
	}
	return errors.Join(err, s.db.Close())
}
