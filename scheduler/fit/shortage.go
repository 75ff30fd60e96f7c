package fit

import (
	"fmt"
	"slices"
)

// shortage: too little is free, in sum or together.
func (a *question) shortage() bool {
	now := scene{at: a.c.now}
	if a.fits(now) {
		return false
	}
	a.shortages(now)
	a.a.Until = a.until()
	a.ahead()
	kind := Fragmented
	for _, s := range a.a.Short {
		if s.Short > 0 {
			kind = Resources
		}
	}
	text := "Too little is free."
	if kind == Fragmented {
		text = "Enough is free in sum, but not together on as many nodes as it may use."
	}
	text += a.numbers()
	text += a.ending()
	if ahead := a.a.Ahead.text(); ahead != "" {
		text += " " + ahead + "."
	}
	if a.fresh {
		text += " " + a.news()
	}
	return a.say(kind, "%s", text)
}

// ending says whose end makes room, when, and how that is known.
func (a *question) ending() string {
	u := a.a.Until
	then := u.opens(a.c.now)
	if len(u.Releases) == 0 {
		return then
	}
	ends := make([]string, len(u.Releases))
	bases := map[Basis]bool{}
	for i, r := range u.Releases {
		ends[i] = r.Job
		bases[r.Basis] = true
	}
	who := "Job " + ends[0]
	if len(ends) > 1 {
		who = "Jobs " + names(ends)
	}
	in := span(u.last(a.c.now) - a.c.now)
	switch {
	case bases[ByLog] && (bases[ByLimit] || bases[Over]):
		return fmt.Sprintf(" %s must end: in about %s, by their logs and limits.%s", who, in, then)
	case bases[ByLog]:
		return fmt.Sprintf(" %s must end: in about %s, by the log.%s", who, in, then)
	case bases[ByLimit]:
		return fmt.Sprintf(" %s must end: in %s at the latest, by the limit.%s", who, in, then)
	}
	return fmt.Sprintf(" %s must end, and is past the limit.%s", who, then)
}

// kinds of resources, in the order in which they are told.
var resourceOrder = []resources{ofGPUs, ofShards, ofCPUs, ofMemory, ofWholeNodes}

// shortages finds the resources that bind in a scene: each of which the job would
// fit if there were plenty of it, or else those that it takes together. Their
// numbers come from the nodes that work and are not kept for others.
func (a *question) shortages(s scene) {
	var asked []resources
	var binding resources
	for _, what := range resourceOrder {
		if a.need(what) == 0 {
			continue
		}
		asked = append(asked, what)
		if a.fitsWithPlenty(s, what) {
			binding |= what
		}
	}
	if binding == 0 { // more than one at once
		for _, what := range asked {
			binding |= what
		}
		for _, what := range slices.Backward(asked) {
			if a.fitsWithPlenty(s, binding&^what) {
				binding &^= what
			}
		}
	}
	a.a.Short, a.bounds = nil, a.boundsOf(s)
	for _, what := range asked {
		if binding&what != 0 {
			a.a.Short = append(a.a.Short, a.measure(what, &s))
		}
	}
}

// fitsWithPlenty reports whether the job would fit if there were plenty of some
// resources; of GPUs also on nodes that have none.
func (a *question) fitsWithPlenty(s scene, what resources) bool {
	q := a.q
	if what&ofGPUs != 0 {
		q.gpus, q.gpusPerNode, q.gpusPerTask = 0, 0, 0
	}
	s.relaxed, s.self = what, a.self
	_, ok := a.c.place(&q, a.fields, &s)
	return ok
}

// need is how much of a resource the job needs of all nodes together.
func (a *question) need(what resources) int64 {
	q := &a.q
	switch what {
	case ofGPUs:
		return int64(q.totalGPUs())
	case ofShards:
		return int64(q.shardsPerNode * q.minNodes)
	case ofCPUs:
		return int64(q.totalCPUs())
	case ofMemory:
		return q.memoryPerNode*int64(q.minNodes) + q.memoryPerCPU*min(int64(q.totalCPUs()), 1<<24)
	}
	if q.exclusive {
		return int64(q.minNodes)
	}
	return 0
}

// each is how much of a resource one node must have; 0 where it is a matter of the sum.
func (a *question) each(what resources) int64 {
	q := &a.q
	tasks, gpus := 1, max(q.gpusPerNode, q.gpusPerTask)
	if q.maxNodes == 1 || q.tasks <= 1 && !q.spread {
		tasks, gpus = max(1, q.tasks), q.totalGPUs()
	}
	switch what {
	case ofGPUs:
		return int64(gpus)
	case ofShards:
		return int64(q.shardsPerNode)
	case ofCPUs:
		return int64(q.cpusFor(tasks))
	case ofMemory:
		return q.memoryFor(q.cpusFor(tasks))
	}
	return 0
}

