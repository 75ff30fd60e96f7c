package milp

import (
	"math"
	"slices"
)

// families are the rows of a round of jobs with steps, made when a point breaks
// them: the prefix rows, counted in single GPUs and in rooms of each size of gang
// (a gang of g GPUs takes g/h rooms of h, a slot of G holds G/h), and the board's
// rows of slot sets. A lease counts only in slots that are wide enough for its
// gang.
type families struct {
	b     *board
	falls bool      // some slot has less than one before it
	sizes []int     // GPUs of a room
	late  [][]int   // of each option: its latest slots that are wide enough, ascending
	most  [][]int   // of each size: rooms of slots 1..t, by t
	made  [][]*row  // of each size, by t
	sets  []*row    // of the board's slot sets
	use   []float64 // scratch, by slot

	rest []int       // options of jobs that are not settled
	held [][]float64 // of each size: what the others take, by slot
}

func newFamilies(b *board) *families {
	f := &families{b: b, falls: b.falls(), sizes: b.rooms(), late: make([][]int, len(b.options)), use: make([]float64, b.slots+1)}
	for i := range b.options {
		o := &b.options[i]
		for k, left := o.window, o.inside(); k >= 1 && left > 0; k-- {
			if b.m.Capacity[k-1] >= o.gpus {
				f.late[i] = append(f.late[i], k)
				left--
			}
		}
		slices.Reverse(f.late[i])
	}
	for _, h := range f.sizes {
		most := make([]int, b.slots+1)
		for k, g := range b.m.Capacity {
			most[k+1] = most[k] + g/h
		}
		f.most, f.made = append(f.most, most), append(f.made, make([]*row, b.slots+1))
		f.held = append(f.held, make([]float64, b.slots+1))
	}
	for i := range b.options {
		f.rest = append(f.rest, i)
	}
	f.grow()
	return f
}

// rooms lists 1 and the sizes of gangs, ascending.
func (b *board) rooms() []int {
	sizes := []int{1}
	for i := range b.options {
		if g := b.options[i].gpus; !b.options[i].spot() && !slices.Contains(sizes, g) {
			sizes = append(sizes, g)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// grow makes rows of the slot sets that were added to the board since.
func (f *families) grow() {
	for n := len(f.sets); n < len(f.b.sets); n++ {
		q := &row{need: make([]float64, len(f.b.options)), most: float64(f.b.sets[n].capacity)}
		for i := range q.need {
			q.need[i] = float64(f.b.sets[n].need[i])
		}
		f.sets = append(f.sets, q.list())
	}
}

// row is the row of slots 1..t in rooms of the n-th size.
func (f *families) row(n, t int) *row {
	if f.made[n][t] == nil {
		q := &row{need: make([]float64, len(f.b.options)), most: float64(f.most[n][t])}
		for i := range f.b.options {
			before, _ := slices.BinarySearch(f.late[i], t+1)
			q.need[i] = float64(f.b.options[i].gpus / f.sizes[n] * before)
		}
		f.made[n][t] = q
	}
	return f.made[n][t]
}

// settle counts columns that are chosen for good once and for all; free are the
// jobs that are left.
func (f *families) settle(columns, free []int) {
	for n, h := range f.sizes {
		clear(f.held[n])
		for _, c := range columns {
			if c < len(f.b.options) {
				for _, k := range f.late[c] {
					f.held[n][k] += float64(f.b.options[c].gpus / h)
				}
			}
		}
	}
	f.rest = f.rest[:0]
	for _, job := range free {
		for i := f.b.first[job]; i < f.b.first[job+1]; i++ {
			f.rest = append(f.rest, i)
		}
	}
}

// broken lists the rows that the point, shares of the options, breaks: of the
// rooms of each size the one that is broken most, and those of all slot sets.
func (f *families) broken(point []float64) []*row {
	var out []*row
	for n, h := range f.sizes {
		copy(f.use, f.held[n])
		for _, i := range f.rest {
			if rooms := f.b.options[i].gpus / h; rooms > 0 && point[i] > 1e-9 {
				y := point[i] * float64(rooms)
				for _, k := range f.late[i] {
					f.use[k] += y
				}
			}
		}
		sum, worst, at := 0.0, brokenBy, -1
		for t := 1; t <= f.b.slots; t++ {
			sum += f.use[t]
			if off := (sum - float64(f.most[n][t])) / math.Sqrt(float64(t)); off > worst {
				worst, at = off, t
			}
		}
		if at >= 0 {
			out = append(out, f.row(n, at))
		}
	}
	for _, q := range f.sets {
		if q.breaks(point) {
			out = append(out, q)
		}
	}
	if len(out) == 0 && f.falls {
		for _, h := range f.sizes {
			if q := f.starved(h, point); q != nil {
				out = append(out, q)
			}
		}
	}
	return out
}

// starved returns the row of a set of slots that is no prefix, in rooms of h
// GPUs, if the point breaks one; needed only where capacity falls.
func (f *families) starved(h int, point []float64) *row {
	c := claims{b: f.b, has: make([]float64, f.b.slots)}
	for k, g := range f.b.m.Capacity {
		c.has[k] = float64(g / h)
	}
	for i := range f.b.options {
		if rooms := f.b.options[i].gpus / h; rooms > 0 && point[i] > 1e-9 && f.b.options[i].inside() > 0 {
			c.options, c.amount = append(c.options, i), append(c.amount, point[i]*float64(rooms))
		}
	}
	if set := c.short(); set != nil {
		if q := f.b.setRow(set, h); q.breaks(point) {
			return q
		}
	}
	return nil
}

// brokenBy is by how much a point must exceed a row to break it.
const brokenBy = 1e-6

func (q *row) breaks(point []float64) bool {
	sum := 0.0
	for _, i := range q.which {
		sum += float64(q.need[i] * point[i])
	}
	return sum > q.most+brokenBy
}

// list writes down which options a finished row is about.
func (q *row) list() *row {
	for i, need := range q.need {
		if need != 0 {
			q.which = append(q.which, i)
		}
	}
	return q
}
