package place

import (
	"cmp"
	"slices"

	"schedmate"
)

// Lucid is the consolidated placement of the Lucid artifact. It differs from
// Consolidated for gangs larger than a node whose size is no multiple of it:
// the rest goes to the next node in descending order of free GPUs, often a
// wholly free one, and never to a tighter one behind it. It knows neither
// quotas nor nodes of different sizes; with those it falls back to the size of
// the largest node.
func Lucid(o *schedmate.Occupancy, j *schedmate.Job) []schedmate.Allocation {
	return larger(o, j, func(nodes []int, size int) []schedmate.Allocation { return lucidSpread(o, j, nodes, size) })
}

// larger places a gang on the tightest node that holds it, or, if it is larger
// than any node, by spread, which gets the nodes that may take it.
func larger(o *schedmate.Occupancy, j *schedmate.Job, spread func(nodes []int, size int) []schedmate.Allocation) []schedmate.Allocation {
	best, size, _ := oneNode(o, j, true)
	switch {
	case best >= 0:
		return o.Pick(make([]schedmate.Allocation, 0, j.GPUs), best, j.GPUs)
	case j.GPUs <= size:
		return nil
	}
	nodes, free := candidates(o, j, true)
	if free < j.GPUs {
		return nil
	}
	return spread(nodes, size)
}

func lucidSpread(o *schedmate.Occupancy, j *schedmate.Job, nodes []int, size int) []schedmate.Allocation {
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(o.Free(b), o.Free(a)) })
	whole, rest := j.GPUs/size, j.GPUs%size
	if len(nodes) < whole || o.Free(nodes[whole-1]) < size {
		return nil
	}
	if rest > 0 && (len(nodes) == whole || o.Free(nodes[whole]) < rest) {
		return nil
	}
	as := make([]schedmate.Allocation, 0, j.GPUs)
	for _, i := range nodes[:whole] {
		as = o.Pick(as, i, size)
	}
	if rest > 0 {
		as = o.Pick(as, nodes[whole], rest)
	}
	return sorted(as)
}
