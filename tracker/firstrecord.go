package tracker

import (
	"slices"

	"schedmate/logs"
	"schedmate/logs/series"
)

// A run that has just begun has printed one record. Behaviour needs several; one is
// enough only where it says everything by name.

// firstRecord is the counter of the only record of a log: a line with a loss by name,
// and a step and its epoch, or a part of a total of what is trained. It is asked for
// when nothing else can be believed.
func (a *analysis) firstRecord() (candidate, bool) {
	var found candidate
	ok := false
	for _, v := range a.views {
		if v.Count != 1 || v.heldOut || v.ofOther || v.chore || v.solves() || v.namesHeldOut() || restarts.in(v.Words) || checkpointWords.in(v.Words) || !v.namesLoss() {
			continue
		}
		c := v.onlyCounter()
		if c < 0 {
			continue
		}
		if ok {
			return candidate{}, false // two lines of two things
		}
		how := v.how[c]
		how.step = how.last // the records to come are so far apart
		found, ok = candidate{family: v.Family, column: c, whole: v.wholeOf(c), how: how, lead: v.Lead, unit: unitStep, named: true, backed: true, score: believed, witness: 2, because: []string{"the first record, with a loss"}}, true
	}
	return found, ok
}

// namesLoss tells whether a number of the line is a loss by its own name.
func (v *view) namesLoss() bool {
	for c := range v.Columns {
		col := &v.Columns[c]
		if col.Form == series.Number && !col.Integer && col.Ordinal&15 == 0 && col.Unit.Kind == logs.UnitNone && len(col.Words) <= 3 && lossWords.in(col.Words) && !isCostOfTime(col.Words) && !isScale(col.Words) && !ends.in(col.Words) && !averageWords.in(col.Words) && !slices.Contains(col.Words, "best") {
			return true
		}
	}
	return false
}

// onlyCounter is the column of the one number of the line that is called a step,
// where another is an epoch, or of the one part of a total in a line of training; -1
// when there is none, or more than one.
func (v *view) onlyCounter() int {
	found := -1
	for c := range v.Columns {
		col := &v.Columns[c]
		if !col.Integer || col.Unit.Kind != logs.UnitNone || v.how[c].last < 1 {
			continue
		}
		switch {
		case col.Form == series.Number && col.Ordinal&15 == 0 && stepWords.in(col.Words) && !isEpoch(col.Words) && len(col.Words) <= 2 && v.namesEpoch(c):
		case col.Form == series.Part && v.train && v.wholeOf(c) >= 0 && v.how[v.wholeOf(c)].last >= v.how[c].last && !isEpoch(col.Words):
		default:
			continue
		}
		if found >= 0 {
			return -1
		}
		found = c
	}
	return found
}
