package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/workload"
)

// Work is one distinct work with its runs.
type Work struct {
	Print   fingerprint.Print
	number  int           // in order of appearance
	records []*Record     // by end, then id
	mu      *sync.RWMutex // of the index
}

// Visible returns the runs that have ended by an instant, oldest first. The
// result must not be changed.
func (w *Work) Visible(at schedmate.Seconds) []*Record {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return endedBy(w.records, at)
}

// Index finds records by work, by likeness of work, and by user and name.
//
// It is safe for concurrent use. Records must not be changed once added.
type Index struct {
	mu       sync.RWMutex
	embedder fingerprint.Embedder
	id       string // of the embedder
	dim      int

	works    []*Work
	vectors  []int8    // of all works, dim each
	norms    []float64 // of the vectors
	byWhole  map[string]*Work
	postings map[string][]int // hard filters: "field=value" -> works in order
	records  map[string]*Record
	names    map[string][]*Record // by user and name
}

// NewIndex returns an empty index; a nil embedder means [fingerprint.Hashed].
func NewIndex(embedder fingerprint.Embedder) *Index {
	if embedder == nil {
		embedder = fingerprint.Hashed{}
	}
	return &Index{
		embedder: embedder,
		byWhole:  make(map[string]*Work),
		postings: make(map[string][]int),
		records:  make(map[string]*Record),
		names:    make(map[string][]*Record),
	}
}

// Len is the number of records, Works that of distinct works.
func (x *Index) Len() int   { x.mu.RLock(); defer x.mu.RUnlock(); return len(x.records) }
func (x *Index) Works() int { x.mu.RLock(); defer x.mu.RUnlock(); return len(x.works) }

// Add takes records in. A record whose id is known is left out: a history is
// only ever added to, and importing it twice changes nothing.
func (x *Index) Add(ctx context.Context, records ...*Record) error {
	return x.add(ctx, records, true)
}

// add takes records in; share is false for those of another index, which others
// may be reading.
func (x *Index) add(ctx context.Context, records []*Record, share bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.embedNew(ctx, records); err != nil {
		return err
	}
	for _, r := range records {
		if _, known := x.records[r.ID]; known {
			continue
		}
		x.records[r.ID] = r
		for _, key := range nameKeys(r.User, r.JobName, r.GPUs) {
			x.names[key] = insert(x.names[key], r)
		}
		if r.Print.Form == 0 {
			continue
		}
		w := x.byWhole[r.Print.Whole]
		if share {
			r.Print = w.Print // one copy of the fields for all runs of a work
		}
		w.records = insert(w.records, r)
	}
	return nil
}

// become takes over what another index holds, which must not be used any more:
// whoever asks x goes on asking x.
func (x *Index) become(other *Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, w := range other.works {
		w.mu = &x.mu
	}
	x.id, x.dim, x.works, x.vectors, x.norms = other.id, other.dim, other.works, other.vectors, other.norms
	x.byWhole, x.postings, x.records, x.names = other.byWhole, other.postings, other.records, other.names
}

// embedNew makes the works of records that are new, with one call of the
// embedder.
func (x *Index) embedNew(ctx context.Context, records []*Record) error {
	var fresh []*Work
	var texts []string
	made := make(map[string]bool)
	for _, r := range records {
		whole := r.Print.Whole
		if r.Print.Form == 0 || x.byWhole[whole] != nil || made[whole] {
			continue
		}
		made[whole] = true
		fresh = append(fresh, &Work{Print: r.Print, mu: &x.mu})
		texts = append(texts, r.Print.Fields.Text())
	}
	if len(fresh) == 0 {
		return nil
	}
	vectors, err := x.embed(ctx, texts)
	if err != nil {
		return err
	}
	for i, w := range fresh {
		w.number = len(x.works)
		x.works = append(x.works, w)
		x.vectors = append(x.vectors, vectors[i].Bytes...)
		x.norms = append(x.norms, vectors[i].Norm)
		x.byWhole[w.Print.Whole] = w
		for _, key := range append(valueKeys(w.Print, workload.ModelName, workload.Dataset, workload.Task), costKey(w.Print)) {
			x.postings[key] = append(x.postings[key], w.number)
		}
	}
	return nil
}

