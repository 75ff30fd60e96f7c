package history

import (
	"context"
	"errors"
	"fmt"

	"schedmate"
	"schedmate/advisor/fingerprint"
)

// Retention bounds what is kept; zero values bound nothing.
type Retention struct {
	MaxAge     schedmate.Seconds
	MaxRecords int
}

// History is a store of records that are found by work, by likeness of work, and
// by user and name. A question reads what it needs and no more, however much is
// kept. It is safe for concurrent use.
type History struct {
	store     Store
	embedder  fingerprint.Embedder
	retention Retention
	anew      bool    // whether Open made the index
	memory    *Index  // instead of the tables, where there are none that serve and none may be made
	broken    []error // with memory: entries that were left out, and why
}

// Open opens a history to read and write. Where its index is missing, of another
// layout or of another embedder (nil means [fingerprint.Hashed]), it is made anew,
// which reads all records once.
func Open(ctx context.Context, store Store, embedder fingerprint.Embedder, retention Retention) (*History, error) {
	h := &History{store: store, embedder: embedder, retention: retention}
	if embedder == nil {
		h.embedder = fingerprint.Hashed{}
	}
	serves, err := h.serves(ctx)
	if err == nil && !serves {
		h.anew = true
		err = h.Reindex(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return h, nil
}

// OpenToRead opens a history that is not to be changed. Where its index does not
// serve, all records are read into memory; Indexed tells.
func OpenToRead(ctx context.Context, store Store, embedder fingerprint.Embedder) (*History, error) {
	h := &History{store: store, embedder: embedder}
	if embedder == nil {
		h.embedder = fingerprint.Hashed{}
	}
	serves, err := h.serves(ctx)
	if err == nil && !serves {
		err = h.load(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return h, nil
}

// Indexed tells whether questions read only what they need; else all records were
// read when the history was opened.
func (h *History) Indexed() bool { return h.memory == nil }

// IndexedAnew tells whether the index was made when the history was opened.
func (h *History) IndexedAnew() bool { return h.anew }

// serves tells whether the tables are of this program's layout and of the embedder.
func (h *History) serves(ctx context.Context) (bool, error) {
	var a about
	err := h.store.View(func(tx Tx) (err error) { a, err = readAbout(tx); return err })
	if err != nil || a.Layout != layout || a.Form != fingerprint.Form {
		return false, err
	}
	if a.Embedder == "" { // no work is known yet
		return true, nil
	}
	_, of, err := embed(ctx, h.embedder, []string{"task: none"})
	return err != nil || of == a.space(), nil // who cannot be asked now is not blamed for the past
}

const loadBatch = 4096 // records whose new works are embedded by one call

// load reads all records into memory.
func (h *History) load(ctx context.Context) error {
	h.memory = NewIndex(h.embedder)
	var batch []*Record
	flush := func() error {
		err := h.memory.Add(ctx, batch...)
		batch = batch[:0]
		return err
	}
	err := h.entries(func(key []byte, r *Record, err error) error {
		if err != nil {
			h.broken = append(h.broken, brokenEntry(key, err.Error()))
			return nil
		}
		if batch = append(batch, r); len(batch) == loadBatch {
			return flush()
		}
		return ctx.Err()
	})
	if err == nil {
		err = flush()
	}
	return err
}

// Len is the number of records.
func (h *History) Len() (int, error) {
	if h.memory != nil {
		return h.memory.Len()
	}
	a, err := h.about()
	return a.Records, err
}

// WorkCount is the number of distinct works.
func (h *History) WorkCount() (int, error) {
	if h.memory != nil {
		return h.memory.WorkCount()
	}
	a, err := h.about()
	return a.Works, err
}

func (h *History) about() (a about, err error) {
	err = h.store.View(func(tx Tx) (err error) { a, err = readAbout(tx); return err })
	return a, err
}

// Append keeps records. A record whose id is known is left out: a history is only
// ever added to, and importing it twice changes nothing. Of the others all are
// kept or, after an error, none. It returns how many were new.
func (h *History) Append(ctx context.Context, records ...*Record) (fresh int, err error) {
	if h.memory != nil {
		return 0, errors.New("append to history: it was opened to be read")
	}
	err = h.store.Update(func(tx Tx) error {
		w, err := openWriter(tx, h.embedder)
		if err != nil {
			return err
		}
		before := w.about.Records
		if err := w.take(ctx, records, true); err != nil {
			return err
		}
		fresh = w.about.Records - before
		return w.close()
	})
	if err != nil {
		return 0, fmt.Errorf("append %d records to history: %w", len(records), err)
	}
	return fresh, nil
}

// Prune forgets what the retention does not keep at an instant, the oldest
// first, and returns how many records that were.
func (h *History) Prune(ctx context.Context, now schedmate.Seconds) (forgotten int, err error) {
	if h.memory != nil {
		return 0, errors.New("prune history: it was opened to be read")
	}
	err = h.store.Update(func(tx Tx) error {
		w, err := openWriter(tx, h.embedder)
		if err != nil {
			return err
		}
		old, err := w.old(h.retention, now)
		if err != nil {
			return err
		}
		for _, key := range old {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.forget(key); err != nil {
				return err
			}
		}
		forgotten = len(old)
		return w.close()
	})
	if err != nil {
		return 0, fmt.Errorf("prune history: %w", err)
	}
	return forgotten, nil
}

// Reindex makes the index anew of the records and their prints. It goes in
// parts: after a crash between them the history has no index and is read whole.
func (h *History) Reindex(ctx context.Context) error {
	err := h.store.Update(func(tx Tx) error {
		for _, table := range derivedTables {
			if err := tx.Clear(table); err != nil {
				return err
			}
		}
		return nil
	})
	a := about{Layout: building, Form: fingerprint.Form}
	for from := []byte{}; err == nil && from != nil; {
		err = h.store.Update(func(tx Tx) (err error) {
			w := newWriter(tx, h.embedder, a)
			if from, err = w.again(ctx, from); err != nil {
				return err
			}
			if from == nil {
				w.about.Layout = layout
			}
			if err := w.close(); err != nil {
				return err
			}
			a = w.about
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("index history: %w", err)
	}
	return nil
}
