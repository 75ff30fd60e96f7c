// Package bolt keeps keyed bytes in one file that survives a crash. It knows
// nothing of what the bytes mean.
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

// Schema is the version of the file's layout.
const Schema = "1"

const patience = 2 * time.Second // how long Open waits for another writer to end

var (
	metaBucket = []byte("meta")
	dataBucket = []byte("data")
	schemaKey  = []byte("schema")
)

// Reasons of errors: another process has the file; its bytes make no sense.
var (
	ErrBusy    = errors.New("in use by another process")
	ErrDamaged = errors.New("it is not a store or is damaged; move it away and import its export again")
)

// Log is an ordered log of keys and values in a file. One process at a time
// has it open. Its methods may be called from several goroutines.
type Log struct {
	db     *bbolt.DB
	holder string      // file that says who has the log open; empty: opened to read
	broken atomic.Bool // the database gave up half way and may hold its locks for ever
}

// Open opens the file, or makes it and its folder. While another process has
// it open, the error is ErrBusy and says which.
func Open(file string) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("open store %s: %w: choose a folder that can be written", file, err)
	}
	l, err := opened(file, false)
	if err != nil {
		return nil, err
	}
	l.holder = file + ".holder"
	if err := l.guarded("open store "+file, func() error { return l.prepare(file) }); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// OpenToRead opens a file that exists. It changes nothing, not even in the
// folder; others may read at the same time.
func OpenToRead(file string) (*Log, error) {
	l, err := opened(file, true)
	if err != nil {
		return nil, err
	}
	err = l.guarded("open store "+file, func() error {
		return l.db.View(func(tx *bbolt.Tx) error {
			if meta := tx.Bucket(metaBucket); meta != nil {
				return checkSchema(file, string(meta.Get(schemaKey)))
			}
			return fmt.Errorf("open store %s: %w", file, ErrDamaged)
		})
	})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func opened(file string, readOnly bool) (l *Log, err error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for ever
		return nil, fmt.Errorf("open store %s: %w", file, ErrDamaged)
	}
	l = &Log{}
	err = l.guarded("read its pages", func() error {
		l.db, err = bbolt.Open(file, 0o600, &bbolt.Options{Timeout: patience, ReadOnly: readOnly})
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
	return l, nil
}

// guarded does something with the database. The library believes what the file
// says: on damaged bytes it panics, or reads where no memory is.
func (l *Log) guarded(what string, work func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			l.broken.Store(true)
			err = fmt.Errorf("%s: %.200v: %w", what, r, ErrDamaged)
		}
	}()
	return work()
}

func checkSchema(file, schema string) error {
	if schema != Schema {
		return fmt.Errorf("open store %s: it has schema %.20q, this program reads %q: export it with the program that wrote it", file, schema, Schema)
	}
	return nil
}

// prepare makes an empty file a store, checks the schema of any other, and
// says who has it.
func (l *Log) prepare(file string) error {
	err := l.db.Update(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucketIfNotExists(metaBucket)
		if err != nil {
			return err
		}
		if _, err := tx.CreateBucketIfNotExists(dataBucket); err != nil {
			return err
		}
		schema := string(meta.Get(schemaKey))
		if schema == "" {
			return meta.Put(schemaKey, []byte(Schema))
		}
		return checkSchema(file, schema)
	})
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		program = "program unknown"
	}
	text := fmt.Sprintf("process %d, %s\n", os.Getpid(), program)
	if err := os.WriteFile(l.holder, []byte(text), 0o600); err != nil {
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

// Append keeps values under keys, all or, after an error or a crash, none of
// them. When it returns they are on the disk. A key that is there gets the new
// value.
func (l *Log) Append(keys, values [][]byte) error {
	if len(keys) != len(values) {
		return fmt.Errorf("append to %s: %d keys and %d values", l.db.Path(), len(keys), len(values))
	}
	return l.update("append to", func(data *bbolt.Bucket) error {
		for i, key := range keys {
			if err := data.Put(key, values[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete forgets keys, all or none. Keys that are not there are no error.
func (l *Log) Delete(keys [][]byte) error {
	return l.update("delete from", func(data *bbolt.Bucket) error {
		for _, key := range keys {
			if err := data.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *Log) update(what string, change func(*bbolt.Bucket) error) error {
	err := l.guarded(what, func() error {
		return l.db.Update(func(tx *bbolt.Tx) error { return change(tx.Bucket(dataBucket)) })
	})
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%s: %w", l.db.Path(), err)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w: check that the disk is not full", what, l.db.Path(), err)
	}
	return nil
}

// Each visits all entries in order of their keys, as they were when it was
// called. The bytes are valid during the visit only; the visit must not call
// the log. Its first error ends the walk.
func (l *Log) Each(visit func(key, value []byte) error) error {
	err := l.guarded("read", func() error {
		return l.db.View(func(tx *bbolt.Tx) error { return tx.Bucket(dataBucket).ForEach(visit) })
	})
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%s: %w", l.db.Path(), err)
	}
	return err
}

// Close lets another process open the file. What broke is not closed: it may
// wait for itself. Its lock ends with this process.
func (l *Log) Close() error {
	var err error
	if l.holder != "" {
		if err = os.Remove(l.holder); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		err = fmt.Errorf("close store: %w", err)
	}
	if l.broken.Load() {
		return err
	}
	return errors.Join(err, l.db.Close())
}
