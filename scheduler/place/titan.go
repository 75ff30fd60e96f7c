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
	return larger(o, j, func(nodes []int, _ int) []schedmate.Allocation { return titanSpread(o, j, nodes) })
}

func titanSpread(o *schedmate.Occupancy, j *schedmate.Job, nodes []int) []schedmate.Allocation {
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
