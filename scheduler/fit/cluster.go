package fit

import (
	"cmp"
	"slices"
	"strings"

	"schedmate"
)

// Cluster is an Observation prepared for questions about its waiting jobs. What
// several answers need is worked out once. It is not safe for concurrent use.
type Cluster struct {
	o          *schedmate.Observation
	now        schedmate.Seconds
	better     map[string]schedmate.Seconds // ends by job
	machines   []machine
	byName     map[string]int
	byJob      map[string]int
	byNumber   map[string][]int // of arrays, and what the scheduler calls jobs beside their ids
	ends       []ending         // of each job that runs
	order      []int            // the running jobs by their ends
	licences   map[string]*pool
	fields     map[string][]field
	features   map[string]area // the nodes that have one
	partitions map[string]int
	magnetic   bool // some reservation draws in jobs that do not name it

	areas       []area
	areaByKey   map[string]int
	areaByNodes map[string]int
	meets       map[int][]bool // of an area, whether each has a node in common with it
	keyed       []byte         // used again and again

	work      work
	offered   []offer
	untils    map[string]Until             // by shape of the job
	flat      bool                         // all nodes weigh the same
	queue     []int                        // waiting jobs that may start, in the order of service
	crowd     []int                        // the area of each of them, once that is asked
	planned   int                          // how many of them have been planned, from the front
	plans     int                          // what that took, arrays counted by task
	lost      []bool                       // of each planned one: its start cannot be told
	lastStart map[string]schedmate.Seconds // of the jobs of one shape
	instants  []schedmate.Seconds          // at which something becomes free, sorted
}

// ending is when a running job ends, and how that is known.
type ending struct {
	at    schedmate.Seconds
	basis Basis
}

// New prepares an observation. Better ends of running jobs than their limits, from
// their logs, may be given by job id. The observation must be valid and must not
// change afterwards.
func New(o *schedmate.Observation, ends map[string]schedmate.Seconds) *Cluster {
	c := &Cluster{
		o: o, now: o.Now, better: ends, machines: make([]machine, len(o.Nodes)), byName: make(map[string]int, len(o.Nodes)),
		byJob: make(map[string]int, len(o.Jobs)), ends: make([]ending, len(o.Jobs)), licences: make(map[string]*pool, len(o.Licences)),
		fields: make(map[string][]field), features: make(map[string]area), partitions: make(map[string]int, len(o.Partitions)),
		areaByKey: make(map[string]int), areaByNodes: make(map[string]int), meets: make(map[int][]bool),
		untils: make(map[string]Until), flat: true, lastStart: make(map[string]schedmate.Seconds),
	}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		c.byName[n.Name] = i
		c.flat = c.flat && n.Weight == o.Nodes[0].Weight
		c.machines[i] = machine{node: n, weight: n.Weight}
		for _, f := range n.Features {
			if c.features[f] == nil {
				c.features[f] = make(area, (len(o.Nodes)+63)/64)
			}
			c.features[f].add(i)
		}
	}
	for p := range o.Partitions {
		c.partitions[o.Partitions[p].Name] = p
	}
	c.magnetic = slices.ContainsFunc(o.Reservations, func(r schedmate.Reservation) bool { return has(r.Flags, "MAGNETIC") })
	for i := range o.Jobs {
		j := &o.Jobs[i]
		c.byJob[j.ID] = i
		if !j.Runs() {
			continue
		}
		c.order = append(c.order, i)
		c.ends[i] = c.ending(j, ends)
		for k := range j.Allocation {
			if at, ok := c.byName[j.Allocation[k].Node]; ok {
				m := &c.machines[at]
				m.held = append(m.held, held{i, c.ends[i].at, &j.Allocation[k]})
			}
		}
	}
	slices.SortStableFunc(c.order, func(a, b int) int { return cmp.Compare(c.ends[a].at, c.ends[b].at) })
	c.pools()
	c.instants = []schedmate.Seconds{c.now}
	for _, job := range c.order {
		c.free(c.ends[job].at)
	}
	c.reserve()
	for i := range c.machines {
		c.machines[i].healthy = c.machines[i].takesWork()
		c.machines[i].account()
		c.machines[i].keep()
	}
	c.line()
	return c
}

// ending is when a job that runs is expected to end. One that is over its end may
// end any moment.
func (c *Cluster) ending(j *schedmate.ObservedJob, better map[string]schedmate.Seconds) ending {
	e := ending{j.End, ByLimit}
	if e.at == 0 && j.TimeLimit > 0 && j.Start > 0 {
		e.at = j.Start + j.TimeLimit
	}
	if at, ok := better[j.ID]; ok && at > 0 && (e.at == 0 || at < e.at) {
		e = ending{at, ByLog} // none runs longer than its limit
	}
	switch {
	case e.at == 0:
		return ending{schedmate.Forever, NoEnd}
	case e.at <= c.now:
		return ending{c.now + 1, Over}
	}
	return e
}

// reserve writes reservations to their nodes.
func (c *Cluster) reserve() {
	for k := range c.o.Reservations {
		r := &c.o.Reservations[k]
		end := r.End
		if end == 0 {
			end = schedmate.Forever
		}
		c.free(r.Start)
		c.free(end)
		for _, name := range r.Nodes {
			at, ok := c.byName[name]
			if !ok {
				continue
			}
			m := &c.machines[at]
			m.claims = append(m.claims, claim{from: r.Start, to: end, reservation: k, rank: -1})
			if has(r.Flags, "MAINT") && r.Start <= c.now && c.now < end {
				m.covered = true
			}
		}
	}
}

