package sim_test

import "slices"

// quota is how many shared GPUs the VC may hold.
func (w *twin) quota(vc string) int {
	for _, v := range w.vcs {
		if v.Name == vc && v.QuotaGPUs > 0 {
			return v.QuotaGPUs
		}
	}
	return 1 << 30
}

func (w *twin) quotaLeft(vc string) int {
	left := w.quota(vc) - w.kept[vc]
	for _, j := range w.jobs {
		for id, k := range j.on {
			if j.VC == vc && j.state != "lent" && w.node(id).VC == "" {
				left -= k
			}
		}
	}
	return left
}

// usable lists the nodes that may take the job, shared ones only if wanted.
func (w *twin) usable(j *twinJob, shared bool) []*twinNode {
	var out []*twinNode
	for _, n := range w.nodes {
		fits := n.Takes() && (j.GPUType == "" || n.GPUType == j.GPUType)
		if fits && (n.VC == "" && shared || n.VC != "" && n.VC == j.VC) {
			out = append(out, n)
		}
	}
	return out
}

// place finds GPUs on as few nodes as possible, or returns nil.
func (w *twin) place(j *twinJob) map[string]int {
	all := w.usable(j, w.quotaLeft(j.VC) >= j.GPUs)
	switch w.rule.placement {
	case "lucid":
		return placeLucid(all, j.GPUs)
	case "titan":
		return placeTitan(all, j.GPUs)
	}
	if on := placeFew(all, j.GPUs); on != nil {
		return on
	}
	return placeFew(w.usable(j, false), j.GPUs)
}

func placeFew(nodes []*twinNode, gang int) map[string]int {
	bySize := slices.Clone(nodes)
	slices.SortStableFunc(bySize, func(a, b *twinNode) int { return b.GPUs - a.GPUs })
	few, sum := 0, 0
	for _, n := range bySize {
		if sum < gang {
			few, sum = few+1, sum+n.GPUs
		}
	}
	if sum < gang {
		return nil
	}
	byFree := slices.Clone(nodes)
	slices.SortStableFunc(byFree, func(a, b *twinNode) int { return b.free - a.free })
	on := map[string]int{}
	for _, n := range byFree[:few-1] {
		on[n.ID] = n.free
		gang -= n.free
	}
	var last *twinNode
	for _, n := range nodes { // in the order of their IDs
		if on[n.ID] == 0 && n.free >= gang && (last == nil || n.free < last.free) && !slices.Contains(byFree[:few-1], n) {
			last = n
		}
	}
	if last == nil || slices.Contains(mapValues(on), 0) {
		return nil
	}
	on[last.ID] = gang
	return on
}

func mapValues(m map[string]int) []int {
	var out []int
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// placeLucid: up to the size of a node, the tightest node; above, wholly free
// nodes, and the rest on the next one in descending order of free GPUs.
func placeLucid(nodes []*twinNode, gang int) map[string]int {
	size, free := 0, 0
	for _, n := range nodes {
		size = max(size, n.GPUs)
		free += n.free
	}
	if size == 0 || free < gang {
		return nil
	}
	on := map[string]int{}
	if gang <= size {
		var best *twinNode
		for _, n := range nodes {
			if n.free >= gang && (best == nil || n.free < best.free) {
				best = n
			}
		}
		if best == nil {
			return nil
		}
		on[best.ID] = gang
		return on
	}
	byFree := slices.Clone(nodes)
	slices.SortStableFunc(byFree, func(a, b *twinNode) int { return b.free - a.free })
	for _, n := range byFree {
		k := min(size, gang)
		if k == 0 {
			break
		}
		if n.free < k {
			return nil
		}
		on[n.ID] = k
		gang -= k
	}
	if gang > 0 {
		return nil
	}
	return on
}

// placeTitan: up to the size of a node, the tightest node; above, the emptiest
// nodes filled up one after the other, if they are no more than needed.
func placeTitan(nodes []*twinNode, gang int) map[string]int {
	size, free := 0, 0
	for _, n := range nodes {
		size = max(size, n.GPUs)
		free += n.free
	}
	if gang <= size {
		return placeLucid(nodes, gang)
	}
	if free < gang {
		return nil
	}
	bySize := slices.Clone(nodes)
	slices.SortFunc(bySize, func(a, b *twinNode) int { return b.GPUs - a.GPUs })
	few, sum := 0, 0
	for sum < gang {
		sum += bySize[few].GPUs
		few++
	}
	byFree := slices.Clone(nodes)
	slices.SortStableFunc(byFree, func(a, b *twinNode) int { return b.free - a.free })
	on := map[string]int{}
	for _, n := range byFree {
		if k := min(n.free, gang); k > 0 {
			on[n.ID] = k
			gang -= k
		}
	}
	if len(on) > few {
		return nil
	}
	return on
}
