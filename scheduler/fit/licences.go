package fit

import (
	"cmp"
	"slices"

	"schedmate"
)

// pool is one licence with all that is known of its use.
type pool struct {
	free    int
	held    []rights // by running jobs
	planned []rights // by jobs of the queue
}

// rights is a number of licences of one name that a job has for a time.
type rights struct {
	from, to schedmate.Seconds
	count    int
	job      int // that holds them; -1: it is planned
	rank     int // of a planned one
}

// pools counts the licences that the scheduler lists, and who holds them.
func (c *Cluster) pools() {
	for _, l := range c.o.Licences {
		c.licences[l.Name] = &pool{free: l.Total - l.Used - l.Reserved}
	}
	for _, job := range c.order {
		list, ok := readLicences(c.o.Jobs[job].Licences)
		if !ok {
			continue
		}
		for _, l := range list {
			if p := c.licences[l.name]; p != nil && l.count > 0 {
				p.held = append(p.held, rights{to: c.ends[job].at, count: l.count, job: job})
			}
		}
	}
}

// licensed reports whether the licences of a job are free in the scene, and stay so
// until its limit beside those of the jobs that are planned ahead. What the scheduler
// does not list is not counted.
func (c *Cluster) licensed(q *request, s *scene) bool {
	for k, l := range q.licences {
		p := c.licences[l.name]
		if p == nil {
			continue
		}
		need := 0 // a name may stand there twice
		for i, other := range q.licences {
			if other.name == l.name {
				if i < k {
					need = 0
					break
				}
				need += other.count
			}
		}
		if need > 0 && !p.lends(need, s, q.limit) {
			return false
		}
	}
	return true
}

// lends reports whether that many licences are free in a scene for a time.
func (p *pool) lends(need int, s *scene, limit schedmate.Seconds) bool {
	if p.freeAt(s.at, s) < need {
		return false
	}
	if s.rank == 0 || s.empty {
		return true
	}
	until := plus(plus(s.at, limit), backfillResolution)
	var ahead []rights
	sum := 0
	for _, r := range p.planned {
		if r.rank < s.rank && r.rank != s.self && r.from < until && s.at < r.to {
			ahead = append(ahead, r)
			sum += r.count
		}
	}
	if sum+need <= p.freeAt(s.at, s) {
		return true
	}
	// At each start of one of them all that hold some then must have enough.
	slices.SortFunc(ahead, func(a, b rights) int { return cmp.Compare(a.from, b.from) })
	for k := range ahead {
		at := max(s.at, ahead[k].from)
		then := need
		for i := range ahead {
			if ahead[i].from <= at && at < ahead[i].to {
				then += ahead[i].count
			}
		}
		if then > p.freeAt(at, s) {
			return false
		}
	}
	return true
}

// freeAt counts the licences that are free when the jobs that end by then are over.
func (p *pool) freeAt(at schedmate.Seconds, s *scene) int {
	sum := p.free
	for _, r := range p.held {
		over := s.empty || r.to <= at
		if s.gone != nil {
			over = s.gone(r.job)
		}
		if over {
			sum += r.count
		}
	}
	return sum
}

// hold notes that a planned job will have its licences.
func (c *Cluster) hold(place int, from, until schedmate.Seconds, q *request) {
	for _, l := range q.licences {
		if p := c.licences[l.name]; p != nil && l.count > 0 {
			p.planned = append(p.planned, rights{from, until, l.count, -1, place})
		}
	}
}

// wantsSame reports whether another job asks for one of the licences of a job.
func (c *Cluster) wantsSame(q *request, other *schedmate.ObservedJob) bool {
	if other.Licences == "" {
		return false
	}
	wanted, _ := readLicences(other.Licences)
	return slices.ContainsFunc(q.licences, func(l licence) bool {
		return c.licences[l.name] != nil && l.count > 0 && slices.ContainsFunc(wanted, func(w licence) bool { return w.name == l.name && w.count > 0 })
	})
}
