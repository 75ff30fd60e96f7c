package milp

// rows are the plain prefix rows with what is still free in each.
type rows struct {
	slack []int // of row t, in GPUs times sub-slots
	tail  []int // least slack of the rows t and later
}

func newRows(b *board) *rows {
	r := &rows{slack: make([]int, b.slots+1), tail: make([]int, b.slots+2)}
	sum := 0
	for k, g := range b.m.Capacity {
		sum += g * b.sub
		r.slack[k+1] = sum
	}
	r.settle()
	return r
}

const plenty = int(^uint(0) >> 1)

func (r *rows) settle() {
	least := plenty
	for t := len(r.slack) - 1; t >= 0; t-- {
		if t > 0 {
			least = min(least, r.slack[t])
		}
		r.tail[t] = least
	}
}

// fits reports whether the rows have room for the option.
func (r *rows) fits(o *option) bool {
	if o.window == o.after {
		return true
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

// take uses up (or, with sign -1, gives back) what the option needs.
func (r *rows) take(o *option, sign int) {
	if o.window == o.after {
		return
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
	least := r.tail[min(len(r.slack)-1, len(r.tail)-1)]
	least = plenty
	for t := len(r.slack) - 1; t >= 1; t-- {
		least = min(least, r.slack[t])
		r.tail[t] = least
	}
}

// save and restore keep a copy of the slack.
func (r *rows) save(into *rows) {
	copy(into.slack, r.slack)
	copy(into.tail, r.tail)
}

func (r *rows) clone() *rows {
	return &rows{slack: append([]int(nil), r.slack...), tail: append([]int(nil), r.tail...)}
}
