package fit

import (
	"cmp"
	"slices"
	"sort"

	"schedmate"
)

// plansAtMost bounds how far the queue is planned ahead, as Slurm's bf_max_job_test
// does. Of jobs behind it nothing is said that rests on the plans.
const plansAtMost = 200

// backfillResolution is how exactly Slurm counts with ends and starts (bf_resolution).
// A job that passes others must end that much before they start.
const backfillResolution schedmate.Seconds = 60

// triesAtMost bounds how many instants are tried for one start.
const triesAtMost = 300

// line puts the waiting jobs that may start in the order in which they are served.
func (c *Cluster) line() {
	for i := range c.o.Jobs {
		if j := &c.o.Jobs[i]; j.Waits() && c.mayStart(j) {
			c.queue = append(c.queue, i)
		}
	}
	slices.SortStableFunc(c.queue, func(a, b int) int { return c.compare(&c.o.Jobs[a], &c.o.Jobs[b]) })
}

// mayStart reports whether nothing but nodes keeps a job, as far as the scheduler
// tells. One that waits for licences keeps no nodes: Slurm passes it over, in its turn
// and in backfilling (without bf_licenses).
func (c *Cluster) mayStart(j *schedmate.ObservedJob) bool {
	w, _ := meaning(j.Reason)
	switch w.kind {
	case HeldByUser, HeldByAdmin, DependencyNever, Dependency, PartitionDown, PartitionLimit, PolicyLimit, OwnReservation, Licences, NodeConstraint:
		return false
	}
	return j.Eligible <= c.now
}

// compare orders jobs: a higher tier of the partition, a higher priority, the
// earlier submission, the smaller id.
func (c *Cluster) compare(a, b *schedmate.ObservedJob) int {
	return cmp.Or(cmp.Compare(c.tier(b), c.tier(a)), cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Submit, b.Submit), schedmate.CompareJobIDs(a.ID, b.ID))
}

func (c *Cluster) tier(j *schedmate.ObservedJob) int {
	tier := 0
	for _, name := range j.Partitions {
		if p, ok := c.partitions[name]; ok {
			tier = max(tier, c.o.Partitions[p].Tier)
		}
	}
	return tier
}

// before returns how many jobs of the queue are served before a job, and the
// place at which the job itself stands, or -1.
func (c *Cluster) before(j *schedmate.ObservedJob) (rank, self int) {
	rank = sort.Search(len(c.queue), func(k int) bool { return c.compare(&c.o.Jobs[c.queue[k]], j) >= 0 })
	self = -1
	if own, ok := c.byJob[j.ID]; ok {
		as := &c.o.Jobs[own]
		at := sort.Search(len(c.queue), func(k int) bool { return c.compare(&c.o.Jobs[c.queue[k]], as) >= 0 })
		if at < len(c.queue) && c.queue[at] == own {
			self = at
		}
	}
	return rank, self
}

// plan expects starts for the jobs before a place of the queue, each after those
// before it, as Slurm's backfilling does: a job that starts later keeps its nodes
// as a whole from then on until its limit, one that starts now takes its shares.
// Where the scheduler expects a start and tells the nodes, that is what counts; where
// it does not tell them, only a start that is earlier than here.
func (c *Cluster) plan(rank int) {
	left := workOfPlans - c.work.plans
	if c.planned >= rank || left <= 0 {
		return
	}
	before := c.work.done
	c.work.apart(left, func() { c.planTo(rank) })
	c.work.plans += c.work.done - before
}

func (c *Cluster) planTo(rank int) {
	for c.planned < rank && c.plans < plansAtMost && !c.work.spent() {
		place := c.planned
		c.planned++
		j := &c.o.Jobs[c.queue[place]]
		q := readRequest(c.o, j)
		fields := c.usable(j, &q)
		c.settle(&q, fields)
		for task := range max(1, j.Tasks) {
			if c.plans++; c.plans > plansAtMost || c.work.spent() {
				c.planned-- // some of its tasks have no plan
				return
			}
			if len(q.unread) == 0 && c.areas[c.areaOf(j, &q)].empty() {
				break // it stands in nobody's way
			}
			at, shares, ok := c.earliest(&q, fields, scene{rank: place + 1, self: -1}, (&question{c: c, j: j, q: q}).shape())
			if task == 0 && j.Start > c.now && c.keepTold(place, j, &q) {
				continue
			}
			if told := j.Start; told > c.now && (!ok || told < at) {
				c.keepAll(place, told, &q, fields)
				continue
			}
			if len(q.unread) > 0 || !ok || c.work.unsettled {
				c.work.unsettled = false
				c.lost = append(c.lost, make([]bool, place+1-len(c.lost))...)
				c.lost[place] = true
				break
			}
			c.keep(place, at, &q, shares)
		}
	}
}

