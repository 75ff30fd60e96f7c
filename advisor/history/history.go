package history

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/advisor/fingerprint"
)

// Log keeps bytes under keys, in order of the keys, and survives a crash: of
// each call either all is kept or nothing.
type Log interface {
	Append(keys, values [][]byte) error // a key that is there gets the new value
	Each(visit func(key, value []byte) error) error
	Delete(keys [][]byte) error // keys that are not there are no error
}

// Retention bounds what is kept; zero values bound nothing.
type Retention struct {
	MaxAge     schedmate.Seconds
	MaxRecords int
}

// History is a log with its index.
type History struct {
	*Index
	log       Log
	retention Retention

	Unreadable []error // entries of the log that were left out, and why
}

const loadBatch = 4096 // records whose new works are embedded by one call

// Open reads a log. An entry that cannot be read is left out and reported in
// Unreadable; it stays in the log.
func Open(ctx context.Context, log Log, embedder fingerprint.Embedder, retention Retention) (*History, error) {
	h := &History{Index: NewIndex(embedder), log: log, retention: retention}
	known := make(decoder)
	var batch []*Record
	flush := func() error {
		err := h.Index.Add(ctx, batch...)
		batch = batch[:0]
		return err
	}
	err := log.Each(func(key, value []byte) error {
		r, err := known.decode(value)
		if err != nil {
			h.Unreadable = append(h.Unreadable, fmt.Errorf("entry %x: %w", key, err))
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
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return h, nil
}

// Append keeps records, in the log before in the index. A record whose id is
// known is left out.
func (h *History) Append(ctx context.Context, records ...*Record) error {
	var fresh []*Record
	var keys, values [][]byte
	for _, r := range records {
		if _, known := h.Record(r.ID); known {
			continue
		}
		value, err := Encode(r)
		if err != nil {
			return err
		}
		fresh, keys, values = append(fresh, r), append(keys, logKey(r)), append(values, value)
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := h.log.Append(keys, values); err != nil {
		return fmt.Errorf("append %d records to history: %w", len(fresh), err)
	}
	return h.Index.Add(ctx, fresh...)
}

// Prune forgets what the retention does not keep at an instant, the oldest
// first, and returns how many records that were.
func (h *History) Prune(ctx context.Context, now schedmate.Seconds) (int, error) {
	all := h.All()
	cut := 0
	if h.retention.MaxRecords > 0 {
		cut = max(0, len(all)-h.retention.MaxRecords)
	}
	if h.retention.MaxAge > 0 {
		young := slices.IndexFunc(all, func(r *Record) bool { return now-r.EndS <= h.retention.MaxAge })
		if young < 0 {
			young = len(all)
		}
		cut = max(cut, young)
	}
	if cut == 0 {
		return 0, nil
	}
	keys := make([][]byte, cut)
	for i, r := range all[:cut] {
		keys[i] = logKey(r)
	}
	if err := h.log.Delete(keys); err != nil {
		return 0, fmt.Errorf("delete %d records from history: %w", cut, err)
	}
	kept := NewIndex(h.embedder)
	if err := kept.add(ctx, all[cut:], false); err != nil {
		return 0, err
	}
	h.become(kept)
	return cut, nil
}

// logKey orders a log by end, then id.
func logKey(r *Record) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(r.EndS)), r.ID...)
}
