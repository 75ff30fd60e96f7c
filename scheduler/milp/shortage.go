package milp

import "math"

// claims are shares of options that a calendar may split: of each, Amount of a
// resource in every slot that it holds, in as many slots as it has leases.
type claims struct {
	b       *board
	options []int
	amount  []float64 // of each claim
	has     []float64 // of each slot: the resource
}

// short returns a set of slots that must hold more of the claims than it has, or
// nil when there is a calendar that may split them.
//
// Slots are filled from the last to the first, each with those who can wait
// least: seen from there all windows that have opened close together, in slot 1,
// so those with most leases left to the slots that are left go first, and equal
// ones share (Muntz and Coffman 1970). Who is not served in the end wants the
// slots that it does not hold fully; those who hold them could move to others;
// all slots that are reached so are full.
func (c *claims) short() []bool {
	b := c.b
	held := make([][]float64, len(c.options)) // of each claim: by slot, up to 1
	left := make([]float64, len(c.options))
	wide := make([]int, len(c.options)) // slots up to the current one that hold the gang
	for n, i := range c.options {
		held[n], left[n] = make([]float64, b.slots), float64(b.options[i].inside())
		for _, g := range b.m.Capacity {
			if g >= b.options[i].gpus {
				wide[n]++
			}
		}
	}
	for k := b.slots; k >= 1; k-- {
		c.fill(k, held, left, wide)
	}
	var queue []int
	waits := make([]bool, len(c.options))
	for n := range left {
		if left[n] > 1e-7 {
			queue, waits[n] = append(queue, n), true
		}
	}
	if queue == nil {
		return nil
	}
	set := make([]bool, b.slots)
	for ; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		o := &b.options[c.options[n]]
		for k := range o.window {
			if set[k] || b.m.Capacity[k] < o.gpus || held[n][k] > 1-1e-9 {
				continue
			}
			set[k] = true
			for x := range held {
				if !waits[x] && held[x][k] > 1e-9 {
					queue, waits[x] = append(queue, x), true
				}
			}
		}
	}
	return set
}

// fill shares slot k out: down to the level at which it is full, of everybody at
// most one lease.
func (c *claims) fill(k int, held [][]float64, left []float64, wide []int) {
	b := c.b
	serve := func(n int, level float64) float64 {
		o := &b.options[c.options[n]]
		if o.window < k || b.m.Capacity[k-1] < o.gpus {
			return 0
		}
		return math.Max(0, math.Min(math.Min(1, left[n]), left[n]-float64(wide[n])-level))
	}
	use := func(level float64) float64 {
		sum := 0.0
		for n := range left {
			sum += float64(c.amount[n] * serve(n, level))
		}
		return sum
	}
	low, high := -float64(b.slots)-1, 1.0 // nobody has more left than slots: all, nobody
	for n := range left {
		high = math.Max(high, left[n]-float64(wide[n]))
	}
	if use(low) > c.has[k-1] {
		for range 40 {
			if middle := (low + high) / 2; use(middle) > c.has[k-1] {
				low = middle
			} else {
				high = middle
			}
		}
		low = high
	}
	for n := range left {
		held[n][k-1] = serve(n, low)
	}
	for n := range left {
		left[n] -= held[n][k-1]
		if b.m.Capacity[k-1] >= b.options[c.options[n]].gpus {
			wide[n]--
		}
	}
}

// within is how many of the option's leases must lie in the slots of a set: those
// that do not fit into the slots of its window that are wide enough and outside.
func (b *board) within(o *option, set []bool) int {
	outside := 0
	for k := range o.window {
		if !set[k] && b.m.Capacity[k] >= o.gpus {
			outside++
		}
	}
	return max(0, o.inside()-outside)
}

// violated returns a set of slots that must hold more of the picked options than
// it has capacity, or nil.
func (b *board) violated(pick []int) []bool {
	c := claims{b: b, has: make([]float64, b.slots)}
	for k, g := range b.m.Capacity {
		c.has[k] = float64(g * b.sub)
	}
	for _, i := range pick {
		if i >= 0 && b.options[i].inside() > 0 {
			c.options, c.amount = append(c.options, i), append(c.amount, float64(b.options[i].charge))
		}
	}
	set := c.short()
	lack := 0
	for k, in := range set {
		if in {
			lack -= b.m.Capacity[k] * b.sub
		}
	}
	for _, i := range c.options {
		if set != nil {
			lack += b.options[i].charge * b.within(&b.options[i], set)
		}
	}
	if lack <= 0 {
		return nil
	}
	return set
}

// setRow is the row of a set of slots in rooms of h GPUs.
func (b *board) setRow(set []bool, h int) *row {
	q := &row{need: make([]float64, len(b.options))}
	for k, in := range set {
		if in {
			q.most += float64(b.m.Capacity[k] / h)
		}
	}
	for i := range b.options {
		if rooms := b.options[i].gpus / h; rooms > 0 {
			q.need[i] = float64(rooms * b.within(&b.options[i], set))
		}
	}
	return q.list()
}
