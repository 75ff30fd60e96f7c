package fit

import (
	"fmt"
	"slices"

	"schedmate"
)

// until finds when enough is free if nobody else takes it first, and the running
// jobs whose ends that needs: none of them can be left out.
func (a *question) until() Until {
	shape := a.shape()
	if known, ok := a.c.untils[shape]; ok {
		return known
	}
	u := a.findUntil()
	a.c.untils[shape] = u
	return u
}

// shape is the same for jobs that ask for the same in the same places.
func (a *question) shape() string {
	shape := fmt.Sprint(a.q, a.j.Partitions, a.j.Reservation)
	if a.c.magnetic {
		shape += fmt.Sprint(a.j.User, a.j.Account) // it lets in whom it names
	}
	return shape
}

func (a *question) findUntil() Until {
	at, shares, ok := a.c.earliest(&a.q, a.fields, scene{self: -1}, "")
	if !ok {
		return Until{}
	}
	if at == a.c.now {
		return Until{At: at}
	}
	on := make([]bool, len(a.c.machines))
	for _, s := range shares {
		on[s.node] = true
	}
	var jobs []int // that could matter, the last to end first
	for _, i := range slices.Backward(a.c.order) {
		if a.c.ends[i].at <= at && a.matters(i, on) {
			jobs = append(jobs, i)
		}
	}
	needed := a.shrink(at, jobs)
	u := Until{At: at}
	for _, i := range slices.Backward(needed) {
		u.Releases = append(u.Releases, Release{a.c.o.Jobs[i].ID, a.c.ends[i].at, a.c.ends[i].basis})
	}
	return u
}

// matters reports whether a running job holds a part of some nodes, or licences.
func (a *question) matters(i int, on []bool) bool {
	j := &a.c.o.Jobs[i]
	for k := range j.Allocation {
		if at, ok := a.c.byName[j.Allocation[k].Node]; ok && on[at] {
			return true
		}
	}
	return len(a.q.licences) > 0 && j.Licences != ""
}

// shrink leaves out of the jobs that end those that need not, one after another.
// What is free only grows with the jobs that end, so no smaller part of what is
// left would do. What nodes offer is kept from one try to the next.
func (a *question) shrink(at schedmate.Seconds, jobs []int) []int {
	over := make(map[int]bool, len(jobs))
	for _, i := range jobs {
		over[i] = true
	}
	t := a.try(&scene{at: at, gone: func(job int) bool { return over[job] }, self: -1})
	var needed []int
	for _, i := range jobs {
		over[i] = false
		t.changed(&a.c.o.Jobs[i])
		if !t.fits() {
			over[i] = true
			t.changed(&a.c.o.Jobs[i])
			needed = append(needed, i)
		}
	}
	return needed
}

// trial is a job in a scene that changes a little from one try to the next.
type trial struct {
	a      *question
	s      *scene
	offers [][]offer // of each field, of each of its nodes
}

func (a *question) try(s *scene) *trial {
	t := &trial{a: a, s: s, offers: make([][]offer, len(a.fields))}
	for i := range a.fields {
		t.offers[i] = make([]offer, len(a.fields[i].nodes))
		for k := range t.offers[i] {
			t.offers[i][k] = a.c.offer(&a.q, &a.fields[i], k, s)
		}
	}
	return t
}

// changed works out anew what the nodes of a running job offer.
func (t *trial) changed(j *schedmate.ObservedJob) {
	for h := range j.Allocation {
		at, ok := t.a.c.byName[j.Allocation[h].Node]
		if !ok {
			continue
		}
		for i := range t.a.fields {
			f := &t.a.fields[i]
			if k, in := slices.BinarySearch(f.nodes, at); in {
				t.offers[i][k] = t.a.c.offer(&t.a.q, f, k, t.s)
			}
		}
	}
}

// fits does as place.
func (t *trial) fits() bool {
	c := t.a.c
	_, ok := c.placeIn(&t.a.q, t.a.fields, t.s, func(_ *request, _ *field, i int) []offer {
		c.work += len(t.offers[i]) / 8
		offers := c.offered[:0]
		for k := range t.offers[i] {
			if t.offers[i][k].tasks > 0 {
				offers = append(offers, t.offers[i][k])
			}
		}
		c.offered = offers
		return offers
	})
	return ok
}
