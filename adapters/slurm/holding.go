package slurm

import (
	"cmp"
	"slices"

	"schedmate"
)

// holding is what a running job holds of each of its nodes. Slurm lists GPUs in the
// order of the nodes. Where it does not, and a job has several nodes, what it holds
// of each follows only from what it asked of each; the rest is left out.
func (r *record) holding(j *schedmate.ObservedJob) ([]schedmate.NodeHolding, error) {
	if len(j.Nodes) == 0 {
		return nil, nil
	}
	total, err := readTRES(string(r.Allocated))
	if err != nil {
		return nil, err
	}
	out := make([]schedmate.NodeHolding, len(j.Nodes))
	at := make(map[string]*schedmate.NodeHolding, len(out))
	for i, node := range j.Nodes {
		out[i].Node = node
		at[node] = &out[i]
		if len(j.Nodes) == 1 {
			out[i].CPUs, out[i].MemoryMiB = total.cpus, total.memoryMiB
		}
	}
	perCore := r.Resources.cpusOfACore(total.cpus)
	for _, n := range r.Resources.nodes {
		h := at[n.name]
		if h == nil {
			continue
		}
		h.MemoryMiB = cmp.Or(n.memoryMiB, h.MemoryMiB)
		h.CPUs = cmp.Or(n.cpus, n.cores*perCore, h.CPUs)
	}
	if len(r.GRES) == len(out) {
		order := r.order(j.Nodes)
		for i, detail := range r.GRES {
			list, err := readGRES(detail)
			if err != nil {
				return nil, err
			}
			h := at[order[i]]
			for _, g := range list {
				switch g.name {
				case "gpu":
					h.GPUs += g.count
					h.GPUType = cmp.Or(h.GPUType, g.kind)
					h.GPUIndices = append(h.GPUIndices, g.indices...)
				case "shard":
					h.Shards += g.count
				}
			}
		}
		return out, nil
	}
	for i := range out {
		switch {
		case j.Request.GPUsPerNode > 0:
			out[i].GPUs = j.Request.GPUsPerNode
		case len(out) == 1:
			out[i].GPUs = total.gpus
		}
		if out[i].Shards = j.Request.ShardsPerNode; len(out) == 1 {
			out[i].Shards = total.shards
		}
		if out[i].GPUs > 0 {
			out[i].GPUType = cmp.Or(j.Request.GPUType, total.gpuType)
		}
	}
	return out, nil
}

// cpusOfACore is how many CPUs a core counts for, where the total says so; else 0.
func (h *holds) cpusOfACore(cpus int) int {
	cores := 0
	for _, n := range h.nodes {
		cores += n.cores
	}
	if cores == 0 || cpus%cores != 0 {
		return 0
	}
	return cpus / cores
}

// order is the job's nodes as Slurm lists them, which may differ from the order of
// their names.
func (r *record) order(sorted []string) []string {
	if len(r.Resources.nodes) != len(sorted) {
		return sorted
	}
	order := make([]string, len(sorted))
	for i, n := range r.Resources.nodes {
		if !slices.Contains(sorted, n.name) {
			return sorted
		}
		order[i] = n.name
	}
	return order
}
