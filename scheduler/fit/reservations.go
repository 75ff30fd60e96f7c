package fit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedmate"
)

// Opening is the end of a reservation, which lets others in again.
type Opening struct {
	Reservation string            `json:"reservation"`
	At          schedmate.Seconds `json:"at_s"`
}

// obstacles returns the reservations that keep nodes from the job from an instant on, in
// the order of time: those that it would meet, and those that come too soon after them
// for it to run in between. The one that it would run in is none of them. Only nodes
// that pass count.
func (a *question) obstacles(from schedmate.Seconds, pass func(node int) bool) (reservations, nodes []int) {
	listed := make([]bool, len(a.c.o.Reservations))
	nodes = a.nodes(func(m *machine, f *field) bool {
		if at := a.c.byName[m.node.Name]; !pass(at) || !a.c.keeps(m, f, &scene{at: from, self: -1}, a.q.limit) {
			return false
		}
		claims := slices.Clone(m.claims)
		slices.SortFunc(claims, func(x, y claim) int { return cmp.Compare(x.from, y.from) })
		room := plus(from, a.q.limit) // until when the node must be free of them
		for _, cl := range claims {
			if cl.to <= from || cl.from >= cl.to || cl.reservation == f.reservation {
				continue
			}
			if cl.from >= room {
				break
			}
			listed[cl.reservation] = true
			room = max(room, plus(cl.to, a.q.limit))
		}
		return true
	})
	for k, is := range listed {
		if is {
			reservations = append(reservations, k)
		}
	}
	slices.SortStableFunc(reservations, func(x, y int) int {
		r, s := &a.c.o.Reservations[x], &a.c.o.Reservations[y]
		return cmp.Or(cmp.Compare(r.Start, s.Start), cmp.Compare(r.End, s.End), cmp.Compare(r.Name, s.Name))
	})
	return reservations, nodes
}

// keptFor names reservations, in the order of time, and says when they are.
func (a *question) keptFor(reservations []int) string {
	when := func(r *schedmate.Reservation) string {
		switch now := a.c.now; {
		case r.Start > now:
			return "begins in " + span(r.Start-now)
		case r.End > now:
			return "has begun and ends in " + span(r.End-now)
		}
		return "has begun"
	}
	if len(reservations) == 1 {
		r := &a.c.o.Reservations[reservations[0]]
		return fmt.Sprintf("the reservation %s, which %s", r.Name, when(r))
	}
	list := make([]string, len(reservations))
	for i, k := range reservations {
		r := &a.c.o.Reservations[k]
		list[i] = fmt.Sprintf("%s (%s)", r.Name, strings.TrimPrefix(when(r), "has begun and "))
	}
	return "the reservations " + names(list)
}

// openings returns the reservations on which an instant rests: nothing that runs is in
// the way of the job from an earlier one on, and those are over by then.
func (a *question) openings(from, at schedmate.Seconds, on []bool) []Opening {
	var list []Opening
	reservations, _ := a.obstacles(from, func(node int) bool { return on[node] })
	for _, k := range reservations {
		if r := &a.c.o.Reservations[k]; r.End > from && r.End <= at {
			list = append(list, Opening{r.Name, r.End})
		}
	}
	return list
}

// opens says which reservations must be over beside, or before, what else must end.
func (u *Until) opens(now schedmate.Seconds) string {
	if len(u.Reservations) == 0 {
		return ""
	}
	list := make([]string, len(u.Reservations))
	for i, r := range u.Reservations {
		list[i] = r.Reservation
	}
	what, too := " The reservation ", ""
	if len(list) > 1 {
		what = " The reservations "
	}
	if len(u.Releases) > 0 {
		too = ", too"
	}
	return fmt.Sprintf("%s%s must end%s: in %s.", what, names(list), too, span(u.At-now))
}
