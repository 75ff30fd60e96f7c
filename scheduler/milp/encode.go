package milp

import "slices"

// Encode writes a plan of the model as a point of the program, for a solver to
// start from.
func (f *Formulation) Encode(p *Plan) []float64 {
	x := make([]float64, len(f.Columns))
	most := 0
	use := make([]int, f.b.sub)
	stock := append([]int{0}, f.b.m.Capacity...)
	for i := range f.b.options {
		o := &f.b.options[i]
		j := &p.Jobs[o.job]
		switch {
		case j.Policy != o.policy:
		case o.spot():
			if o.q == 1 && len(j.Subs) > 0 {
				x[f.spots[i][f.b.sub]] = 1
				for _, q := range j.Subs {
					x[f.spots[i][q-1]] = 1
					use[q-1] += o.gpus
					most = max(most, use[q-1])
				}
			}
		case j.Step == o.step:
			x[f.steps[i]] = 1
			for _, k := range j.Slots {
				if f.held[i] != nil {
					x[f.held[i][k-1]] = 1
				}
			}
			for t := o.after + 1; t <= o.window; t++ {
				stock[t] -= o.gpus
			}
		}
	}
	if f.most >= 0 {
		x[f.most] = float64(most)
		if len(stock) > 1 {
			stock[1] -= most
		}
	}
	left := 0
	for t, c := range f.stocks {
		left += stock[t+1]
		x[c] = float64(left)
	}
	return x
}

// decode makes a calendar for the choice of a point, or returns nil when it is
// none: two options of one job. When some jobs of the choice find no slots, it
// also returns a slot set whose row the choice breaks, if there is one.
func (f *Formulation) decode(x []float64) (*draft, []bool) {
	b := f.b
	pick := make([]int, len(b.m.Jobs))
	for j := range pick {
		pick[j] = -1
	}
	charge := 0
	held := make([][]int, len(pick))
	for i := range b.options {
		o := &b.options[i]
		if o.spot() {
			if o.q == 1 {
				for _, u := range f.spots[i][:b.sub] {
					if x[u] > 0.5 {
						charge += o.gpus
					}
				}
			}
			continue
		}
		if x[f.steps[i]] > 0.5 {
			if pick[o.job] >= 0 {
				return nil, nil
			}
			pick[o.job] = i
			for k, c := range f.held[i] {
				if x[c] > 0.5 && k < o.window && len(held[o.job]) < o.inside() {
					held[o.job] = append(held[o.job], k+1)
				}
			}
		}
	}
	reserve := (charge + b.sub - 1) / b.sub
	if f.most >= 0 {
		reserve = max(reserve, int(x[f.most]+0.5))
	}
	d := f.slots(pick, held)
	var set []bool
	if d == nil {
		var left []int
		d, left = b.schedule(pick, reserve)
		if len(left) > 0 && b.falls() {
			set = b.violated(pick)
		}
		for _, j := range left {
			if !d.insert(j, reserve, fullestFirst, nil) {
				d.insert(j, 0, fullestFirst, nil)
			}
		}
		if len(left) > 0 { // gangs leave holes that the rows do not see
			d = d.search(b.most(), reserve, min(searchPatience, 20*len(d.pick), 400000/len(d.pick)), &random{}, always)
		}
	}
	d.fillSpots(spotPatience, &random{}, always)
	d.settle()
	return d, set
}

// slots is the calendar that a point of Direct holds; nil when it holds none.
func (f *Formulation) slots(pick []int, held [][]int) *draft {
	d := newDraft(f.b)
	for j, i := range pick {
		if i < 0 {
			continue
		}
		o := &f.b.options[i]
		if len(held[j]) < o.inside() {
			return nil
		}
		for _, k := range held[j] {
			if !d.room(o, k, 0) {
				return nil
			}
		}
		d.hold(i, slices.Clone(held[j]))
	}
	return d
}

// always spends without counting: what a point is made into takes a bounded time,
// and is not part of the budget of a plan.
func always() bool { return true }
