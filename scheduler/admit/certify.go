package admit

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// Claim is what one job must have of an area: Leases leases of GPUs GPUs, at most
// one a slot, in slots 1 to By.
type Claim struct {
	Job    string
	Class  schedmate.SLOClass
	Tenant string
	VC     string // "" unless the job shares a quota of GPUs with its VC
	GPUs   int
	Leases int
	By     int

	kept []int // slots that it has in the standing calendar
}

func (c *Claim) demand() lease.Demand {
	return lease.Demand{GPUs: c.GPUs, Leases: c.Leases, By: c.By}
}

// table is what the claims on an area share.
type table struct {
	capacity []int          // by slot, from 1 on
	limits   map[string]int // GPUs that the jobs of a VC may hold at once
	steps    int64          // of a search; 0: as many as its size is worth
}

// outcome is what a search for a calendar came to.
type outcome struct {
	code  Code // Guaranteed: found
	short lease.Shortage
	slots lease.Calendar // of each claim
	steps int64
}

// certify looks for a calendar that holds all claims: beside the standing one if
// that still holds, else a new one.
func (t *table) certify(claims []*Claim) outcome {
	if short, is := t.short(claims); is {
		return outcome{code: Short, short: short}
	}
	if slots, ok := t.beside(claims); ok {
		return outcome{code: Guaranteed, slots: slots}
	}
	out := t.search(t.capacity, claims)
	if out.code != Guaranteed || t.within(claims, out.slots) {
		return out
	}
	return t.nested(claims, out.steps)
}

// short is the prefix test, of everybody and of each VC that has a limit.
func (t *table) short(claims []*Claim) (lease.Shortage, bool) {
	if s, is := lease.Short(t.capacity, demands(claims)); is {
		return s, true
	}
	for _, vc := range limited(claims) {
		if s, is := lease.Short(atMost(t.capacity, t.limits[vc]), demands(of(claims, vc))); is {
			return s, true
		}
	}
	return lease.Shortage{}, false
}

// beside lets every claim keep its slots and gives those that need more, or are
// new, the earliest slots with room. So a new promise moves nobody if it need not.
func (t *table) beside(claims []*Claim) (lease.Calendar, bool) {
	room := slices.Clone(t.capacity)
	limits := make(map[string][]int)
	for _, vc := range limited(claims) {
		limits[vc] = atMost(t.capacity, t.limits[vc])
	}
	fits := func(c *Claim, k int) bool {
		return c.GPUs <= room[k-1] && (c.VC == "" || c.GPUs <= limits[c.VC][k-1])
	}
	slots := make(lease.Calendar, len(claims))
	take := func(i, k int) {
		slots[i] = append(slots[i], k)
		room[k-1] -= claims[i].GPUs
		if vc := claims[i].VC; vc != "" {
			limits[vc][k-1] -= claims[i].GPUs
		}
	}
	for i, c := range claims {
		for _, k := range c.kept {
			if k > c.By || len(slots[i]) == c.Leases {
				break
			}
			if !fits(c, k) {
				return nil, false
			}
			take(i, k)
		}
	}
	for i, c := range claims {
		has := slots[i]
		for k := 1; k <= c.By && len(slots[i]) < c.Leases; k++ {
			if len(has) > 0 && has[0] == k {
				has = has[1:]
			} else if fits(c, k) {
				take(i, k)
			}
		}
		if len(slots[i]) < c.Leases {
			return nil, false
		}
		slices.Sort(slots[i])
	}
	return slots, true
}

// search makes a new calendar, or proves that there is none; limits of VCs are not
// looked at.
func (t *table) search(capacity []int, claims []*Claim) outcome {
	plan, verdict, short := milp.Certify(model(capacity, claims), milp.Budget{Steps: t.steps})
	switch {
	case verdict == lease.Found:
		out := outcome{code: Guaranteed, slots: make(lease.Calendar, len(claims)), steps: plan.Steps}
		for i := range claims {
			out.slots[i] = plan.Jobs[i].Slots
		}
		return out
	case verdict == lease.Unknown:
		return outcome{code: Unproven}
	case short.GPUs > 0:
		return outcome{code: Short, short: short}
	}
	return outcome{code: NoCalendar}
}

// model writes claims as a round in which all of them are promised.
func model(capacity []int, claims []*Claim) *milp.Model {
	m := &milp.Model{Capacity: capacity}
	for _, c := range claims {
		m.Jobs = append(m.Jobs, milp.Job{
			ID: c.Job, Kind: reward.Strict, Must: true,
			Steps:    []reward.Step{{By: c.By, Reward: 100 * reward.One}},
			Policies: []milp.Policy{{GPUs: c.GPUs, Leases: c.Leases}},
		})
	}
	return m
}

// within reports whether a calendar keeps the limits of VCs.
func (t *table) within(claims []*Claim, slots lease.Calendar) bool {
	for _, vc := range limited(claims) {
		room := atMost(t.capacity, t.limits[vc])
		for i, c := range claims {
			if c.VC != vc {
				continue
			}
			for _, k := range slots[i] {
				if room[k-1] -= c.GPUs; room[k-1] < 0 {
					return false
				}
			}
		}
	}
	return true
}

// nested makes the calendars of limited VCs one after the other, each in what the
// one before has left, and then that of everybody else. It can miss a calendar.
func (t *table) nested(claims []*Claim, steps int64) outcome {
	out := outcome{code: Guaranteed, slots: make(lease.Calendar, len(claims)), steps: steps}
	room := slices.Clone(t.capacity)
	for _, vc := range append(limited(claims), "") {
		capacity := room
		if vc != "" {
			capacity = atMost(room, t.limits[vc])
		}
		part := t.search(capacity, of(claims, vc))
		out.steps += part.steps
		if part.code != Guaranteed {
			return outcome{code: Unproven, steps: out.steps}
		}
		n := 0
		for i, c := range claims {
			if c.VC != vc {
				continue
			}
			out.slots[i] = part.slots[n]
			n++
			for _, k := range out.slots[i] {
				room[k-1] -= c.GPUs
			}
		}
	}
	return out
}

func demands(claims []*Claim) []lease.Demand {
	out := make([]lease.Demand, len(claims))
	for i, c := range claims {
		out[i] = c.demand()
	}
	return out
}

// limited lists the VCs among the claims that have a limit, sorted.
func limited(claims []*Claim) []string {
	var out []string
	for _, c := range claims {
		if c.VC != "" && !slices.Contains(out, c.VC) {
			out = append(out, c.VC)
		}
	}
	slices.Sort(out)
	return out
}

// of picks the claims of a VC with a limit, or of all without one.
func of(claims []*Claim, vc string) []*Claim {
	var out []*Claim
	for _, c := range claims {
		if c.VC == vc {
			out = append(out, c)
		}
	}
	return out
}

func atMost(capacity []int, most int) []int {
	out := slices.Clone(capacity)
	for k := range out {
		out[k] = min(out[k], most)
	}
	return out
}
