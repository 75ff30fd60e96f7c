package tracker

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"schedmate/logs"
	"schedmate/logs/series"
)

// A loss is what falls: by much more than it scatters, or nearly always, and
// ever more slowly. Its name is evidence beside that, and not needed.

// descends tells whether column c is a measured number that falls over the
// records, and by more than a half of a hundredth.
func (v *view) descends(c int) bool {
	h := v.how[c]
	if !v.Columns[c].Integer && !h.counts() {
		h.integers = false // 6.775E4
	}
	if h.integers || h.n < 6 || h.distinct < 4 || h.down < 2 || !h.falls() && !trends(v.series[c]) {
		return false
	}
	return v.fallsFar(c) && !linear(tail(v.series[c], h.n))
}

// fallsFar tells whether the numbers of column c fall by more than a half of a
// hundredth: energies that are conserved fall by less.
func (v *view) fallsFar(c int) bool {
	h := &v.how[c]
	values := tail(v.series[c], h.n)
	third := max(1, len(values)/3)
	first, last := median(slices.Clone(values[:third])), median(slices.Clone(values[len(values)-third:]))
	change := first - last
	if h.max < 0 && h.falls() {
		change = math.Abs(change)
	}
	return change > 0.005*math.Abs(first)
}

// conserves tells whether two numbers of the line that scatter move against each other
// by the same each time, as the two forms of an energy do that is conserved: nothing is
// minimised there. The first records are left out: what is far off at the start agrees
// with all that is.
func (v *view) conserves() bool {
	if v.Len() < 8 {
		return false
	}
	from := v.Len() / 4
	var moves [][]float64
	for c := range v.Columns {
		h := &v.how[c]
		if v.Columns[c].Form != series.Number || h.n < v.Len() || !h.drifts() || measured(v.words[c]) {
			continue
		}
		var d []float64
		for i := from + 1; i < v.Len(); i++ {
			d = append(d, v.series[c][i]-v.series[c][i-1])
		}
		for _, other := range moves {
			if stat.Correlation(d, other, nil) < -0.998 {
				return true
			}
		}
		moves = append(moves, d)
	}
	return false
}

// converges tells whether a number falls a thousandfold within a few records, nearly
// always: what a solver is still wrong by does, and no loss of so few.
func (v *view) converges(c int) bool {
	h := &v.how[c]
	return h.n < 40 && h.falls() && h.last > 0 && h.first > 1000*h.last
}

// convergesAnywhere tells whether a number of the line falls so within a hundred records.
func (v *view) convergesAnywhere() bool {
	for c := range v.Columns {
		if v.Columns[c].Form == series.Number && v.how[c].n < 100 && v.how[c].falls() && v.how[c].last > 0 && v.how[c].first > 1000*v.how[c].last {
			return true
		}
	}
	return false
}

// clearly tells whether a number that descends does so by six times its scatter, so
// that no reading of a monitor does by chance; up also takes one that rises so.
func (v *view) clearly(c int, up bool) bool {
	h := &v.how[c]
	if h.integers || h.n < 6 || h.distinct < 4 || v.converges(c) {
		return false
	}
	if h.falls() || trendsBy(v.series[c], 6) {
		return v.descends(c)
	}
	if !up {
		return false
	}
	turned := slices.Clone(v.series[c])
	for i := range turned {
		turned[i] = -turned[i]
	}
	return trendsBy(turned, 6)
}

// linear tells whether values go down by the same from one to the next, as a
// schedule or what remains does.
func linear(values []float64) bool {
	var d []float64
	for i := 1; i < len(values); i++ {
		d = append(d, values[i]-values[i-1])
	}
	m := median(slices.Clone(d))
	for i := range d {
		d[i] = math.Abs(d[i] - m)
	}
	return median(d) <= 0.02*math.Abs(m)
}

// learned tells whether column c could be what is learned: a number without a
// unit, and without a name that says that it is something else.
func (v *view) learned(c int) bool {
	col, words := &v.Columns[c], own(v, c)
	if col.Form != series.Number && col.Form != series.Percent || col.Unit.Kind != logs.UnitNone || col.Scaled || len(words) > 4 {
		return false
	}
	if before := v.neighbour(c, -1); col.Ordinal&15 != 0 && !col.Header && col.Name != "" && (before < 0 || !v.how[before].integers) {
		return false // beside the number that has the name: its mean
	}
	for _, other := range []vocabulary{timeWords, elapsedWords, remainingWords, gradWords, resources, stepWords, epochWords, otherCounts, settings, speeds, chores} {
		if other.in(words) && !slices.Contains(words, "total") && !lossWords.in(words) && !errorWords.in(words) {
			return false
		}
	}
	return !isLearningRate(words) && !isScale(words) && !isCostOfTime(words)
}

