package milp

import (
	"math"
	"slices"
)

// newFormulation lists the columns that all formulations share: one for each
// step under a policy, and for spot jobs one for each sub-slot under a policy.
func newFormulation(m *Model) *Formulation {
	b := newBoard(m, false)
	f := &Formulation{b: b, steps: make([]int, len(b.options)), spots: make([][]int, len(b.options)), held: make([][]int, len(b.options)), most: -1}
	f.Offset = m.late().Value()
	for j := range m.Jobs {
		from, to := b.of(j)
		var one []Term
		for i := from; i < to; i++ {
			o := &b.options[i]
			f.steps[i] = -1
			if o.spot() {
				continue
			}
			f.steps[i] = f.binary(o.gain.Value())
			one = append(one, Term{f.steps[i], 1})
		}
		if m.Jobs[j].Must && len(one) > 0 {
			f.exactly(1, one...)
		} else if len(one) > 1 {
			f.atMost(1, one...)
		}
		f.spotColumns(j)
	}
	return f
}

// spotColumns adds w (a policy is used) and u (a sub-slot is held under it) of a
// spot job: u <= w, at most one w, and no more sub-slots than it has leases left.
func (f *Formulation) spotColumns(j int) {
	from, to := f.b.of(j)
	var one []Term
	for i := from; i < to; i++ {
		o := &f.b.options[i]
		if !o.spot() || o.q != 1 {
			continue
		}
		w := f.binary(0)
		one = append(one, Term{w, 1})
		leases := f.b.m.Jobs[j].Policies[o.policy].Leases
		var all []Term
		for range f.b.sub {
			u := f.binary(o.gain.Value())
			f.spots[i] = append(f.spots[i], u)
			f.atMost(0, Term{u, 1}, Term{w, -1})
			all = append(all, Term{u, 1})
		}
		if leases < f.b.sub {
			f.atMost(float64(leases), all...)
		}
		f.spots[i] = append(f.spots[i], w) // behind the sub-slots
	}
	if len(one) > 1 {
		f.atMost(1, one...)
	}
}

// spotRows keeps the use of each sub-slot below B, and returns the column of B,
// or -1 when there are no spot jobs.
func (f *Formulation) spotRows() int {
	if !f.b.spots {
		return -1
	}
	f.most = f.column(Column{Upper: float64(f.b.m.Capacity[0])})
	for q := range f.b.sub {
		use := []Term{{f.most, -1}}
		for i := range f.spots {
			if f.spots[i] != nil {
				use = append(use, Term{f.spots[i][q], float64(f.b.options[i].gpus)})
			}
		}
		f.atMost(0, use...)
	}
	return f.most
}

// Prefix is the model of the package comment with a dense row for each slot,
// and one for each slot set, given as one yes or no for each slot.
func Prefix(m *Model, sets ...[]bool) *Formulation {
	f := newFormulation(m)
	f.sets, f.dense = sets, true
	spots := f.spotRows()
	sum := 0
	for t := 1; t <= f.b.slots; t++ {
		sum += m.Capacity[t-1]
		var row []Term
		if spots >= 0 {
			row = append(row, Term{spots, 1})
		}
		for i := range f.b.options {
			o := &f.b.options[i]
			if need := o.gpus * (max(o.after, min(t, o.window)) - o.after); f.steps[i] >= 0 && need > 0 {
				row = append(row, Term{f.steps[i], float64(need)})
			}
		}
		f.atMost(float64(sum), row...)
	}
	for _, set := range sets {
		f.setRow(set, spots)
	}
	return f
}

// setRow adds the row of a slot set.
func (f *Formulation) setRow(set []bool, spots int) {
	capacity := 0
	var row []Term
	for k, in := range set {
		if in {
			capacity += f.b.m.Capacity[k]
		}
	}
	if spots >= 0 && set[0] {
		row = append(row, Term{spots, 1})
	}
	for i := range f.b.options {
		if o := &f.b.options[i]; f.steps[i] >= 0 {
			if need := o.gpus * f.b.within(o, set); need > 0 {
				row = append(row, Term{f.steps[i], float64(need)})
			}
		}
	}
	f.atMost(float64(capacity), row...)
}

