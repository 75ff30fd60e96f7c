package milp

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"schedmate/scheduler/reward"
)

// search is branch and bound over the options of jobs by linear programs. What
// rows there are is decided by separate, and whether a whole choice can be carried
// out by whole. The part with the best bound is looked at first, and from there
// on the likelier half until nothing is left.
type search struct {
	b        *board
	r        *relaxation
	separate func(point []float64) []*row
	whole    func(pick []int, gain reward.Points) (verdict, *row)
	settled  func(columns, free []int) // is told what is chosen for good; may be nil
	spend    func() bool

	target reward.Points // a choice must earn this to be wanted
	found  bool          // a choice that reached the target and can be carried out
	value  reward.Points // of the best one
	given  reward.Points // the most that choices may earn that were given up
	parts  parts
	seen   int    // parts, for their order
	pool   []*row // choices that are left out, at the end those that nobody knows about
	doubts int
	had    int   // rows that the pool began with
	shut   []int // columns that can never be
	once   bool  // the first choice will do
	pooled int   // options that the pool is about
	twin   []int // of each job: one before it that is alike, or -1
	ended  bool
}

// verdict says what became of a whole choice.
type verdict int

const (
	carried verdict = iota // it can be carried out, and has been noted
	cutOff                 // it cannot; the row says so
	givenUp                // nobody knows; the row leaves it out
)

// part is a part of the tree: which columns are open, and where to begin.
type part struct {
	bound float64
	order int
	open  []bool
	basis *basis
}

type parts []*part

func (p parts) Len() int { return len(p) }
func (p parts) Less(i, j int) bool {
	if p[i].bound != p[j].bound {
		return p[i].bound > p[j].bound
	}
	return p[i].order < p[j].order
}
func (p parts) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *parts) Push(x any)   { *p = append(*p, x.(*part)) }
func (p *parts) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// leastPoints is less than what any choice earns.
const leastPoints = math.MinInt64 / 4

// mostParts bounds the memory of a search: two or three kilobytes each for 150
// jobs.
const mostParts = 20000

// newSearch looks for choices that earn more than above.
func newSearch(b *board, above reward.Points, spend func() bool) *search {
	grains := above / b.grain
	if above%b.grain < 0 {
		grains--
	}
	s := &search{b: b, r: newRelaxation(b, spend), spend: spend, target: (grains + 1) * b.grain, given: leastPoints, twin: make([]int, len(b.m.Jobs))}
	order := make([]int, len(s.twin))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Or(b.compareJobs(x, y), cmp.Compare(x, y)) })
	for n, j := range order {
		if s.twin[j] = -1; n > 0 && b.first[j+1] > b.first[j] && b.compareJobs(order[n-1], j) == 0 {
			s.twin[j] = order[n-1]
		}
	}
	return s
}

// least is what a part must promise to be worth a look.
func (s *search) least() float64 { return float64(s.target)/float64(reward.One) - 1e-6 }

// run searches until the steps end. It returns a bound: no choice earns more, as
// far as it reaches the target.
func (s *search) run() reward.Points {
	s.descend(&part{bound: math.Inf(1)})
	for len(s.parts) > 0 && !s.ended && s.parts[0].bound >= s.least() {
		p := heap.Pop(&s.parts).(*part)
		copy(s.r.open, p.open)
		if !s.r.load(p.basis) {
			s.r.reset()
		}
		s.descend(p)
	}
	limit := max(s.given, s.target-s.b.grain) // of what was found, too
	for _, p := range s.parts {
		limit = max(limit, s.b.floor(p.bound))
	}
	return limit
}

// again forgets what was given up, to search with more patience.
func (s *search) again() {
	s.pool = s.pool[:len(s.pool)-s.doubts]
	s.doubts, s.given, s.parts = 0, leastPoints, nil
	s.begin()
}

// begin opens all columns that can be.
func (s *search) begin() {
	for c := range s.r.open {
		s.r.open[c] = c < len(s.b.options) || s.r.optional(s.r.set[c])
	}
	for _, c := range s.shut {
		s.r.open[c] = false
	}
	s.r.reset()
	s.seen = 0
	if s.settled != nil {
		s.settled(s.r.settled, s.r.free)
	}
}

// complete says that the search has seen everything that reaches the target.
func (s *search) complete() bool {
	return s.given < s.target && (len(s.parts) == 0 || s.parts[0].bound < s.least())
}

// giveUp leaves a part as it is.
func (s *search) giveUp(bound float64) {
	if bound = math.Min(bound, s.r.bound()); bound >= s.least() {
		s.given = max(s.given, s.b.floor(bound))
	}
}