var resourceNames = map[resources]string{ofGPUs: "gpus", ofShards: "shards", ofCPUs: "cpus", ofMemory: "memory_mib", ofWholeNodes: "nodes"}

// measure counts a resource on the nodes that the job may use.
func (a *question) measure(what resources, s *scene) Shortage {
	sh := Shortage{Resource: resourceNames[what], Need: a.need(what), PerNode: a.each(what)}
	if what == ofGPUs {
		sh.Type = a.q.gpuType
	}
	usable := a.nodes(func(m *machine, f *field) bool {
		return (s.repaired || m.healthy) && !a.c.keeps(m, f, s, a.q.limit)
	})
	best, any := int64(-1), int64(0)
	rest := a.q // what a node must have beside
	if what == ofGPUs {
		rest.gpus, rest.gpusPerNode, rest.gpusPerTask = 0, 0, 0
	}
	for _, at := range usable {
		m := &a.c.machines[at]
		r := a.c.room(m, s)
		free := int64(0)
		switch what {
		case ofGPUs:
			free = int64(m.gpusOf(r, a.q.gpuType))
		case ofShards:
			free = int64(r.shards)
		case ofCPUs:
			free = int64(r.cpus)
		case ofMemory:
			free = r.memory
		case ofWholeNodes:
			if r.idle {
				free = 1
			}
		}
		sh.Free += free
		any = max(any, free)
		if free <= best {
			continue
		}
		plain := r.relax(what)
		if tasks, _ := rest.offers(m, &plain); tasks > 0 {
			best, sh.Best, sh.BestFree = free, m.node.Name, free
		}
	}
	sh.Rest = any > sh.BestFree
	if best <= 0 {
		sh.Best, sh.BestFree = "", 0
	}
	sh.Short = max(0, sh.Need-sh.Free)
	if what == ofWholeNodes {
		sh.Best, sh.BestFree, sh.Rest = "", 0, false
	}
	return sh
}

// best says how much one node has at most.
func (s *Shortage) best() string {
	switch {
	case s.Best == "" && s.Rest:
		return ", but none on a node that has all else it needs."
	case s.Best == "":
		return ", but on no node."
	case s.Rest:
		return fmt.Sprintf(", but %d on one node; of those with all else it needs %s has the most, %d.", s.PerNode, s.Best, s.BestFree)
	}
	return fmt.Sprintf(", but %d on one node; %s has the most, %d.", s.PerNode, s.Best, s.BestFree)
}

// numbers writes the shortages for a person.
func (a *question) numbers() string {
	text := ""
	for _, s := range a.a.Short {
		name := map[string]string{"gpus": "GPU", "shards": "shard", "cpus": "CPU", "memory_mib": "MiB", "nodes": "whole node"}[s.Resource]
		if s.Type != "" {
			name = s.Type + " " + name
		}
		need := count(s.Need, name)
		if s.Resource == "memory_mib" {
			need = fmt.Sprintf("%d MiB of memory", s.Need)
		}
		are := "are free"
		if a.forever {
			are = "are there in all"
		}
		text += fmt.Sprintf(" It needs %s and %d %s", need, s.Free, are)
		switch {
		case s.Short > 0:
			text += fmt.Sprintf(" (%d short).", s.Short)
		case s.PerNode > s.BestFree:
			text += s.best()
		default:
			text += "."
		}
	}
	return text + a.bounds
}

// boundsOf names the partitions without whose bounds on the number of nodes the job
// would fit in a scene.
func (a *question) boundsOf(s scene) string {
	if s.anyCount = true; !a.fits(s) {
		return ""
	}
	text := ""
	var told []int
	for k := range a.fields {
		p := &a.c.o.Partitions[a.fields[k].partition]
		if own, _ := a.q.in(p); own == &a.q || slices.Contains(told, a.fields[k].partition) {
			continue
		}
		told = append(told, a.fields[k].partition)
		switch {
		case p.MinNodes > a.q.minNodes && p.MaxNodes > 0:
			text += fmt.Sprintf(" The partition %s gives a job %d to %s.", p.Name, p.MinNodes, count(p.MaxNodes, "node"))
		case p.MinNodes > a.q.minNodes:
			text += fmt.Sprintf(" The partition %s gives a job %s at least.", p.Name, count(p.MinNodes, "node"))
		default:
			text += fmt.Sprintf(" The partition %s gives a job %s at most.", p.Name, count(p.MaxNodes, "node"))
		}
	}
	return text
}
