package sia

import (
	"cmp"
	"slices"

	"schedmate"
)

// ringable reports whether the cluster is one that the artifact knows.
func ringable(s *schedmate.Snapshot) bool {
	if !s.Cluster.Spread || len(s.Cluster.VCs) > 0 {
		return false
	}
	sizes := make(map[string]int)
	for i := range s.Cluster.Nodes {
		n := &s.Cluster.Nodes[i]
		if size, known := sizes[n.GPUType]; !n.Takes() || known && size != n.GPUs {
			return false
		}
		sizes[n.GPUType] = n.GPUs
	}
	return true
}

// ring lays every type out anew: the widest gangs first, from a pointer on that
// goes round the nodes. A gang takes whole nodes that are free, as many as it can
// fill, and then whatever is free.
func (r *round) ring(wants []want) []schedmate.Action {
	for k := range r.kinds {
		var mine []*want
		for i := range wants {
			if wants[i].config.kind == k {
				mine = append(mine, &wants[i])
			}
		}
		widest(mine)
		nodes, size := r.kinds[k].nodes, r.kinds[k].size
		used := make([]int, len(nodes))
		pointer := 0
		for _, w := range mine {
			left, last := w.config.gpus, pointer
			take := func(i, n int) {
				id := r.s.Cluster.Nodes[nodes[i]].ID
				for range n {
					w.place = append(w.place, schedmate.Allocation{Node: id, GPU: used[i], Share: schedmate.WholeGPU})
					used[i]++
				}
				left -= n
				last = i
			}
			for step := range nodes {
				if i := (pointer + step) % len(nodes); left >= size && used[i] == 0 {
					take(i, size)
				}
			}
			for step := range nodes {
				if i := (pointer + step) % len(nodes); left > 0 && used[i] < size {
					take(i, min(left, size-used[i]))
				}
			}
			pointer = (last + 1) % len(nodes)
			slices.SortFunc(w.place, func(a, b schedmate.Allocation) int {
				return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.GPU, b.GPU))
			})
		}
	}
	return r.actions(wants)
}
