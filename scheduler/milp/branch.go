package milp

import (
	"cmp"
	"math"
	"slices"

	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

// branch is branch and bound over the options of jobs with steps. Each option
// loses something against the bound at fixed prices; a plan that beats the best
// one may lose no more than the bound is above it. So jobs are decided one by
// one, the cheapest loss first, while the rows hold and loss is left. A complete
// decision is a demand for a calendar, which is found or proven impossible.
type branch struct {
	b       *board
	p       *prices
	gate    *lease.Gate
	spend   func() bool
	ended   bool
	once    bool          // the first plan will do
	target  reward.Points // a plan must earn this to be wanted
	bound   float64
	jobs    []branchJob
	rows    []*roomRows
	demands []lease.Demand
	owner   []int // job of each demand
	picked  []int
	cores   *cores

	best  []int // picks of the best plan, by job
	slots [][]int
	value reward.Points
}

type branchJob struct {
	job   int
	items []branchItem // least loss first
	twin  bool         // equal to the job before it: try no better item first
}

type branchItem struct {
	option int // -1: none
	gain   reward.Points
	loss   float64
}

// roomRows are the prefix rows in rooms of h GPUs.
type roomRows struct {
	h     int
	slack []int // of row t
}

// newBranch prepares a search on a board without spot jobs. The prices must have
// been made for the same board.
func newBranch(b *board, p *prices, c *cores) *branch {
	s := &branch{b: b, p: p, gate: b.m.Gate, bound: p.bound, value: -1, cores: c}
	s.picked = make([]int, len(b.m.Jobs))
	c.reset()
	for _, h := range b.rooms() {
		r := &roomRows{h: h, slack: make([]int, b.slots+1)}
		for k, g := range b.m.Capacity {
			r.slack[k+1] = r.slack[k] + g/h
		}
		s.rows = append(s.rows, r)
	}
	p.evaluate()
	s.list()
	return s
}

// rooms lists 1 and the sizes of gangs.
func (b *board) rooms() []int {
	sizes := []int{1}
	for i := range b.options {
		if g := b.options[i].gpus; !b.options[i].spot() && !slices.Contains(sizes, g) {
			sizes = append(sizes, g)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// list sets up the items of each job and the order of jobs: those with one item
// first, then those that lose most by their second; equal jobs side by side.
func (s *branch) list() {
	bound := 0.0
	for _, f := range s.p.families {
		for t := 1; t <= s.b.slots; t++ {
			bound += float64(f.price[t] * f.capacity[t])
		}
	}
	for n := range s.p.sets {
		bound += float64(s.p.sets[n].price * float64(s.b.sets[n].capacity))
	}
	for job := range s.b.m.Jobs {
		from, to := s.b.of(job)
		j := branchJob{job: job}
		free := s.p.fixed == nil || s.p.fixed[job] == undecided
		if free && !s.b.m.Jobs[job].Must || !free && s.p.fixed[job] == without {
			j.items = append(j.items, branchItem{option: -1})
		}
		for i := from; i < to; i++ {
			if !free && s.p.fixed[job] != i {
				continue
			}
			j.items = append(j.items, branchItem{i, s.b.options[i].gain, s.p.reduced(i)})
		}
		if len(j.items) == 0 {
			s.bound = math.Inf(-1) // a promise that cannot be kept
			return
		}
		slices.SortStableFunc(j.items, func(x, y branchItem) int {
			return cmp.Or(cmp.Compare(y.loss, x.loss), cmp.Compare(y.gain, x.gain))
		})
		best := j.items[0].loss
		bound += best
		for n := range j.items {
			j.items[n].loss = best - j.items[n].loss
		}
		s.jobs = append(s.jobs, j)
	}
	s.bound = bound
	second := func(j *branchJob) float64 {
		if len(j.items) == 1 {
			return math.Inf(1)
		}
		return j.items[1].loss
	}
	slices.SortStableFunc(s.jobs, func(x, y branchJob) int {
		return cmp.Or(cmp.Compare(second(&y), second(&x)), s.b.compareJobs(x.job, y.job))
	})
	for n := 1; n < len(s.jobs); n++ {
		x, y := &s.jobs[n-1], &s.jobs[n]
		y.twin = len(x.items) == len(y.items) && len(x.items) > 1 && s.b.compareJobs(x.job, y.job) == 0
	}
}

// compareJobs orders jobs by their options; 0 says that they are alike.
func (b *board) compareJobs(x, y int) int {
	if c := cmp.Compare(bit(b.m.Jobs[x].Must), bit(b.m.Jobs[y].Must)); c != 0 {
		return c
	}
	return slices.CompareFunc(b.options[b.first[x]:b.first[x+1]], b.options[b.first[y]:b.first[y+1]], func(p, q option) int {
		return cmp.Or(cmp.Compare(q.gpus, p.gpus), cmp.Compare(p.by, q.by), cmp.Compare(p.leases, q.leases),
			cmp.Compare(p.gain, q.gain), slices.Compare(p.levels[:], q.levels[:]))
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// run looks for a plan that earns at least target, and then for better ones. It
// reports whether the search has been complete: then value is the optimum, or
// nothing reaches the target.
func (s *branch) run(target reward.Points) bool {
	s.target = target
	s.descend(0, 0, 0, 0)
	return !s.ended
}

// allowed is how much may be lost against the bound.
func (s *branch) allowed() float64 {
	return s.bound - float64(s.target)/float64(reward.One) + 1e-7
}

// descend decides jobs n and later. last is the item of the job before it.
func (s *branch) descend(n int, loss float64, gain reward.Points, last int) {
	if s.ended || loss > s.allowed() {
		return
	}
	if n == len(s.jobs) {
		if gain >= s.target {
			s.leaf(gain)
		}
		return
	}
	j := &s.jobs[n]
	first := 0
	if j.twin {
		first = last
	}
	for at := first; at < len(j.items) && !s.ended; at++ {
		item := &j.items[at]
		if loss+item.loss > s.allowed() {
			break
		}
		if !s.spend() {
			s.ended = true
			return
		}
		s.picked[j.job] = item.option
		if item.option < 0 {
			s.descend(n+1, loss+item.loss, gain, at)
			continue
		}
		o := &s.b.options[item.option]
		if !s.take(o, +1) {
			s.take(o, -1)
			continue
		}
		if !s.blocked(o, +1) {
			if o.inside() > 0 {
				s.demands, s.owner = append(s.demands, o.demand(s.b.m)), append(s.owner, j.job)
			}
			s.descend(n+1, loss+item.loss, gain+item.gain, at)
			if o.inside() > 0 {
				s.demands, s.owner = s.demands[:len(s.demands)-1], s.owner[:len(s.owner)-1]
			}
		}
		s.blocked(o, -1)
		s.take(o, -1)
	}
}

// take books an option in all rows and reports whether they hold it.
func (s *branch) take(o *option, sign int) bool {
	ok := true
	first := o.window + 1 // of the latest slots that are wide enough for its leases
	for left := o.inside(); left > 0 && first > 1; {
		if first--; s.b.m.Capacity[first-1] >= o.gpus {
			left--
		}
	}
	for _, r := range s.rows {
		w := o.gpus / r.h * sign
		if w == 0 {
			break // sizes ascend
		}
		need := 0
		for t := first; t <= s.b.slots; t++ {
			if t <= o.window && s.b.m.Capacity[t-1] >= o.gpus {
				need += w
			}
			if r.slack[t] -= need; r.slack[t] < 0 {
				ok = false
			}
		}
	}
	return ok
}

// leaf asks for the calendar of a complete decision.
func (s *branch) leaf(gain reward.Points) {
	cal, verdict := lease.Find(s.b.m.Capacity, s.gate, s.demands, s.spendFind)
	switch verdict {
	case lease.Unknown:
		s.ended = true
	case lease.Impossible:
		s.learn()
	case lease.Found:
		s.value, s.target = gain, gain+s.b.grain
		if s.once {
			s.target = math.MaxInt64 / 2
		}
		s.best = slices.Clone(s.picked)
		s.slots = make([][]int, len(s.b.m.Jobs))
		for n, slots := range cal {
			s.slots[s.owner[n]] = slots
		}
	}
}

// spendFind counts a step of a calendar search, which looks at all demands and
// slots, by its cost.
func (s *branch) spendFind() bool {
	for range 1 + len(s.demands)*s.b.slots/2000 {
		if !s.spend() {
			return false
		}
	}
	return true
}
