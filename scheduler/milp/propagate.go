package milp

import (
	"cmp"
	"math"
	"slices"
)

// propagate closes columns that the rows leave no room for, and what two jobs
// that are alike could as well do the other way round. It reports false when
// some job has nothing left.
func (s *search) propagate() bool {
	for changed := true; changed; {
		changed = s.orderTwins()
		for _, q := range s.r.rows {
			least, ok := s.lowest(q)
			if !ok || least > q.most+brokenBy {
				return false
			}
			for i, need := range q.need {
				if s.r.open[i] && least-s.r.sum[s.r.set[i]]+need > q.most+brokenBy {
					s.r.open[i], changed = false, true
				}
			}
		}
		s.r.work(2 * len(s.r.rows) * len(s.b.options))
	}
	return true
}

// lowest is the least that the open columns need of a row, in sum and, in r.sum,
// for each job.
func (s *search) lowest(q *row) (float64, bool) {
	least := 0.0
	for job := range s.r.key {
		low := math.Inf(1)
		for c := range s.r.columns(job) {
			if s.r.open[c] {
				low = math.Min(low, q.of(c))
			}
		}
		if math.IsInf(low, 1) {
			return 0, false
		}
		s.r.sum[job] = low
		least += low
	}
	return least, true
}

// orderTwins lets no job choose better than one before it that is alike: what
// its twin cannot have or better is closed, and so is for the twin what is worse
// than all it has. Columns of twins stand in the same order.
func (s *search) orderTwins() bool {
	changed := false
	for job, twin := range s.twin {
		if twin < 0 {
			continue
		}
		mine, its := s.r.list(job), s.r.list(twin)
		for n := 0; n < len(its) && !s.r.open[its[n]]; n++ {
			changed = changed || s.r.open[mine[n]]
			s.r.open[mine[n]] = false
		}
		for n := len(mine) - 1; n >= 0 && !s.r.open[mine[n]]; n-- {
			changed = changed || s.r.open[its[n]]
			s.r.open[its[n]] = false
		}
	}
	return changed
}

// compareJobs orders jobs by their options; 0 says that they are alike.
func (b *board) compareJobs(x, y int) int {
	if c := cmp.Compare(bit(b.m.Jobs[x].Must), bit(b.m.Jobs[y].Must)); c != 0 {
		return c
	}
	return slices.CompareFunc(b.options[b.first[x]:b.first[x+1]], b.options[b.first[y]:b.first[y+1]], func(p, q option) int {
		return cmp.Or(cmp.Compare(q.gpus, p.gpus), cmp.Compare(p.by, q.by), cmp.Compare(p.leases, q.leases), cmp.Compare(p.q, q.q),
			cmp.Compare(p.gain, q.gain), slices.Compare(p.levels[:], q.levels[:]))
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
