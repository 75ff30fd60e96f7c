package milp

import (
	"cmp"
	"slices"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
)

// core is demands of which there is no calendar together, whatever else runs.
type core struct{ size, met int }

// cores is what has been learned about a round.
type cores struct {
	list   []core
	member [][]coreMember // by job
}

func newCores(b *board) *cores { return &cores{member: make([][]coreMember, len(b.m.Jobs))} }

// reset begins a new search with what is known.
func (c *cores) reset() {
	for n := range c.list {
		c.list[n].met = 0
	}
}

// coreMember is one job's part in a core: it counts when the job's option is at
// least as hard.
type coreMember struct {
	core   int
	demand lease.Demand
	levels cells.Levels
}

// mostCores bounds what is remembered, and coreSteps the search for each.
const (
	mostCores = 2000
	coreSteps = 3000
)

// learn remembers why there was no calendar: demands are taken away while the
// rest is still proven impossible.
func (s *branch) learn() {
	if len(s.cores.list) == mostCores || len(s.demands) > proofJobs {
		return
	}
	keep := make([]int, len(s.demands))
	for n := range keep {
		keep[n] = n
	}
	// Late and small demands are most often innocent.
	slices.SortStableFunc(keep, func(x, y int) int {
		return cmp.Or(cmp.Compare(s.demands[y].By, s.demands[x].By), cmp.Compare(s.demands[x].GPUs, s.demands[y].GPUs))
	})
	for n := 0; n < len(keep); {
		var rest []lease.Demand
		for _, i := range append(slices.Clone(keep[:n]), keep[n+1:]...) {
			rest = append(rest, s.demands[i])
		}
		steps := coreSteps
		spend := func() bool { steps--; return steps >= 0 && s.spendFind() }
		if _, verdict := lease.Find(s.b.m.Capacity, s.gate, rest, spend); verdict == lease.Impossible {
			keep = slices.Delete(keep, n, n+1)
		} else {
			n++
		}
	}
	c := core{size: len(keep), met: len(keep)} // all are met now
	for _, n := range keep {
		s.cores.member[s.owner[n]] = append(s.cores.member[s.owner[n]], coreMember{len(s.cores.list), s.demands[n], s.demands[n].Cells.Levels()})
	}
	s.cores.list = append(s.cores.list, c)
}

// blocked counts an option in the cores it is part of (or takes it back) and
// reports whether one of them is complete.
func (s *branch) blocked(o *option, sign int) bool {
	full := false
	for _, m := range s.cores.member[o.job] {
		if o.gpus >= m.demand.GPUs && o.leases >= m.demand.Leases && o.by <= m.demand.By && (s.gate == nil || o.levels.Holds(m.levels)) {
			c := &s.cores.list[m.core]
			c.met += sign
			full = full || c.met == c.size && sign > 0
		}
	}
	return full
}
