package advisor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"schedmate/advisor/launch"
	"schedmate/advisor/source"
)

// Store keeps bytes under keys between processes. What it gives back may be
// anything: nothing in it is believed without a check.
type Store interface {
	Get(key string) (value []byte, ok bool)
	Put(key string, value []byte) error
}

// Analyser is Analyse with memory. It gives an earlier answer again while all
// that the answer stands on is unchanged: the words of the request, and by
// their hashes the files that were read, the folders that were listed and what
// stood where something was looked for. It is safe for concurrent use.
type Analyser struct {
	budget  Budget
	version string
	store   Store

	mu    sync.Mutex
	kept  map[string][]*remembered // the newest first
	order []string                 // keys, the oldest first
}

// remembered is an answer with what it stands on.
type remembered struct {
	Seen     *source.Seen `json:"seen"`
	Analysis *Analysis    `json:"analysis"`
}

const (
	mostKept = 512 // requests whose answers are kept in the process
	mostSame = 4   // answers that are kept for one request: one for each state of its repository
)

// NewAnalyser returns an analyser. The version names the program that answers:
// another one does not believe its answers. Store may be nil.
func NewAnalyser(b Budget, version string, store Store) *Analyser {
	return &Analyser{budget: b.withDefaults(), version: version, store: store, kept: map[string][]*remembered{}}
}

// Analyse answers as the function of this name does.
func (x *Analyser) Analyse(ctx context.Context, s Submission) (*Analysis, error) {
	start := time.Now()
	key := x.key(s.Request)
	all := x.recall(key)
	for _, r := range all {
		if r.Seen.Holds(s.Folder, x.budget.Limits, start.Add(x.budget.Time)) {
			again := *r.Analysis
			again.Seconds, again.Remembered = time.Since(start).Seconds(), true
			return &again, nil
		}
	}
	a, seen, err := analyse(ctx, s, x.budget)
	if err != nil || seen == nil {
		return a, err
	}
	return a, x.remember(key, append([]*remembered{{seen, a}}, all...))
}

// key is the hash of what an answer depends on beside the repository.
func (x *Analyser) key(request launch.Request) string {
	text, err := json.Marshal(struct {
		Version string
		Budget  Budget
		Request launch.Request
	}{x.version, x.budget, request})
	if err != nil {
		panic("BUG: a request is no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// recall returns the answers of a request, from the process or from the store.
func (x *Analyser) recall(key string) []*remembered {
	x.mu.Lock()
	all, ok := x.kept[key]
	x.mu.Unlock()
	if ok || x.store == nil {
		return all
	}
	text, ok := x.store.Get(key)
	if !ok || json.Unmarshal(text, &all) != nil {
		return nil
	}
	good := all[:0]
	for _, r := range all {
		if r != nil && r.Seen != nil && r.Analysis != nil && r.Analysis.Validate() == nil {
			p := &r.Analysis.Print // its hashes follow from what it is made of
			*p = p.With(p.Recipe, p.Settings)
			good = append(good, r)
		}
	}
	x.keep(key, good)
	return good
}

func (x *Analyser) remember(key string, all []*remembered) error {
	if len(all) > mostSame {
		all = all[:mostSame]
	}
	x.keep(key, all)
	if x.store == nil {
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("encode an analysis: %w", err)
	}
	_ = x.store.Put(key, text) // an answer that is not kept is made again
	return nil
}

func (x *Analyser) keep(key string, all []*remembered) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.kept[key]; !ok {
		x.order = append(x.order, key)
	}
	x.kept[key] = all
	if len(x.order) > mostKept {
		delete(x.kept, x.order[0])
		x.order = x.order[1:]
	}
}
