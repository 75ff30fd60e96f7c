package fit_test

import (
	"slices"
	"strings"

	"schedmate"
)

// twin decides by trying everything whether a job fits: every set of nodes, every
// way to divide its tasks and GPUs among them. It reads the observation itself and
// shares no code with the package.
type twin struct {
	o       *schedmate.Observation
	empty   bool // nothing runs
	healthy bool // all nodes do
	open    bool // no reservations
}

// space is what of a node is free.
type space struct {
	cpus, mem int
	gpus      map[string]int
	shards    int // on the emptiest GPU
	idle      bool
}

func (tw twin) space(n *schedmate.ObservedNode) space {
	s := space{cpus: n.CPUs, mem: int(n.MemoryMiB), gpus: map[string]int{}, idle: true}
	var kinds []string
	for _, d := range n.GPUs {
		for range d.Count {
			kinds = append(kinds, d.Type)
		}
	}
	whole, shards := make([]bool, len(kinds)), make([]int, len(kinds))
	if !tw.empty {
		for _, j := range tw.o.Jobs {
			for _, h := range j.Allocation {
				if h.Node != n.Name || !j.Runs() {
					continue
				}
				s.idle = false
				s.cpus -= h.CPUs
				s.mem -= int(h.MemoryMiB)
				for _, g := range h.GPUIndices {
					if h.GPUs > 0 {
						whole[g] = true
					} else {
						shards[g] += h.Shards
					}
				}
			}
		}
	}
	for g, kind := range kinds {
		if whole[g] {
			continue
		}
		if n.Shards > 0 {
			s.shards = max(s.shards, n.Shards/len(kinds)-shards[g])
		}
		if shards[g] == 0 {
			s.gpus[kind]++
		}
	}
	return s
}

// may reports whether a job may use a node at all, now and until its limit.
func (tw twin) may(n *schedmate.ObservedNode, j *schedmate.ObservedJob) bool {
	if !tw.healthy && n.States[0] != "IDLE" || slices.Contains(j.Request.Exclude, n.Name) {
		return false
	}
	either := j.Request.Features == "" // only a|b and a&b are drawn
	for _, f := range strings.Split(j.Request.Features, "|") {
		all := true
		for _, part := range strings.Split(f, "&") {
			all = all && slices.Contains(n.Features, part)
		}
		either = either || all
	}
	if !either {
		return false
	}
	for _, r := range tw.o.Reservations {
		if !tw.open && slices.Contains(r.Nodes, n.Name) && r.Start < tw.o.Now+j.TimeLimit && tw.o.Now < r.End {
			return false
		}
	}
	return true
}

func (tw twin) fits(j *schedmate.ObservedJob) bool {
	for _, p := range tw.o.Partitions {
		if slices.Contains(j.Partitions, p.Name) && tw.fitsIn(&p, j) {
			return true
		}
	}
	return false
}

func (tw twin) fitsIn(p *schedmate.Partition, j *schedmate.ObservedJob) bool {
	var nodes []*schedmate.ObservedNode
	for i := range tw.o.Nodes {
		if n := &tw.o.Nodes[i]; slices.Contains(p.Nodes, n.Name) && tw.may(n, j) {
			nodes = append(nodes, n)
		}
	}
	r := &j.Request
	total := 0
	if r.GPUsPerNode == 0 && r.GPUsPerTask == 0 {
		total = r.GPUs
	}
	for bits := 1; bits < 1<<len(nodes); bits++ {
		var spaces []space
		var chosen []string
		for k, n := range nodes {
			if bits>>k&1 == 1 {
				spaces, chosen = append(spaces, tw.space(n)), append(chosen, n.Name)
			}
		}
		count := len(chosen)
		if count < r.MinNodes || r.MaxNodes > 0 && count > r.MaxNodes || slices.ContainsFunc(r.Nodes, func(name string) bool { return !slices.Contains(chosen, name) }) {
			continue
		}
		tasks := max(1, r.Tasks, r.MinNodes)
		if count > tasks {
			continue
		}
		if divide(spaces, j, tasks, total, total > 0) {
			return true
		}
	}
	return false
}

// divide tries every part that the first node can have, and the others with the rest.
func divide(spaces []space, j *schedmate.ObservedJob, tasks, gpus int, inAll bool) bool {
	if len(spaces) == 0 {
		return tasks == 0 && gpus == 0
	}
	for t := 1; t <= tasks; t++ {
		for g := 0; g <= gpus; g++ {
			if (g == 0) == inAll {
				continue
			}
			if bears(&spaces[0], &j.Request, t, g) && divide(spaces[1:], j, tasks-t, gpus-g, inAll) {
				return true
			}
		}
	}
	return false
}

func bears(s *space, r *schedmate.NodeRequest, tasks, gpus int) bool {
	free := s.gpus[r.GPUType]
	if r.GPUType == "" {
		free = 0
		for _, n := range s.gpus {
			free += n
		}
	}
	cpus := max(tasks*max(1, r.CPUsPerTask), r.MinCPUs)
	return cpus <= s.cpus && int(r.MinMemoryMiB)+cpus*int(r.MemoryPerCPU) <= s.mem &&
		max(gpus, r.GPUsPerNode, tasks*r.GPUsPerTask) <= free && r.ShardsPerNode <= s.shards &&
		(r.TasksPerNode == 0 || tasks <= r.TasksPerNode) && (!r.Exclusive || s.idle)
}

// wants names the nodes that could take a task of a job. One that names as many nodes
// as it has tasks takes those.
func (tw twin) wants(j *schedmate.ObservedJob) []string {
	r := &j.Request
	most := max(1, r.Tasks, r.MinNodes)
	if r.MaxNodes > 0 {
		most = min(most, max(r.MaxNodes, r.MinNodes))
	}
	if r.GPUs > 0 && r.GPUsPerNode == 0 && r.GPUsPerTask == 0 {
		most = min(most, max(r.GPUs, r.MinNodes))
	}
	var list []string
	for _, p := range tw.o.Partitions {
		for i := range tw.o.Nodes {
			n := &tw.o.Nodes[i]
			if !slices.Contains(j.Partitions, p.Name) || !slices.Contains(p.Nodes, n.Name) || !tw.may(n, j) ||
				len(r.Nodes) >= most && !slices.Contains(r.Nodes, n.Name) {
				continue
			}
			s := tw.space(n)
			gpus := 0
			if r.GPUs > 0 && r.GPUsPerNode == 0 && r.GPUsPerTask == 0 {
				gpus = 1
			}
			if bears(&s, r, 1, gpus) {
				list = append(list, n.Name)
			}
		}
	}
	return list
}
