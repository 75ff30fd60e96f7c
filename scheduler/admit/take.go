package admit

import (
	"schedmate"
	"schedmate/scheduler/cells"
)

// Take answers the requests of jobs one after the other, each against the book
// that the one before has left: the way of a host that admits on arrival. It gives
// no offers, and who has room beside the calendar that stands, expectations
// included, is admitted there without another; the answer then has no Calendar of
// the area, and the book holds it. Snapshot, jobs and options must be valid.
func (b Book) Take(s *schedmate.Snapshot, jobs []*schedmate.JobStatus, o Options) (Book, []Answer) {
	var out []Answer
	if len(jobs) == 0 {
		return b, nil
	}
	q := b.against(s, &o, "")
	if o.QuotaMilli == 0 && !o.HoldRunning {
		q.quick = &desk{}
		for _, j := range jobs {
			if t := j.Job.SLO.Tiers; len(t) > 0 {
				q.quick.slots = max(q.quick.slots, o.slots(q.from, t[len(t)-1].Deadline))
			}
		}
	}
	for _, j := range jobs {
		q.used, q.asked = 0, j.Job.ID
		q.jobs[j.Job.ID] = j
		q.read(b)
		a := q.enter(j, q.answer(j))
		a.Steps = q.used
		b = a.Book
		out = append(out, a)
	}
	return b, out
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
	if d == nil || c.VC != "" || q.given[c.Job] != nil {
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
