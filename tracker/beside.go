package tracker

import (
	"math"
	"slices"

	"schedmate/logs"
	"schedmate/logs/series"
)

// What the numbers beside a counter in its line say of it.

// slowerCount is the column of a count that rises exactly when column c falls,
// as the epoch does when the steps of the next begin; -1 when there is none.
func (v *view) slowerCount(c int) int {
	if v.how[c].resets == 0 {
		return -1
	}
	for e := range v.Columns {
		h := v.how[e]
		if e == c || !h.slow() || h.up == 0 || h.up > v.how[c].resets+1 {
			continue
		}
		agree, falls := 0, 0
		prev, slow := math.NaN(), math.NaN()
		for i := range v.Len() {
			x, y := v.series[c][i], v.series[e][i]
			if math.IsNaN(x) || math.IsNaN(y) {
				continue
			}
			if x < prev {
				falls++
				if y == slow+1 {
					agree++
				}
			}
			prev, slow = x, y
		}
		if falls > 0 && agree*10 >= falls*9 {
			return e
		}
	}
	return -1
}

// countsEpochs tells whether another number of the line is an epoch that rises.
func (v *view) countsEpochs(c int) bool {
	for e := range v.Columns {
		named := isEpoch(v.Columns[e].Words) || isEpoch(v.Columns[e].After) || e+1 < len(v.Columns) && isEpoch(v.Columns[e+1].Words) // 8 epoch / 20 epochs
		if e != c && named && v.how[e].slow() && v.how[e].up > 0 {
			return true
		}
	}
	return false
}

// namesEpoch tells whether another number of the line is called an epoch.
func (v *view) namesEpoch(c int) bool {
	for e := range v.Columns {
		if e != c && (isEpoch(v.Columns[e].Words) || isEpoch(v.Columns[e].After)) && v.how[e].integers {
			return true
		}
	}
	return false
}

// measures counts the numbers beside the counter that move and are neither whole,
// times nor rates.
func (v *view) measures(counter int) int {
	n := 0
	for c := range v.Columns {
		if col := &v.Columns[c]; c != counter && col.Form == series.Number && col.Unit.Kind == logs.UnitNone && !col.Integer && v.how[c].distinct > 1 && !timeWords.in(v.words[c]) && !partTimeWords.in(v.words[c]) && !resources.in(v.words[c]) {
			n++
		}
	}
	return n
}

// stepsAnEpoch tells whether another number of the line is an epoch, and the counter
// is the same multiple of it in all records, of the epochs done where they count from 0.
func (v *view) stepsAnEpoch(c int) bool {
	for e := range v.Columns {
		if h := &v.how[e]; e == c || !isEpoch(v.Columns[e].Words) || !h.integers || h.n < 2 || h.up < h.n-1 || v.how[c].up < h.n-1 {
			continue
		}
		for first := range 2 {
			steps, same := math.NaN(), true
			for i := range v.Len() {
				k := v.series[c][i] / (v.series[e][i] + float64(first))
				same = same && k > 1 && (i == 0 || k == steps)
				steps = k
			}
			if same {
				return true
			}
		}
	}
	return false
}

// minimises tells whether a number beside the counter goes down nearly always.
// One percent alone may be of a disk that fills.
func (v *view) minimises(counter int) bool {
	percents := 0
	for c := range v.Columns {
		col := &v.Columns[c]
		if c == counter || col.Unit.Kind != logs.UnitNone || !v.how[c].falls() || remainingWords.in(v.words[c]) || timeWords.in(v.words[c]) {
			continue
		}
		switch col.Form {
		case series.Number:
			return true
		case series.Percent:
			percents++
		}
	}
	return percents >= 2
}

// tellsSpeed tells whether a number is a speed by its name: fps total.
func (v *view) tellsSpeed() bool {
	for c := range v.Columns {
		if speeds.in(v.words[c]) && v.how[c].distinct > 2 {
			return true
		}
	}
	return false
}

