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

// index finds rows of one table by their names.
//
// Invariant: a key belongs to one row.
type index struct {
	whole map[string]int
	part  map[string]int // keys that may stand inside a longer name
}

// found is a row with the words of the text that it was found by.
type found struct {
	row      int
	from, to int  // words of the text
	whole    bool // the text is the row's name and nothing else
}

// newIndex indexes rows by their columns name and aliases; an alias that
// begins with = is a whole name only. It tells a key that two rows claim.
func newIndex(rows []record) (*index, error) {
	ix := &index{make(map[string]int), make(map[string]int)}
	for i, r := range rows {
		wholeOnly := make(map[string]bool)
		names := append([]string{r.text("name")}, r.list("aliases")...)
		for _, name := range names {
			if rest, ok := strings.CutPrefix(name, "="); ok {
				wholeOnly[key(rest)] = true
			}
		}
		for _, name := range names {
			k := key(strings.TrimPrefix(name, "="))
			if k == "" {
				return nil, fmt.Errorf("table %s:%d: empty name: delete it", r.table, r.line)
			}
			if other, taken := ix.whole[k]; taken && other != i {
				return nil, fmt.Errorf("table %s:%d: %q is also a name of %q: keep one", r.table, r.line, name, rows[other].text("name"))
			}
			ix.whole[k] = i
			if !wholeOnly[k] && len(k) >= minPart {
				ix.part[k] = i
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
// its parts. choose decides between several rows that one part names.
func (ix *index) find(text string, choose func(rows []found) (found, bool)) (found, []string, bool) {
	if row, ok := ix.whole[key(text)]; ok {
		return found{row: row, whole: true}, nil, true
	}
	all := parts(text)
	for _, p := range all {
		if row, ok := ix.whole[key(p)]; ok {
			return found{row: row, whole: true}, nil, true
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
	for _, f := range rows[1:] {
		if f.row != rows[0].row {
			return found{}, false
		}
	}
	return rows[0], true
}
