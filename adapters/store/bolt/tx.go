package bolt

import (
	"bytes"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// Tx is one look at all tables, or one change of them. It and the bytes that it
// hands out are valid until the function that it was given to returns. A table
// that was never written to is empty.
type Tx struct {
	tx      *bbolt.Tx
	buckets map[string]*bbolt.Bucket
}

// View looks at the tables as they are now; later changes are not seen.
func (s *Store) View(read func(*Tx) error) error {
	err := s.guarded("read", func() error {
		return s.db.View(func(tx *bbolt.Tx) error { return read(newTx(tx)) })
	})
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%s: %w", s.db.Path(), err)
	}
	return err
}

// Update changes the tables: all that the function did is kept, on the disk when
// Update returns, or, after an error or a crash, nothing of it.
func (s *Store) Update(change func(*Tx) error) error {
	var own error // of the function, who knows what it did
	err := s.guarded("write", func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			own = change(newTx(tx))
			return own
		})
	})
	switch {
	case errors.Is(err, ErrDamaged):
		return fmt.Errorf("%s: %w", s.db.Path(), err)
	case err != nil && own == nil:
		return fmt.Errorf("write %s: %w: check that the disk is not full", s.db.Path(), err)
	}
	return err
}

func newTx(tx *bbolt.Tx) *Tx { return &Tx{tx, make(map[string]*bbolt.Bucket)} }

// bucket is a table, nil if it was never written to.
func (t *Tx) bucket(table string) *bbolt.Bucket {
	b, known := t.buckets[table]
	if !known {
		b = t.tx.Bucket([]byte(table))
		t.buckets[table] = b
	}
	return b
}

// Get returns the value under a key, nil if there is none.
func (t *Tx) Get(table string, key []byte) []byte {
	if b := t.bucket(table); b != nil {
		return b.Get(key)
	}
	return nil
}

// Walk visits the entries from a key on, in order of their keys, until the visit
// says no or errs. The visit must not change the table.
func (t *Tx) Walk(table string, from []byte, visit func(key, value []byte) (more bool, err error)) error {
	b := t.bucket(table)
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for key, value := c.Seek(from); key != nil; key, value = c.Next() {
		if more, err := visit(key, value); err != nil || !more {
			return err
		}
	}
	return nil
}

// WalkBack visits the entries below a key, the last first; below nil all entries.
func (t *Tx) WalkBack(table string, below []byte, visit func(key, value []byte) (more bool, err error)) error {
	b := t.bucket(table)
	if b == nil {
		return nil
	}
	c := b.Cursor()
	key, value := c.Last()
	if below != nil && bytes.Compare(key, below) >= 0 {
		c.Seek(below)
		key, value = c.Prev()
	}
	for ; key != nil; key, value = c.Prev() {
		if more, err := visit(key, value); err != nil || !more {
			return err
		}
	}
	return nil
}

// Put keeps a value under a key; one that is there is replaced. The value must
// not be changed until the change has ended.
func (t *Tx) Put(table string, key, value []byte) error {
	b := t.bucket(table)
	if b == nil {
		made, err := t.tx.CreateBucketIfNotExists([]byte(table))
		if err != nil {
			return fmt.Errorf("make table %s: %w", table, err)
		}
		t.buckets[table], b = made, made
	}
	if err := b.Put(key, value); err != nil {
		return fmt.Errorf("keep %x in table %s: %w", key, table, err)
	}
	return nil
}

// Delete forgets a key; one that is not there is no error.
func (t *Tx) Delete(table string, key []byte) error {
	if b := t.bucket(table); b != nil {
		if err := b.Delete(key); err != nil {
			return fmt.Errorf("delete %x from table %s: %w", key, table, err)
		}
	}
	return nil
}

// Clear forgets a whole table.
func (t *Tx) Clear(table string) error {
	if t.bucket(table) == nil {
		return nil
	}
	delete(t.buckets, table)
	if err := t.tx.DeleteBucket([]byte(table)); err != nil {
		return fmt.Errorf("clear table %s: %w", table, err)
	}
	return nil
}
