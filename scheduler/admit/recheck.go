package admit

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
)

// Review is what came of the promises of a book.
type Review struct {
	Book      Book        // those that stand, with their new calendar
	Kept      []string    // jobs whose promises stand, in the order in which they were given
	Broken    []Broken    // guarantees that cannot be kept
	Lapsed    []Broken    // expectations for which there is no room any more
	Postponed []Displaced // expectations that have moved to a later tier
	Steps     int64       // of searches for calendars
}

// Broken is one promise that is not kept any more, and why.
type Broken struct {
	Job      string
	Why      Code
	Deadline schedmate.Seconds
	GPUs     int                 // of one lease
	Planned  int                 // leases that its calendar still had for it
	Leases   int                 // leases that it needs
	By       int                 // slots until its deadline
	Lost     []schedmate.Seconds // when the Planned leases would have begun

	// As in an Answer: where all claims together did not fit; 0 when only whole
	// gangs do not, or the job fails by itself.
	Binding int
	Until   schedmate.Seconds
	ShortBy int
}

// Recheck asks whether all promises can be kept with what is known now. Promises of
// jobs that are not in the snapshot any more are over.
func (b Book) Recheck(s *schedmate.Snapshot, o Options) Review {
	q := b.against(s, &o, "")
	var r Review
	for _, p := range b.promises {
		j := q.jobs[p.Job]
		switch {
		case j == nil:
			b = b.Without(p.Job)
		case j.Crashes > o.Retries:
			b = r.lose(b, q.broken(&p, Crashed), p.Class)
		case q.o.gang(j.Job.GPUs) > p.GPUs || p.Iterations > 0 && j.Job.Iterations > p.Iterations:
			b = r.lose(b, q.broken(&p, Changed), p.Class)
		case q.areaOf(&p) == nil:
			b = r.lose(b, q.broken(&p, LostCapacity), p.Class)
		}
	}
	for _, c := range b.closed {
		if q.jobs[c.Job] == nil {
			b = b.Without(c.Job)
		}
	}
	q.read(b)
	for _, at := range q.areas {
		b = q.recheck(b, at, &r)
	}
	for i := range b.promises {
		p := &b.promises[i]
		if w, basis, ok := believed(q.jobs[p.Job], p.Class, s.Now, &o); ok && basis != Limit {
			p.Work = w
		}
		r.Kept = append(r.Kept, p.Job)
	}
	r.Book, r.Steps = b, q.used
	return r
}

func (r *Review) lose(b Book, x Broken, class schedmate.SLOClass) Book {
	if class == schedmate.Soft {
		r.Lapsed = append(r.Lapsed, x)
	} else {
		r.Broken = append(r.Broken, x)
	}
	return b.close(x.Job, x.Why)
}

// broken describes the end of a promise.
func (q *question) broken(p *Promise, why Code) Broken {
	c := q.claim(p)
	x := Broken{Job: p.Job, Why: why, Deadline: p.Deadline, GPUs: p.GPUs, Planned: len(c.kept), Leases: c.Leases, By: c.By}
	for _, k := range c.kept {
		x.Lost = append(x.Lost, q.from+schedmate.Seconds(k-1)*q.o.Lease)
	}
	return x
}

// recheck makes the calendar of one area anew.
func (q *question) recheck(b Book, at *area, r *Review) Book {
	firm, soft := q.standing(at, schedmate.Strict, ""), q.standing(at, schedmate.Soft, "")
	if len(firm)+len(soft) == 0 {
		return b
	}
	late := slices.DeleteFunc(slices.Clone(firm), func(c *Claim) bool { return c.Leases <= c.By })
	firm = slices.DeleteFunc(firm, func(c *Claim) bool { return c.Leases > c.By })
	out, _ := q.certify(at, firm)
	stay, slots := firm, out.slots
	if out.code != Guaranteed {
		stay, slots = q.rescue(at, firm)
	}
	for _, c := range late {
		b = r.lose(b, q.broken(q.given[c.Job], q.why(c)), schedmate.Strict)
	}
	for _, c := range firm {
		if slices.ContainsFunc(stay, func(s *Claim) bool { return s.Job == c.Job }) {
			continue
		}
		x := q.broken(q.given[c.Job], q.why(c))
		if x.Binding, x.ShortBy = out.short.slot, out.short.gpus; x.ShortBy > 0 {
			x.Until = q.from + schedmate.Seconds(x.Binding)*q.o.Lease
		}
		b = r.lose(b, x, schedmate.Strict)
	}
	e := q.expect(at, stay, slots, soft)
	for _, c := range e.lapsed {
		b = r.lose(b, q.broken(q.given[c.Job], q.why(c)), schedmate.Soft)
	}
	r.Postponed = append(r.Postponed, e.later...)
	return q.keep(b.postpone(e.later), e.stay, e.slots)
}

// why says whose fault it is that a promise broke: its own, if it needs more than
// its calendar has for it.
func (q *question) why(c *Claim) Code {
	whole, basis, ok := believed(q.jobs[c.Job], c.Class, q.s.Now, q.o)
	switch {
	case !grew(c) && c.Class == schedmate.Soft:
		return Overruled
	case !grew(c):
		return LostCapacity
	case ok && basis != Limit && whole > q.given[c.Job].Work:
		return EstimateGrew
	}
	return FellBehind
}

// grew reports whether a claim needs more than the standing calendar has for it.
func grew(c *Claim) bool { return c.Leases > len(c.kept) || c.Leases > c.By }

// rescue chooses which strict claims are kept when not all can be. Those that need
// no more than before come first, if they can all be kept; of the rest as many as
// a plan finds room for.
func (q *question) rescue(at *area, claims []*Claim) ([]*Claim, lease.Calendar) {
	old := slices.DeleteFunc(slices.Clone(claims), grew)
	before, _ := q.certify(at, old)
	if before.code != Guaranteed {
		old = nil
	}
	t := q.lay(at, claims)
	m := model(t.rooms[0].GPUs, claims)
	for i := range m.Jobs {
		m.Jobs[i].Must = slices.Contains(old, claims[i])
	}
	steps := q.o.Steps
	if steps == 0 {
		steps = worth(m)
	}
	plan := milp.Solve(m, milp.Options{Seed: 1, Budget: milp.Budget{Steps: steps}})
	q.used += plan.Steps
	var stay []*Claim
	var slots lease.Calendar
	for i, c := range claims {
		if plan.Jobs[i].Step >= 0 {
			stay, slots = append(stay, c), append(slots, plan.Jobs[i].Slots)
		}
	}
	if !plan.Relaxed || len(old) == 0 {
		if out, _ := q.certify(at, stay); out.code == Guaranteed { // moves nobody if it need not
			return stay, out.slots
		}
		if t.within(stay, slots) {
			return stay, slots
		}
	}
	// The plan knows one room, and its search has a budget: what has been certified
	// stays, and of its choice what fits beside that.
	chosen := stay
	stay, slots = standingAt(old, before.slots), before.slots
	for _, c := range chosen {
		if slices.Contains(old, c) {
			continue
		}
		if out, _ := q.certify(at, append(slices.Clone(stay), c)); out.code == Guaranteed {
			stay, slots = standingAt(append(stay, c), out.slots), out.slots
		}
	}
	return stay, slots
}
