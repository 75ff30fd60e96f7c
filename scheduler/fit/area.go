package fit

import (
	"slices"
	"strconv"

	"schedmate"
)

// area is the nodes that work and could hold a part of a job if they were empty, a
// bit for each. That of a job which could not start on them as a whole is empty: it
// stands in nobody's way. Two jobs compete if their areas have a node in common.
type area []uint64

func (x area) meets(y area) bool {
	for k := range x {
		if x[k]&y[k] != 0 {
			return true
		}
	}
	return false
}

func (x area) add(node int) { x[node/64] |= 1 << (node % 64) }

func (x area) has(node int) bool { return x[node/64]>>(node%64)&1 == 1 }

func (x area) empty() bool {
	return !slices.ContainsFunc(x, func(word uint64) bool { return word != 0 })
}

// areaOf returns the number of the area of a job. Jobs that ask for the same in the
// same places share one, and so do those whose nodes are the same.
func (c *Cluster) areaOf(j *schedmate.ObservedJob, q *request) int {
	key := string(c.areaKey(j, q))
	if known, ok := c.areaByKey[key]; ok {
		return known
	}
	nodes := c.reach(j, *q)
	text := make([]byte, 0, 8*len(nodes))
	for _, word := range nodes {
		for shift := 0; shift < 64; shift += 8 {
			text = append(text, byte(word>>shift))
		}
	}
	at, known := c.areaByNodes[string(text)]
	if !known {
		at = len(c.areas)
		c.areaByNodes[string(text)] = at
		c.areas = append(c.areas, nodes)
	}
	c.areaByKey[key] = at
	return at
}

// areaKey is the same for jobs of one area. The time limit and the names of the user,
// the account and the QOS matter only as far as they open or shut partitions and
// reservations.
func (c *Cluster) areaKey(j *schedmate.ObservedJob, q *request) []byte {
	key := c.keyed[:0]
	text := func(list ...string) {
		for _, s := range list {
			key = append(append(key, s...), 0)
		}
		key = append(key, 1)
	}
	for _, name := range j.Partitions {
		if p, ok := c.partitions[name]; ok && c.o.Partitions[p].Up() && refusal(&c.o.Partitions[p], j, q) == "" {
			key = append(strconv.AppendInt(key, int64(p), 36), ',')
		}
	}
	text(j.Reservation, q.gpuType, q.features.text)
	if j.Licences != "" {
		text(j.Licences)
	}
	if c.magnetic {
		text(j.User, j.Account)
	}
	text(q.named...)
	text(q.excluded...)
	for _, n := range [...]int{q.minNodes, q.maxNodes, q.tasks, q.tasksPerNode, q.cpusPerTask, q.gpusPerTask, q.cpusPerNode, q.gpusPerNode, q.shardsPerNode, q.gpus, len(q.unread)} {
		key = append(strconv.AppendInt(key, int64(n), 36), ',')
	}
	key = append(strconv.AppendInt(key, q.memoryPerNode, 36), ',')
	key = append(strconv.AppendInt(key, q.memoryPerCPU, 36), ',')
	key = strconv.AppendBool(strconv.AppendBool(key, q.exclusive), q.unsure)
	c.keyed = key
	return key
}

// reach finds the nodes of a job's area.
func (c *Cluster) reach(j *schedmate.ObservedJob, q request) area {
	nodes := make(area, (len(c.machines)+63)/64)
	if _, ok := readFeatures(j.Request.Features); !ok {
		q.features = features{} // not understood: any node could be meant
	}
	fields := c.usable(j, &q)
	c.settle(&q, fields)
	if len(q.unread) == 0 && c.never(&q, fields) {
		return nodes
	}
	for k := range fields {
		own, ok := q.in(&c.o.Partitions[fields[k].partition])
		if !ok {
			continue
		}
		onlyNamed := len(q.named) >= own.mostNodes()
		for _, at := range fields[k].nodes {
			m := &c.machines[at]
			if !m.healthy || onlyNamed && !slices.Contains(q.named, m.node.Name) {
				continue
			}
			if tasks, _ := q.offers(m, &m.whole); tasks > 0 {
				nodes.add(at)
			}
		}
	}
	return nodes
}

// mostNodes is the most nodes that a job can take.
func (q *request) mostNodes() int {
	most := max(1, q.tasks, q.minNodes)
	if q.spread {
		most = max(most, q.gpus)
	}
	return min(q.maxNodes, most)
}

// rivals tells of each place of the queue before one whether its job competes with
// a job for some node.
func (c *Cluster) rivals(j *schedmate.ObservedJob, q *request) func(place int) bool {
	if c.crowd == nil {
		c.crowd = make([]int, len(c.queue))
		c.work.apart(workOfAll, func() {
			for place, i := range c.queue {
				other := &c.o.Jobs[i]
				r := readRequest(c.o, other)
				c.crowd[place] = c.areaOf(other, &r)
			}
		})
	}
	own := c.areaOf(j, q)
	row := c.meets[own]
	for k := len(row); k < len(c.areas); k++ {
		row = append(row, c.areas[own].meets(c.areas[k]))
	}
	c.meets[own] = row
	return func(place int) bool {
		other := c.crowd[place]
		return row[other] || len(q.licences) > 0 && !c.areas[other].empty() && c.wantsSame(q, &c.o.Jobs[c.queue[place]])
	}
}