// free notes an instant at which something may become free.
func (c *Cluster) free(at schedmate.Seconds) {
	if k, known := slices.BinarySearch(c.instants, at); !known && at > c.now && at < schedmate.Forever {
		c.instants = slices.Insert(c.instants, k, at)
	}
}

// has looks for a flag of a reservation, as it is written there.
func has(flags []string, flag string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return strings.EqualFold(f, flag) })
}

// field is nodes of which a job may take some together: those of one of its
// partitions, of one alternative of its features, in its reservation.
type field struct {
	partition   int
	reservation int // -1: none
	nodes       []int
	named       []bool // of each of them: the job names it; nil: none is
	opens       schedmate.Seconds
	closes      schedmate.Seconds // Forever: never
	overlaps    bool              // its reservation goes before others
}

// has reports whether a node is in the field.
func (f *field) has(node int) bool {
	_, ok := slices.BinarySearch(f.nodes, node)
	return ok
}

// fieldsOf returns where the job could be, whatever the state of the nodes.
func (c *Cluster) fieldsOf(j *schedmate.ObservedJob, q *request) []field {
	key := strings.Join([]string{
		strings.Join(j.Partitions, ","), q.features.text, strings.Join(q.named, ","), strings.Join(q.excluded, ","), j.Reservation, j.User, j.Account,
	}, "\x00")
	if known, ok := c.fields[key]; ok {
		return known
	}
	var fields []field
	for p := range c.o.Partitions {
		part := &c.o.Partitions[p]
		if !slices.Contains(j.Partitions, part.Name) {
			continue
		}
		for _, r := range c.reservationsFor(j) {
			tests := q.features.tests
			switch {
			case q.features.none():
				fields = c.add(fields, p, r, q, nil)
			case q.features.alike:
				for i := range tests {
					fields = c.add(fields, p, r, q, tests[i:i+1])
				}
			default:
				fields = c.add(fields, p, r, q, tests)
			}
		}
	}
	c.fields[key] = fields
	return fields
}

// reservationsFor returns the reservations a job may use: the one that it names,
// or none, or a magnetic one that lets it in.
func (c *Cluster) reservationsFor(j *schedmate.ObservedJob) []int {
	which := []int{}
	if j.Reservation == "" {
		which = append(which, -1)
	}
	for k := range c.o.Reservations {
		r := &c.o.Reservations[k]
		magnetic := j.Reservation == "" && has(r.Flags, "MAGNETIC") && (slices.Contains(r.Users, j.User) || slices.Contains(r.Accounts, j.Account))
		if magnetic || slices.Contains(strings.Split(j.Reservation, ","), r.Name) {
			which = append(which, k)
		}
	}
	return which
}

func (c *Cluster) add(fields []field, partition, reservation int, q *request, tests []conjunction) []field {
	f := field{partition: partition, reservation: reservation, closes: schedmate.Forever}
	inside := map[string]bool(nil)
	if reservation >= 0 {
		r := &c.o.Reservations[reservation]
		f.overlaps = has(r.Flags, "MAINT") || has(r.Flags, "OVERLAP")
		if !has(r.Flags, "FLEX") {
			f.opens = r.Start
			if r.End > 0 {
				f.closes = r.End
			}
			inside = make(map[string]bool, len(r.Nodes))
			for _, name := range r.Nodes {
				inside[name] = true
			}
		}
	}
	having := c.having(tests)
	excluded := make(map[string]bool, len(q.excluded))
	for _, name := range q.excluded {
		excluded[name] = true
	}
	for _, name := range c.o.Partitions[partition].Nodes {
		at, ok := c.byName[name]
		if !ok || inside != nil && !inside[name] || excluded[name] {
			continue
		}
		if tests == nil || having.has(at) {
			f.nodes = append(f.nodes, at)
		}
	}
	slices.Sort(f.nodes)
	f.nodes = slices.Compact(f.nodes)
	if len(q.named) > 0 {
		f.named = make([]bool, len(f.nodes))
		for _, name := range q.named {
			if at, ok := c.byName[name]; ok {
				if k, in := slices.BinarySearch(f.nodes, at); in {
					f.named[k] = true
				}
			}
		}
	}
	return append(fields, f)
}

// having returns the nodes that satisfy one of some alternatives of features.
func (c *Cluster) having(tests []conjunction) area {
	if tests == nil {
		return nil
	}
	nodes := make(area, (len(c.machines)+63)/64)
	for _, t := range tests {
		all := c.features[t.has[0]]
		if all == nil {
			continue
		}
		all = slices.Clone(all)
		for _, name := range t.has[1:] {
			other := c.features[name]
			for k := range all {
				if other == nil {
					all[k] = 0
				} else {
					all[k] &= other[k]
				}
			}
		}
		for k := range nodes {
			nodes[k] |= all[k]
		}
	}
	return nodes
}

// partitionsOf returns the job's partitions that exist.
func (c *Cluster) partitionsOf(j *schedmate.ObservedJob) []*schedmate.Partition {
	var parts []*schedmate.Partition
	for p := range c.o.Partitions {
		if slices.Contains(j.Partitions, c.o.Partitions[p].Name) {
			parts = append(parts, &c.o.Partitions[p])
		}
	}
	return parts
}
