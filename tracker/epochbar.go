package tracker

import (
	"slices"

	"schedmate/logs/series"
)

// A bar whose only words are of epochs tells of training by itself: nothing else is
// drawn so. Neither that bar nor the one of steps that fills again for each of its
// epochs need say what is learned.

// drawsEpochs is the column in which a bar of epochs counts, -1 when the line is none.
func (v *view) drawsEpochs() int {
	if v.heldOut || v.chore || !epochWords.in(v.Lead) || slices.ContainsFunc(v.Lead, func(w string) bool { return !epochWords.has(w) && !trainWords.has(w) }) {
		return -1
	}
	part, percent, clock := -1, false, false
	for c := range v.Columns {
		switch v.Columns[c].Form {
		case series.Part:
			if w := v.wholeOf(c); part < 0 && w >= 0 && v.how[w].distinct == 1 && v.how[c].down == 0 {
				part = c
			}
		case series.Percent:
			percent = true
		case series.Duration:
			clock = true
		}
	}
	if !percent || !clock {
		return -1
	}
	return part
}

// withinEpochs tells whether a bar fills once for each epoch of a bar of epochs
// between its lines.
func (a *analysis) withinEpochs(v *view, c *candidate) bool {
	if c.whole < 0 || v.heldOut || v.how[c.whole].distinct != 1 || !v.hasBar() {
		return false
	}
	for _, w := range a.views {
		if w == v || w.Rank != v.Rank {
			continue
		}
		if e := w.drawsEpochs(); e >= 0 && w.first() < v.first() {
			if begun := w.how[e].distinct - 1; c.how.resets == begun || c.how.resets == begun-1 {
				return true
			}
		}
	}
	return false
}