// descend solves a part, cuts it into two, goes on with the likelier one, and
// leaves the other one for later.
func (s *search) descend(p *part) {
	bound := p.bound
	for s.propagate() {
		s.r.enliven()
		s.r.appraise()
		if !s.solve() {
			return
		}
		own := s.r.assess()
		if bound = math.Min(bound, own); bound < s.least() {
			return
		}
		s.r.work(4*len(s.r.rows)*len(s.r.live) + 20*len(s.r.live) + 4*len(s.r.open))
		if s.ended || len(s.parts) >= mostParts {
			s.giveUp(bound)
			return
		}
		s.exclude(own)
		if s.seen == 0 && len(s.parts) == 0 { // the root: what is settled here is for good
			s.settle()
		}
		job := s.undecided()
		switch {
		case job >= 0:
			s.split(job, bound)
		case !s.decided():
			return
		}
	}
}

// settle takes jobs out of which only one column is left.
func (s *search) settle() {
	s.r.settle()
	if s.settled != nil {
		s.settled(s.r.settled, s.r.free)
	}
}

// solve makes the linear program optimal within all rows, and reports whether
// anything is left that is wanted.
func (s *search) solve() bool {
	for round := 1; ; round++ {
		switch s.r.resolve(s.least()) {
		case tooLow, nothing:
			return false
		case unsure:
			s.ended = s.ended || s.r.ended
			s.r.point()
			return true
		}
		point := s.r.point()
		broken := s.separate(point)
		s.r.work(50 * len(s.r.free))
		if len(broken) == 0 {
			for _, q := range s.pool {
				if q.breaks(point) {
					broken = append(broken, q)
				}
			}
			s.r.work(s.pooled)
		}
		if len(broken) == 0 || round%5 == 0 {
			s.r.shed()
		}
		if !s.r.addAll(broken) {
			return true
		}
	}
}

// exclude closes columns that lose more than may be lost, as assessed.
func (s *search) exclude(bound float64) {
	for _, job := range s.r.free {
		for n := range s.r.columns(job) {
			if c := s.r.column(job, n); s.r.open[c] && s.r.place[c] == notBasic && bound-(s.r.sum[job]-s.r.fair[c]) < s.least() {
				s.r.open[c] = false
			}
		}
	}
}

// undecided returns the job to decide next, or -1 when none is shared out: the
// one that is shared out most evenly, for what it takes.
func (s *search) undecided() int {
	best, most := -1, 0.0
	for _, job := range s.r.free {
		even, biggest := 0.0, 0.0
		for n := range s.r.columns(job) {
			y := s.r.y[s.r.column(job, n)]
			even += float64(y * (1 - y))
			biggest = math.Max(biggest, y)
		}
		if biggest > 1-1e-6 {
			continue
		}
		take := 0
		from, to := s.b.of(job)
		for i := from; i < to; i++ {
			take = max(take, s.b.options[i].need(s.b.slots))
		}
		if even *= float64(take + 1); best < 0 || even > most {
			best, most = job, even
		}
	}
	return best
}

// split decides whether a job has one of its better columns or one of the rest.
func (s *search) split(job int, bound float64) {
	var list []int
	for n := range s.r.columns(job) {
		if c := s.r.column(job, n); s.r.open[c] || s.r.y[c] > 0 {
			list = append(list, c)
		}
	}
	sum, cut, off, better := 0.0, 1, math.Inf(1), 0.0
	for n, c := range list[:len(list)-1] {
		sum += s.r.y[c]
		if d := math.Abs(sum - 0.5); d < off {
			off, cut, better = d, n+1, sum
		}
	}
	stay, other := list[:cut], list[cut:]
	if better < 0.5 {
		stay, other = other, stay
	}
	s.seen++
	p := &part{bound: bound, order: s.seen, open: slices.Clone(s.r.open), basis: s.r.save()}
	for _, c := range stay {
		p.open[c] = false
	}
	for _, c := range other {
		s.r.open[c] = false
	}
	heap.Push(&s.parts, p)
}

// decided asks about a whole choice, and reports whether this part still holds
// others.
func (s *search) decided() bool {
	pick := make([]int, len(s.r.key))
	var gain reward.Points
	for job := range pick {
		at := s.r.key[job]
		for n := range s.r.columns(job) {
			if c := s.r.column(job, n); s.r.y[c] > s.r.y[at] {
				at = c
			}
		}
		if pick[job] = at; at >= len(s.b.options) {
			pick[job] = -1
		} else {
			gain += s.b.options[at].gain
		}
	}
	if gain < s.target {
		return false // within what numbers are off
	}
	v, q := s.whole(pick, gain)
	if v == carried {
		s.found, s.value, s.target = true, gain, gain+s.b.grain
		if s.once {
			s.target = -leastPoints
		}
		return false
	}
	if v == givenUp {
		s.given = max(s.given, gain)
		s.pool, s.pooled = append(s.pool, q), s.pooled+len(q.which)
		s.doubts++
	} else {
		s.keep(q)
	}
	s.r.add(q)
	return true
}

// keep puts a row into the pool, before those in doubt.
func (s *search) keep(q *row) {
	s.pool, s.pooled = append(s.pool, q), s.pooled+len(q.which)
	at := len(s.pool) - 1 - s.doubts
	copy(s.pool[at+1:], s.pool[at:])
	s.pool[at] = q
}
