package tracker

import (
	"cmp"
	"math"
	"slices"
)

// Which of two counters is the job's, when their scores do not say.

// later orders two counters of one line that differ by less than a step, as
// the two ends of a range do: the later one is where the job is.
func later(x, y *candidate) int {
	if x.family != y.family || math.Abs(x.how.last-y.how.last) >= x.how.step && !endOfRange(x, y) {
		return 0
	}
	return cmp.Compare(x.how.last, y.how.last)
}

// finer tells whether x counts the steps that y counts, in more records: where y
// says 500, x is there, too.
func (a *analysis) finer(x, y *candidate) bool {
	if x.family == y.family || y.unit != unitStep || x.unit != unitStep || x.how.n < 3*y.how.n || x.how.step >= y.how.step {
		return false
	}
	v, w := a.viewOf(x.family), a.viewOf(y.family)
	agree, n, j := 0, 0, 0
	at := math.NaN()
	for i := range w.Len() {
		for j < v.Len() && v.At(j).Sequence <= w.At(i).Sequence {
			at = v.series[x.column][j]
			j++
		}
		if y0 := w.series[y.column][i]; !math.IsNaN(at) && !math.IsNaN(y0) {
			n++
			if math.Abs(y0-at) <= 2*x.how.step {
				agree++
			}
		}
	}
	return n >= 2 && agree == n
}

// outlives tells whether x, which has a loss by name, goes on where y stopped after
// a few records: `Finished step 4` is said of the first steps only.
func (a *analysis) outlives(x, y *candidate) bool {
	if y.how.n >= 6 || x.how.n < 3*y.how.n || x.how.last <= y.how.last || !x.backed || x.witness < 2 || x.score < believed || x.unit != y.unit || x.chore {
		return false
	}
	v, w := a.viewOf(x.family), a.viewOf(y.family)
	return v.Rank == w.Rank && v.At(v.Len()/3).Sequence > w.latest()
}

// atOnce tells whether all lines of v came at one moment beside a work that took its
// time: they list what there is, and count no work.
func (a *analysis) atOnce(v *view) bool {
	n, span, resolution := v.stamped()
	if n < 3 || n < v.Count {
		return false
	}
	for _, w := range a.views {
		if m, whole, _ := w.stamped(); w != v && m >= 6 && span+resolution < whole/float64(m-1)/20 {
			if s, _, _ := a.witnesses(w, -1, true); s >= witnessed {
				return true
			}
		}
	}
	return false
}

// stamped is the number of records with a stamp, the seconds from the first to the
// last, and the resolution of the stamps.
func (v *view) stamped() (n int, span, resolution float64) {
	var first, last int64
	for i := range v.Len() {
		r := v.At(i)
		if r.StampNanos == 0 {
			continue
		}
		if n == 0 {
			first = r.StampNanos
		}
		n++
		last = r.StampNanos
		resolution = math.Max(resolution, float64(r.StampStep)/1e9)
	}
	return n, float64(last-first) / 1e9, resolution
}

// inBursts tells whether a number without a name or a total runs through again and
// again, each time at one moment, beside a work that takes its time: it numbers the
// lines of a list.
func (a *analysis) inBursts(v *view, c *candidate) bool {
	if c.named || c.whole >= 0 || c.how.resets < 2 {
		return false
	}
	runs, short := 0, 0
	var begun, last, resolution int64
	prev, first := math.NaN(), int64(0)
	for i := range v.Len() {
		r, x := v.At(i), v.series[c.column][i]
		at := cmp.Or(r.StampNanos, r.ArrivedNanos)
		if at == 0 || math.IsNaN(x) {
			return false
		}
		if r.StampNanos != 0 {
			resolution = max(resolution, r.StampStep)
		} else {
			resolution = max(resolution, int64(a.arrival*1e9))
		}
		if i == 0 {
			begun, first = at, at
		} else if x < prev {
			runs++
			if last-begun <= resolution {
				short++
			}
			begun = at
		}
		prev, last = x, at
	}
	return runs >= 2 && short*10 >= runs*9 && last-first >= 3*resolution*int64(runs) && v.Len() >= 3*runs
}

// endOfRange tells whether x stands behind y under one name, and the next range
// begins where it ends or one behind: 720-729, 730-739 or 0-20, 20-40.
func endOfRange(x, y *candidate) bool {
	p, q := &x.family.Columns[x.column], &y.family.Columns[y.column]
	if x.family != y.family || p.Name != q.Name || p.Ordinal != q.Ordinal+1 {
		return false
	}
	joined, next, end := 0, 0, math.NaN()
	for i := range x.family.Len() {
		r := x.family.At(i)
		from, to := r.Value(y.column), r.Value(x.column)
		if math.IsNaN(from) || math.IsNaN(to) {
			continue
		}
		if to > end { // not of another epoch
			next++
			if from-end == 0 || from-end == 1 {
				joined++
			}
		}
		end = to
	}
	return next >= 2 && joined*10 >= next*9
}

// borrow takes over what is known of the other end of a range.
func (c *candidate) borrow(other *candidate) {
	if endOfRange(c, other) {
		c.score, c.named, c.backed, c.unit, c.witness = max(c.score, other.score), other.named, other.backed, other.unit, max(c.witness, other.witness)
	}
}

// longer tells whether two bars that look the same count the training (x) and
// the validation after it (y): both come again and again, one with the larger
// total.
func (a *analysis) longer(x, y *candidate) bool {
	if x.family == y.family || x.whole < 0 || y.whole < 0 || x.named != y.named {
		return false
	}
	v, w := a.viewOf(x.family), a.viewOf(y.family)
	if v.heldOut || w.heldOut || v.chore || w.chore || !slices.Equal(v.Lead, w.Lead) || v.Rank != w.Rank {
		return false
	}
	return v.how[x.whole].distinct == 1 && w.how[y.whole].distinct == 1 && v.how[x.whole].last >= 2*w.how[y.whole].last && a.beside(v, w)
}
