package tracker

import (
	"math"
	"slices"

	"schedmate/logs/series"
)

// What a bar says of what it counts: by the words before it, the unit of its rate,
// and its percent.

// barCounts are the words that say what a bar counts: those before its percent,
// `Training batches:  8%|`, and what its rate is of, 3.17s/epoch. That of it/s says
// nothing. Nil when column c is not the part of a bar with a percent.
func (v *view) barCounts(c int) []string {
	p := v.neighbour(c, -1)
	if p < 0 || v.Columns[p].Form != series.Percent || v.Columns[p].Ordinal&15 != 0 {
		return nil
	}
	words := slices.DeleteFunc(slices.Clone(v.Columns[p].Words), otherCounts.has) // sample: 21% is a phase
	for i := range v.Columns {
		col := &v.Columns[i]
		if item := col.Unit.Item; (col.Form == series.PerItem || col.Form == series.PerTime) && col.Name == v.Columns[c].Name && item != "" && item != "it" {
			words = append(words, item)
		}
	}
	return words
}

// percentSays tells whether a percent of the line is that of the fraction in column c
// in all records, and the fraction rises with each: a bar that is drawn rarely counts
// by other amounts each time.
func (v *view) percentSays(c int) bool {
	h, w := &v.how[c], v.wholeOf(c)
	if v.Columns[c].Form != series.Part || w < 0 || v.how[w].distinct != 1 || !h.integers || h.n < 4 || h.up < h.n-1 {
		return false
	}
	for p := range v.Columns {
		col := &v.Columns[p]
		if col.Form != series.Percent || v.how[p].n < v.Len() || v.how[p].distinct < 3 {
			continue
		}
		digit := math.Pow(10, -float64(col.Decimals))
		same := true
		for i := range v.Len() {
			same = same && math.Abs(100*v.series[c][i]/v.series[w][i]-v.series[p][i]) <= digit
		}
		if same {
			return true
		}
	}
	return false
}

// fillsEachEpoch tells whether the line counts to a total for each epoch that another
// number of it names, and speaks of training where it has not filled once yet.
func (v *view) fillsEachEpoch(c int) bool {
	w := v.wholeOf(c)
	if v.heldOut || v.ofOther || v.chore || w < 0 || v.how[w].distinct != 1 || v.how[c].max > v.how[w].last || !v.hasBarClock() {
		return false
	}
	if e := v.slowerCount(c); e >= 0 && (isEpoch(v.Columns[e].Words) || v.train) {
		return true
	}
	return v.train && v.namesEpoch(c)
}

// drawsTraining tells whether column c counts in a bar whose only words are of
// training and its steps: `Training Progress:   3%|`.
func (v *view) drawsTraining(c int) bool {
	w := v.wholeOf(c)
	if v.heldOut || v.chore || w < 0 || v.how[w].distinct != 1 || !v.hasBarClock() {
		return false
	}
	if !v.train && !optimizations.in(v.Lead) {
		return false
	}
	for _, word := range v.Lead {
		if optimizations.has(word) {
			continue
		}
		if !trainWords.has(word) && !epochWords.has(word) && !stepWords.has(word) && word != "progress" && word != "model" {
			return false
		}
	}
	return true
}

// hasBarClock tells whether the line has a time or a rate, as bars have.
func (v *view) hasBarClock() bool {
	for c := range v.Columns {
		switch v.Columns[c].Form {
		case series.Duration, series.PerItem, series.PerTime:
			return true
		}
	}
	return false
}
