package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"schedmate"
)

// Record returns a record by id.
func (h *History) Record(id string) (r *Record, ok bool, err error) {
	if h.memory != nil {
		r, ok = h.memory.Record(id)
		return r, ok, nil
	}
	err = h.look(func(s *shelf) (err error) {
		end := s.tx.Get(idsTable, []byte(id))
		if end == nil {
			return nil
		}
		r, err = s.decoder().decode(s.tx.Get(dataTable, append(bytes.Clone(end), id...)))
		ok = err == nil
		return err
	})
	return r, ok, err
}

// Each visits all records by end, then id. What cannot be read is left out; see
// Unreadable.
func (h *History) Each(visit func(*Record) error) error {
	return h.entries(func(_ []byte, r *Record, err error) error {
		if err != nil {
			return nil // Unreadable tells
		}
		return visit(r)
	})
}

// entries visits all entries, those that cannot be read with the reason.
func (h *History) entries(visit func(key []byte, r *Record, err error) error) error {
	return h.store.View(func(tx Tx) error {
		read := (&shelf{tx: tx}).decoder()
		return tx.Walk(dataTable, nil, func(key, value []byte) (bool, error) {
			r, err := read.decode(value)
			return true, visit(key, r, err)
		})
	})
}

// Last returns the latest records of a user, or of all where the user is empty,
// the latest first, and how many there are in all.
func (h *History) Last(user string, most int) (records []*Record, total int, err error) {
	named, err := json.Marshal(user)
	if err != nil {
		return nil, 0, fmt.Errorf("name %.40q: %w", user, err)
	}
	mark := append([]byte(`"user":`), named...)
	if user == "" && h.memory == nil {
		if total, err = h.Len(); err != nil {
			return nil, 0, err
		}
	}
	err = h.store.View(func(tx Tx) error {
		read := (&shelf{tx: tx}).decoder()
		return tx.WalkBack(dataTable, nil, func(_, value []byte) (bool, error) {
			if user != "" && !bytes.Contains(value, mark) {
				return true, nil
			}
			r, err := read.decode(value)
			if err != nil || user != "" && r.User != user {
				return true, nil // Unreadable tells
			}
			if len(records) < most {
				records = append(records, r)
			}
			if user != "" || h.memory != nil {
				total++
				return true, nil
			}
			return len(records) < most, nil
		})
	})
	return records, total, err
}

// Unreadable returns why entries of the store were left out, the first of them.
// They stay in the store.
func (h *History) Unreadable(most int) ([]error, error) {
	broken := h.broken
	if h.memory == nil {
		err := h.store.View(func(tx Tx) error {
			return tx.Walk(brokenTable, nil, func(key, why []byte) (bool, error) {
				broken = append(broken, brokenEntry(key, string(why)))
				return len(broken) < most, nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return broken[:min(most, len(broken))], nil
}

func brokenEntry(key []byte, why string) error { return fmt.Errorf("entry %x: %s", key, why) }

// LessonKey is a key for Teach and Lesson made of a text of any length.
func LessonKey(text string) string { return string(hashKey(text)) }

// Lesson returns what Teach kept under a key, nil if there is nothing.
func (h *History) Lesson(key string) (text []byte, err error) {
	if h.memory != nil {
		return nil, nil
	}
	err = h.store.View(func(tx Tx) error {
		text = bytes.Clone(tx.Get(lessonsTable, []byte(key)))
		return nil
	})
	return text, err
}

// Teach keeps what was learnt from the whole history, in place of what was kept
// before: it is derived, and goes when the index is made anew.
func (h *History) Teach(lessons map[string][]byte) error {
	if h.memory != nil {
		return fmt.Errorf("keep lessons of history: it was opened to be read")
	}
	err := h.store.Update(func(tx Tx) error {
		if err := tx.Clear(lessonsTable); err != nil {
			return err
		}
		keys := make([]string, 0, len(lessons))
		for key := range lessons {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			if err := tx.Put(lessonsTable, []byte(key), lessons[key]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep lessons of history: %w", err)
	}
	return nil
}

// Ever is an instant by which every run has ended.
const Ever = schedmate.Seconds(1<<62 - 1)
