package milp

import (
	"container/heap"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

// exact looks for the optimum of a round whose jobs with steps and spot jobs
// meet in slot 1 alone. Each [region] bounds what the latter may hold there; of
// the one that could earn most the best service is taken, and a search tells
// what jobs with steps earn beside it. Whoever serves at least as much leaves them
// no more, so what is left is the regions that hold less of something.
type exact struct {
	b     *board
	plain *board // of the jobs with steps alone
	spots *board // of the spot jobs alone
	spend func() bool
	best  reward.Points // of the best draft, beyond late rewards
	draft *draft        // nil: what was known before is best

	deadlines reward.Points // the most that jobs with steps earn beside nobody
	proven    reward.Points // the most that finished regions can earn
	known     []choice
	learned   []learned
	regions   regions
	order     int
	steps     int64 // so far
}

// choice is options of jobs with steps, or -1, that could be carried out once.
type choice struct {
	pick []int // options of the plain board
	gain reward.Points
}

// learned is a row that holds where slot 1 lacks as much, or more.
type learned struct {
	use cells.Levels
	row *row
}

// region is what spot jobs may hold of slot 1, and the best service within.
type region struct {
	room    cells.Levels
	service *pattern // nil: none was found
	most    reward.Points
	order   int
}

type regions []*region

func (r regions) Len() int { return len(r) }
func (r regions) Less(i, j int) bool {
	if r[i].most != r[j].most {
		return r[i].most > r[j].most
	}
	return r[i].order < r[j].order
}
func (r regions) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *regions) Push(x any)   { *r = append(*r, x.(*region)) }
func (r *regions) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// mostRegions bounds how many regions are looked at, mostTries how often a service
// is looked for that takes less and earns as much.
const (
	mostRegions = 400
	mostTries   = 16
)

// exact returns a draft that earns more than best, if there is one, and the bound
// that it proves. It may take so many steps.
func (b *board) exact(best, bound reward.Points, steps int64, spend func() bool) (*draft, reward.Points) {
	e := &exact{b: b, best: best, proven: best, deadlines: bound}
	e.spend = func() bool { e.steps++; return spend() }
	nobody := &pattern{picks: make([]spotPick, len(b.m.Jobs))}
	e.plain = newBoard(b.m.without(nobody.use), false)
	if !b.spots {
		e.proven = max(e.proven, e.beside(nobody, best, e.spend))
		return e.draft, min(bound, e.proven)
	}
	e.spots = b.m.spotBoard()
	e.region(b.m.room(), 0)
	e.deadlines = e.beside(nobody, best-e.regions[0].most, upTo(steps/4*3, e.spend))
	for n := 0; len(e.regions) > 0 && e.regions[0].most+e.deadlines > e.best; n++ {
		r := heap.Pop(&e.regions).(*region)
		if r.service == nil || n == mostRegions || !e.spend() {
			e.proven = max(e.proven, r.most+e.deadlines)
			break
		}
		before := e.steps
		limit := r.most + e.beside(r.service, e.best-r.most, e.spend)
		e.proven = max(e.proven, limit)
		if limit <= e.best {
			e.blame(r, 2*(e.steps-before)+blameSteps)
		}
		e.divide(r)
	}
	return e.draft, min(bound, max(e.proven, e.best))
}

// upTo counts at most so many steps.
func upTo(n int64, spend func() bool) func() bool {
	return func() bool {
		n--
		return n >= 0 && spend()
	}
}

// region adds what spot jobs can earn within a room, if it reaches the target.
func (e *exact) region(room cells.Levels, target reward.Points) {
	p, limit := e.spots.serve(room, target, e.spend)
	for n, tries := len(room)-1, 0; n >= 0 && p != nil; n-- {
		for ; p.use[n] > 0 && tries < mostTries; tries++ { // the same for less?
			less := p.use
			less[n]--
			q, _ := e.spots.serve(less, p.gain, e.spend)
			if q == nil {
				break
			}
			p = q
		}
	}
	if limit >= target {
		e.order++
		heap.Push(&e.regions, &region{room, p, limit, e.order})
	}
}

// blame lowers what a service takes to what it is for which too little is left
// beside it: services that take as much of that will do no better. Each question
// may take so many steps; one that is not answered by then counts as a no.
func (e *exact) blame(r *region, steps int64) {
	use := r.service.use
	for n := range use {
		low, high := 0, use[n] // high leaves too little
		for low < high && e.spend() {
			if use[n] = (low + high) / 2; low == 0 {
				use[n] = 0 // most often it does not matter
			}
			if e.tooLittle(use, e.best-r.most, steps) {
				high = use[n]
			} else {
				low = use[n] + 1
			}
		}
		use[n] = high
	}
	r.service = &pattern{use: use}
}

// blameSteps is what a question of blame may take at least.
const blameSteps = 2000

