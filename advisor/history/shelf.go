package history

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"schedmate"
	"schedmate/advisor/fingerprint"
)

// shelf is the index of a store as a catalogue, within one look at it.
type shelf struct {
	h     *History
	tx    Tx
	about about
	chunk int // whose vectors are at hand
	hand  []byte
	read  briefs
}

// look looks at the index.
func (h *History) look(read func(*shelf) error) error {
	return h.store.View(func(tx Tx) error {
		a, err := readAbout(tx)
		if err != nil {
			return err
		}
		return read(&shelf{h: h, tx: tx, about: a, chunk: -1})
	})
}

func (s *shelf) count() int { return s.about.Numbers }

func (s *shelf) vector(n int) ([]byte, float64, error) {
	if c := n / vectorsInOne; c != s.chunk {
		s.chunk, s.hand = c, s.tx.Get(vectorsTable, numberKey(c))
	}
	width := 8 + s.about.Dim
	at := n % vectorsInOne * width
	if at+width > len(s.hand) {
		return nil, 0, fmt.Errorf("vector of work %d: %w", n, errBrief)
	}
	v := s.hand[at : at+width]
	return v[8:], math.Float64frombits(binary.LittleEndian.Uint64(v)), nil
}

// visible looks at the first run: a work of which all runs were forgotten has none.
func (s *shelf) visible(n int, at schedmate.Seconds) (ended bool, err error) {
	prefix := numberKey(n)
	err = s.tx.Walk(runsTable, prefix, func(key, _ []byte) (bool, error) {
		if bytes.HasPrefix(key, prefix) {
			end, ok := endOfKey(key[len(prefix):])
			ended = ok && end <= at
		}
		return false, nil
	})
	return ended, err
}

func (s *shelf) work(n int) (*Work, error) {
	p, err := s.read.print(s.tx.Get(numbersTable, numberKey(n)))
	if err != nil {
		return nil, fmt.Errorf("work %d: %w", n, err)
	}
	return &Work{p, n, s.h}, nil
}

func (s *shelf) having(key string) (numbers []int, err error) {
	prefix := hashKey(key)
	err = s.tx.Walk(postingsTable, prefix, func(key, value []byte) (bool, error) {
		if !bytes.HasPrefix(key, prefix) {
			return false, nil
		}
		if len(key) != len(prefix)+4 || len(value)%bytesOfPosting != 0 {
			return false, fmt.Errorf("list of works: %w", errBrief)
		}
		first := int(binary.BigEndian.Uint32(key[len(prefix):])) * postingsInOne
		for ; len(value) > 0; value = value[bytesOfPosting:] {
			n := first + int(binary.BigEndian.Uint16(value))
			if n >= s.about.Numbers {
				return false, fmt.Errorf("list of works: %w", errBrief)
			}
			numbers = append(numbers, n)
		}
		return true, nil
	})
	return numbers, err
}

// Search returns up to k works with a run that has ended by an instant, the
// most similar first; of equally similar ones the older. Behind them come works
// with an equal cost hash that were not among the k.
func (h *History) Search(ctx context.Context, p fingerprint.Print, k int, filter Filter, at schedmate.Seconds) (hits []Hit, err error) {
	if h.memory != nil {
		return h.memory.Search(ctx, p, k, filter, at)
	}
	a, err := h.about()
	if err != nil || a.Works == 0 || k <= 0 {
		return nil, err
	}
	vectors, of, err := embed(ctx, h.embedder, []string{p.Fields.Text()}) // it may ask another program: not within a look
	if err != nil {
		return nil, err
	}
	err = h.look(func(s *shelf) (err error) {
		if err := s.about.space().admits(of); err != nil {
			return err
		}
		hits, err = search(s, vectors[0], p, k, filter, at)
		return err
	})
	return hits, err
}

