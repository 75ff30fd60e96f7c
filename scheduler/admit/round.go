package admit

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/lease"
)

// Round is the promises that rest on one area as a planner of leases takes them
// up: what they need, and the calendar that stands.
type Round struct {
	From   schedmate.Seconds // begin of slot 1
	Rooms  []Room            // what the claims share, the first of them all
	Claims []Claim           // in the order in which they were promised
	Slots  lease.Calendar    // of each claim; shorter than its leases where it needs more than it had

	at *area
}

// Rounds lists the areas on which a promise rests. Each reaches for slots slots at
// least, or to the last deadline that a job could still be promised. A book that has
// just been rechecked has a calendar in each that keeps all claims.
func (b Book) Rounds(s *schedmate.Snapshot, o Options, slots int) []Round {
	q := b.against(s, &o, "")
	var out []Round
	for _, at := range q.areas {
		claims := append(q.standing(at, schedmate.Strict, ""), q.standing(at, schedmate.Soft, "")...)
		if len(claims) == 0 {
			continue
		}
		last := slots
		for _, c := range claims {
			last = max(last, c.By)
			if t := q.jobs[c.Job].Job.SLO.Tiers; c.Class == schedmate.Soft {
				last = max(last, o.slots(q.from, t[len(t)-1].Deadline))
			}
		}
		r := Round{From: q.from, Rooms: q.layTo(at, claims, last).rooms, at: at}
		for _, c := range claims {
			r.Claims = append(r.Claims, *c)
			r.Slots = append(r.Slots, c.kept)
		}
		out = append(out, r)
	}
	return out
}

// Holds reports whether the calendar of the round keeps to all its rooms and gives
// each claim its leases in time.
func (r *Round) Holds() bool {
	t := &table{rooms: r.Rooms}
	claims := make([]*Claim, len(r.Claims))
	for i := range r.Claims {
		c := &r.Claims[i]
		claims[i] = c
		if d := c.demand(); !d.Covers(r.Slots[i], len(r.Rooms[0].GPUs)) || len(r.Slots[i]) > c.Leases {
			return false
		}
	}
	return len(r.Slots) == len(claims) && t.within(claims, r.Slots)
}

// Arrange writes the calendar of a round that Holds into the book. Claims may ask
// for other deadlines than the book told: those of soft jobs move to the tier whose
// slot that is; what is not among the claims of its area any more has lapsed.
func (b Book) Arrange(s *schedmate.Snapshot, o Options, r *Round) Book {
	q := b.against(s, &o, "")
	at := q.areas[slices.IndexFunc(q.areas, func(a *area) bool { return a.name == r.at.name })]
	stays := make(map[string]bool, len(r.Claims))
	claims := make([]*Claim, len(r.Claims))
	for i := range r.Claims {
		claims[i] = &r.Claims[i]
		stays[r.Claims[i].Job] = true
	}
	for _, c := range q.standing(at, schedmate.Soft, "") {
		if !stays[c.Job] {
			b = b.close(c.Job, Overruled)
		}
	}
	b = q.keep(b, claims, r.Slots)
	now := b.index()
	for _, c := range claims {
		if p := now[c.Job]; c.Class == schedmate.Soft {
			for _, t := range q.jobs[c.Job].Job.SLO.Tiers {
				if o.slots(q.from, t.Deadline) >= c.By {
					p.Deadline = t.Deadline
					break
				}
			}
		}
	}
	return b
}