// tooLittle reports whether it is proven that jobs with steps earn no more than
// above where slot 1 lacks so much.
func (e *exact) tooLittle(use cells.Levels, above reward.Points, steps int64) bool {
	if use == (cells.Levels{}) {
		return false
	}
	rest := e.plain.lacking(use)
	for _, c := range e.known {
		if c.gain > above && e.again(rest, c) != nil {
			return false
		}
	}
	d := e.search(rest, use, above, upTo(steps, e.spend))
	d.once = true
	d.run()
	e.learn(d, use)
	return !d.found && d.complete()
}

// divide adds the regions that hold less of something than a service does.
func (e *exact) divide(r *region) {
	for n, used := range r.service.use {
		if used > 0 {
			room := r.room
			room[n] = used - 1
			e.region(room, e.best-e.deadlines+1)
		}
	}
}

// beside looks for what jobs with steps earn beside a service, if it is more than
// above. It notes a better draft and returns a bound.
func (e *exact) beside(p *pattern, above reward.Points, spend func() bool) reward.Points {
	rest := e.plain.lacking(p.use)
	for _, c := range e.known {
		if c.gain > above {
			if slots := e.again(rest, c); slots != nil {
				e.note(c.pick, slots, p)
				above = c.gain
			}
		}
	}
	if above >= e.deadlines {
		return above
	}
	d := e.search(rest, p.use, above, spend)
	limit := d.run()
	e.learn(d, p.use)
	if d.found {
		e.note(d.best, d.slots, p)
	}
	return limit
}

// search prepares a search with the rows that were learned.
func (e *exact) search(rest *board, use cells.Levels, above reward.Points, spend func() bool) *deadlines {
	d := newDeadlines(rest, above, spend)
	for _, l := range e.learned {
		if use.Holds(l.use) {
			d.keep(l.row)
		}
	}
	d.had = len(d.pool)
	return d
}

// learn keeps what a search has found out.
func (e *exact) learn(d *deadlines, use cells.Levels) {
	if d.found {
		e.known = append(e.known, choice{d.best, d.value})
	}
	for _, q := range d.pool[d.had : len(d.pool)-d.doubts] {
		e.learned = append(e.learned, learned{use, q})
	}
}

// again looks for a calendar of a choice that could be carried out elsewhere.
func (e *exact) again(rest *board, c choice) [][]int {
	d := &deadlines{search: &search{b: rest, spend: e.spend}, gate: rest.m.Gate}
	d.demand(c.pick)
	all := make([]int, len(d.demands))
	for n := range all {
		all[n] = n
	}
	cal, verdict := d.find(all, leafSteps)
	if verdict != lease.Found {
		return nil
	}
	return d.byJob(cal)
}

// note makes a draft and keeps it if it is the best. Beside nobody, spot jobs get
// the best of what is left.
func (e *exact) note(pick []int, slots [][]int, p *pattern) {
	d := newDraft(e.b)
	for job, i := range pick {
		if i >= 0 {
			d.hold(e.b.same(&e.plain.options[i]), slots[job])
		}
	}
	d.spots, d.extra = p.picks, p.gain
	if p.gain == 0 && e.b.spots {
		d.fillSpots(spotPatience, &random{}, e.spend)
	}
	if d.total() > e.best {
		e.best, e.draft = d.total(), d
	}
}

// same is the number of the option of another board.
func (b *board) same(o *option) int {
	from, to := b.of(o.job)
	for i := from; i < to; i++ {
		if b.options[i].policy == o.policy && b.options[i].step == o.step {
			return i
		}
	}
	panic("BUG: an option of the round without its spot jobs is not one of the round")
}

// without returns the round of the jobs with steps when slot 1 lacks so much. Spot
// jobs stay, with nothing to choose.
func (m *Model) without(use cells.Levels) *Model {
	rest := &Model{Capacity: append([]int(nil), m.Capacity...), Sub: 1, Jobs: make([]Job, len(m.Jobs))}
	for j := range m.Jobs {
		if m.Jobs[j].spot() {
			rest.Jobs[j] = Job{ID: m.Jobs[j].ID, Kind: m.Jobs[j].Kind}
		} else {
			rest.Jobs[j] = m.Jobs[j]
		}
	}
	if len(rest.Capacity) > 0 {
		rest.Capacity[0] -= use[0]
	}
	if m.Gate != nil {
		rest.Gate = &lease.Gate{Free: m.Gate.Free.Sub(use)}
	}
	return rest
}

// lacking is the same board, with the same options, when slot 1 lacks so much.
func (b *board) lacking(use cells.Levels) *board {
	rest := *b
	rest.m, rest.sets = b.m.without(use), nil
	if rest.m.Gate != nil {
		rest.addGate()
	}
	return &rest
}
