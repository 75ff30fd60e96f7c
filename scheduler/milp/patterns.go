package milp

import (
	"encoding/binary"
	"slices"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/reward"
)

// pattern is one way to serve spot jobs: what it earns, and what it takes of
// slot 1 in the fullest sub-slot, by size of cell (index 0: GPUs).
type pattern struct {
	gain  reward.Points
	use   cells.Levels
	picks []spotPick
}

// mostWays bounds the work of the enumeration: ways to states that are looked at.
const mostWays = 150000

// patterns lists the ways to serve spot jobs of which none earns as much as
// another one with less room, most gain first. It is a table over the jobs:
// what each sub-slot holds decides what else fits, and of the ways to the same
// state the best is kept. It reports false when there are too many, or no steps
// are left to spend.
func (b *board) patterns(spend func() bool) ([]pattern, bool) {
	var free cells.Levels
	if b.slots > 0 {
		free = cells.Levels{b.m.Capacity[0], plenty, plenty, plenty}
		if b.m.Gate != nil {
			free = b.m.Gate.Free
			free[0] = min(free[0], b.m.Capacity[0])
		}
	}
	next := &stateTable{}
	states := []spotState{{use: make([]cells.Levels, b.sub)}}
	for j := range b.m.Jobs {
		from, to := b.of(j)
		if from == to || !b.options[from].spot() {
			continue
		}
		next.at, next.states = make(map[string]int), nil
		for s := range states {
			if !spend() || next.ways > mostWays {
				return nil, false
			}
			next.add(&states[s])
			for i := from; i < to; i++ {
				states[s].serve(b, i, free, next)
			}
		}
		states = next.states
	}
	return b.pareto(states), true
}

// spotState is what the sub-slots hold, sorted, and the best way to it.
type spotState struct {
	use  []cells.Levels
	gain reward.Points
	way  *spotWay
}

// spotWay is a linked list of decisions; subs are places of the sorted use
// before the decision, moved says where each place went after it.
type spotWay struct {
	option int
	subs   []int
	moved  []int
	before *spotWay
}

// serve adds the states after the job got the option, in every set of sub-slots
// that is not equal to another one.
func (s *spotState) serve(b *board, i int, free cells.Levels, next *stateTable) {
	o := &b.options[i]
	levels := o.levels
	if b.m.Gate == nil {
		levels = cells.Levels{o.gpus}
	}
	for set := 1; set < 1<<b.sub; set++ {
		var subs []int
		fits := true
		for q := range b.sub {
			if set>>q&1 == 0 {
				continue
			}
			if q > 0 && set>>(q-1)&1 == 0 && s.use[q-1] == s.use[q] {
				fits = false // equal to the set with q-1 instead
				break
			}
			subs = append(subs, q)
			fits = fits && free.Holds(s.use[q].Add(levels))
		}
		if !fits || len(subs) != o.q {
			continue
		}
		n := spotState{use: slices.Clone(s.use), gain: s.gain + o.gain}
		for _, q := range subs {
			n.use[q] = n.use[q].Add(levels)
		}
		moved := make([]int, b.sub)
		for q := range moved {
			moved[q] = q
		}
		slices.SortStableFunc(moved, func(x, y int) int { return slices.Compare(n.use[x][:], n.use[y][:]) })
		sorted := make([]cells.Levels, b.sub)
		for to, q := range moved {
			sorted[to] = n.use[q]
		}
		n.use = sorted
		n.way = &spotWay{option: i, subs: subs, moved: moved, before: s.way}
		next.add(&n)
	}
}

// stateTable keeps the best way to each state, in order of arrival.
type stateTable struct {
	states []spotState
	at     map[string]int
	key    []byte
	ways   int // ever added
}

func (t *stateTable) add(s *spotState) {
	t.ways++
	t.key = t.key[:0]
	for _, l := range s.use {
		for _, n := range l {
			t.key = binary.AppendUvarint(t.key, uint64(n))
		}
	}
	if i, ok := t.at[string(t.key)]; ok {
		if s.gain > t.states[i].gain {
			t.states[i] = *s
		}
		return
	}
	t.at[string(t.key)] = len(t.states)
	t.states = append(t.states, *s)
}

// pareto turns states into patterns and drops those that another one beats.
func (b *board) pareto(states []spotState) []pattern {
	all := make([]pattern, len(states))
	for n := range states {
		all[n].gain = states[n].gain
		for _, l := range states[n].use {
			for i := range l {
				all[n].use[i] = max(all[n].use[i], l[i])
			}
		}
	}
	order := make([]int, len(all))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(x, y int) int {
		if all[x].gain != all[y].gain {
			return int(max(-1, min(1, all[y].gain-all[x].gain)))
		}
		return slices.Compare(all[x].use[:], all[y].use[:])
	})
	var out []pattern
	for _, n := range order {
		if !slices.ContainsFunc(out, func(p pattern) bool { return all[n].use.Holds(p.use) }) {
			all[n].picks = b.unwind(&states[n])
			out = append(out, all[n])
		}
	}
	return out
}

// unwind follows a way back and returns who holds which sub-slots.
func (b *board) unwind(s *spotState) []spotPick {
	picks := make([]spotPick, len(b.m.Jobs))
	name := make([]int, b.sub) // of each place of the sorted use: its sub-slot
	for q := range name {
		name[q] = q + 1
	}
	for w := s.way; w != nil; w = w.before {
		earlier := make([]int, b.sub)
		for to, q := range w.moved {
			earlier[q] = name[to]
		}
		name = earlier
		var subs []int
		for _, q := range w.subs {
			subs = append(subs, name[q])
		}
		slices.Sort(subs)
		o := &b.options[w.option]
		picks[o.job] = spotPick{o.policy, subs}
	}
	return picks
}