// Threshold calibrates the cosine from which works are called similar on the
// works that are visible at an instant, without labels.
func (h *History) Threshold(ctx context.Context, at schedmate.Seconds) (t Threshold, err error) {
	if h.memory != nil {
		return h.memory.Threshold(ctx, at)
	}
	err = h.look(func(s *shelf) (err error) {
		t, err = threshold(ctx, s, h.embedder, s.about.space(), at)
		return err
	})
	return t, err
}

// Works visits the works with a run that has ended by an instant, in order of
// appearance.
func (h *History) Works(at schedmate.Seconds, visit func(*Work) error) error {
	if h.memory != nil {
		return h.memory.Works(at, visit)
	}
	return h.look(func(s *shelf) error {
		for n := range s.count() {
			ended, err := s.visible(n, at)
			if err == nil && ended {
				var w *Work
				if w, err = s.work(n); err == nil {
					w.from = s
					err = visit(w)
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *History) runsOf(n int, at schedmate.Seconds, most int) (runs []*Record, err error) {
	err = h.look(func(s *shelf) (err error) { runs, err = s.runsOf(n, at, most); return err })
	return runs, err
}

func (s *shelf) runsOf(n int, at schedmate.Seconds, most int) (runs []*Record, err error) {
	return s.latest(runsTable, numberKey(n), at, most)
}

// latest are runs by a prefix of their keys.
func (s *shelf) latest(table string, prefix []byte, at schedmate.Seconds, most int) (runs []*Record, err error) {
	err = s.back(table, prefix, at, func(_, value []byte) (bool, error) {
		r, err := s.read.read(value)
		runs = append(runs, r)
		return most == 0 || len(runs) < most, err
	})
	slices.Reverse(runs)
	return runs, err
}

// back visits the entries of a table whose keys are a prefix and the key of a
// record that has ended by an instant, the latest first.
func (s *shelf) back(table string, prefix []byte, at schedmate.Seconds, visit func(key, value []byte) (bool, error)) error {
	if at < 0 {
		return nil
	}
	below := instantKey(slices.Clone(prefix), at+1) // beyond the last instant: its sign bit comes last, too
	return s.tx.WalkBack(table, below, func(key, value []byte) (bool, error) {
		if !bytes.HasPrefix(key, prefix) {
			return false, nil
		}
		return visit(key[len(prefix):], value)
	})
}

// Named returns the runs of a user's job name that have ended by an instant,
// oldest first and no more than the latest: of the same user, name and GPUs, else
// of the same user and name; with negative GPUs of the latter only. Digits of a
// name do not count: "run-17" is another "run-16". The runs are brief, as those of
// [Work.Latest].
func (h *History) Named(user, jobName string, gpus int, at schedmate.Seconds, most int) (runs []*Record, err error) {
	if h.memory != nil {
		return h.memory.Named(user, jobName, gpus, at, most)
	}
	err = h.look(func(s *shelf) (err error) {
		for _, name := range nameKeys(user, jobName, gpus) {
			if runs, err = s.latest(namesTable, hashKey(name), at, most); err != nil || len(runs) > 0 {
				return err
			}
		}
		return nil
	})
	return runs, err
}

func (s *shelf) decoder() *decoder {
	return &decoder{kept: func(whole string) []byte { return s.tx.Get(printsTable, []byte(whole)) }}
}

// Outcomes visits the completed runs that had been estimated, by end.
func (h *History) Outcomes(visit func(*Record) error) error {
	if h.memory != nil {
		return h.memory.Outcomes(visit)
	}
	read := &briefs{}
	return h.look(func(s *shelf) error {
		return s.tx.Walk(outcomesTable, nil, func(_, value []byte) (bool, error) {
			r, err := read.read(value)
			if err != nil {
				return false, err
			}
			return true, visit(r)
		})
	})
}

// OutcomeCount is the number of completed runs that had been estimated; -1 where
// only a visit tells.
func (h *History) OutcomeCount() (int, error) {
	if h.memory != nil {
		return -1, nil
	}
	a, err := h.about()
	return a.Outcomes, err
}
