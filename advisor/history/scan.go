package history

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/advisor/fingerprint"
)

// Hit is a work found by likeness.
type Hit struct {
	Work   *Work
	Cosine float64
}

// Filter says which works are scanned.
type Filter int

// The filters.
const (
	Related Filter = iota // that share model or data set; where neither is known, the task
	Every
)

// search finds up to k works with a run that has ended by an instant, the most
// similar first; of equally similar ones the older. Behind them come works with an
// equal cost hash that were not among the k.
func search(c catalogue, asked fingerprint.Vector, p fingerprint.Print, k int, filter Filter, at schedmate.Seconds) ([]Hit, error) {
	query := newScan(asked)
	best := make([]ranked, 0, k+1)
	visit := func(n int) error {
		v, norm, err := c.vector(n)
		if err != nil {
			return err
		}
		w := ranked{n, query.cosine(v, norm)}
		if len(best) == k && nearer(best[k-1], w) <= 0 {
			return nil
		}
		if ended, err := c.visible(n, at); err != nil || !ended {
			return err
		}
		i, _ := slices.BinarySearchFunc(best, w, nearer)
		best = slices.Insert(best, i, w)
		best = best[:min(k, len(best))]
		return nil
	}
	numbers, restricted, err := filtered(c, p, filter)
	if err != nil {
		return nil, err
	}
	if !restricted {
		for n := range c.count() {
			if err := visit(n); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range numbers {
		if err := visit(n); err != nil {
			return nil, err
		}
	}
	equal, err := c.having(costKey(p))
	if err != nil {
		return nil, err
	}
	for _, n := range equal {
		if slices.ContainsFunc(best, func(r ranked) bool { return r.number == n }) {
			continue
		}
		if ended, err := c.visible(n, at); err != nil {
			return nil, err
		} else if ended {
			v, norm, err := c.vector(n)
			if err != nil {
				return nil, err
			}
			best = append(best, ranked{n, query.cosine(v, norm)})
		}
	}
	hits := make([]Hit, len(best))
	for i, r := range best {
		w, err := c.work(r.number)
		if err != nil {
			return nil, err
		}
		hits[i] = Hit{w, r.cosine}
	}
	return hits, nil
}

// ranked is a work that is among the most similar so far.
type ranked struct {
	number int
	cosine float64
}

func nearer(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.number, b.number))
}

// filtered returns the works that share one of the print's filter keys, in
// order; restricted is false where all works are to be scanned.
func filtered(c catalogue, p fingerprint.Print, filter Filter) (numbers []int, restricted bool, err error) {
	keys := filterKeys(p)
	if filter == Every || len(keys) == 0 {
		return nil, false, nil
	}
	for _, key := range keys {
		more, err := c.having(key)
		if err != nil {
			return nil, false, err
		}
		numbers = append(numbers, more...)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), true, nil
}

// scan compares one vector with many. The hashed vector of a job has some
// sixty components that are not zero; only those are multiplied.
type scan struct {
	places []int32
	values []int32
	dense  []int8 // instead of the two above where most components are not zero
	norm   float64
}

func newScan(q fingerprint.Vector) *scan {
	s := &scan{norm: q.Norm}
	for i, b := range q.Bytes {
		if b != 0 {
			s.places = append(s.places, int32(i))
			s.values = append(s.values, int32(b))
		}
	}
	if len(s.places) > len(q.Bytes)/4 {
		s.dense, s.places = q.Bytes, nil
	}
	return s
}

// cosine is [fingerprint.Cosine], to the bit.
func (s *scan) cosine(v []byte, norm float64) float64 {
	if s.norm == 0 || norm == 0 {
		return 0
	}
	var dot int32 // at most 127*127*dim: enough for 130,000 dimensions
	if s.dense != nil {
		v = v[:len(s.dense)]
		for i, b := range s.dense {
			dot += int32(b) * int32(int8(v[i]))
		}
	} else {
		for i, at := range s.places {
			dot += s.values[i] * int32(int8(v[at]))
		}
	}
	return float64(dot) / (s.norm * norm)
}
