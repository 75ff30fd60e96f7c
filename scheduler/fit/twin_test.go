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
	for _, j := range tw.o.Jobs {
		for _, h := range j.Allocation {
			if h.Node == n.Name && j.Runs() && !tw.empty {
				s.idle = false
				s.cpus -= h.CPUs
				s.mem -= int(h.MemoryMiB)
			}
		}
	}
	for _, g := range tw.gpus(n) {
		s.shards = max(s.shards, g.shards)
		if g.whole {
			s.gpus[g.kind]++
		}
	}
	return s
}

// gpus tells what of each GPU of a node is free.
func (tw twin) gpus(n *schedmate.ObservedNode) []gpu {
	var list []gpu
	for _, d := range n.GPUs {
		for range d.Count {
			list = append(list, gpu{kind: d.Type, whole: true})
		}
	}
	for g := range list {
		list[g].shards = n.Shards / len(list)
	}
	for _, j := range tw.o.Jobs {
		for _, h := range j.Allocation {
			if h.Node != n.Name || !j.Runs() || tw.empty {
				continue
			}
			for _, g := range h.GPUIndices {
				list[g].whole = false
				if h.GPUs > 0 {
					list[g].shards = 0
				} else {
					list[g].shards -= h.Shards
				}
			}
		}
	}
	return list
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
	if tw.free() < rights(j) {
		return false
	}
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
		if count < max(r.MinNodes, p.MinNodes) || r.MaxNodes > 0 && count > r.MaxNodes || p.MaxNodes > 0 && count > p.MaxNodes || slices.ContainsFunc(r.Nodes, func(name string) bool { return !slices.Contains(chosen, name) }) {
			continue
		}
		tasks := max(1, r.Tasks, r.MinNodes, p.MinNodes)
		if total > 0 && r.MaxNodes > max(r.Tasks, r.MinNodes) { // GPUs of a range of nodes, without a number of tasks
			tasks = max(tasks, count)
		}
		if count > tasks {
			continue
		}
		if divide(spaces, j, tasks, onEach(total, count), total > 0) {
			return true
		}
	}
	return false
}