// unplanned reports whether the start of a job ahead that competes with one cannot
// be told.
func (a *question) unplanned() bool {
	c := a.c
	c.plan(a.rank)
	rival := c.rivals(a.j, &a.q)
	for place := range c.lost[:min(len(c.lost), a.rank)] {
		if c.lost[place] && place != a.self && rival(place) {
			return true
		}
	}
	for place := c.planned; place < a.rank; place++ {
		if place != a.self && rival(place) {
			return true
		}
	}
	return false
}

// never reports whether a job cannot start on the nodes that work, even empty.
func (c *Cluster) never(q *request, fields []field) bool {
	_, ok := c.place(q, fields, &scene{at: c.now, empty: true, open: true, self: -1})
	return !ok
}

// keepAll keeps every node that a job might be given from the start that the
// scheduler itself expects of it, where that is earlier than it could be here: on
// which nodes is not told.
func (c *Cluster) keepAll(place int, at schedmate.Seconds, q *request, fields []field) {
	until := plus(at, q.limit)
	c.free(until)
	c.hold(place, at, until, q)
	for k := range fields {
		for _, node := range fields[k].nodes {
			m := &c.machines[node]
			m.planned = append(m.planned, claim{from: at, to: until, reservation: -1, rank: place, blurred: true})
		}
	}
}

// keepTold keeps the nodes on which the scheduler itself plans to start a job, where
// it tells them.
func (c *Cluster) keepTold(place int, j *schedmate.ObservedJob, q *request) bool {
	if len(j.PlannedNodes) == 0 {
		return false
	}
	for _, name := range j.PlannedNodes {
		if _, ok := c.byName[name]; !ok {
			return false
		}
	}
	until := plus(j.Start, q.limit)
	c.free(until)
	for _, name := range j.PlannedNodes {
		m := &c.machines[c.byName[name]]
		m.planned = append(m.planned, claim{from: j.Start, to: until, reservation: -1, rank: place})
	}
	return true
}

// keep writes a planned start to its nodes.
func (c *Cluster) keep(place int, at schedmate.Seconds, q *request, shares []share) {
	until := plus(at, q.limit)
	c.free(until)
	c.hold(place, at, until, q)
	for _, s := range shares {
		m := &c.machines[s.node]
		if at == c.now {
			m.taken = append(m.taken, taken{place, until, s})
		} else {
			m.planned = append(m.planned, claim{from: at, to: until, reservation: -1, rank: place})
		}
	}
}

// earliest finds when, and where, a job could start behind the plans that the scene
// has; none before place 0. Jobs of one shape that are
// planned one after another start one after another, so that the search goes on
// where it ended; without a shape it begins now.
func (c *Cluster) earliest(q *request, fields []field, behind scene, shape string) (schedmate.Seconds, []share, bool) {
	// Without any claims more is free the later it is.
	from := sort.Search(len(c.instants), func(k int) bool {
		_, ok := c.place(q, fields, &scene{at: c.instants[k], open: true, always: true, self: -1})
		return ok
	})
	from = max(from, sort.Search(len(c.instants), func(k int) bool { return c.instants[k] >= c.opens(fields) }))
	if last, ok := c.lastStart[shape]; ok && shape != "" {
		from = max(from, sort.Search(len(c.instants), func(k int) bool { return c.instants[k] >= last }))
	}
	var later *trial
	for k := from; k < min(len(c.instants), from+triesAtMost); k++ {
		at := c.instants[k]
		behind.at = at
		var shares []share
		var ok bool
		switch {
		case k > from && c.work.spent():
			return 0, nil, false
		case k == from: // mostly it does, and few nodes need be looked at
			shares, ok = c.place(q, fields, &behind)
		case later == nil:
			later = c.try(q, fields, &behind)
			shares, ok = later.place()
		default:
			later.later(at)
			shares, ok = later.place()
		}
		if ok {
			if shape != "" {
				c.lastStart[shape] = at
			}
			return at, shares, true
		}
	}
	return 0, nil, false
}

// opens is when the first of the fields can be used.
func (c *Cluster) opens(fields []field) schedmate.Seconds {
	first := schedmate.Forever
	for k := range fields {
		first = min(first, fields[k].opens)
	}
	return first
}
