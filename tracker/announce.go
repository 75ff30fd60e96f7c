package tracker

import (
	"math"
	"slices"

	"schedmate/logs/series"
)

// Counters that stand alone in a line, before or behind the lines of what they count.

// opensRecords tells whether the line has nothing but the counter, and several
// lines come behind each, in one of which a metric grows better or worse:
// `Running generation 12` before the fitness, the species, the time. One line is
// enough where it comes right behind each. loss tells whether one of them has a loss
// by name.
func (a *analysis) opensRecords(v *view) (opens, loss bool) {
	if v.varying() != 1 || v.Len() < 3 || v.heldOut {
		return false, false
	}
	lines, learns, next := 0, false, false
	for _, w := range a.views {
		if w == v || w.Rank != v.Rank || !interleaved(v, w) || w.first() < v.first() && v.Count == v.Len() {
			continue
		}
		lines++
		if w.chore || w.heldOut {
			continue
		}
		score, _, _ := a.witnesses(w, -1, false)
		loss = loss || score >= 2
		for c := range w.Columns {
			found := score >= 1.3 && w.Columns[c].Form == series.Number && w.clearly(c, true)
			learns = learns || found
			next = next || found && follows(v, w)
		}
	}
	return lines >= 2 && (learns || loss) || next, loss
}

// follows tells whether a line of w comes right behind each of v's, and none elsewhere:
// the two are one record.
func follows(v, w *view) bool {
	if w.Len() < 6 || v.Len()-w.Len() > 1 || w.Len() > v.Len() {
		return false
	}
	for i := range w.Len() {
		if w.At(i).Sequence != v.At(i).Sequence+1 {
			return false
		}
	}
	return true
}

// varying counts the numbers of the line that are not the same in all records, as that
// of a process is.
func (v *view) varying() int {
	n := 0
	for c := range v.Columns {
		if v.how[c].distinct > 1 || v.Len() == 1 {
			n++
		}
	}
	return n
}

// trainsAndEvaluates tells whether a line that speaks of training and one that speaks
// of evaluation come behind each of the counter's: `[ROUND 3]` before `configure_fit`
// and `configure_evaluate`, even if no loss is told. That something is done must be
// said, for data are split into training and test, too, and counted.
func (a *analysis) trainsAndEvaluates(v *view) bool {
	if v.varying() != 1 || v.Len() < 3 || v.heldOut || v.chore {
		return false
	}
	trains, evaluates := false, false
	for _, w := range a.views {
		if w == v || w.Rank != v.Rank || !interleaved(v, w) || w.first() < v.first() && v.Count == v.Len() {
			continue
		}
		if w.chore || w.countsItems() {
			return false
		}
		trains = trains || fits.in(w.Lead) && !w.heldOut
		evaluates = evaluates || evaluations.in(w.Lead) && !w.train
	}
	return trains && evaluates
}

// countsItems tells whether a number of the line is of items: 800 examples.
func (v *view) countsItems() bool {
	return slices.ContainsFunc(v.words, otherCounts.in) || otherCounts.in(v.Lead)
}

// announced tells whether the counter's lines carry nothing but the counter,
// each is followed by the lines of its record, and those of the last are still
// to come: what was counted is not done yet.
func (a *analysis) announced() bool {
	if a.main.Len() < 3 || a.main.varying() > 1 && len(a.main.Columns) > 2 {
		return false
	}
	follow := false
	for _, m := range a.mates {
		if !m.every || m.heldOut {
			continue
		}
		if score, _, _ := a.witnesses(m.view, -1, true); score < witnessed {
			continue
		}
		if own := a.main.varying() > 1; (a.primary.unit != unitEpoch || own) && precedes(m.view, a.main) {
			if own {
				continue // what is behind the counter is not all that it announces
			}
			if m.Len() == a.main.Len() {
				return false // the counter ends the record
			}
			continue
		}
		come := m.latest() > a.main.latest()
		if a.primary.unit == unitEpoch && !come {
			return true // an epoch is done when all of its record is there
		}
		if come && a.primary.unit != unitEpoch {
			return false
		}
		follow = follow || !come
	}
	return follow
}

// precedes tells whether the lines of v stand before those of w in a record: from
// the first record on, or nearer before them than behind, where the least comes
// between. (A log whose beginning was cut in a record may mislead by one record.)
func precedes(v, w *view) bool {
	if v.Count == v.Len() && w.Count == w.Len() && v.Len() == w.Len() && v.first() < w.first() {
		return true
	}
	before, behind := int64(math.MaxInt64), int64(math.MaxInt64)
	j := 0
	for i := range w.Len() {
		at := w.At(i).Sequence
		for j < v.Len() && v.At(j).Sequence < at {
			j++
		}
		if j > 0 && j < v.Len() {
			before, behind = min(before, at-v.At(j-1).Sequence), min(behind, v.At(j).Sequence-at)
		}
	}
	if before == behind { // nothing else stands between: which came first?
		return v.Count == v.Len() && w.Count == w.Len() && v.Len() >= w.Len() && v.first() < w.first()
	}
	return before < behind
}