// onEach is how many GPUs must be free on that many nodes: one at least on each.
func onEach(total, nodes int) int {
	if total == 0 {
		return 0
	}
	return max(total, nodes)
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

// rights is how many licences a job asks for or holds; there is one name.
func rights(j *schedmate.ObservedJob) int {
	if j.Licences == "" {
		return 0
	}
	return int(j.Licences[len("m:")] - '0')
}

// free is how many licences nobody holds.
func (tw twin) free() int {
	if len(tw.o.Licences) == 0 {
		return 9 // what is not listed is not counted
	}
	free := tw.o.Licences[0].Total
	for i := range tw.o.Jobs {
		if j := &tw.o.Jobs[i]; j.Runs() && !tw.empty {
			free -= rights(j)
		}
	}
	return free
}

// first is the first instant at which a job fits if no other starts.
func (tw twin) first(j *schedmate.ObservedJob) schedmate.Seconds {
	var instants []schedmate.Seconds
	for _, r := range tw.o.Jobs {
		if r.Runs() {
			instants = append(instants, r.End)
		}
	}
	for _, r := range tw.o.Reservations {
		instants = append(instants, r.Start, r.End)
	}
	instants = slices.DeleteFunc(instants, func(at schedmate.Seconds) bool { return at < tw.o.Now })
	slices.Sort(instants)
	for _, at := range append([]schedmate.Seconds{tw.o.Now}, instants...) {
		var gone []string
		for _, r := range tw.o.Jobs {
			if r.Runs() && r.End <= at {
				gone = append(gone, r.ID)
			}
		}
		if (twin{o: without(tw.o, at, gone)}).fits(j) {
			return at
		}
	}
	return schedmate.Forever
}

// started tells, of each way to start a job now, how the cluster then is, until one
// will do.
func (tw twin) started(j *schedmate.ObservedJob, do func(*schedmate.Observation) bool) bool {
	if tw.free() < rights(j) {
		return false
	}
	for i := range tw.o.Partitions {
		if p := &tw.o.Partitions[i]; slices.Contains(j.Partitions, p.Name) && tw.startedIn(p, j, do) {
			return true
		}
	}
	return false
}

func (tw twin) startedIn(p *schedmate.Partition, j *schedmate.ObservedJob, do func(*schedmate.Observation) bool) bool {
	var nodes []*schedmate.ObservedNode
	for i := range tw.o.Nodes {
		if n := &tw.o.Nodes[i]; slices.Contains(p.Nodes, n.Name) && tw.may(n, j) {
			nodes = append(nodes, n)
		}
	}
	one := *p // each set of nodes is tried as a partition of its own
	for bits := 1; bits < 1<<len(nodes); bits++ {
		var chosen []*schedmate.ObservedNode
		one.Nodes = nil
		for k, n := range nodes {
			if bits>>k&1 == 1 {
				chosen, one.Nodes = append(chosen, n), append(one.Nodes, n.Name)
			}
		}
		one.MinNodes = max(p.MinNodes, len(chosen))
		if !tw.fitsIn(&one, j) {
			continue
		}
		r := &j.Request
		total := 0
		if r.GPUsPerNode == 0 && r.GPUsPerTask == 0 {
			total = r.GPUs
		}
		if tw.parts(chosen, j, max(1, r.Tasks, r.MinNodes, len(chosen)), onEach(total, len(chosen)), total > 0, nil, do) {
			return true
		}
	}
	return false
}

// parts gives the first node every part that it can have, of every choice of its
// GPUs, and the others the rest.
func (tw twin) parts(nodes []*schedmate.ObservedNode, j *schedmate.ObservedJob, tasks, gpus int, inAll bool, part []schedmate.NodeHolding, do func(*schedmate.Observation) bool) bool {
	r := &j.Request
	if len(nodes) == 0 {
		if tasks > 0 || gpus > 0 {
			return false
		}
		runs := *j
		runs.State, runs.Start, runs.End, runs.Allocation = "RUNNING", tw.o.Now, tw.o.Now+j.TimeLimit, slices.Clone(part)
		return do(without(with(tw.o, &runs), tw.o.Now, nil))
	}
	n := nodes[0]
	s := tw.space(n)
	for t := 1; t <= tasks; t++ {
		for g := 0; g <= gpus; g++ {
			if (g == 0) == inAll || !bears(&s, r, t, g) {
				continue
			}
			h := schedmate.NodeHolding{Node: n.Name, CPUs: max(t*max(1, r.CPUsPerTask), r.MinCPUs)}
			h.MemoryMiB = r.MinMemoryMiB + r.MemoryPerCPU*int64(h.CPUs)
			if r.Exclusive {
				h.CPUs = n.CPUs
			}
			for _, indices := range tw.devices(n, r, max(g, r.GPUsPerNode, t*r.GPUsPerTask)) {
				h.GPUs, h.Shards, h.GPUIndices = len(indices), 0, indices
				if r.ShardsPerNode > 0 {
					h.GPUs, h.Shards = 0, r.ShardsPerNode
				}
				if tw.parts(nodes[1:], j, tasks-t, gpus-g, inAll, append(part, h), do) {
					return true
				}
			}
		}
	}
	return false
}

// devices lists every choice of a node's free GPUs for a job, or of the GPU for its shards.
func (tw twin) devices(n *schedmate.ObservedNode, r *schedmate.NodeRequest, gpus int) [][]int {
	free := tw.gpus(n)
	choices := [][]int{nil}
	if r.ShardsPerNode > 0 {
		choices = nil
		for index, g := range free {
			if g.shards >= r.ShardsPerNode {
				choices = append(choices, []int{index})
			}
		}
		return choices
	}
	for range gpus {
		var more [][]int
		for _, chosen := range choices {
			for index, g := range free {
				if g.whole && (r.GPUType == "" || r.GPUType == g.kind) && (len(chosen) == 0 || index > chosen[len(chosen)-1]) {
					more = append(more, append(slices.Clone(chosen), index))
				}
			}
		}
		choices = more
	}
	return choices
}

// gpu is what of one GPU is free.
type gpu struct {
	kind   string
	whole  bool
	shards int
}

// wants names the nodes that could take a task of a job. One that names as many nodes
// as it has tasks takes those.
func (tw twin) wants(j *schedmate.ObservedJob) []string {
	r := &j.Request
	inAll := r.GPUs > 0 && r.GPUsPerNode == 0 && r.GPUsPerTask == 0
	var list []string
	for _, p := range tw.o.Partitions {
		least := max(1, r.MinNodes, p.MinNodes)
		most := max(r.Tasks, least)
		if inAll && r.GPUs > r.MinNodes && r.MaxNodes > max(r.Tasks, r.MinNodes) {
			most = max(most, r.GPUs)
		}
		for _, bound := range []int{r.MaxNodes, p.MaxNodes} {
			if bound > 0 {
				most = min(most, bound)
			}
		}
		if most < least {
			continue
		}
		for i := range tw.o.Nodes {
			n := &tw.o.Nodes[i]
			if !slices.Contains(j.Partitions, p.Name) || !slices.Contains(p.Nodes, n.Name) || !tw.may(n, j) ||
				len(r.Nodes) >= most && !slices.Contains(r.Nodes, n.Name) {
				continue
			}
			s := tw.space(n)
			gpus := 0
			if inAll {
				gpus = 1
			}
			if bears(&s, r, 1, gpus) {
				list = append(list, n.Name)
			}
		}
	}
	return list
}
