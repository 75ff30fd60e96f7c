package gandiva

import (
	"slices"

	"schedmate"
)

// spread opens groups on free nodes for jobs that wait for their turn, the
// fullest group first. Who runs, stays.
func (f *floor) spread(now schedmate.Seconds) {
	for {
		var from *group
		for _, g := range f.groups() {
			if len(g.jobs) > g.slots && (from == nil || over(g) > over(from)) && f.movable(g) {
				from = g
			}
		}
		if from == nil {
			return
		}
		last := from.jobs[len(from.jobs)-1]
		to := f.open(from.class, &f.status[last].Job)
		if to == nil {
			return
		}
		to.since = now
		for i := len(from.jobs) - 1; i >= from.slots && len(to.jobs) < to.slots; i-- {
			id := from.jobs[i]
			if j := f.status[id]; j.Attempt == nil && f.admits(to, &j.Job) {
				from.jobs = slices.Delete(from.jobs, i, i+1)
				from.used--
				f.put(to, id)
			}
		}
		from.class.sort()
	}
}

// over is how many jobs of the group wait, in thousandths of its slots.
func over(g *group) int { return 1000 * (len(g.jobs) - g.slots) / g.slots }

// movable reports whether a job of the group that waits could have nodes of its
// own.
func (f *floor) movable(g *group) bool {
	last := f.status[g.jobs[len(g.jobs)-1]]
	mark := f.mask.Mark()
	probe := &class{gang: g.class.gang}
	ok := f.open(probe, &last.Job) != nil
	f.mask.Rollback(mark)
	return ok && last.Attempt == nil
}

// rebalance is the artifact's: it gives each class groups by its share of the
// demand. The artifact does it when a round begins; nothing happens between the
// end of one and the beginning of the next, so it is done here.
func (f *floor) rebalance() {
	total := 0
	demand := make([]int, len(f.classes))
	owned := make([]int, len(f.classes))
	for k, c := range f.classes {
		for _, g := range c.groups {
			demand[k] += c.gang * len(g.jobs)
			for _, i := range g.nodes {
				owned[k] += f.cluster.Nodes[i].GPUs
			}
		}
		total += demand[k]
	}
	for k, c := range f.classes {
		if demand[k] == 0 {
			continue
		}
		diff := min(demand[k]*f.cluster.GPUs()/total, demand[k]) - owned[k]
		switch {
		case diff > 0:
			f.grow(c, ceil(diff, c.gang))
		case diff < 0:
			f.shrink(c, min(ceil(-diff, c.gang), len(c.groups)-1))
		}
	}
}

// grow opens up to n groups. The artifact means to share the jobs out when one
// could be opened, but its counter is overwritten: it shares them out when the
// last attempt failed, or when a group has several nodes.
func (f *floor) grow(c *class, n int) {
	sample := f.sample(c)
	failed, nodes := false, 0
	for range n {
		g := f.open(c, sample)
		if failed = g == nil; !failed {
			nodes = len(g.nodes)
		}
	}
	if !failed && nodes < 2 {
		return
	}
	var all []string
	for _, g := range c.groups {
		if len(g.jobs) > 0 {
			all = append(all, g.jobs...)
			g.jobs, g.used = nil, 0
		}
	}
	c.sort()
	f.share(c, all)
}

// shrink closes n groups and gives their jobs to the others.
func (f *floor) shrink(c *class, n int) {
	var all []string
	for range n {
		all = append(all, c.groups[0].jobs...)
		f.close(c.groups[0])
	}
	f.share(c, all)
}

// share gives each job to the first group; one that may run in none of them has
// to wait for a place again.
func (f *floor) share(c *class, jobs []string) {
	for _, id := range jobs {
		g := c.first(f, &f.status[id].Job)
		if g == nil {
			delete(f.member, id)
			f.waits = append(f.waits, id)
			continue
		}
		f.put(g, id)
		c.sort()
	}
}

// sample returns a job of the class.
func (f *floor) sample(c *class) *schedmate.Job {
	for _, g := range c.groups {
		for _, id := range g.jobs {
			return &f.status[id].Job
		}
	}
	panic("BUG: a class with a demand has no job")
}

func ceil(a, b int) int { return (a + b - 1) / b }
