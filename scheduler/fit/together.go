package fit

import (
	"fmt"
	"strings"
)

// together: the parts of a heterogeneous job start at the same instant. Each part is
// asked for by itself, so that what is told of a part that waits for something holds.
// Where each would fit they are placed one after another, which may miss a way to
// place them all.
func (a *question) together() bool {
	if a.j.Het == "" {
		return false
	}
	a.a.Notes = append(a.a.Notes, "The parts of a heterogeneous job start together; each was placed by itself, so that it may take longer.")
	var waits, fits []string
	worst := *a
	known, latest := true, Until{At: a.c.now}
	for i := range a.c.o.Jobs {
		other := &a.c.o.Jobs[i]
		if other.Het != a.j.Het || !other.Waits() {
			continue
		}
		if other.ID == a.j.ID {
			other = a.j
		}
		b := a.c.ask(other)
		b.a.Notes = nil
		for _, check := range onNodes {
			if check(b) {
				break
			}
		}
		if k := b.a.Kind; k >= Priority {
			fits = append(fits, other.ID)
		} else {
			waits = append(waits, fmt.Sprintf("Part %s (%s) waits. %s", other.ID, asks(other, &b.q), b.a.Text))
			known = known && b.a.Until.At > 0
			if b.a.Until.At > latest.At {
				latest = b.a.Until
			}
		}
		if worst.a.Kind == 0 || b.a.Kind < worst.a.Kind {
			worst = *b
		}
	}
	kind := worst.a.Kind
	text := fmt.Sprintf("It is a part of the heterogeneous job %s.", a.j.Het)
	if len(waits) > 0 {
		text += " " + strings.Join(waits, " ")
	}
	if len(fits) > 0 {
		text += fmt.Sprintf(" By itself each of these parts would fit now: %s.", names(fits))
	}
	if len(waits) == 0 {
		if part := a.c.crowdedOut(fits); part != "" {
			kind = Resources
			text += fmt.Sprintf(" Placed one after another, %s finds no room beside the others.", part)
		}
	}
	if a.fresh {
		text += " " + a.news()
	}
	w := &worst.a
	a.a.Short, a.a.Largest, a.a.Nodes, a.a.Reservations, a.a.Ahead = w.Short, w.Largest, w.Nodes, w.Reservations, w.Ahead
	a.a.Ahead.Backfill = false
	if len(waits) > 0 && known {
		a.a.Until = Until{At: latest.At, Releases: latest.Releases, Reservations: latest.Reservations}
	}
	return a.say(kind, "%s", text)
}

// crowdedOut places jobs now, one after another, and names the first that finds no room
// beside those before it, or none.
func (c *Cluster) crowdedOut(ids []string) string {
	var on []*machine
	defer func() {
		for _, m := range on {
			m.taken = m.taken[:len(m.taken)-1]
		}
	}()
	for _, id := range ids {
		i, ok := c.byJob[id]
		if !ok {
			return ""
		}
		b := c.ask(&c.o.Jobs[i])
		shares, ok := c.place(&b.q, b.fields, &scene{at: c.now, self: -1, beside: true})
		if !ok {
			return id
		}
		for _, s := range shares {
			m := &c.machines[s.node]
			m.taken = append(m.taken, taken{besides, plus(c.now, b.q.limit), s})
			on = append(on, m)
		}
	}
	return ""
}

// besides is the rank of what parts of one job take beside each other for a while.
const besides = -2
