package fit

import (
	"fmt"
	"strings"
)

// together: the parts of a heterogeneous job start at the same instant. Each part is
// asked for by itself, so that what is told of a part that waits for something holds;
// that all would fit together is not claimed.
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
	text := fmt.Sprintf("It is a part of the heterogeneous job %s.", a.j.Het)
	if len(waits) > 0 {
		text += " " + strings.Join(waits, " ")
	}
	if len(fits) > 0 {
		text += fmt.Sprintf(" By itself each of these parts would fit now: %s.", names(fits))
	}
	w := &worst.a
	a.a.Short, a.a.Largest, a.a.Nodes, a.a.Reservations, a.a.Ahead = w.Short, w.Largest, w.Nodes, w.Reservations, w.Ahead
	a.a.Ahead.Backfill = false
	if len(waits) > 0 && known {
		a.a.Until = Until{At: latest.At, Releases: latest.Releases}
	}
	return a.say(w.Kind, "%s", text)
}
