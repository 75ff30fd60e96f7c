package place

import (
	"cmp"
	"slices"

	"schedmate"
)

// Titan is the consolidated placement of the TitanSched artifact. It differs
// from Consolidated for gangs larger than a node: these are filled up from the
// emptiest node on, whatever is left over for the last one, and wait if that
// would take more nodes than their size allows. It knows neither quotas nor
// nodes of different sizes; with those it falls back to the size of the largest
// node.
func Titan(o *schedmate.Occupancy, j *schedmate.Job) []schedmate.Allocation {
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
	fewest := fewestNodes(o, nodes, j.GPUs)
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(o.Free(b), o.Free(a)) })
	as, rest := make([]schedmate.Allocation, 0, j.GPUs), j.GPUs
	for _, i := range nodes[:fewest] {
		k := min(rest, o.Free(i))
		as = o.Pick(as, i, k)
		rest -= k
	}
	if rest > 0 {
		return nil
	}
	return sorted(as)
}
