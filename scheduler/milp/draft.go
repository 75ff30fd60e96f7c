package milp

import (
	"slices"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

// draft is a calendar under construction: every state of it can be carried out.
type draft struct {
	b     *board
	pick  []int   // option of each job with steps, -1: none
	slots [][]int // leases of each job, ascending
	free  []int   // of slot k+1
	open  cells.Levels
	value reward.Points // of the picks

	spots []spotPick // of each job; nil: none computed yet
	extra reward.Points
}

// spotPick is what a spot job gets: sub-slots, from 1, under a policy.
type spotPick struct {
	policy int
	subs   []int
}

func newDraft(b *board) *draft {
	d := &draft{b: b, pick: make([]int, len(b.m.Jobs)), slots: make([][]int, len(b.m.Jobs)), free: slices.Clone(b.m.Capacity)}
	for j := range d.pick {
		d.pick[j] = -1
	}
	if b.m.Gate != nil {
		d.open = b.m.Gate.Free
	}
	return d
}

// total is what the draft earns beyond late rewards.
func (d *draft) total() reward.Points { return d.value + d.extra }

func (d *draft) clone() *draft {
	c := *d
	c.pick, c.slots, c.free, c.spots = slices.Clone(d.pick), slices.Clone(d.slots), slices.Clone(d.free), slices.Clone(d.spots)
	return &c
}

// hold gives the job the option in these slots.
func (d *draft) hold(i int, slots []int) {
	o := &d.b.options[i]
	d.pick[o.job], d.slots[o.job] = i, slots
	d.value += o.gain
	for _, k := range slots {
		d.free[k-1] -= o.gpus
	}
	if len(slots) > 0 && slots[0] == 1 {
		d.open = d.open.Sub(o.levels)
	}
}

func (d *draft) release(job int) {
	o := &d.b.options[d.pick[job]]
	for _, k := range d.slots[job] {
		d.free[k-1] += o.gpus
	}
	if s := d.slots[job]; len(s) > 0 && s[0] == 1 {
		d.open = d.open.Add(o.levels)
	}
	d.value -= o.gain
	d.pick[job], d.slots[job] = -1, nil
}

// room reports whether slot k, from 1, has room for the option beside what it
// holds and reserve GPUs that are kept for spot jobs in slot 1.
func (d *draft) room(o *option, k, reserve int) bool {
	free := d.free[k-1]
	if k == 1 {
		if free -= reserve; d.b.m.Gate != nil && !d.open.Holds(o.levels) {
			return false
		}
	}
	return free >= o.gpus
}

// slotOrder is in which order slots are tried for a job.
type slotOrder int

const (
	fullestFirst slotOrder = iota
	latestFirst
	earliestFirst
	anyOrder
	slotOrders
)

// place looks for slots for the option and takes them.
func (d *draft) place(i, reserve int, order slotOrder, rnd *random) bool {
	o := &d.b.options[i]
	n := o.inside()
	if n == 0 {
		d.hold(i, nil)
		return true
	}
	var slots []int
	for k := 1; k <= o.window; k++ {
		if d.room(o, k, reserve) {
			slots = append(slots, k)
		}
	}
	if len(slots) < n {
		return false
	}
	switch order {
	case fullestFirst:
		slices.SortStableFunc(slots, func(x, y int) int { return d.free[x-1] - d.free[y-1] })
	case latestFirst:
		slices.Reverse(slots)
	case anyOrder:
		for x := len(slots) - 1; x > 0; x-- {
			y := rnd.below(x + 1)
			slots[x], slots[y] = slots[y], slots[x]
		}
	}
	slots = slots[:n:n]
	slices.Sort(slots)
	d.hold(i, slots)
	return true
}

// insert gives the job the option with most gain that finds slots.
func (d *draft) insert(job, reserve int, order slotOrder, rnd *random) bool {
	from, to := d.b.of(job)
	for i := from; i < to; i++ {
		if !d.b.options[i].spot() && d.place(i, reserve, order, rnd) {
			return true
		}
	}
	return false
}

// schedule makes a calendar for the picks, by least laxity first or, where that
// loses more, latest slots first. It returns the jobs that did not find all their
// slots and are left out.
func (b *board) schedule(pick []int, reserve int) (*draft, []int) {
	d := newDraft(b)
	capacity := slices.Clone(b.m.Capacity)
	if len(capacity) > 0 {
		capacity[0] = max(0, capacity[0]-reserve)
	}
	var demands []lease.Demand
	var options []int
	for _, i := range pick {
		if i >= 0 && !b.options[i].spot() {
			options = append(options, i)
			demands = append(demands, b.options[i].demand(b.m))
		}
	}
	calendar, late := lease.LeastLaxity(capacity, b.m.Gate, demands)
	if len(late) > 0 {
		lost := func(late []int) (sum reward.Points) {
			for _, n := range late {
				sum += b.options[options[n]].gain
			}
			return sum
		}
		if other, later := lease.Latest(capacity, b.m.Gate, demands); lost(later) < lost(late) {
			calendar, late = other, later
		}
	}
	var left []int
	for n, i := range options {
		if len(late) > 0 && late[0] == n {
			late = late[1:]
			left = append(left, b.options[i].job)
			continue
		}
		d.hold(i, calendar[n])
	}
	return d, left
}

// hungry lists the jobs with steps that have less than their best option.
func (d *draft) hungry() []int {
	var out []int
	for j := range d.pick {
		from, to := d.b.of(j)
		if from == to || d.b.options[from].spot() {
			continue
		}
		if i := d.pick[j]; i < 0 || d.b.options[i].gain < d.b.options[from].gain {
			out = append(out, j)
		}
	}
	return out
}

// settle raises each job to the best option that its slots meet anyway.
func (d *draft) settle() {
	for j, i := range d.pick {
		if i < 0 {
			continue
		}
		from, _ := d.b.of(j)
		for n := from; n < i; n++ {
			o, held := &d.b.options[n], &d.b.options[i]
			if o.policy != held.policy || o.gain <= held.gain {
				continue
			}
			demand := o.demand(d.b.m)
			if demand.Covers(d.slots[j], d.b.slots) {
				d.value += o.gain - held.gain
				d.pick[j] = n
				break
			}
		}
	}
}

// search is ruin and recreate on calendars, for rounds in which gangs leave
// holes. The rows cannot see holes, the calendar can. It returns the best found.
func (d *draft) search(bound reward.Points, reserve, patience int, rnd *random, spend func() bool) *draft {
	best := d.clone()
	for stale := 0; stale < patience && best.total() < bound; stale++ {
		if !spend() {
			break
		}
		hungry := d.hungry()
		if len(hungry) == 0 {
			break
		}
		try := d.clone()
		first := hungry[rnd.below(len(hungry))]
		back := []int{first}
		if try.pick[first] >= 0 {
			if try.b.m.Jobs[first].Must {
				continue
			}
			try.release(first)
		}
		for range 1 + rnd.below(4) {
			j := rnd.below(len(try.pick))
			if try.pick[j] >= 0 && try.b.options[try.pick[j]].inside() > 0 {
				try.release(j)
				back = append(back, j)
			}
		}
		order := slotOrder(rnd.below(int(slotOrders)))
		if rnd.below(3) > 0 { // else the one that was left out stays first
			for x := len(back) - 1; x > 0; x-- {
				y := rnd.below(x + 1)
				back[x], back[y] = back[y], back[x]
			}
		}
		lost := false
		for _, j := range back {
			lost = !try.insert(j, reserve, order, rnd) && try.b.m.Jobs[j].Must || lost
		}
		for range min(3, len(hungry)) {
			if j := hungry[rnd.below(len(hungry))]; try.pick[j] < 0 {
				try.insert(j, reserve, order, rnd)
			}
		}
		if lost || try.value < d.value {
			continue
		}
		if try.value > best.value {
			best, stale = try.clone(), 0
		}
		d = try
	}
	return best
}
