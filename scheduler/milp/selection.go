package milp

import (
	"cmp"
	"math"
	"slices"

	"schedmate/scheduler/reward"
)

// selection is an option, or none, for each job, within the prefix rows.
type selection struct {
	b     *board
	p     *prices
	pick  []int // option of each job, -1: none
	value reward.Points
	rows  *rows
}

func newSelection(b *board, p *prices) *selection {
	s := &selection{b: b, p: p, pick: make([]int, len(b.m.Jobs)), rows: newRows(b)}
	for i := range s.pick {
		s.pick[i] = -1
	}
	return s
}

func (s *selection) put(i int) {
	o := &s.b.options[i]
	s.pick[o.job] = i
	s.value += o.gain
	s.rows.take(i, +1)
}

func (s *selection) drop(job int) {
	i := s.pick[job]
	s.pick[job] = -1
	s.value -= s.b.options[i].gain
	s.rows.take(i, -1)
}

// insert gives the job its best option at the current prices that fits, if any
// does.
func (s *selection) insert(job int) bool {
	from, to := s.b.of(job)
	best, at := 0.0, -1
	for i := from; i < to; i++ {
		if r := s.p.reduced(i); (at < 0 || r > best) && s.rows.fits(i) {
			best, at = r, i
		}
	}
	if at < 0 {
		return false
	}
	s.put(at)
	return true
}

// worth is the best reduced reward of a job's options.
func (s *selection) worth(job int) float64 {
	from, to := s.b.of(job)
	best := 0.0
	for i := from; i < to; i++ {
		if r := s.p.reduced(i); i == from || r > best {
			best = r
		}
	}
	return best
}

