package tracker

import (
	"math"

	"schedmate/logs/series"
)

// Times in the other lines of a record of several.

// clocksBeside finds elapsed times in the other lines of a record of several.
// They are a last resort: some count in hours and do not say so.
func (a *analysis) clocksBeside() []clock {
	var out []clock
	for _, m := range a.mates {
		if !m.every || m.heldOut || m.own {
			continue
		}
		for c := range m.Columns {
			if !a.elapsed(m.view, c) && !a.timeBeside(m.view, c) {
				continue
			}
			k := clock{name: "elapsed time " + m.Columns[c].Name, seconds: a.besideRecords(m.view, c), resolution: resolutionOf(&m.Columns[c])}
			if a.elapsed(m.view, c) || a.resetsTogether(k.seconds) {
				out = append(out, k)
			}
		}
	}
	return out
}

// besideRecords are the numbers of a column of another line, by the record of the
// primary family that the line belongs to: the one before it, or the one behind it
// where the other line opens the records.
func (a *analysis) besideRecords(v *view, c int) []float64 {
	out := make([]float64, a.main.Len())
	opens := v.first() < a.main.first()
	from := int64(math.MinInt64)
	j := 0
	for i := range out {
		at, to := a.main.At(i).Sequence, int64(math.MaxInt64)
		if opens {
			to = at
		} else {
			from = at
			if i+1 < len(out) {
				to = a.main.At(i + 1).Sequence
			}
		}
		for j < v.Len() && v.At(j).Sequence < from {
			j++
		}
		out[i] = math.NaN()
		if j < v.Len() && v.At(j).Sequence < to {
			out[i] = v.series[c][j]
		}
		from = to
	}
	return out
}

// timeBeside tells whether a column of another line is a time that mostly rises.
func (a *analysis) timeBeside(v *view, c int) bool {
	col, h := &v.Columns[c], v.how[c]
	isTime := col.Form == series.Duration || col.Form == series.Number && !col.Integer && timeWords.in(v.words[c])
	return isTime && !partTimeWords.in(v.words[c]) && !remainingWords.in(v.words[c]) &&
		h.n >= 4 && h.jumps == 0 && h.up > 3*h.down
}

// resetsTogether tells whether a time falls exactly where the counter begins
// anew.
func (a *analysis) resetsTogether(seconds []float64) bool {
	together, falls, rises := 0, 0, 0
	prev, count := math.NaN(), math.NaN()
	for i, n := range a.main.series[a.primary.column] {
		x := seconds[i]
		if math.IsNaN(x) || math.IsNaN(n) {
			continue
		}
		switch {
		case x > prev:
			rises++
		case x < prev:
			falls++
			if n < count {
				together++
			}
		}
		prev, count = x, n
	}
	return falls > 0 && together*10 >= falls*8 && rises > 3*falls
}
