package admit

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/lease"
)

// expectations are what a calendar of promises leaves to those who were told to
// expect something.
type expectations struct {
	stay   []*Claim // who is in the calendar, the promises included
	slots  lease.Calendar
	later  []Displaced // who can expect a later tier only
	lapsed []*Claim
}

// expect adds expectations to the calendar of the promises of an area: all of them,
// or, where that is too much, one by one in the order in which they were given,
// each at the earliest of its tiers, from the one that it was told on, for which
// there is room.
func (q *question) expect(at *area, firm []*Claim, slots lease.Calendar, soft []*Claim) expectations {
	e := expectations{stay: standingAt(firm, slots), slots: slots}
	if len(soft) == 0 {
		return e
	}
	all := slices.Concat(e.stay, soft)
	if out, _ := q.certify(at, all); out.code == Guaranteed {
		e.stay, e.slots = all, out.slots
		return e
	}
	x := q.layTo(at, all, q.last(soft)).empty()
	x.hold(e.stay, e.slots)
	for _, c := range soft {
		switch {
		case q.fit(&e, x, c):
		case q.o.Steps == 0 && q.add(&e, at, c):
			x = q.layTo(at, all, q.last(soft)).empty()
			x.hold(e.stay, e.slots)
		default:
			e.lapsed = append(e.lapsed, c)
		}
	}
	return e
}

// tries lists the deadlines that a soft job can still be told, from the one that it
// was told on.
func (q *question) tries(c *Claim) []schedmate.Seconds {
	told := q.given[c.Job].Deadline
	deadlines := []schedmate.Seconds{told}
	for _, t := range q.jobs[c.Job].Job.SLO.Tiers {
		if t.Deadline > told {
			deadlines = append(deadlines, t.Deadline)
		}
	}
	return deadlines
}

// last is the slot of the last deadline that any of soft jobs can be told.
func (q *question) last(soft []*Claim) int {
	last := 1
	for _, c := range soft {
		t := q.tries(c)
		last = max(last, q.o.slots(q.from, t[len(t)-1]))
	}
	return last
}

// fit adds an expectation beside those in the calendar, in the slots that it has and
// the earliest others, and moves nobody.
func (q *question) fit(e *expectations, x *taken, c *Claim) bool {
	told := q.given[c.Job].Deadline
	for _, deadline := range q.tries(c) {
		try := *c
		try.By = q.o.slots(q.from, deadline)
		if try.kept = x.earliest(&try); try.kept == nil {
			continue
		}
		x.hold([]*Claim{&try}, lease.Calendar{try.kept})
		e.stay, e.slots = append(e.stay, &try), append(e.slots, try.kept)
		if deadline > told {
			e.later = append(e.later, Displaced{c.Job, deadline})
		}
		return true
	}
	return false
}

// add finds the earliest tier for which there is room in any calendar.
func (q *question) add(e *expectations, at *area, c *Claim) bool {
	told := q.given[c.Job].Deadline
	for _, deadline := range q.tries(c) {
		try := *c
		try.By = q.o.slots(q.from, deadline)
		out, _ := q.certify(at, append(slices.Clone(e.stay), &try))
		if out.code != Guaranteed {
			continue
		}
		e.stay, e.slots = standingAt(append(e.stay, &try), out.slots), out.slots
		if deadline > told {
			e.later = append(e.later, Displaced{c.Job, deadline})
		}
		return true
	}
	return false
}

// standingAt returns copies of claims that have the slots of a calendar.
func standingAt(claims []*Claim, slots lease.Calendar) []*Claim {
	out := make([]*Claim, len(claims))
	for i, c := range claims {
		at := *c
		at.kept = slots[i]
		out[i] = &at
	}
	return out
}

// postpone returns the book with the later deadlines of expectations.
func (b Book) postpone(later []Displaced) Book {
	if len(later) == 0 {
		return b
	}
	b.promises = slices.Clone(b.promises)
	for _, x := range later {
		b.Promise(x.Job).Deadline = x.Deadline
	}
	return b
}
