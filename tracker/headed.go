package tracker

import (
	"slices"

	"schedmate/logs"
	"schedmate/logs/series"
)

// Where a line says what it reports before it says at which step, the number behind
// the step has its name at the front: `Training loss (for one batch) at step 50: 2.36`.

// headed finds such a number, -1 when there is none, and what of the front names it.
func headed(v *view) (column int, words []string) {
	if len(v.Columns) != 2 || !lossWords.in(v.Lead) && !slices.ContainsFunc(v.Lead, isScore) {
		return -1, nil
	}
	count, number := &v.Columns[0], &v.Columns[1]
	if !count.Integer || !stepWords.in(count.Words) && !isEpoch(count.Words) || lossWords.in(count.Words) {
		return -1, nil
	}
	if number.Form != series.Number || number.Integer || number.Ordinal&15 == 0 && !(len(number.Words) == 1 && (number.Words[0] == "is" || number.Words[0] == "was")) || number.Header || number.Unit.Kind != logs.UnitNone || len(number.After) > 0 {
		return -1, nil
	}
	for i, w := range v.Lead {
		ofLoss := i+1 < len(v.Lead) && lossWords.has(v.Lead[i+1]) // what kind of loss
		if ofLoss || lossWords.has(w) || isScore(w) || trainWords.has(w) || heldOutWords.has(w) || averageWords.has(w) {
			words = append(words, w)
		}
	}
	return 1, words
}

// isScore tells whether a word is what a line at an iteration reports of what is
// trained: `Score at iteration 200 is 0.96`.
func isScore(w string) bool { return w == "score" || w == "error" }
