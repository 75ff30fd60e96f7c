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
			for _, job := range s.r.free {
				from, to := s.b.of(job)
				for i := from; i < to; i++ {
					if s.r.open[i] && least-s.r.sum[job]+q.need[i] > q.most+brokenBy {
						s.r.open[i], changed = false, true
					}
				}
			}
		}
		s.r.work(6 * len(s.r.rows) * len(s.r.free))
	}
	return true
}

// lowest is the least that the open columns need of a row, in sum and, in r.sum,
// for each job.
func (s *search) lowest(q *row) (float64, bool) {
	least := q.held
	for _, job := range s.r.free {
		low := math.Inf(1)
		if s.r.open[len(s.b.options)+job] {
			low = 0
		}
		from, to := s.b.of(job)
		for i := from; i < to && low > 0; i++ {
			if s.r.open[i] && q.need[i] < low {
				low = q.need[i]
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
	for _, job := range s.r.free {
		twin := s.twin[job]
		if twin < 0 {
			continue
		}
		count := s.r.columns(job)
		for n := 0; n < count && !s.r.open[s.r.column(twin, n)]; n++ {
			c := s.r.column(job, n)
			changed = changed || s.r.open[c]
			s.r.open[c] = false
		}
		for n := count - 1; n >= 0 && !s.r.open[s.r.column(job, n)]; n-- {
			c := s.r.column(twin, n)
			changed = changed || s.r.open[c]
			s.r.open[c] = false
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
