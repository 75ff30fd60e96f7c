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
	spots *board
	spend func() bool
	best  reward.Points // of the best draft, beyond late rewards
	draft *draft        // nil: what was known before is best

	deadlines reward.Points // the most that jobs with steps earn beside nobody
	proven    reward.Points // the most that finished regions can earn
	known     []plain       // choices of jobs with steps that could be carried out once
	regions   regions
	order     int
}

// plain is a choice of jobs with steps: options of the round's board, or -1.
type plain struct {
	pick []int
	gain reward.Points
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

// mostRegions bounds how many regions are looked at.
const mostRegions = 400

// exact returns a draft that earns more than best, if there is one, and the bound
// that it proves.
func (b *board) exact(best, bound reward.Points, spend func() bool) (*draft, reward.Points) {
	e := &exact{b: b, spend: spend, best: best, proven: best, deadlines: bound}
	nobody := &pattern{picks: make([]spotPick, len(b.m.Jobs))}
	if !b.spots {
		e.proven = max(e.proven, e.beside(nobody, best))
		return e.draft, min(bound, e.proven)
	}
	e.spots = b.m.spotBoard()
	e.region(b.m.room(), 0)
	all := e.regions[0]
	e.deadlines = e.beside(nobody, best-all.most)
	for n := 0; len(e.regions) > 0 && e.regions[0].most+e.deadlines > e.best; n++ {
		r := heap.Pop(&e.regions).(*region)
		if n == mostRegions || !spend() {
			e.proven = max(e.proven, r.most+e.deadlines)
			break
		}
		if r.service == nil {
			e.proven = max(e.proven, r.most+e.deadlines)
			continue
		}
		limit := r.most + e.beside(r.service, e.best-r.most)
		e.proven = max(e.proven, limit)
		if limit <= e.best {
			e.blame(r)
		}
		e.divide(r)
	}
	return e.draft, min(bound, max(e.proven, e.best))
}

// region adds what spot jobs can earn within a room, if it reaches the target.
func (e *exact) region(room cells.Levels, target reward.Points) {
	p, limit := e.spots.serve(room, target, e.spend)
	for n := len(room) - 1; n >= 0 && p != nil; n-- {
		for p.use[n] > 0 { // the same for less?
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
// beside it: services that take as much of that will do no better.
func (e *exact) blame(r *region) {
	less := pattern{use: r.service.use} // nobody's: it only asks
	for n := range less.use {
		low, high := 0, less.use[n] // high leaves too little
		for low < high && e.spend() {
			if less.use[n] = (low + high) / 2; low == 0 {
				less.use[n] = 0 // most often it does not matter
			}
			if r.most+e.beside(&less, e.best-r.most) <= e.best {
				high = less.use[n]
			} else {
				low = less.use[n] + 1
			}
		}
		less.use[n] = high
	}
	r.service = &less
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
func (e *exact) beside(p *pattern, above reward.Points) reward.Points {
	rest := newBoard(e.b.m.without(p), false)
	for _, known := range e.known {
		if known.gain > above && e.again(rest, known, p) {
			above = known.gain
		}
	}
	if e.b.spots && above >= e.deadlines {
		return above
	}
	d := newDeadlines(rest, above, e.spend)
	limit := d.run()
	if !d.found {
		return max(above, limit)
	}
	pick := make([]int, len(d.best))
	for job, i := range d.best {
		pick[job] = -1
		if i < 0 {
			continue
		}
		o := &rest.options[i]
		from, to := e.b.of(job)
		for n := from; n < to; n++ {
			if e.b.options[n].policy == o.policy && e.b.options[n].step == o.step {
				pick[job] = n
			}
		}
	}
	e.known = append(e.known, plain{pick, d.value})
	e.note(pick, d.slots, p)
	return limit
}

// again asks whether a choice that could be carried out once still can, beside
// another service, and notes the draft.
func (e *exact) again(rest *board, known plain, p *pattern) bool {
	var demands []lease.Demand
	var owner []int
	for job, i := range known.pick {
		if i >= 0 && e.b.options[i].inside() > 0 {
			demands, owner = append(demands, e.b.options[i].demand(e.b.m)), append(owner, job)
		}
	}
	steps := leafSteps / (1 + (len(demands)+rest.slots)/20)
	cal, verdict := lease.Find(rest.m.Capacity, rest.m.Gate, demands, func() bool { steps--; return steps >= 0 && e.spend() })
	if verdict != lease.Found {
		return false
	}
	slots := make([][]int, len(known.pick))
	for n := range cal {
		slots[owner[n]] = cal[n]
	}
	e.note(known.pick, slots, p)
	return true
}

// note makes a draft and keeps it if it is the best. Where a service leaves
// something of slot 1, others are served, too.
func (e *exact) note(pick []int, slots [][]int, p *pattern) {
	if p.picks == nil {
		return
	}
	d := newDraft(e.b)
	for job, i := range pick {
		if i >= 0 {
			d.hold(i, slots[job])
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

// without returns the round of the jobs with steps when slot 1 lacks what the
// pattern uses. Spot jobs stay, with nothing to choose.
func (m *Model) without(p *pattern) *Model {
	rest := &Model{Capacity: append([]int(nil), m.Capacity...), Sub: 1, Jobs: make([]Job, len(m.Jobs))}
	for j := range m.Jobs {
		if m.Jobs[j].spot() {
			rest.Jobs[j] = Job{ID: m.Jobs[j].ID, Kind: m.Jobs[j].Kind}
		} else {
			rest.Jobs[j] = m.Jobs[j]
		}
	}
	if len(rest.Capacity) > 0 {
		rest.Capacity[0] -= p.use[0]
	}
	if m.Gate != nil {
		rest.Gate = &lease.Gate{Free: m.Gate.Free.Sub(p.use)}
	}
	return rest
}