// embed asks the embedder and refuses vectors that cannot be compared with
// those that are here.
func (x *Index) embed(ctx context.Context, texts []string) ([]fingerprint.Vector, error) {
	raw, id, dim, err := x.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	if len(x.works) == 0 {
		x.id, x.dim = id, dim
	}
	if id != x.id || dim != x.dim || len(raw) != len(texts) {
		return nil, fmt.Errorf("embedder answered %d vectors of %s with %d dimensions, want %d of %s with %d: build the index anew after a change of embedder",
			len(raw), id, dim, len(texts), x.id, x.dim)
	}
	vectors := make([]fingerprint.Vector, len(raw))
	for i, v := range raw {
		if len(v) != dim {
			return nil, fmt.Errorf("embedder %s answered a vector of %d numbers and says %d: check which model it serves", id, len(v), dim)
		}
		vectors[i] = fingerprint.Quantise(v)
	}
	return vectors, nil
}

// Record returns a record by id.
func (x *Index) Record(id string) (*Record, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	r, ok := x.records[id]
	return r, ok
}

// Visible returns the works in order of appearance and the number of their
// runs that have ended by an instant.
func (x *Index) Visible(at schedmate.Seconds) (works []*Work, runs int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, w := range x.works {
		if n := len(endedBy(w.records, at)); n > 0 {
			works, runs = append(works, w), runs+n
		}
	}
	return works, runs
}

// All returns all records by end, then id.
func (x *Index) All() []*Record {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make([]*Record, 0, len(x.records))
	for _, r := range x.records {
		all = append(all, r)
	}
	slices.SortFunc(all, byEnd)
	return all
}

// Named returns the runs of a user's job name that have ended by an instant,
// oldest first: of the same user, name and GPUs, else of the same user and name.
// Digits of a name do not count: "run-17" is another "run-16".
func (x *Index) Named(user, jobName string, gpus int, at schedmate.Seconds) []*Record {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, key := range nameKeys(user, jobName, gpus) {
		if list := endedBy(x.names[key], at); len(list) > 0 {
			return list
		}
	}
	return nil
}

// SameName tells whether two names of jobs differ in digits and separators
// only.
func SameName(a, b string) bool { return letters(a) == letters(b) && letters(a) != "" }

func letters(jobName string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, jobName)
}

// nameKeys are the keys of a user's job name, the narrowest first.
func nameKeys(user, jobName string, gpus int) []string {
	name := letters(jobName)
	if name == "" || user == "" {
		return nil
	}
	key := user + "\x00" + name
	return []string{fmt.Sprintf("%s\x00%d", key, gpus), key}
}

// filterKeys are the values by which works are filtered before they are
// scanned: model and data set, and the task of a work that knows neither.
func filterKeys(p fingerprint.Print) []string {
	keys := valueKeys(p, workload.ModelName, workload.Dataset)
	if keys == nil {
		keys = valueKeys(p, workload.Task)
	}
	return keys
}

func valueKeys(p fingerprint.Print, fields ...workload.Field) []string {
	var keys []string
	for _, f := range fields {
		if v, ok := p.Fields[f]; ok {
			keys = append(keys, string(f)+"="+v.Text)
		}
	}
	return keys
}

func costKey(p fingerprint.Print) string { return "cost=" + p.Cost }

func byEnd(a, b *Record) int { return cmp.Or(cmp.Compare(a.EndS, b.EndS), strings.Compare(a.ID, b.ID)) }

// insert keeps a list in order; records mostly come in order of their end. What
// was handed out of the list before stays as it was.
func insert(list []*Record, r *Record) []*Record {
	if n := len(list); n == 0 || byEnd(list[n-1], r) <= 0 {
		return append(list, r)
	}
	at, _ := slices.BinarySearchFunc(list, r, byEnd)
	return slices.Insert(slices.Clone(list), at, r)
}

// endedBy is the part of an ordered list that has ended by an instant.
func endedBy(list []*Record, at schedmate.Seconds) []*Record {
	n := sort.Search(len(list), func(i int) bool { return list[i].EndS > at })
	return list[:n:n]
}
