package milp

import "slices"

// rows are the plain prefix rows with what is still free in each.
type rows struct {
	slack []int // of row t, in GPUs times sub-slots
	tail  []int // least slack of the rows t and later
	sets  []int // slack of the rows of slot sets
	b     *board
}

func newRows(b *board) *rows {
	r := &rows{slack: make([]int, b.slots+1), tail: make([]int, b.slots+2), sets: make([]int, len(b.sets)), b: b}
	sum := 0
	for k, g := range b.m.Capacity {
		sum += g * b.sub
		r.slack[k+1] = sum
	}
	for n := range b.sets {
		r.sets[n] = b.sets[n].capacity
	}
	r.settle()
	return r
}

const plenty = int(^uint(0) >> 1)

func (r *rows) settle() {
	least := plenty
	for t := len(r.slack) - 1; t >= 1; t-- {
		least = min(least, r.slack[t])
		r.tail[t] = least
	}
}

// fits reports whether the rows have room for option i.
func (r *rows) fits(i int) bool {
	o := &r.b.options[i]
	if o.window == o.after {
		return true
	}
	for n := range r.sets {
		if r.sets[n] < r.b.sets[n].need[i] {
			return false
		}
	}
	if r.tail[o.window] < o.charge*(o.window-o.after) {
		return false
	}
	need := 0
	for t := o.after + 1; t < o.window; t++ {
		if need += o.charge; r.slack[t] < need {
			return false
		}
	}
	return true
}

// take uses up (or, with sign -1, gives back) what option i needs.
func (r *rows) take(i, sign int) {
	o := &r.b.options[i]
	if o.window == o.after {
		return
	}
	for n := range r.sets {
		r.sets[n] -= sign * r.b.sets[n].need[i]
	}
	need, each := 0, sign*o.charge
	for t := o.after + 1; t < o.window; t++ {
		need += each
		r.slack[t] -= need
	}
	need += each
	for t := o.window; t < len(r.slack); t++ {
		r.slack[t] -= need
	}
	r.settle()
}

// save keeps a copy of the slack.
func (r *rows) save(into *rows) {
	copy(into.slack, r.slack)
	copy(into.tail, r.tail)
	copy(into.sets, r.sets)
}

func (r *rows) clone() *rows {
	return &rows{slack: slices.Clone(r.slack), tail: slices.Clone(r.tail), sets: slices.Clone(r.sets), b: r.b}
}
