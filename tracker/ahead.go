package tracker

import (
	"math"

	"schedmate"
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