// Stock is the same model with sparse rows: c_t is the capacity of slots 1..t
// that latest-start leases leave, carried from slot to slot and never negative.
func Stock(m *Model) *Formulation {
	f := newFormulation(m)
	spots := f.spotRows()
	before := -1
	for t := 1; t <= f.b.slots; t++ {
		c := f.column(Column{Upper: math.Inf(1)})
		f.stocks = append(f.stocks, c)
		row := []Term{{c, 1}}
		if before >= 0 {
			row = append(row, Term{before, -1})
		}
		if t == 1 && spots >= 0 {
			row = append(row, Term{spots, 1})
		}
		for i := range f.b.options {
			if o := &f.b.options[i]; f.steps[i] >= 0 && t > o.after && t <= o.window {
				row = append(row, Term{f.steps[i], float64(o.gpus)})
			}
		}
		f.exactly(float64(m.Capacity[t-1]), row...)
		before = c
	}
	return f
}

// Direct is the textbook model: x[i,k] for each job (under each policy) and slot.
// It holds all that a calendar must, cells of slot 1 included, so its optimum is
// the optimum of the round. It is far too large to plan with: a reference.
func Direct(m *Model) *Formulation {
	f := newFormulation(m)
	use := make([][]Term, f.b.slots) // of each slot by jobs with steps
	var first []int                  // options that have x, one a policy
	for j := range m.Jobs {
		from, to := f.b.of(j)
		for c := range m.Jobs[j].Policies {
			var options []int
			last := 0
			for i := from; i < to; i++ {
				if o := &f.b.options[i]; o.policy == c && !o.spot() {
					options = append(options, i)
					last = max(last, o.window)
				}
			}
			if len(options) == 0 {
				continue
			}
			first = append(first, options[0])
			var held []int
			for k := range last {
				x := f.binary(0)
				held = append(held, x)
				row := []Term{{x, 1}} // no lease without a promise
				for _, i := range options {
					row = append(row, Term{f.steps[i], -1})
				}
				f.atMost(0, row...)
				use[k] = append(use[k], Term{x, float64(m.Jobs[j].Policies[c].GPUs)})
			}
			for _, i := range options {
				f.held[i] = held
				o := &f.b.options[i]
				row := []Term{{f.steps[i], float64(o.inside())}}
				for _, x := range held[:o.window] {
					row = append(row, Term{x, -1})
				}
				f.atMost(0, row...)
			}
		}
	}
	for k := range use {
		if k > 0 {
			f.atMost(float64(m.Capacity[k]), use[k]...)
		}
	}
	for q := range f.b.sub {
		if f.b.slots > 0 {
			f.firstSlot(q, use[0], first)
		}
	}
	return f
}

// firstSlot adds the rows of one sub-slot: its GPUs, and its cells of each size.
func (f *Formulation) firstSlot(q int, use []Term, first []int) {
	m := f.b.m
	row := slices.Clone(use)
	for i := range f.spots {
		if f.spots[i] != nil {
			row = append(row, Term{f.spots[i][q], float64(f.b.options[i].gpus)})
		}
	}
	f.atMost(float64(m.Capacity[0]), row...)
	if m.Gate == nil {
		return
	}
	for size, free := range m.Gate.Free {
		var row []Term
		for _, i := range first {
			if n := f.b.options[i].levels[size]; n > 0 && len(f.held[i]) > 0 {
				row = append(row, Term{f.held[i][0], float64(n)})
			}
		}
		for i := range f.spots {
			if n := f.b.options[i].levels[size]; n > 0 && f.spots[i] != nil {
				row = append(row, Term{f.spots[i][q], float64(n)})
			}
		}
		f.atMost(float64(free), row...)
	}
}
