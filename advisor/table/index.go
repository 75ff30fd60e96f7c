package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// minPart is the shortest key that is found inside a longer name: shorter ones
// ("opt", "ast") are words of many other things.
const minPart = 4

// marks may begin an alias: = is a whole name only, ^ may stand inside a longer
// name although it is short, ~ is another thing that shares the row.
const marks = "=^~"

// index finds rows of one table by their names.
//
// Invariant: a key belongs to one row.
type index struct {
	whole map[string]int
	part  map[string]int  // keys that may stand inside a longer name
	kin   map[string]bool // keys of other things that share a row
}

// found is a row with the words of the text that it was found by.
type found struct {
	row      int
	from, to int  // words of the text
	whole    bool // the text is the row's name and nothing else
	mixed    bool // the text names other rows as well
}

// newIndex indexes rows by their columns name and aliases. It tells a key that
// two rows claim.
func newIndex(rows []record) (*index, error) {
	ix := &index{make(map[string]int), make(map[string]int), make(map[string]bool)}
	for i, r := range rows {
		wholeOnly := make(map[string]bool)
		for _, name := range append([]string{r.text("name")}, r.list("aliases")...) {
			bare := strings.TrimLeft(name, marks)
			k := key(bare)
			if k == "" {
				return nil, fmt.Errorf("table %s:%d: empty name: delete it", r.table, r.line)
			}
			if other, taken := ix.whole[k]; taken && other != i {
				return nil, fmt.Errorf("table %s:%d: %q is also a name of %q: keep one", r.table, r.line, bare, rows[other].text("name"))
			}
			ix.whole[k] = i
			mark := name[:len(name)-len(bare)]
			wholeOnly[k] = wholeOnly[k] || mark == "="
			ix.kin[k] = mark == "~"
			if len(k) >= minPart || mark == "^" {
				ix.part[k] = i
			}
		}
		for k, only := range wholeOnly {
			if only {
				delete(ix.part, k)
			}
		}
	}
	return ix, nil
}

func mustIndex(rows []record) *index {
	ix, err := newIndex(rows)
	if err != nil {
		panic(err)
	}
	return ix
}

// find looks a text up: as a whole, then its parts as wholes, then names inside
// its parts, whose words it returns as well; no words say that a name is whole. choose decides between several rows that one part names.
func (ix *index) find(text string, all []string, choose func(rows []found) (found, bool)) (found, []string, bool) {
	file, _ := cutSuffix(text)
	for _, p := range append([]string{file, text}, all...) {
		k := key(p)
		if row, ok := ix.whole[k]; ok {
			return found{row: row, whole: !ix.kin[k]}, nil, true
		}
	}
	if strings.ContainsAny(text, " (") { // a description, in which / separates no folders
		all = []string{text}
	}
	for _, p := range all {
		w := words(p)
		if inside := ix.inside(w); len(inside) > 0 {
			f, ok := choose(inside)
			return f, w, ok
		}
	}
	return found{}, nil, false
}

// inside lists the names that stand in the words, the longest first, without
// the ones that overlap a longer one. Two of one length that overlap both stay.
func (ix *index) inside(w []string) []found {
	var all []found
	for i := range w {
		run := ""
		for j := i; j < len(w) && j < i+12; j++ {
			run += w[j]
			if row, ok := ix.part[run]; ok {
				all = append(all, found{row: row, from: i, to: j + 1})
			}
		}
	}
	length := func(f found) int { return len(strings.Join(w[f.from:f.to], "")) }
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(length(b), length(a)) })
	var kept []found
	for _, f := range all {
		if !slices.ContainsFunc(kept, func(k found) bool {
			return f.from < k.to && k.from < f.to && length(k) > length(f)
		}) {
			kept = append(kept, f)
		}
	}
	return kept
}

// sole chooses only when all names mean one row.
func sole(rows []found) (found, bool) {
	if len(rows) == 0 {
		return found{}, false
	}
	for _, f := range rows[1:] {
		if f.row != rows[0].row {
			return found{}, false
		}
	}
	return rows[0], true
}
