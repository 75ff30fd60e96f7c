package admit

import (
	"schedmate"
	"schedmate/scheduler/lease"
)

// Answer is what a request is told.
type Answer struct {
	Job      string
	Class    schedmate.SLOClass
	Admitted bool
	Code     Code

	// What was asked for, as it was tested.
	Deadline schedmate.Seconds // soft: of the tier that is expected, or else of the last; 0: none
	Tier     int               // soft: index of the tier that is expected
	Asked    int               // GPUs
	GPUs     int               // Asked, rounded up
	Work     schedmate.Seconds // that is left
	Basis    Basis             // what Work was taken from; "" when nothing is known
	Leases   int               // that hold Work
	By       int               // the last slot before the deadline

	// Of a refusal for want of GPU-leases: by the end of slot Binding, which ends
	// at the instant Until, ShortBy of Needed are missing; of a gang that is too wide,
	// in every slot until then. All are 0 otherwise.
	Binding         int
	Until           schedmate.Seconds
	ShortBy, Needed int

	// Calendar is the certificate of an admission: that of the whole area.
	Calendar *Calendar
	// Displaced are the expectations that this promise moves or ends.
	Displaced []Displaced
	// Offers would all be admitted now.
	Offers []Offer

	// Book is what stands after the answer.
	Book Book
	// Steps of searches for calendars.
	Steps int64

	grant *grant // of an admission that is not in the book yet
}

// grant is what an admission books: the claim that was tested, the last of claims,
// with the calendar of its area.
type grant struct {
	at     *area
	whole  schedmate.Seconds // the work that was believed
	claims []*Claim
	table  *table
	slots  lease.Calendar
	beside bool // claims is one that takes nothing from the calendar that stands
}

// Proven reports whether a refusal is a proof: no budget changes it.
func (a *Answer) Proven() bool { return a.Code != Unproven }

// Displaced is an expectation that had to give way: to a later tier, or, with
// Deadline 0, altogether.
type Displaced struct {
	Job      string
	Deadline schedmate.Seconds
}

// Calendar is who runs when in one area: a certificate that all claims can be kept
// together.
type Calendar struct {
	From   schedmate.Seconds // begin of slot 1
	Lease  schedmate.Seconds
	Rooms  []Room // what the claims share, the first of them all
	Claims []Claim
	Slots  lease.Calendar // of each claim
}

// Lease is GPUs that a job holds in one slot.
type Lease struct {
	Job        string
	Slot       int // from 1
	Start, End schedmate.Seconds
	GPUs       int
}

// Leases lists the leases of all jobs, slot after slot, in the order of the claims.
func (c *Calendar) Leases() []Lease {
	var out []Lease
	next := make([]int, len(c.Claims))
	for k := 1; k <= len(c.Rooms[0].GPUs); k++ {
		for i := range c.Claims {
			if next[i] < len(c.Slots[i]) && c.Slots[i][next[i]] == k {
				next[i]++
				start := c.From + schedmate.Seconds(k-1)*c.Lease
				out = append(out, Lease{c.Claims[i].Job, k, start, start + c.Lease, c.Claims[i].GPUs})
			}
		}
	}
	return out
}

func (q *question) calendar(g *grant) *Calendar {
	c := &Calendar{From: q.from, Lease: q.o.Lease, Rooms: g.table.rooms, Slots: g.slots}
	for _, x := range g.claims {
		c.Claims = append(c.Claims, *x)
	}
	return c
}
