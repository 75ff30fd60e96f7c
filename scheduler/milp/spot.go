package milp

import (
	"cmp"
	"slices"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/reward"
)

// fillSpots gives the spot jobs what the calendar leaves of slot 1, most reward
// for a GPU first, then improves by ruin and recreate.
func (d *draft) fillSpots(patience int, rnd *random, spend func() bool) {
	d.spots, d.extra = make([]spotPick, len(d.pick)), 0
	if !d.b.spots || len(d.free) == 0 {
		return
	}
	f := newSpotFill(d)
	f.recreate(f.order)
	if f.most > f.value && len(f.order) > 0 {
		f.improve(patience, rnd, spend)
	}
	d.spots, d.extra = f.picks, f.value
}

// spotFill is the sub-slots of slot 1 with what they hold.
type spotFill struct {
	b     *board
	free  []int // GPUs of each sub-slot
	open  []cells.Levels
	gated bool
	picks []spotPick
	value reward.Points
	most  reward.Points // if every spot job had its best
	order []int         // options of one sub-slot or more, most reward for a GPU first
}

func newSpotFill(d *draft) *spotFill {
	b := d.b
	f := &spotFill{b: b, free: make([]int, b.sub), open: make([]cells.Levels, b.sub), gated: b.m.Gate != nil, picks: make([]spotPick, len(d.pick))}
	for q := range f.free {
		f.free[q], f.open[q] = d.free[0], d.open
	}
	for j := range b.m.Jobs {
		from, to := b.of(j)
		if from < to && b.options[from].spot() {
			f.most += b.options[from].gain
		}
		for i := from; i < to; i++ {
			if o := &b.options[i]; o.spot() && o.gpus <= d.free[0] {
				f.order = append(f.order, i)
			}
		}
	}
	slices.SortStableFunc(f.order, func(x, y int) int {
		p, q := &b.options[x], &b.options[y]
		// gain/charge, without division: both are small enough
		return cmp.Or(cmp.Compare(int64(q.gain)*int64(p.charge), int64(p.gain)*int64(q.charge)), cmp.Compare(q.gain, p.gain), cmp.Compare(x, y))
	})
	return f
}

// put gives the option the freest sub-slots, if enough hold it.
func (f *spotFill) put(i int) bool {
	o := &f.b.options[i]
	subs := make([]int, 0, len(f.free))
	for q := range f.free {
		if f.free[q] >= o.gpus && (!f.gated || f.open[q].Holds(o.levels)) {
			subs = append(subs, q)
		}
	}
	if len(subs) < o.q {
		return false
	}
	slices.SortStableFunc(subs, func(x, y int) int { return f.free[y] - f.free[x] })
	subs = subs[:o.q:o.q]
	slices.Sort(subs)
	for n, q := range subs {
		f.free[q] -= o.gpus
		f.open[q] = f.open[q].Sub(o.levels)
		subs[n]++
	}
	f.picks[o.job] = spotPick{o.policy, subs}
	f.value += o.gain
	return true
}

func (f *spotFill) drop(job int) {
	s := f.picks[job]
	p := &f.b.m.Jobs[job].Policies[s.policy]
	for _, q := range s.subs {
		f.free[q-1] += p.GPUs
		f.open[q-1] = f.open[q-1].Add(p.cells().Levels())
		f.value -= f.b.each(job, s.policy)
	}
	f.picks[job] = spotPick{}
}

func (f *spotFill) recreate(order []int) {
	for _, i := range order {
		if f.picks[f.b.options[i].job].subs == nil {
			f.put(i)
		}
	}
}

func (f *spotFill) clone() *spotFill {
	c := *f
	c.free, c.open, c.picks = slices.Clone(f.free), slices.Clone(f.open), slices.Clone(f.picks)
	return &c
}

// improve takes a few jobs out and fills up in a disturbed order.
func (f *spotFill) improve(patience int, rnd *random, spend func() bool) {
	for stale := 0; stale < patience; stale++ {
		if !spend() {
			return
		}
		try := f.clone()
		for range 1 + rnd.below(3) {
			if j := f.b.options[f.order[rnd.below(len(f.order))]].job; try.picks[j].subs != nil {
				try.drop(j)
			}
		}
		from := rnd.below(len(f.order))
		try.recreate(f.order[from:])
		try.recreate(f.order)
		if try.value >= f.value {
			if try.value > f.value {
				stale = 0
			}
			order := f.order
			*f = *try
			f.order = order
		}
	}
}
