package milp

import (
	"cmp"
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
// were left out back in a disturbed order, keep what is not worse. It ends when
// the value reaches the bound or nothing has been gained for patience steps.
func (s *selection) improve(bound reward.Points, patience int, rnd *random, spend func() bool) {
	r := newRuin(s, rnd)
	for stale := 0; s.value < bound && stale < patience && len(r.jobs) > 0; stale++ {
		if !spend() {
			return
		}
		if r.step() {
			stale = 0
		}
	}
}

// ruin holds the scratch of ruin and recreate.
type ruin struct {
	s       *selection
	rnd     *random
	jobs    []int // that have options which cost something or do not all fit
	best    []reward.Points
	spare   *rows
	undo    []int // job, option before
	back    []int
	key     []float64
	hungry  []int
	counted int
}

func newRuin(s *selection, rnd *random) *ruin {
	r := &ruin{s: s, rnd: rnd, spare: s.rows.clone(), key: make([]float64, len(s.pick)), best: make([]reward.Points, len(s.pick))}
	for j := range s.pick {
		from, to := s.b.of(j)
		if from == to {
			continue
		}
		r.best[j] = s.b.options[from].gain // options are sorted by gain
		r.jobs = append(r.jobs, j)
	}
	r.counted = -1
	return r
}

// want lists the jobs that have less than their best.
func (r *ruin) want() {
	r.hungry = r.hungry[:0]
	for _, j := range r.jobs {
		if i := r.s.pick[j]; i < 0 || r.s.b.options[i].gain < r.best[j] {
			r.hungry = append(r.hungry, j)
		}
	}
}

// step tries one ruin and reports whether the value has grown.
func (r *ruin) step() bool {
	s := r.s
	if r.counted < 0 {
		r.want()
		r.counted = 0
	}
	if len(r.hungry) == 0 {
		return false
	}
	before := s.value
	s.rows.save(r.spare)
	r.undo, r.back = r.undo[:0], r.back[:0]
	first := r.hungry[r.rnd.below(len(r.hungry))]
	r.remove(first)
	window := r.reach(first)
	for n := 1 + r.rnd.below(6); n > 0; n-- {
		// Of a few jobs, take out one that competes with the first and earns
		// little for what it holds.
		pick, least := -1, 0.0
		for range 4 {
			j := r.jobs[r.rnd.below(len(r.jobs))]
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
	for range 3 {
		j := r.hungry[r.rnd.below(len(r.hungry))]
		if !slices.Contains(r.back, j) {
			r.remove(j)
		}
	}
	r.recreate()
	if s.value >= before {
		if s.value > before {
			r.want()
			return true
		}
		if r.counted++; r.counted > 50 {
			r.counted = -1
		}
		return false
	}
	s.value = before
	for n := len(r.undo) - 2; n >= 0; n -= 2 {
		s.pick[r.undo[n]] = r.undo[n+1]
	}
	r.spare.save(s.rows)
	return false
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

func (r *ruin) recreate() {
	for n, j := range r.back {
		r.key[j] = (r.s.worth(j) + 1) * (0.6 + 0.8*r.rnd.unit())
		if n == 0 && r.rnd.below(2) == 0 {
			r.key[j] *= 4 // the one that was left out goes first, every other time
		}
	}
	slices.SortFunc(r.back, func(x, y int) int { return cmp.Or(cmp.Compare(r.key[y], r.key[x]), cmp.Compare(x, y)) })
	for _, j := range r.back {
		r.s.insert(j)
	}
}
