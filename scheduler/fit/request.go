package fit

import (
	"math"
	"strconv"
	"strings"

	"schedmate"
)

// request is what a job asks for, in the form that is placed: of each of
// minNodes to maxNodes nodes at least what one task needs and what is asked for
// by node, and of all together at least the totals.
type request struct {
	minNodes, maxNodes int

	tasks        int // in all
	tasksPerNode int // at most; 0: any
	cpusPerTask  int
	gpusPerTask  int

	cpusPerNode   int // at least
	memoryPerNode int64
	memoryPerCPU  int64
	gpusPerNode   int
	shardsPerNode int // on one GPU
	exclusive     bool

	gpus    int  // in all, spread over the nodes as they have them, one at least free on each
	spread  bool // over more nodes than tasks
	unsure  bool // whether they may be spread so is not told; see settle
	gpuType string

	features features
	named    []string // nodes that must be among them
	excluded []string
	licences []licence
	limit    schedmate.Seconds // Forever: none

	unread []string // parts that are not understood: nothing is claimed then
}

// licence is a number of rights of one name.
type licence struct {
	name  string
	count int
}

// readRequest makes the form that is placed of a job as it was observed. Slurm
// tells sums with the least number of nodes in mind; so do the divisions here.
func readRequest(o *schedmate.Observation, j *schedmate.ObservedJob) request {
	r := bounded(j.Request)
	q := request{
		minNodes: max(1, r.MinNodes), maxNodes: r.MaxNodes,
		tasks: r.Tasks, tasksPerNode: r.TasksPerNode, cpusPerTask: max(1, r.CPUsPerTask), gpusPerTask: r.GPUsPerTask,
		cpusPerNode: r.MinCPUs, memoryPerNode: r.MinMemoryMiB, memoryPerCPU: r.MemoryPerCPU,
		gpusPerNode: r.GPUsPerNode, shardsPerNode: r.ShardsPerNode, exclusive: r.Exclusive, gpuType: r.GPUType,
		named: r.Nodes, excluded: r.Exclude, limit: timeLimit(o, j),
	}
	if r.CPUsPerTask == 0 && r.Tasks == 1 { // some versions tell it for the node alone
		q.cpusPerTask = max(1, r.MinCPUs)
	}
	q.minNodes = max(q.minNodes, len(q.named))
	if q.maxNodes == 0 {
		q.maxNodes = math.MaxInt32
	}
	q.maxNodes = max(q.maxNodes, q.minNodes)
	if q.gpusPerTask == 0 && q.gpusPerNode == 0 {
		q.gpus = r.GPUs
	}
	if q.tasks == 0 && r.CPUs > 0 { // counted in CPUs
		q.tasks = max(1, r.CPUs/q.cpusPerTask)
	}
	if q.shardsPerNode == 0 {
		q.shardsPerNode = perNode(r.Shards, q.minNodes)
	}
	if q.memoryPerNode == 0 && q.memoryPerCPU == 0 {
		q.memoryPerNode = perNode(r.MemoryMiB, q.minNodes)
	}
	q.unsure = q.gpus > q.minNodes && r.MaxNodes == 0 && r.Tasks <= q.minNodes
	q.spread = q.gpus > q.minNodes && r.MaxNodes > max(q.minNodes, r.Tasks) // Slurm lowers it to a number of tasks that was given
	var ok bool
	if q.features, ok = readFeatures(r.Features); !ok {
		q.unread = append(q.unread, "node features "+strconv.Quote(r.Features))
	}
	if q.licences, ok = readLicences(j.Licences); !ok {
		q.unread = append(q.unread, "licences "+strconv.Quote(j.Licences))
	}
	return q
}

// bounded keeps a corrupt number from overflowing what it is multiplied with; it is
// far above what any cluster has.
func bounded(r schedmate.NodeRequest) schedmate.NodeRequest {
	for _, n := range []*int{&r.MinNodes, &r.MaxNodes, &r.Tasks, &r.CPUs, &r.GPUs, &r.Shards, &r.TasksPerNode, &r.CPUsPerTask, &r.GPUsPerTask, &r.MinCPUs, &r.GPUsPerNode, &r.ShardsPerNode} {
		*n = min(*n, 1<<24)
	}
	for _, n := range []*int64{&r.MemoryMiB, &r.MinMemoryMiB, &r.MemoryPerCPU} {
		*n = min(*n, 1<<38)
	}
	return r
}

// in is the request as a partition bounds its nodes; ok is false if that leaves no
// number of them.
func (q *request) in(p *schedmate.Partition) (own *request, ok bool) {
	if p.MinNodes <= q.minNodes && (p.MaxNodes == 0 || p.MaxNodes >= q.maxNodes) {
		return q, true
	}
	bound := *q
	bound.minNodes = max(q.minNodes, p.MinNodes)
	if p.MaxNodes > 0 {
		bound.maxNodes = min(q.maxNodes, p.MaxNodes)
	}
	return &bound, bound.minNodes <= bound.maxNodes
}

func perNode[T int | int64](total T, nodes int) T {
	return (total + T(nodes) - 1) / T(nodes)
}

// timeLimit is how long the job may run. What it does not say, its partition does.
func timeLimit(o *schedmate.Observation, j *schedmate.ObservedJob) schedmate.Seconds {
	if j.TimeLimit > 0 {
		return j.TimeLimit
	}
	limit := schedmate.Seconds(0)
	for i := range o.Partitions {
		for _, name := range j.Partitions {
			if p := &o.Partitions[i]; p.Name == name {
				limit = max(limit, p.DefaultTime, p.MaxTime)
			}
		}
	}
	if limit == 0 {
		return schedmate.Forever
	}
	return limit
}

// readLicences reads matlab:2,ansys. Alternatives (a|b) are not understood.
func readLicences(text string) (list []licence, ok bool) {
	if text == "" || text == "(null)" {
		return nil, true
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' }) {
		name, number, counted := strings.Cut(part, ":")
		if !counted {
			name, number, counted = strings.Cut(part, "=")
		}
		count := 1
		if counted {
			var err error
			if count, err = strconv.Atoi(number); err != nil || count < 0 {
				return nil, false
			}
		}
		if name == "" || strings.ContainsAny(name, "|&") {
			return nil, false
		}
		list = append(list, licence{name, min(count, 1<<24)})
	}
	return list, true
}

// atLeast is the least that one task and the per-node requests take of a node.
func (q *request) cpusFor(tasks int) int { return max(q.cpusPerNode, tasks*q.cpusPerTask) }

// memoryFor is the memory of a node on which the job has that many CPUs.
func (q *request) memoryFor(cpus int) int64 {
	return q.memoryPerNode + q.memoryPerCPU*int64(cpus)
}

// settle decides whether GPUs that are asked for in all may lie on more nodes than
// the job has tasks. Slurm spreads them if the number of tasks was not given, and
// does not if it was, and shows no difference of the two. Taken is what such a job
// that waits mostly is: one that fits on as few nodes, or would otherwise never.
func (c *Cluster) settle(q *request, fields []field) {
	if !q.unsure {
		return
	}
	q.maxNodes, q.spread = q.minNodes, false
	ever := &scene{at: c.now, empty: true, repaired: true, open: true, self: -1}
	if _, ok := c.place(q, fields, ever); !ok {
		q.maxNodes, q.spread = math.MaxInt32, true
	}
}
