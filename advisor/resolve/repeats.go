package resolve

import (
	"strings"

	"schedmate/advisor/origin"
)

// repeats are words in the names of counts of whole runs: a loop over them
// trains again, it does not train longer.
var repeats = map[string]bool{"itr": true, "trial": true, "trials": true, "run": true, "runs": true, "repeat": true, "repeats": true, "repetition": true, "repetitions": true, "fold": true, "folds": true, "kfold": true, "splits": true, "seed": true, "seeds": true, "restart": true, "restarts": true, "replicates": true}

// countsRuns reports whether a name is one of a number of runs: "n_trials",
// "num_folds", "itr".
func countsRuns(name string) bool {
	if isEpoch(name) || isStepName(name) {
		return false
	}
	words := strings.FieldsFunc(normal(name), func(r rune) bool { return r == '_' || r == '.' || r == ' ' })
	for i, w := range words {
		if repeats[w] && (i == len(words)-1 || w != "run" && w != "seed") { // not "run_length"
			return true
		}
	}
	return false
}

// loopBound is a number of rounds, of what, and where it is written.
type loopBound struct {
	n    float64
	unit string
	at   *origin.Origin
}

// bound is where a loop around training ends.
type bound struct {
	loopBound
	name  string // under which its end is kept
	chunk bool   // counted rounds that no data loop lies in: a batch may be cut into so many
}

// once drops the bounds, the outermost last, that only count how often the
// program trains anew. What it drops multiplies the work of the submission.
func (v *view) once(found []bound) []bound {
	for len(found) > 0 && countsRuns(found[len(found)-1].name) {
		if n := found[len(found)-1].n; v.md.Multiplier > 0 && n >= 1 && n < 10_000 {
			v.md.Multiplier = min(v.md.Multiplier*int(n), 1_000_000)
		}
		found = found[:len(found)-1]
	}
	return found
}
