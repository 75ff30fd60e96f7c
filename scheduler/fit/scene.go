package fit

import (
	"math"

	"schedmate"
)

// scene is the cluster as it is at an instant, or as it might be.
type scene struct {
	at       schedmate.Seconds
	empty    bool               // nothing runs
	repaired bool               // every node takes work
	gone     func(job int) bool // these running jobs are over, and no others; nil: those that end by then
	open     bool               // reservations keep nothing
	always   bool               // those that a job may use are active at any time
	rank     int                // jobs before this place of the queue keep what is planned for them
	self     int                // but for the one at this place; -1: none
	sharp    bool               // only plans of which the nodes are known count
	beside   bool               // what parts of its own job take counts
	relaxed  resources          // there is plenty of these
	anyCount bool               // partitions do not bound the number of nodes
}

// resources is a set of what nodes give.
type resources uint8

const (
	ofGPUs resources = 1 << iota
	ofShards
	ofCPUs
	ofMemory
	ofWholeNodes
)

// room is what a node has free in the scene. It must not be changed.
func (c *Cluster) room(m *machine, s *scene) *room {
	var r *room
	switch {
	case s.empty:
		r = &m.whole
	case s.gone != nil:
		own := m.without(s.gone)
		r = &own
	default:
		r = m.at(s.at)
	}
	if (s.rank > 0 || s.beside) && !s.empty && len(m.taken) > 0 {
		own := r.less(m, m.taken, s)
		r = &own
	}
	if s.relaxed != 0 {
		own := r.relax(s.relaxed)
		r = &own
	}
	return r
}

func (r room) relax(what resources) room {
	if what&ofShards != 0 {
		r.shards = plenty
	}
	if what&ofCPUs != 0 {
		r.cpus = plenty
	}
	if what&ofMemory != 0 {
		r.memory = math.MaxInt64 / 4
	}
	if what&ofWholeNodes != 0 {
		r.idle = true
	}
	return r
}

// keeps reports whether a claim on a node keeps a job of the field away for a time
// from the instant of the scene on.
func (c *Cluster) keeps(m *machine, f *field, s *scene, limit schedmate.Seconds) bool {
	until := plus(s.at, limit)
	if !s.open && !f.overlaps && m.keptIn(s.at, until) {
		if f.reservation < 0 {
			return true
		}
		for k := range m.claims {
			if cl := &m.claims[k]; cl.reservation != f.reservation && cl.from < until && s.at < cl.to {
				return true
			}
		}
	}
	if s.rank > 0 && len(m.planned) > 0 {
		until = plus(until, backfillResolution)
		for k := range m.planned {
			if cl := &m.planned[k]; cl.rank < s.rank && cl.rank != s.self && !(s.sharp && cl.blurred) && cl.from < until && s.at < cl.to {
				return true
			}
		}
	}
	return false
}

// place finds nodes for a job in a scene, in one of its fields.
func (c *Cluster) place(q *request, fields []field, s *scene) ([]share, bool) {
	return c.placeIn(q, fields, s, func(q *request, f *field, _ int) []offer { return c.offers(q, f, s) })
}

func (c *Cluster) placeIn(q *request, fields []field, s *scene, offers func(*request, *field, int) []offer) ([]share, bool) {
	if !c.licensed(q, s) {
		return nil, false
	}
	for k := range fields {
		f := &fields[k]
		if !s.empty && !s.always && (s.at < f.opens || s.at >= f.closes) {
			continue
		}
		own, ok := q, true
		if !s.anyCount {
			own, ok = q.in(&c.o.Partitions[f.partition])
		}
		if !ok {
			continue
		}
		if shares, ok := own.choose(offers(own, f, k), &c.work); ok {
			return shares, true
		}
	}
	return nil, false
}

// offers collects what the nodes of a field offer.
func (c *Cluster) offers(q *request, f *field, s *scene) []offer {
	if len(f.nodes) < q.minNodes {
		return nil
	}
	offers := c.offered[:0] // used again and again: nothing of it is kept
	equal, partTasks, partGPUs := 0, perNode(max(1, q.tasks), q.minNodes), perNode(q.gpus, q.minNodes)
	c.work.done += len(f.nodes)
	for k := range f.nodes {
		o := c.offer(q, f, k, s)
		if o.tasks == 0 {
			continue
		}
		offers = append(offers, o)
		if o.tasks >= partTasks && o.gpus >= partGPUs {
			equal++
		}
		if equal == q.minNodes && c.flat && len(q.named) == 0 {
			break // these will be chosen
		}
	}
	c.offered = offers
	return offers
}

// offer is what one node of a field offers; it has no tasks if the job may not use it.
func (c *Cluster) offer(q *request, f *field, k int, s *scene) offer {
	o := offer{node: f.nodes[k]}
	m := &c.machines[o.node]
	if !s.repaired && !m.healthy || c.keeps(m, f, s, q.limit) {
		return o
	}
	o.tasks, o.gpus = q.offers(m, c.room(m, s))
	o.named, o.weight = f.named != nil && f.named[k], m.weight
	return o
}
