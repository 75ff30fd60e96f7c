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
	if !a.c.work.cut {
		a.c.untils[shape] = u
	}
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
	u := Until{At: at}
	needed, ok := a.shrink(at, jobs)
	if !ok {
		return u
	}
	for _, i := range slices.Backward(needed) {
		u.Releases = append(u.Releases, Release{a.c.o.Jobs[i].ID, a.c.ends[i].at, a.c.ends[i].basis})
	}
	if last := u.last(a.c.now); last < at {
		u.Reservations = a.openings(last, at, on)
	}
	return u
}

// last is when the last of the releases is; without any, an earlier instant.
func (u *Until) last(now schedmate.Seconds) schedmate.Seconds {
	last := now
	for _, r := range u.Releases {
		last = max(last, r.At)
	}
	return last
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
// left would do. What nodes offer is kept from one try to the next. It is not ok if that
// takes too long.
func (a *question) shrink(at schedmate.Seconds, jobs []int) (needed []int, ok bool) {
	over := make(map[int]bool, len(jobs))
	for _, i := range jobs {
		over[i] = true
	}
	t := a.c.try(&a.q, a.fields, &scene{at: at, gone: func(job int) bool { return over[job] }, self: -1})
	for _, i := range jobs {
		if a.c.work.spent() {
			return nil, false
		}
		over[i] = false
		t.changed(&a.c.o.Jobs[i])
		if _, ok := t.place(); !ok {
			over[i] = true
			t.changed(&a.c.o.Jobs[i])
			needed = append(needed, i)
		}
	}
	return needed, true
}
