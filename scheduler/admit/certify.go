package admit

import (
	"slices"

	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// shortage says that by the end of a slot gpus of needed GPU-leases are missing.
type shortage struct{ slot, gpus, needed int }

// outcome is what a search for a calendar came to.
type outcome struct {
	code  Code // Guaranteed: found
	short shortage
	slots lease.Calendar // of each claim
	steps int64
}

// certify looks for a calendar that holds all claims: beside the standing one if
// that still holds, else a new one.
func (t *table) certify(claims []*Claim) outcome {
	if s := t.short(claims); s.gpus > 0 {
		return outcome{code: Short, short: s}
	}
	if slots, ok := t.beside(claims); ok {
		return outcome{code: Guaranteed, slots: slots}
	}
	groups := classes(claims)
	if len(groups) == 1 {
		return t.search(t.empty().left(claims[0]), claims)
	}
	out := t.search(t.rooms[0].GPUs, claims)
	if out.code != Guaranteed || t.within(claims, out.slots) {
		return out
	}
	return t.nested(claims, groups, out.steps)
}

// short is the prefix test of every room.
func (t *table) short(claims []*Claim) shortage {
	for i := range t.rooms {
		r := &t.rooms[i]
		var in []lease.Demand
		for _, c := range claims {
			if r.Holds(c) {
				in = append(in, c.demand())
			}
		}
		if s, is := lease.Short(r.GPUs, in); is {
			return shortage{s.Slot, s.GPUs, needed(r.GPUs, in, s)}
		}
	}
	return shortage{}
}

// needed is how much had to be there for a shortage of the prefix test not to be:
// of a gang for which its window is too short, or all slots of it too narrow, what
// it needs alone; else what all need by that slot.
func needed(capacity []int, in []lease.Demand, s lease.Shortage) int {
	wide := 0
	for _, g := range capacity[:s.Slot] {
		wide = max(wide, g)
	}
	for i := range in {
		d := &in[i]
		switch inside, last := d.Inside(len(capacity)), d.Window(len(capacity)); {
		case last == s.Slot && inside > last:
			return d.GPUs * inside
		case last == s.Slot && inside > 0 && d.GPUs > wide:
			return d.GPUs
		}
	}
	sum := 0
	for i := range in {
		sum += in[i].GPUs * in[i].Need(s.Slot)
	}
	return sum
}

// beside lets every claim keep its slots and gives those that need more, or are
// new, the earliest slots with room. So a new promise moves nobody if it need not.
func (t *table) beside(claims []*Claim) (lease.Calendar, bool) {
	x := t.empty()
	slots := make(lease.Calendar, len(claims))
	for i, c := range claims {
		for _, k := range c.kept {
			if k > c.By || len(slots[i]) == c.Leases {
				break
			}
			if !x.fits(c, k) {
				return nil, false
			}
			x.take(c, k)
			slots[i] = append(slots[i], k)
		}
	}
	for i, c := range claims {
		has := slots[i]
		for k := 1; k <= c.By && len(slots[i]) < c.Leases; k++ {
			if len(has) > 0 && has[0] == k {
				has = has[1:]
			} else if x.fits(c, k) {
				x.take(c, k)
				slots[i] = append(slots[i], k)
			}
		}
		if len(slots[i]) < c.Leases {
			return nil, false
		}
		slices.Sort(slots[i])
	}
	return slots, true
}

// search makes a new calendar in one room, or proves that there is none.
func (t *table) search(capacity []int, claims []*Claim) outcome {
	m := model(capacity, claims)
	steps := t.steps
	if steps == 0 {
		steps = worth(m)
	}
	plan, verdict, _ := milp.Certify(m, milp.Budget{Steps: steps})
	switch verdict {
	case lease.Found:
		out := outcome{code: Guaranteed, slots: make(lease.Calendar, len(claims)), steps: plan.Steps}
		for i := range claims {
			out.slots[i] = plan.Jobs[i].Slots
		}
		return out
	case lease.Unknown:
		return outcome{code: Unproven}
	}
	return outcome{code: NoCalendar}
}

// worth is the budget of a search that is given none: a third of a second at most,
// also where deadlines are thousands of slots away and each step looks at all of
// them. An answer with its offers is a dozen searches.
func worth(m *milp.Model) int64 {
	const most = 300000
	return min(milp.DefaultSteps(m), max(1000, most/int64(1+len(m.Jobs)*len(m.Capacity)/2000)))
}

// model writes claims as a round in which all of them are promised.
func model(capacity []int, claims []*Claim) *milp.Model {
	m := &milp.Model{Capacity: capacity}
	for _, c := range claims {
		m.Jobs = append(m.Jobs, milp.Job{
			ID: c.Job, Kind: reward.Strict, Must: true,
			Steps:    []reward.Step{{By: c.By, Reward: reward.Paper.Strict[0].Reward}},
			Policies: []milp.Policy{{GPUs: c.GPUs, Leases: c.Leases}},
		})
	}
	return m
}

// nested makes the calendars of claims that share all their rooms one group after
// the other, each in what those before have left. It can miss a calendar, so it
// proves nothing.
func (t *table) nested(claims []*Claim, groups [][]int, steps int64) outcome {
	out := outcome{code: Guaranteed, slots: make(lease.Calendar, len(claims)), steps: steps}
	x := t.empty()
	for _, group := range groups {
		var part []*Claim
		for _, i := range group {
			part = append(part, claims[i])
		}
		found := t.search(x.left(part[0]), part)
		out.steps += found.steps
		if found.code != Guaranteed {
			return outcome{code: Unproven, steps: out.steps}
		}
		for n, i := range group {
			out.slots[i] = found.slots[n]
			for _, k := range out.slots[i] {
				x.take(claims[i], k)
			}
		}
	}
	return out
}
