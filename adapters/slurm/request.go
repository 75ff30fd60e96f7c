package slurm

import (
	"cmp"
	"slices"

	"schedmate"
)

// request works out what the job asks for. Totals are told by one list; without a
// database Slurm leaves GPUs out of it, and they follow from the other fields.
func (r *record) request(q *schedmate.NodeRequest) error {
	asked, err := readTRES(string(r.Asked))
	if err != nil {
		return err
	}
	q.MinNodes = max(cmp.Or(asked.nodes, r.Nodes.count()), 1)
	q.MaxNodes = r.MaxNodes.count()
	q.Tasks, q.TasksPerNode, q.CPUsPerTask = r.Tasks.count(), r.TasksNode.short(), r.CPUsTask.short()
	q.CPUs, q.MinCPUs = cmp.Or(asked.cpus, r.CPUs.count()), r.MinCPUs.count()
	q.MemoryMiB = asked.memoryMiB
	q.MemoryPerCPU, q.MinMemoryMiB = int64(r.MemoryCPU.count()), int64(r.MemoryNode.count())
	q.Features = clean(r.Features)
	if q.Nodes, err = Hosts(string(r.Required)); err != nil {
		return err
	}
	if q.Exclude, err = Hosts(string(r.Excluded)); err != nil {
		return err
	}
	q.Exclusive = slices.Contains(r.Shared, "none") || slices.Contains(r.Shared, "exclusive")
	totals := []struct {
		list  text
		times int
		gpus  *int // where the amount itself is kept
		share *int
	}{
		{r.PerNode, q.MinNodes, &q.GPUsPerNode, &q.ShardsPerNode},
		{r.PerTask, max(q.Tasks, 1), &q.GPUsPerTask, nil},
		{r.PerSocket, q.MinNodes * r.Sockets.short(), nil, nil}, // 0 where sockets are not asked for
		{r.PerJob, 1, nil, nil},
	}
	for _, t := range totals {
		list, err := readGRES(string(t.list))
		if err != nil {
			return err
		}
		for _, g := range list {
			switch {
			case g.name == "gpu":
				q.GPUs, q.GPUType = max(q.GPUs, g.count*t.times), cmp.Or(q.GPUType, g.kind)
				if t.gpus != nil {
					*t.gpus += g.count
				}
			case g.name == "shard":
				q.Shards = max(q.Shards, g.count*t.times)
				if t.share != nil {
					*t.share += g.count
				}
			}
		}
	}
	q.GPUs, q.Shards = max(q.GPUs, asked.gpus), max(q.Shards, asked.shards)
	q.GPUType = cmp.Or(q.GPUType, asked.gpuType)
	return nil
}
