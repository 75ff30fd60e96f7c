package tracker

import (
	"math"

	"schedmate"
	"schedmate/logs/series"
)

// ahead is the newest count of a record whose line of the primary family is still to
// come, from a line before it that has told the same count in every record; nil when
// there is none.
func (a *analysis) ahead() *schedmate.Reading {
	counts := a.main.series[a.primary.column]
	for _, c := range a.all {
		v := a.viewOf(c.family)
		if v == a.main || v.heldOut || v.Rank != a.main.Rank || v.latest() <= a.main.latest() || c.how.last <= counts[len(counts)-1] {
			continue
		}
		same, j := 0, 0
		for i := range a.main.Len() {
			told := math.NaN() // since the record before
			for ; j < v.Len() && v.At(j).Sequence < a.main.At(i).Sequence; j++ {
				told = v.series[c.column][j]
			}
			if told == counts[i] {
				same++
			} else if i > 0 || a.main.Count == a.main.Len() {
				same = 0
				break
			}
		}
		if same >= 3 && j == v.Len()-1 {
			return spot{v, c.column, 0}.reading("", 0)
		}
	}
	return nil
}

// continued is the newest count of lines that took up the counter where those of the
// primary family ended, to the same total: `warmup: 45% | 450/1000` and then
// `sample: 52% | 520/1000`. An evaluation begins anew. Nil when there are none.
func (a *analysis) continued(r *schedmate.Reading) *schedmate.Reading {
	if a.primary.whole < 0 || a.primary.how.resets > 0 {
		return nil
	}
	total := a.main.how[a.primary.whole].last
	for _, v := range a.views {
		if v == a.main || v.Rank != a.main.Rank || v.chore || v.first() <= a.main.latest() {
			continue
		}
		for c := range v.Columns {
			w := v.wholeOf(c)
			if v.Columns[c].Form != series.Part || w < 0 || v.how[w].distinct != 1 || v.how[w].last != total || v.how[c].down > 0 || v.Columns[c].Ordinal != a.main.Columns[a.primary.column].Ordinal {
				continue
			}
			if first := v.how[c].first; first > r.Value && first-r.Value <= max(0.15*total, 4*a.primary.how.step) {
				return spot{v, c, 0}.reading("", 0)
			}
		}
	}
	return nil
}
