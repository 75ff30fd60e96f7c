package threesigma

import (
	"schedmate"
)

// calendar is the thousandths of GPUs that are expected to be free, by slot from
// now on. Slots beyond the list are as free as the cluster can be.
type calendar struct {
	slot schedmate.Seconds
	all  int64
	free []int64
}

// newCalendar returns a calendar in which nothing is booked.
func newCalendar(s *schedmate.Snapshot, slot schedmate.Seconds) *calendar {
	c := &calendar{slot: slot}
	for i := range s.Cluster.Nodes {
		if n := &s.Cluster.Nodes[i]; n.Takes() {
			c.all += int64(n.GPUs) * 1000
		}
	}
	return c
}

// book plans a job to start in a slot. One of which nobody knows how long it
// runs is booked for ever.
func (c *calendar) book(r *outlook, first int) {
	if r.class == blind {
		c.all -= int64(r.job.Job.GPUs) * 1000
		for k := range c.free {
			c.free[k] -= int64(r.job.Job.GPUs) * 1000
		}
		return
	}
	for k := first; k < first+maxSlots; k++ {
		use := r.use(schedmate.Seconds(k-first) * c.slot)
		if use == 0 {
			return
		}
		for len(c.free) <= k {
			c.free = append(c.free, c.all)
		}
		c.free[k] -= use
	}
}

// earliest books the job in the first slot from which on enough is free and in
// which its start still promises a reward, and returns that slot, or -1.
//
// A job is expected to use less and less, so a slot that is too full for a start
// before it is too full for a later one as well, and the next to try is the one
// behind it.
func (c *calendar) earliest(r *outlook) int {
	for first := 0; first < maxSlots && r.reward(schedmate.Seconds(first)*c.slot) > 0; {
		full := c.full(r, first)
		if full < 0 {
			c.book(r, first)
			return first
		}
		first = full + 1
	}
	return -1
}

// full returns a slot that has too little for a start in the slot first, or -1.
func (c *calendar) full(r *outlook, first int) int {
	for k := first; ; k++ {
		free := c.all
		if k < len(c.free) {
			free = c.free[k]
		}
		use := r.use(schedmate.Seconds(k-first) * c.slot)
		switch {
		case use == 0:
			return -1
		case use > free:
			return k
		case k >= len(c.free) && k > first:
			return -1 // it uses no more than in the slot before
		}
	}
}
