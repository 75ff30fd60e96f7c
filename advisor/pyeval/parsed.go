package pyeval

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

// treeStore keeps the trees of texts that were parsed lately, by the texts'
// hashes: the jobs of a batch read the same files. Trees are never changed, so
// runs share them. It is safe for concurrent use.
type treeStore struct {
	mu    sync.Mutex
	limit int // bytes of text whose trees are kept; a tree takes some 25 times that
	size  int
	trees map[[sha256.Size]byte]*node
	order []storedTree // oldest first
}

type storedTree struct {
	key  [sha256.Size]byte
	size int
}

var trees = &treeStore{limit: 3 << 20, trees: map[[sha256.Size]byte]*node{}}

// maxSource is the size in bytes of the largest text that is parsed: a tree
// takes far more memory than its text. Code that people write is far below it;
// above it are tables that a program wrote.
const maxSource = 1 << 20

var errLongSource = fmt.Errorf("longer than the %d bytes of code that are parsed; what it defines is not known", maxSource)

// parse is parse with memory. A text that is too long is not parsed.
func (t *treeStore) parse(text []byte) (*node, error) {
	if len(text) > maxSource {
		return nil, errLongSource
	}
	key := sha256.Sum256(text)
	t.mu.Lock()
	root, ok := t.trees[key]
	t.mu.Unlock()
	if ok {
		return root, nil
	}
	root, err := parseOutline(text)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.trees[key]; ok || len(text) > t.limit/8 {
		return root, nil
	}
	t.trees[key] = root
	t.order = append(t.order, storedTree{key, len(text)})
	t.size += len(text)
	for t.size > t.limit {
		t.size -= t.order[0].size
		delete(t.trees, t.order[0].key)
		t.order = t.order[1:]
	}
	return root, nil
}
