package fit

import (
	"slices"

	"schedmate"
)

// trial is a job in a scene that changes a little from one try to the next. What
// nodes offer is kept.
type trial struct {
	c      *Cluster
	q      *request
	fields []field
	s      *scene
	offers [][]offer             // of each field, of each of its nodes
	change [][]schedmate.Seconds // when each of them changes at the earliest
}

func (c *Cluster) try(q *request, fields []field, s *scene) *trial {
	t := &trial{c: c, q: q, fields: fields, s: s, offers: make([][]offer, len(fields)), change: make([][]schedmate.Seconds, len(fields))}
	for i := range fields {
		c.work.done += len(fields[i].nodes)
		t.offers[i] = make([]offer, len(fields[i].nodes))
		t.change[i] = make([]schedmate.Seconds, len(fields[i].nodes))
		for k := range t.offers[i] {
			t.look(i, k)
		}
	}
	return t
}

func (t *trial) look(i, k int) {
	f := &t.fields[i]
	t.offers[i][k] = t.c.offer(t.q, f, k, t.s)
	t.change[i][k] = t.c.machines[f.nodes[k]].change(f, t.s.at, t.q.limit)
}

// changed works out anew what the nodes of a running job offer.
func (t *trial) changed(j *schedmate.ObservedJob) {
	for h := range j.Allocation {
		at, ok := t.c.byName[j.Allocation[h].Node]
		if !ok {
			continue
		}
		for i := range t.fields {
			if k, in := slices.BinarySearch(t.fields[i].nodes, at); in {
				t.look(i, k)
			}
		}
	}
}

// later goes on to a later instant.
func (t *trial) later(at schedmate.Seconds) {
	t.s.at = at
	for i := range t.fields {
		for k, change := range t.change[i] {
			if change <= at {
				t.c.work.done++
				t.look(i, k)
			}
		}
	}
}

// place does as that of the cluster.
func (t *trial) place() ([]share, bool) {
	return t.c.placeIn(t.q, t.fields, t.s, func(_ *request, _ *field, i int) []offer {
		t.c.work.done += len(t.offers[i]) / 8
		offers := t.c.offered[:0]
		for k := range t.offers[i] {
			if t.offers[i][k].tasks > 0 {
				offers = append(offers, t.offers[i][k])
			}
		}
		t.c.offered = offers
		return offers
	})
}

// change returns the first instant after one at which what the node offers to a job
// with a time limit may change.
func (m *machine) change(f *field, now, limit schedmate.Seconds) schedmate.Seconds {
	first := schedmate.Forever
	at := func(t schedmate.Seconds) {
		if t > now {
			first = min(first, t)
		}
	}
	for k := range m.held {
		at(m.held[k].end)
	}
	for k := range m.taken {
		at(m.taken[k].until)
	}
	claimed := func(from, to, limit schedmate.Seconds) {
		at(to)
		at(from - limit + 1)
	}
	if f.reservation < 0 {
		if k := m.firstKept(now); k < len(m.kept) {
			claimed(m.kept[k].from, m.kept[k].to, limit) // the next of them comes later
		}
	} else {
		for k := range m.claims {
			claimed(m.claims[k].from, m.claims[k].to, limit)
		}
	}
	for k := range m.planned {
		claimed(m.planned[k].from, m.planned[k].to, limit+backfillResolution)
	}
	return first
}
