package fit

import (
	"fmt"
	"strings"

	"schedmate"
)

// count writes a number with its noun: 1 node, 2 nodes.
func count[T int | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// namesAtMost is how many names a sentence holds.
const namesAtMost = 5

func names(list []string) string {
	if len(list) > namesAtMost {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:namesAtMost], ", "), len(list)-namesAtMost)
	}
	return strings.Join(list, ", ")
}

// span writes a length of time in at most two units, rounded down.
func span(s schedmate.Seconds) string {
	switch {
	case s >= schedmate.Forever:
		return "no limit"
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return units(s/60, "m", s%60, "s")
	case s < 86400:
		return units(s/3600, "h", s%3600/60, "m")
	}
	return units(s/86400, "d", s%86400/3600, "h")
}

func units(a schedmate.Seconds, nameA string, b schedmate.Seconds, nameB string) string {
	if b == 0 {
		return fmt.Sprintf("%d%s", a, nameA)
	}
	return fmt.Sprintf("%d%s%d%s", a, nameA, b, nameB)
}

// asks says what a job asks for, for a person.
func asks(j *schedmate.ObservedJob, q *request) string {
	var parts []string
	per := func(n int, what string) {
		parts = append(parts, fmt.Sprintf("%s on each of %s", count(n, what), count(q.minNodes, "node")))
	}
	kind := "GPU"
	if q.gpuType != "" {
		kind = q.gpuType + " GPU"
	}
	switch {
	case q.gpusPerNode > 0 && q.minNodes == 1:
		parts = append(parts, count(q.gpusPerNode, kind)+" on one node")
	case q.gpusPerNode > 0:
		per(q.gpusPerNode, kind)
	case q.gpusPerTask > 0:
		parts = append(parts, count(q.gpusPerTask, kind)+" for each of "+count(max(1, q.tasks), "task"))
	case q.gpus > 0:
		parts = append(parts, count(q.gpus, kind))
	case q.shardsPerNode > 0:
		parts = append(parts, count(q.shardsPerNode, "shard")+" of one GPU")
	default:
		parts = append(parts, count(q.totalCPUs(), "CPU"))
	}
	if q.minNodes > 1 && q.gpusPerNode == 0 {
		parts = append(parts, fmt.Sprintf("%d nodes", q.minNodes))
	}
	if q.exclusive {
		parts = append(parts, "whole nodes")
	}
	return strings.Join(parts, ", ") + ", " + within(q.limit)
}

func within(limit schedmate.Seconds) string {
	if limit >= schedmate.Forever {
		return "no time limit"
	}
	return "up to " + span(limit)
}

// totalCPUs is the least number of CPUs of all nodes together.
func (q *request) totalCPUs() int {
	return max(max(1, q.tasks)*q.cpusPerTask, q.cpusPerNode*q.minNodes)
}

// totalGPUs is the least number of GPUs of all nodes together.
func (q *request) totalGPUs() int {
	return max(q.gpus, q.gpusPerNode*q.minNodes, q.gpusPerTask*max(1, q.tasks))
}

func (c *Cluster) ref(i int) JobRef {
	j := &c.o.Jobs[i]
	r := JobRef{ID: j.ID, User: j.User, State: j.State}
	if j.Waits() {
		q := readRequest(c.o, j)
		r.Asks = asks(j, &q)
	}
	return r
}

func ids(refs []JobRef) string {
	list := make([]string, len(refs))
	for i, r := range refs {
		list[i] = r.ID
	}
	return names(list)
}
