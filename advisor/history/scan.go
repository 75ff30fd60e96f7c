package history

import (
	"cmp"
	"context"
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

// Search returns up to k works with a run that has ended by an instant, the
// most similar first; of equally similar ones the older. Behind them come works
// with an equal cost hash that were not among the k.
func (x *Index) Search(ctx context.Context, p fingerprint.Print, k int, filter Filter, at schedmate.Seconds) ([]Hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.works) == 0 || k <= 0 {
		return nil, nil
	}
	vectors, err := x.embed(ctx, []string{p.Fields.Text()})
	if err != nil {
		return nil, err
	}
	query := newScan(vectors[0])
	best := make([]Hit, 0, k+1)
	visit := func(n int) {
		w := x.works[n]
		c := query.cosine(x.vectors[n*x.dim:(n+1)*x.dim], x.norms[n])
		if len(best) == k && c <= best[k-1].Cosine {
			return
		}
		if len(w.records) == 0 || w.records[0].EndS > at {
			return
		}
		i, _ := slices.BinarySearchFunc(best, Hit{w, c}, nearer)
		best = slices.Insert(best, i, Hit{w, c})
		best = best[:min(k, len(best))]
	}
	numbers, restricted := x.filtered(p, filter)
	if !restricted {
		for n := range x.works {
			visit(n)
		}
	}
	for _, n := range numbers {
		visit(n)
	}
	return append(best, x.equals(p, query, best, at)...), nil
}

// equals are the visible works with an equal cost hash that are not among some.
func (x *Index) equals(p fingerprint.Print, query *scan, among []Hit, at schedmate.Seconds) []Hit {
	var more []Hit
	for _, n := range x.postings[costKey(p)] {
		w := x.works[n]
		if len(endedBy(w.records, at)) > 0 && !slices.ContainsFunc(among, func(h Hit) bool { return h.Work == w }) {
			more = append(more, Hit{w, query.cosine(x.vectors[n*x.dim:(n+1)*x.dim], x.norms[n])})
		}
	}
	return more
}

func nearer(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Work.number, b.Work.number))
}

// filtered returns the works that share one of the print's filter keys, in
// order; restricted is false where all works are to be scanned.
func (x *Index) filtered(p fingerprint.Print, filter Filter) (numbers []int, restricted bool) {
	keys := filterKeys(p)
	if filter == Every || len(keys) == 0 {
		return nil, false
	}
	for _, key := range keys {
		numbers = append(numbers, x.postings[key]...)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), true
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
func (s *scan) cosine(v []int8, norm float64) float64 {
	if s.norm == 0 || norm == 0 {
		return 0
	}
	var dot int32 // at most 127*127*dim: enough for 130,000 dimensions
	if s.dense != nil {
		v = v[:len(s.dense)]
		for i, b := range s.dense {
			dot += int32(b) * int32(v[i])
		}
	} else {
		for i, at := range s.places {
			dot += s.values[i] * int32(v[at])
		}
	}
	return float64(dot) / (s.norm * norm)
}
