package place

import (
	"cmp"
	"slices"

	"schedmate"
)

// Func finds allocations for the job among the free GPUs, or returns nil.
// It changes nothing.
type Func func(o *schedmate.Occupancy, j *schedmate.Job) []schedmate.Allocation

// Consolidated places a gang on the tightest node that holds it. A gang larger
// than any node gets the fewest nodes that could hold it: the emptiest ones
// whole and the tightest that holds the rest. Ties go to the lower node ID.
//
// "Any node" is any that the job may use now. Where that gives no place, the
// VC's own nodes are tried alone, so that a larger shared node that is busy
// does not keep a gang from the nodes its VC owns.
func Consolidated(o *schedmate.Occupancy, j *schedmate.Job) []schedmate.Allocation {
	all, free, largest := candidates(o, j, true)
	if as := consolidate(o, j.GPUs, all, free, largest); as != nil || j.VC == "" {
		return as
	}
	own, free, largest := candidates(o, j, false)
	if len(own) == len(all) {
		return nil
	}
	return consolidate(o, j.GPUs, own, free, largest)
}

// candidates lists the nodes that may take the job, their free GPUs in sum,
// and the size of the largest. Shared nodes count only while the VC's quota
// holds the whole gang.
func candidates(o *schedmate.Occupancy, j *schedmate.Job, shared bool) (nodes []int, free, largest int) {
	shared = shared && o.QuotaLeft(j.VC) >= j.GPUs
	nodes = make([]int, 0, o.Len())
	for i := range o.Len() {
		if !o.Admits(i, j) || !shared && o.Node(i).VC == "" {
			continue
		}
		nodes = append(nodes, i)
		free += o.Free(i)
		largest = max(largest, o.Node(i).GPUs)
	}
	return nodes, free, largest
}

func consolidate(o *schedmate.Occupancy, gang int, nodes []int, free, largest int) []schedmate.Allocation {
	switch {
	case free < gang:
		return nil
	case gang <= largest:
		i := tightest(o, nodes, gang)
		if i < 0 {
			return nil
		}
		return o.Pick(make([]schedmate.Allocation, 0, gang), i, gang)
	}
	fewest := fewestNodes(o, nodes, gang)
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(o.Free(b), o.Free(a)) })
	rest := gang
	for _, i := range nodes[:fewest-1] {
		rest -= o.Free(i)
	}
	last := tightest(o, nodes[fewest-1:], rest)
	if rest < 1 || last < 0 {
		return nil
	}
	as := make([]schedmate.Allocation, 0, gang)
	for _, i := range nodes[:fewest-1] {
		as = o.Pick(as, i, o.Free(i))
	}
	return sorted(o.Pick(as, last, rest))
}

// tightest returns the node with the fewest free GPUs that still has k, the
// first of the list among equals, or -1.
func tightest(o *schedmate.Occupancy, nodes []int, k int) int {
	best := -1
	for _, i := range nodes {
		if f := o.Free(i); f >= k && (best < 0 || f < o.Free(best) || f == o.Free(best) && i < best) {
			best = i
		}
	}
	return best
}

// fewestNodes returns how many of the nodes a gang needs if all were empty.
func fewestNodes(o *schedmate.Occupancy, nodes []int, gang int) int {
	sizes := make([]int, len(nodes))
	for k, i := range nodes {
		sizes[k] = o.Node(i).GPUs
	}
	slices.SortFunc(sizes, func(a, b int) int { return cmp.Compare(b, a) })
	for k, size := range sizes {
		if gang -= size; gang <= 0 {
			return k + 1
		}
	}
	panic("BUG: the nodes have enough free GPUs but are too small")
}

func sorted(as []schedmate.Allocation) []schedmate.Allocation {
	slices.SortFunc(as, func(a, b schedmate.Allocation) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.GPU, b.GPU))
	})
	return as
}
