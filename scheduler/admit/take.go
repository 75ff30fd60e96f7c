package admit

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/cells"
)

// Take answers the requests of jobs one after the other, each against the book
// that the one before has left: the way of a host that admits on arrival. It gives
// no offers, and who has room beside the calendar that stands, expectations
// included, is admitted there without another; the answer then has no Calendar of
// the area, and the book holds it. Snapshot, jobs and options must be valid.
func (b Book) Take(s *schedmate.Snapshot, jobs []*schedmate.JobStatus, o Options) (Book, []Answer) {
	if len(jobs) == 0 {
		return b, nil
	}
	q := b.desk(s, jobs, &o)
	out := make([]Answer, len(jobs))
	for i, j := range jobs {
		out[i] = q.take(j)
	}
	return q.book, out
}

// desk is a question that many jobs will be asked of, one after the other.
func (b Book) desk(s *schedmate.Snapshot, jobs []*schedmate.JobStatus, o *Options) *question {
	q := b.against(s, o, "")
	if o.HoldRunning { // each promise changes what others hold
		return q
	}
	q.quick = &desk{}
	for _, j := range jobs {
		if t := j.Job.SLO.Tiers; len(t) > 0 {
			q.quick.slots = max(q.quick.slots, o.slots(q.from, t[len(t)-1].Deadline))
		}
	}
	return q
}

// take answers one job, and goes on with the book that the answer leaves.
func (q *question) take(j *schedmate.JobStatus) Answer {
	q.used, q.asked = 0, j.Job.ID
	q.jobs[j.Job.ID] = j
	if q.given[j.Job.ID] != nil { // what it needs counts in another way than before
		q.read(q.book)
		q.quick.forget()
	}
	q.hold()
	a := q.enter(j, q.answer(j))
	a.Steps = q.used
	switch {
	case !a.Admitted:
		q.book = a.Book // nobody's promise has changed
	case a.Code == NoDeadline || a.Calendar != nil:
		q.read(a.Book)
	}
	return a
}

// join books a newcomer who takes nothing from the calendar that stands. It is the
// one place where a list is appended to that a book may hold already: that book ends
// before the newcomer, the list is of this question's own making, and whoever else
// changes one makes a copy first.
func (q *question) join(p Promise, g *grant) {
	b := q.book
	if !q.own {
		b.promises, q.own = slices.Clone(b.promises), true
		if b.lease != q.o.Lease {
			for i := range b.promises {
				b.promises[i].Leases = nil // of other slots
			}
		}
	}
	for _, k := range g.slots[0] {
		p.Leases = append(p.Leases, q.from+schedmate.Seconds(k-1)*q.o.Lease)
	}
	b.promises = append(b.promises, p)
	b.begin, b.lease = q.from, q.o.Lease
	if i, asked := b.findClosed(p.Job); asked {
		b.closed = slices.Delete(slices.Clone(b.closed), i, i+1)
	}
	q.book, q.given[p.Job] = b, &b.promises[len(b.promises)-1]
	if q.needs != nil {
		q.needs[g.at] = append(q.needs[g.at], q.claim(q.given[p.Job]))
	}
	q.quick.add(g)
}

// desk keeps the calendars that stand while one request after the other is
// answered. A nil desk keeps nothing.
type desk struct {
	slots int // that requests reach to
	areas map[*area]*standing
}

// standing is a calendar in its rooms; whole says that it gives all claims what they
// need.
type standing struct {
	whole bool
	taken *taken
}

// fit returns the earliest slots with room for a newcomer beside all that stands,
// or false: then there may be other calendars.
func (d *desk) fit(q *question, at *area, c *Claim) ([]int, bool) {
	if d == nil || q.given[c.Job] != nil {
		return nil, false
	}
	s := d.areas[at]
	if s == nil {
		s = d.lay(q, at)
	}
	if !s.whole || c.By > len(s.taken.rooms[0].GPUs) {
		return nil, false
	}
	slots := s.taken.earliest(c)
	return slots, slots != nil
}

// lay takes the rooms of an area for the calendar that stands there.
func (d *desk) lay(q *question, at *area) *standing {
	claims := append(q.standing(at, schedmate.Strict, ""), q.standing(at, schedmate.Soft, "")...)
	all := claims[:len(claims):len(claims)]
	for _, size := range cells.Sizes {
		all = append(all, &Claim{Cell: size}) // rooms for whatever may come
	}
	for i := range q.s.Cluster.VCs {
		if v := q.s.Cluster.VCs[i].Name; v != "" {
			if _, ok := at.limit(&q.s.Cluster, v); ok {
				all = append(all, &Claim{Cell: 1, VC: v})
			}
		}
	}
	s := &standing{whole: true, taken: q.layTo(at, all, max(1, d.slots)).empty()}
	for _, c := range claims {
		held := 0
		for _, k := range c.kept {
			if k > c.By || held == c.Leases {
				break
			}
			s.whole = s.whole && s.taken.fits(c, k)
			s.taken.take(c, k)
			held++
		}
		s.whole = s.whole && held == c.Leases
	}
	if d.areas == nil {
		d.areas = make(map[*area]*standing)
	}
	d.areas[at] = s
	return s
}

// add books what has been fitted.
func (d *desk) add(g *grant) {
	d.areas[g.at].taken.hold(g.claims, g.slots)
}

// forget is for a calendar that has been made anew.
func (d *desk) forget() {
	if d != nil {
		d.areas = nil
	}
}
