package milp

import (
	"cmp"
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

// service looks for the best way to serve the spot jobs of a round within some
// part of slot 1: a search whose rows are the cells of all sub-slots together.
// Who holds which sub-slots is decided for a whole choice.
type service struct {
	*search
	room   cells.Levels // of each sub-slot
	gated  bool
	best   []spotPick
	open   []cells.Levels // of each sub-slot, while a choice is tried
	packed []int          // options of a choice, largest first
	subs   [][]int        // of each of them
	steps  int
}

// packSteps is how long sub-slots are tried for one choice.
const packSteps = 2000

// spotBoard is the board of the spot jobs alone; other jobs have nothing to
// choose.
func (m *Model) spotBoard() *board {
	only := &Model{Capacity: m.Capacity[:min(1, len(m.Capacity))], Sub: m.Sub, Gate: m.Gate, Jobs: make([]Job, len(m.Jobs))}
	for j := range m.Jobs {
		if only.Jobs[j].Kind = reward.Spot; m.Jobs[j].spot() {
			only.Jobs[j] = m.Jobs[j]
		}
	}
	b := newBoard(only, false)
	b.sets = nil // the rows of a service are its own
	return b
}

// room is all of slot 1.
func (m *Model) room() cells.Levels {
	if len(m.Capacity) == 0 {
		return cells.Levels{}
	}
	if m.Gate == nil {
		return cells.Levels{m.Capacity[0], plenty, plenty, plenty}
	}
	room := m.Gate.Free
	room[0] = min(room[0], m.Capacity[0])
	return room
}

// serve returns the way that earns most within the room, if one reaches the
// target, and a bound on all.
func (b *board) serve(room cells.Levels, target reward.Points, spend func() bool) (*pattern, reward.Points) {
	s := &service{search: newSearch(b, target-1, spend), room: room, gated: b.m.Gate != nil}
	s.separate, s.whole = func([]float64) []*row { return nil }, s.pack
	for n := range room {
		if s.gated || n == 0 {
			s.r.add(s.row(room[n], func(o *option) int { return s.levels(o)[n] }))
		}
	}
	if !s.gated {
		for _, h := range b.gangs() {
			s.r.add(s.row(room[0]/h, func(o *option) int { return o.gpus / h }))
		}
	}
	limit := s.run()
	if !s.found {
		return nil, limit
	}
	p := &pattern{gain: s.value, picks: s.best}
	for q := range b.sub {
		var use cells.Levels
		for j, pick := range s.best {
			if slices.Contains(pick.subs, q+1) {
				use = use.Add(s.levelsOf(j, pick.policy))
			}
		}
		for n := range use {
			p.use[n] = max(p.use[n], use[n])
		}
	}
	return p, limit
}

// gangs lists the sizes of spot gangs above 1, ascending.
func (b *board) gangs() []int {
	var sizes []int
	for i := range b.options {
		if g := b.options[i].gpus; g > 1 && !slices.Contains(sizes, g) {
			sizes = append(sizes, g)
		}
	}
	slices.Sort(sizes)
	return sizes
}

func (s *service) row(most int, need func(o *option) int) *row {
	q := &row{need: make([]float64, len(s.b.options)), most: float64(most * s.b.sub)}
	for i := range q.need {
		q.need[i] = float64(need(&s.b.options[i]) * s.b.options[i].q)
	}
	return q
}

// levels is what an option takes of a sub-slot; where no cells are pinned, only
// GPUs count.
func (s *service) levels(o *option) cells.Levels {
	if !s.gated {
		return cells.Levels{o.gpus}
	}
	return o.levels
}

func (s *service) levelsOf(job, policy int) cells.Levels {
	p := &s.b.m.Jobs[job].Policies[policy]
	if !s.gated {
		return cells.Levels{p.GPUs}
	}
	return p.cells().Levels()
}

// pack looks for sub-slots of a whole choice.
func (s *service) pack(pick []int, _ reward.Points) (verdict, *row) {
	var all []int
	for _, i := range pick {
		if i >= 0 {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(x, y int) int {
		p, q := &s.b.options[x], &s.b.options[y]
		return cmp.Or(cmp.Compare(q.gpus, p.gpus), cmp.Compare(q.q, p.q))
	})
	if s.hold(all) {
		s.best = make([]spotPick, len(s.b.m.Jobs))
		for n, i := range all {
			o := &s.b.options[i]
			slices.Sort(s.subs[n])
			s.best[o.job] = spotPick{o.policy, s.subs[n]}
		}
		return carried, nil
	}
	v := cutOff
	if s.steps <= 0 {
		v = givenUp
	}
	for n := len(all) - 1; n >= 0 && v == cutOff; n-- { // the small ones are most often innocent
		if rest := slices.Delete(slices.Clone(all), n, n+1); !s.hold(rest) && s.steps > 0 {
			all = rest
		}
	}
	q := &row{need: make([]float64, len(s.b.options)), most: float64(len(all) - 1)}
	for _, i := range all {
		from, to := s.b.of(s.b.options[i].job)
		for n := from; n < to; n++ {
			if s.b.options[n].q >= s.b.options[i].q && s.levels(&s.b.options[n]).Holds(s.levels(&s.b.options[i])) {
				q.need[n] = 1
			}
		}
	}
	return v, q.list()
}

// hold looks for sub-slots of options, largest first.
func (s *service) hold(options []int) bool {
	s.packed, s.open, s.subs, s.steps = options, make([]cells.Levels, s.b.sub), make([][]int, len(options)), packSteps
	for q := range s.open {
		s.open[q] = s.room
	}
	return s.place(0)
}

// place gives the n-th option and those after it sub-slots, the freest first.
func (s *service) place(n int) bool {
	if n == len(s.packed) {
		return true
	}
	if s.steps--; s.steps <= 0 || !s.spend() {
		s.steps = 0
		return false
	}
	o := &s.b.options[s.packed[n]]
	levels := s.levels(o)
	subs := make([]int, 0, s.b.sub)
	for q := range s.open {
		if s.open[q].Holds(levels) {
			subs = append(subs, q)
		}
	}
	slices.SortStableFunc(subs, func(x, y int) int { return -slices.Compare(s.open[x][:], s.open[y][:]) })
	return s.choose(n, levels, subs, o.q)
}

// choose takes left of the sub-slots for the n-th option in every way that is
// not equal to another one.
func (s *service) choose(n int, levels cells.Levels, subs []int, left int) bool {
	if left == 0 {
		return s.place(n + 1)
	}
	for k := 0; k+left <= len(subs); k++ {
		q := subs[k]
		if k > 0 && s.open[subs[k-1]] == s.open[q] {
			continue // equal to the one before, which has been tried
		}
		before := s.open[q]
		s.open[q] = before.Sub(levels)
		s.subs[n] = append(s.subs[n], q+1)
		if s.choose(n, levels, subs[k+1:], left-1) {
			return true
		}
		s.open[q] = before
		s.subs[n] = s.subs[n][:len(s.subs[n])-1]
		if s.steps <= 0 {
			return false
		}
	}
	return false
}
