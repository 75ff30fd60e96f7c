package tracker

import (
	"math"

	"schedmate/logs/series"
)

// mate is a family whose lines come along with the primary family's.
type mate struct {
	*view
	every bool // a line for (nearly) each record of the primary family
	own   bool // has a fast counter of its own that is not the primary's
}

// findMates collects the families that report beside the primary one.
func (a *analysis) findMates() {
	for _, w := range a.views {
		if w == a.main || w.chore || w.Rank != a.main.Rank || !a.beside(a.main, w) {
			continue
		}
		m := mate{view: w, every: interleaved(a.main, w)}
		for c := range w.Columns {
			if x := w.wholeOf(c); x >= 0 && a.primary.whole >= 0 && a.primary.unit != unitEpoch && w.how[x].distinct == 1 && w.how[x].last != a.main.how[a.primary.whole].last && !isEpoch(w.words[c]) {
				m.own = true // out of another total
			}
			if w.Columns[c].Form == series.Part && w.how[c].counts() && w.how[c].up > w.Len()/2 && !a.sameCount(w, c) {
				m.own = true
			}
		}
		a.mates = append(a.mates, m)
	}
}

// interleaved tells whether w has one line for each line of v, nearly always.
func interleaved(v, w *view) bool {
	if w.Len()*5 < v.Len()*4 && w.Len() < v.Len()-1 || w.Len() > v.Len()*2 || w.Len() < 2 {
		return false
	}
	single, gaps, j := 0, 0, 0
	for i := 1; i < v.Len(); i++ {
		from, to := v.At(i-1).Sequence, v.At(i).Sequence
		for j < w.Len() && w.At(j).Sequence < from {
			j++
		}
		n := 0
		for j < w.Len() && w.At(j).Sequence < to {
			n++
			j++
		}
		gaps++
		if n == 1 {
			single++
		}
	}
	return gaps >= 2 && single*10 >= gaps*8
}

// sameCount tells whether column c of w runs along with the primary counter.
func (a *analysis) sameCount(w *view, c int) bool {
	p := a.primary.how
	h := w.how[c]
	return h.last <= p.max*1.02+p.step*2 && h.last >= p.last-p.step*2 && (h.step >= p.step || math.Abs(h.step-p.step) < 0.5)
}
