package logs

import "sync/atomic"

// unitCache remembers what short words mean as units: a log has few, and each
// number asks. A slot holds the last word that fell into it, so its size is
// fixed; slots are replaced whole, so readers need no lock.
var unitCache [1024]atomic.Pointer[unitEntry]

type unitEntry struct {
	word string
	unit Unit
}

// UnitOf is ParseUnit for text that is asked for again and again.
func UnitOf(word []byte) Unit {
	if len(word) == 0 || len(word) > 32 {
		return ParseUnit(string(word))
	}
	h := uint32(2166136261)
	for _, b := range word {
		h = (h ^ uint32(b)) * 16777619
	}
	slot := &unitCache[(h^h>>15)%uint32(len(unitCache))]
	if e := slot.Load(); e != nil && e.word == string(word) {
		return e.unit
	}
	e := &unitEntry{word: string(word)}
	e.unit = ParseUnit(e.word)
	slot.Store(e)
	return e.unit
}
