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

// Index finds records by work, by likeness of work, and by user and name.
//
// It is safe for concurrent use. Records must not be changed once added.
type Index struct {
	mu       sync.RWMutex
	embedder fingerprint.Embedder
	space    space

	works    []*Work
	runs     [][]*Record // of each work, by end, then id
	vectors  []byte      // int8, of all works, dim each
	norms    []float64   // of the vectors
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

// Len is the number of records.
func (x *Index) Len() (int, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.records), nil
}

// OutcomeCount is -1: only a visit tells.
func (x *Index) OutcomeCount() (int, error) { return -1, nil }

// WorkCount is the number of distinct works.
func (x *Index) WorkCount() (int, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.works), nil
}

// Add takes records in. A record whose id is known is left out: a history is
// only ever added to, and importing it twice changes nothing.
func (x *Index) Add(ctx context.Context, records ...*Record) error {
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
		r.Print = w.Print // one copy of the fields for all runs of a work
		x.runs[w.number] = insert(x.runs[w.number], r)
	}
	return nil
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
		fresh = append(fresh, &Work{Print: r.Print, from: x})
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
		x.works, x.runs = append(x.works, w), append(x.runs, nil)
		x.vectors = append(x.vectors, bytesOf(vectors[i])...)
		x.norms = append(x.norms, vectors[i].Norm)
		x.byWhole[w.Print.Whole] = w
		for _, key := range postingKeys(w.Print) {
			x.postings[key] = append(x.postings[key], w.number)
		}
	}
	return nil
}

// embed makes vectors and refuses those that cannot be compared with those that
// are here.
func (x *Index) embed(ctx context.Context, texts []string) ([]fingerprint.Vector, error) {
	vectors, of, err := embed(ctx, x.embedder, texts)
	if err != nil {
		return nil, err
	}
	if len(x.works) == 0 {
		x.space = of
	}
	return vectors, x.space.admits(of)
}

// Record returns a record by id.
func (x *Index) Record(id string) (*Record, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	r, ok := x.records[id]
	return r, ok
}

// Works visits the works with a run that has ended by an instant, in order of
// appearance.
func (x *Index) Works(at schedmate.Seconds, visit func(*Work) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for n, w := range x.works {
		if len(endedBy(x.runs[n], at)) > 0 {
			if err := visit(&Work{w.Print, w.number, unlocked{x}}); err != nil {
				return err
			}
		}
	}
	return nil
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
// oldest first and no more than the latest: of the same user, name and GPUs, else
// of the same user and name; with negative GPUs of the latter only. Digits of a
// name do not count: "run-17" is another "run-16".
func (x *Index) Named(user, jobName string, gpus int, at schedmate.Seconds, most int) ([]*Record, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, key := range nameKeys(user, jobName, gpus) {
		if list := latest(endedBy(x.names[key], at), most); len(list) > 0 {
			return list, nil
		}
	}
	return nil, nil
}

// Outcomes visits the completed runs that had been estimated, by end.
func (x *Index) Outcomes(visit func(*Record) error) error {
	for _, r := range x.All() {
		if isOutcome(r) {
			if err := visit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Lesson is nil: an index keeps nothing of what was learnt.
func (x *Index) Lesson(string) ([]byte, error) { return nil, nil }

func isOutcome(r *Record) bool { return r.Estimated != nil && r.State == Completed && r.Duration() > 0 }

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
	if gpus < 0 {
		return []string{key}
	}
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

// postingKeys are the keys that a work is found by.
func postingKeys(p fingerprint.Print) []string {
	return append(valueKeys(p, workload.ModelName, workload.Dataset, workload.Task), costKey(p))
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

// latest is the end of a list; all of it where most is 0.
func latest(list []*Record, most int) []*Record {
	if most > 0 && len(list) > most {
		return list[len(list)-most:]
	}
	return list
}

// unlocked is an index whose lock is held.
type unlocked struct{ *Index }

func (x unlocked) runsOf(n int, at schedmate.Seconds, most int) ([]*Record, error) {
	return latest(endedBy(x.runs[n], at), most), nil
}

func (x *Index) runsOf(n int, at schedmate.Seconds, most int) ([]*Record, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return unlocked{x}.runsOf(n, at, most)
}

// The index as a catalogue; its lock is held.

func (x *Index) count() int { return len(x.works) }
func (x *Index) vector(n int) ([]byte, float64, error) {
	return x.vectors[n*x.space.dim : (n+1)*x.space.dim], x.norms[n], nil
}
func (x *Index) visible(n int, at schedmate.Seconds) (bool, error) {
	return len(endedBy(x.runs[n], at)) > 0, nil
}
func (x *Index) work(n int) (*Work, error)        { return x.works[n], nil }
func (x *Index) having(key string) ([]int, error) { return x.postings[key], nil }

// Search is described at [History.Search].
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
	return search(x, vectors[0], p, k, filter, at)
}

// Threshold is described at [History.Threshold].
func (x *Index) Threshold(ctx context.Context, at schedmate.Seconds) (Threshold, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return threshold(ctx, x, x.embedder, x.space, at)
}