// twins tells whether two numbers of the line whose names differ by a word fall
// together, as the losses of training and validation do: train's l2, valid's l2.
func (v *view) twins(counter int) bool {
	var falling []int
	for c := range v.Columns {
		if c != counter && v.Columns[c].Form == series.Number && len(v.words[c]) > 1 && v.learned(c) && v.clearly(c, false) {
			falling = append(falling, c)
		}
	}
	for i, a := range falling {
		for _, b := range falling[:i] {
			if differByOne(v.words[a], v.words[b]) && (v.how[a].falls() || v.how[b].falls()) {
				return true
			}
		}
	}
	return false
}

// differByOne tells whether two names are the same but for one word.
func differByOne(x, y []string) bool {
	if len(x) != len(y) {
		return false
	}
	n := 0
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n == 1
}

// fallsTogether tells whether a line that comes with each of v's has a number
// that falls, where a record is made of several lines.
func (a *analysis) fallsTogether(v *view) bool {
	for _, w := range a.views {
		if w == v || w.chore || w.Rank != v.Rank || !interleaved(v, w) || !a.beside(v, w) {
			continue
		}
		for c := range w.Columns {
			if w.Columns[c].Form == series.Number && w.learned(c) && w.clearly(c, false) {
				return true
			}
		}
	}
	return false
}

// descent is the loss that no name declares: of the numbers of a record that
// fall, the one that is measured and not set, called an error or the training's
// where one is, else the first.
func (a *analysis) descent() (spot, bool) {
	rewarded := a.rewarded()
	return a.best(func(v *view, c int) float64 {
		words := own(v, c)
		if !v.learned(c) || v.ofOther || heldOutWords.in(words) && !trainWords.in(words) {
			return 0
		}
		falls, called := v.descends(c), errorWords.in(words) || abbreviatesLoss(words)
		if !falls && !(called && v.Columns[c].Form == series.Number && !v.how[c].integers && v.how[c].n*2 >= v.Len()) {
			return 0
		}
		if rewarded && !called {
			return 0
		}
		score := 1 - 0.01*float64(min(c, 40))
		if called {
			score++
		}
		if falls && v.how[c].drifts() {
			score += 0.4
		}
		if v.sumOfLosses(c) {
			score += 1.2
		}
		if falls {
			score += 0.4
		}
		if trainWords.in(words) {
			score += 0.5
		}
		switch {
		case slices.Contains(words, "total"): // of its parts
			score += 0.3
		case averageWords.in(words):
			score -= 0.3
		}
		return score
	})
}

// rewarded tells whether the records report a reward or a fitness: then what falls
// need not be what is learned.
func (a *analysis) rewarded() bool {
	_, ok := a.best(func(v *view, c int) float64 {
		if v.Columns[c].Form == series.Number && rewardWords.in(own(v, c)) {
			return 1
		}
		return 0
	})
	return ok
}

// rewardsBeside tells whether a line that comes with each of v's reports a reward:
// frames that are only shown or encoded have none.
func (a *analysis) rewardsBeside(v *view) bool {
	for _, w := range a.views {
		if w == v || w.Rank != v.Rank || !interleaved(v, w) {
			continue
		}
		for c := range w.Columns {
			if w.Columns[c].Form == series.Number && rewardWords.in(own(w, c)) && !w.how[c].integers && w.how[c].distinct > 2 {
				return true
			}
		}
	}
	return false
}

// sumOfLosses tells whether column c is the sum of the other measured numbers of
// its line, as a total loss is of its terms.
func (v *view) sumOfLosses(c int) bool {
	var terms []int
	for other := range v.Columns {
		if other != c && v.Columns[other].Form == series.Number && !v.how[other].integers && v.how[other].last < v.how[c].last && v.learned(other) {
			terms = append(terms, other)
		}
	}
	_, ok := sums(v, c, terms)
	return ok
}