// solves tells whether a number of the line is one that solvers of equations report:
// the radius of a trust region, how far constraints are violated.
func (v *view) solves() bool {
	for c, words := range v.words {
		if v.converging(c) {
			return true
		}
		if n := len(words); n > 0 && n <= 3 && (words[n-1] == "radius" || n > 1 && words[n-2] == "inf" && (words[n-1] == "pr" || words[n-1] == "du") || words[n-1] == "viol" || words[n-1] == "violation" || slices.Contains(words, "incumbent") || slices.Contains(words, "bestbd")) {
			return true
		}
	}
	return false
}

// converging tells whether column c is a residual by name, and falls a thousandfold.
func (v *view) converging(c int) bool {
	h := &v.how[c]
	return (slices.Contains(v.words[c], "residual") || slices.Contains(v.words[c], "residuals")) && h.n >= 4 && h.falls() && h.last > 0 && h.first > 1000*h.last
}

// percentOf tells whether a percent of the line is that of the counter to a total that
// nothing else tells: 1 1%, 9 11%, 40 50%, to the last printed digit.
func (v *view) percentOf(c int) bool {
	for p := range v.Columns {
		col, h := &v.Columns[p], &v.how[p]
		if col.Form != series.Percent || h.n < 4 || h.n < v.Len() || h.distinct < 4 || h.down > 0 || h.max > 100 || v.how[c].n < v.Len() {
			continue
		}
		half := 0.5 * math.Pow(10, -float64(col.Decimals))
		least, most := 0.0, math.Inf(1) // the percents of one count
		for i := range v.Len() {
			x, percent := v.series[c][i], v.series[p][i]
			if x <= 0 {
				continue
			}
			least, most = max(least, (percent-half)/x), min(most, (percent+2*half)/x) // cut or rounded
		}
		if least > 0 && least <= most*(1+1e-9) {
			return true
		}
	}
	return false
}

// shareOf tells whether a number of the line is the quotient of two whole numbers
// before it, of which one is always the same: (27502/27525) 0.999164. Of the
// counter it would be no news.
func (v *view) shareOf(counter int) bool {
	for p := range v.Columns {
		w := v.wholeOf(p)
		if p == counter || w < 0 || v.how[w].distinct != 1 || v.how[p].n < v.Len() || v.Len() < 4 {
			continue
		}
		for c := range v.Columns {
			if v.Columns[c].Form != series.Number || v.Columns[c].Integer || v.how[c].n < v.Len() || v.how[c].max > 1 {
				continue
			}
			same := true
			for i := range v.Len() {
				same = same && math.Abs(v.series[p][i]/v.series[w][i]-v.series[c][i]) < 1e-4
			}
			if same {
				return true
			}
		}
	}
	return false
}

// solvesAgain tells whether a number beside the counter falls to less than a tenth
// while it counts, and is back whenever it begins anew, as what a solver is still wrong
// by does in each of its solutions. A loss goes on where it was.
func (v *view) solvesAgain(counter int) bool {
	if v.how[counter].resets < 2 {
		return false
	}
	for c := range v.Columns {
		if h := &v.how[c]; c == counter || v.Columns[c].Form != series.Number || h.integers || !(h.min > 0) || h.n < v.Len() || measured(v.words[c]) {
			continue
		}
		again, back := 0, 0
		for i := 1; i < v.Len(); i++ {
			if v.series[counter][i] < v.series[counter][i-1] {
				again++
				if v.series[c][i] > 10*v.series[c][i-1] {
					back++
				}
			}
		}
		if again >= 2 && back == again {
			return true
		}
	}
	return false
}

// timesEach tells whether a number of the line is the time of one of what column c
// counts: `tick 12 ... sec/tick 71.8`. Monitors tell rates.
func (v *view) timesEach(c int) bool {
	for i := range v.Columns {
		if u := v.Columns[i].Unit; i != c && u.Kind == logs.UnitTimePer && len(u.Item) > 2 && len(v.words[c]) == 1 && v.words[c][0] == u.Item {
			return true
		}
	}
	return false
}
