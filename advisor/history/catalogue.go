package history

import (
	"context"
	"fmt"

	"schedmate"
	"schedmate/advisor/fingerprint"
)

// Work is one distinct work with its runs.
type Work struct {
	Print  fingerprint.Print
	number int // in order of appearance
	from   interface {
		runsOf(number int, at schedmate.Seconds, most int) ([]*Record, error)
	}
}

// Latest returns the runs that have ended by an instant, oldest first and no more
// than the latest; all where most is 0. The result must not be changed. Runs of a
// history on disk are brief: without their print and the series of utilisation.
func (w *Work) Latest(at schedmate.Seconds, most int) ([]*Record, error) {
	return w.from.runsOf(w.number, at, most)
}

// catalogue is what works are found by, in memory or in a store. Works have
// numbers from 0 on in order of appearance.
type catalogue interface {
	count() int                                       // numbers are below
	vector(n int) (v []byte, norm float64, err error) // int8; valid as long as the catalogue
	visible(n int, at schedmate.Seconds) (bool, error)
	work(n int) (*Work, error)
	having(key string) ([]int, error) // works with a posting key, in order
}

// space is where vectors can be compared.
type space struct {
	embedder string
	dim      int
}

func (s space) admits(other space) error {
	if s != other {
		return fmt.Errorf("embedder answered vectors of %s with %d dimensions, want those of %s with %d: build the index anew after a change of embedder, with 'schedmate history index'",
			other.embedder, other.dim, s.embedder, s.dim)
	}
	return nil
}

// embed asks an embedder and checks that it does what it says.
func embed(ctx context.Context, embedder fingerprint.Embedder, texts []string) ([]fingerprint.Vector, space, error) {
	raw, id, dim, err := embedder.Embed(ctx, texts)
	of := space{id, dim}
	if err != nil {
		return nil, of, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	if len(raw) != len(texts) {
		return nil, of, fmt.Errorf("embedder %s answered %d vectors for %d texts: check which model it serves", id, len(raw), len(texts))
	}
	vectors := make([]fingerprint.Vector, len(raw))
	for i, v := range raw {
		if len(v) != dim {
			return nil, of, fmt.Errorf("embedder %s answered a vector of %d numbers and says %d: check which model it serves", id, len(v), dim)
		}
		vectors[i] = fingerprint.Quantise(v)
	}
	return vectors, of, nil
}

func bytesOf(v fingerprint.Vector) []byte {
	b := make([]byte, len(v.Bytes))
	for i, x := range v.Bytes {
		b[i] = byte(x)
	}
	return b
}