// greedy fills the rows: promises first, then jobs by reduced reward. It
// reports whether all promises fit.
func (s *selection) greedy() bool {
	jobs := make([]int, 0, len(s.pick))
	worth := make([]float64, len(s.pick))
	for j := range s.pick {
		if from, to := s.b.of(j); from < to && s.pick[j] < 0 {
			jobs = append(jobs, j)
			worth[j] = s.worth(j)
		}
	}
	slices.SortFunc(jobs, func(x, y int) int {
		if mx, my := s.b.m.Jobs[x].Must, s.b.m.Jobs[y].Must; mx != my {
			if mx {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(worth[y], worth[x]), cmp.Compare(x, y))
	})
	kept := true
	for _, j := range jobs {
		if !s.insert(j) && s.b.m.Jobs[j].Must {
			kept = false
		}
	}
	for j := range s.pick {
		if from, to := s.b.of(j); s.b.m.Jobs[j].Must && from == to {
			kept = false // impossible even alone
		}
	}
	return kept
}

// improve is ruin and recreate: take a few jobs out, put them and some that
// were left out back in a disturbed order, keep what is not much worse. It ends
// when the value reaches the bound or no better one has been found for patience
// steps, with the best.
func (s *selection) improve(bound reward.Points, patience int, rnd *random, spend func() bool) {
	r := newRuin(s, rnd)
	best, value := slices.Clone(s.pick), s.value
	for stale := 0; value < bound && stale < patience && len(r.jobs) > 0 && spend(); stale++ {
		r.step(mostLoss - mostLoss*reward.Points(stale)/reward.Points(patience))
		if s.value > value {
			value, stale = s.value, 0
			copy(best, s.pick)
		}
	}
	if s.value == value {
		return
	}
	for j := range s.pick {
		if s.pick[j] >= 0 {
			s.drop(j)
		}
	}
	for _, i := range best {
		if i >= 0 {
			s.put(i)
		}
	}
}

// mostLoss is what a step of ruin and recreate may lose at most, at the beginning.
const mostLoss = 20 * reward.One

// ruin holds the scratch of ruin and recreate.
type ruin struct {
	s      *selection
	rnd    *random
	jobs   []int // that have options, those first for which it matters least which one
	best   []reward.Points
	spare  *rows
	undo   []int // job, option before
	back   []int
	key    []float64
	hungry []int
	stale  bool // hungry is of an earlier selection
}

func newRuin(s *selection, rnd *random) *ruin {
	r := &ruin{s: s, rnd: rnd, spare: s.rows.clone(), key: make([]float64, len(s.pick)), best: make([]reward.Points, len(s.pick))}
	for j := range s.pick {
		from, to := s.b.of(j)
		if from == to {
			continue
		}
		r.best[j] = s.b.options[from].gain // options are sorted by gain
		r.key[j] = s.regret(j)
		r.jobs = append(r.jobs, j)
	}
	slices.SortFunc(r.jobs, func(x, y int) int { return cmp.Or(cmp.Compare(r.key[x], r.key[y]), cmp.Compare(x, y)) })
	r.stale = true
	return r
}

// regret is what a job loses by its second best choice, at the current prices.
// What is worth changing is nearly always a job with a small one.
func (s *selection) regret(job int) float64 {
	from, to := s.b.of(job)
	best, second := 0.0, math.Inf(-1) // nothing at all
	for i := from; i < to; i++ {
		if r := s.p.reduced(i); r > best {
			best, second = r, best
		} else if r > second {
			second = r
		}
	}
	return best - second
}

// early draws from a list, its beginning far more often than its end.
func (r *ruin) early(list []int) int {
	u := r.rnd.unit()
	return list[int(u*u*u*float64(len(list)))]
}

// want lists the jobs that have less than their best.
func (r *ruin) want() {
	r.hungry, r.stale = r.hungry[:0], false
	for _, j := range r.jobs {
		if i := r.s.pick[j]; i < 0 || r.s.b.options[i].gain < r.best[j] {
			r.hungry = append(r.hungry, j)
		}
	}
}

// step tries one ruin. A loss is kept if it is small: at most loss, and mostly
// far less.
func (r *ruin) step(loss reward.Points) {
	s := r.s
	if r.stale {
		r.want()
	}
	if len(r.hungry) == 0 {
		return
	}
	before := s.value
	s.rows.save(r.spare)
	r.undo, r.back = r.undo[:0], r.back[:0]
	first := r.early(r.hungry)
	r.remove(first)
	window := r.reach(first)
	list := r.early
	if r.rnd.below(2) == 0 {
		list = func(jobs []int) int { return jobs[r.rnd.below(len(jobs))] }
	}
	for n := 1 + r.rnd.below(6); n > 0; n-- {
		// Of a few jobs, take out one that competes with the first and earns
		// little for what it holds.
		pick, least := -1, 0.0
		for range 4 {
			j := list(r.jobs)
			i := s.pick[j]
			if i < 0 || s.b.m.Jobs[j].Must || s.b.options[i].after >= window || s.b.options[i].inside() == 0 {
				continue
			}
			if w := s.p.reduced(i) * (0.5 + r.rnd.unit()); pick < 0 || w < least {
				pick, least = j, w
			}
		}
		if pick >= 0 {
			r.remove(pick)
		}
	}
	for range r.rnd.below(6) {
		j := r.early(r.hungry)
		if !slices.Contains(r.back, j) {
			r.remove(j)
		}
	}
	r.recreate()
	u := r.rnd.unit()
	if u *= u; s.value >= before-reward.Points(u*u*float64(loss)) {
		r.stale = true
		return
	}
	s.value = before
	for n := len(r.undo) - 2; n >= 0; n -= 2 {
		s.pick[r.undo[n]] = r.undo[n+1]
	}
	r.spare.save(s.rows)
}

// reach is the last slot that the job could use.
func (r *ruin) reach(job int) int {
	from, to := r.s.b.of(job)
	last := 0
	for i := from; i < to; i++ {
		last = max(last, r.s.b.options[i].window)
	}
	return last
}

func (r *ruin) remove(job int) {
	if r.s.b.m.Jobs[job].Must {
		return
	}
	r.undo = append(r.undo, job, r.s.pick[job])
	r.back = append(r.back, job)
	if r.s.pick[job] >= 0 {
		r.s.drop(job)
	}
}

// recreate puts the jobs back, in one of two orders: by reduced reward, or by
// plain reward for what it takes. Prices are those of the relaxed round; where
// few large gangs decide, they mislead.
func (r *ruin) recreate() {
	plain := r.rnd.below(2) == 0
	for n, j := range r.back {
		noise := 0.5 + r.rnd.unit()
		if plain {
			from, _ := r.s.b.of(j)
			o := &r.s.b.options[from]
			r.key[j] = gainOf(o) / math.Sqrt(float64(1+o.need(r.s.b.slots))) * noise
		} else {
			r.key[j] = r.s.worth(j) + float64(20*noise)
		}
		if n == 0 && r.rnd.below(2) == 0 {
			r.key[j] = math.Inf(1) // the one that was left out goes first
		}
	}
	slices.SortFunc(r.back, func(x, y int) int { return cmp.Or(cmp.Compare(r.key[y], r.key[x]), cmp.Compare(x, y)) })
	for _, j := range r.back {
		if !plain || !r.s.insertPlain(j) {
			r.s.insert(j)
		}
	}
}

// insertPlain gives the job the option with most gain that fits.
func (s *selection) insertPlain(job int) bool {
	from, to := s.b.of(job)
	for i := from; i < to; i++ {
		if s.rows.fits(i) {
			s.put(i)
			return true
		}
	}
	return false
}
