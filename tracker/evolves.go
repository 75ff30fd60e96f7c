package tracker

import (
	"schedmate/logs"
	"schedmate/logs/series"
)

// What lines report that have no loss by name: what evolves, and what is sampled.

// improves tells whether a number beside the counter, by no name another thing than
// what is learned, falls by many times its scatter.
func (v *view) improves(counter int) bool {
	for c := range v.Columns {
		if col := &v.Columns[c]; c != counter && col.Form == series.Number && col.Unit.Kind == logs.UnitNone && v.learned(c) && v.clearly(c, false) && v.how[c].distinct*2 > v.how[c].n {
			return true
		}
	}
	return false
}

// optimises tells whether a number of the line counts evaluations, as many more with
// each of what the counter counts, or nearly, and another number is measured.
func (v *view) optimises(counter int) bool {
	for c := range v.Columns {
		h := &v.how[c]
		if c == counter || v.Columns[c].Form != series.Number || !evaluationCounts.in(v.Columns[c].Words) || !h.integers || h.down > 0 || h.up < v.Len()-1 || h.last < 2*v.how[counter].last {
			continue
		}
		if v.measures(counter) > 0 {
			return true
		}
	}
	return false
}

// ratedBeside tells whether a line that comes with each of v's tells how many of what
// column c counts are done in a second.
func (a *analysis) ratedBeside(v *view, c int) bool {
	words := append(v.words[c][:len(v.words[c]):len(v.words[c])], v.Columns[c].After...)
	for _, w := range a.views {
		if w == v || w.Rank != v.Rank || !interleaved(v, w) {
			continue
		}
		for i := range w.Columns {
			if u := w.Columns[i].Unit; w.Columns[i].Form == series.PerTime && stepWords.has(u.Item) && stepWord([]string{u.Item}) == stepWord(words) {
				return true
			}
		}
	}
	return false
}

// ofPopulation tells whether three numbers of the line are statistics by name and
// nothing else, avg std min max, and at least two of them move: those of a generation.
func (v *view) ofPopulation() bool {
	names, moving := 0, 0
	for c := range v.Columns {
		if words := v.Columns[c].Words; v.Columns[c].Form != series.Number || v.Columns[c].Unit.Kind != logs.UnitNone || len(words) != 1 || !statistics.has(words[0]) {
			continue
		}
		names++
		if v.how[c].distinct > 3 {
			moving++
		}
	}
	return names >= 3 && moving >= 2
}

// samples tells whether the line speaks of the chains of a sampler.
func (v *view) samples() bool { return samplers.in(v.Words) }

// namesTraining tells whether the numbers of a line are called those of training, so
// that what its front names as a test is something else: [_local_test] {'training_loss': 6.5}.
func (v *view) namesTraining() bool {
	named := false
	for c := range v.Columns {
		words := v.Columns[c].Words
		if heldOutWords.in(words) {
			return false
		}
		named = named || trainWords.in(words) && (lossWords.in(words) || metricWords.in(words)) && len(words) <= 3
	}
	return named
}
