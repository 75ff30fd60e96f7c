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
	as, shared := consolidate(o, j, true)
	if as == nil && shared && j.VC != "" {
		as, _ = consolidate(o, j, false)
	}
	return as
}

// consolidate places the job, on shared nodes too if it may, and reports
// whether there were any.
func consolidate(o *schedmate.Occupancy, j *schedmate.Job, shared bool) ([]schedmate.Allocation, bool) {
	best, largest, common := oneNode(o, j, shared)
	switch {
	case best >= 0:
		return o.Pick(make([]schedmate.Allocation, 0, j.GPUs), best, j.GPUs), common
	case j.GPUs <= largest:
		return nil, common
	}
	nodes, free := candidates(o, j, shared)
	if free < j.GPUs {
		return nil, common
	}
	return spread(o, j.GPUs, nodes), common
}

// oneNode returns the tightest node that holds the whole gang, or -1, and the
// size of the largest node that may take the job. Shared nodes count only
// while the VC's quota holds the whole gang; common tells whether one did.
func oneNode(o *schedmate.Occupancy, j *schedmate.Job, shared bool) (best, largest int, common bool) {
	shared = shared && o.QuotaLeft(j.VC) >= j.GPUs
	best = -1
	for i := range o.Len() {
		n := o.Node(i)
		if !o.Admits(i, j) || n.VC == "" && !shared {
			continue
		}
		common = common || n.VC == ""
		largest = max(largest, n.GPUs)
		if f := o.Free(i); f >= j.GPUs && (best < 0 || f < o.Free(best)) {
			if best = i; f == j.GPUs {
				break // nothing is tighter
			}
		}
	}
	return best, largest, common
}

// Fewest returns how many nodes the gang needs if all that may take the job now
// were empty, or 0 if all of them are too few. Nodes of no VC count if shared.
func Fewest(o *schedmate.Occupancy, j *schedmate.Job, shared bool) int {
	var nodes []int
	size := 0
	for i := range o.Len() {
		if o.Admits(i, j) && (shared || o.Node(i).VC != "") {
			nodes = append(nodes, i)
			size += o.Node(i).GPUs
		}
	}
	if size < j.GPUs {
		return 0
	}
	return fewestNodes(o, nodes, j.GPUs)
}

// candidates lists the nodes that may take the job and their free GPUs in sum.
func candidates(o *schedmate.Occupancy, j *schedmate.Job, shared bool) (nodes []int, free int) {
	shared = shared && o.QuotaLeft(j.VC) >= j.GPUs
	nodes = make([]int, 0, o.Len())
	for i := range o.Len() {
		if o.Admits(i, j) && (shared || o.Node(i).VC != "") {
			nodes = append(nodes, i)
			free += o.Free(i)
		}
	}
	return nodes, free
}

// spread places a gang that is larger than any of the nodes.
func spread(o *schedmate.Occupancy, gang int, nodes []int) []schedmate.Allocation {
	fewest := fewestNodes(o, nodes, gang)
	nodes = emptiestFirst(o, nodes)
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

// emptiestFirst sorts nodes by free GPUs, most first; those with as many keep
// their order. It counts instead of comparing: a queue that holds large gangs asks
// for this at every plan, and nodes are many while their GPUs are few.
func emptiestFirst(o *schedmate.Occupancy, nodes []int) []int {
	most := 0
	for _, i := range nodes {
		most = max(most, o.Free(i))
	}
	if most > 4*len(nodes) {
		slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(o.Free(b), o.Free(a)) })
		return nodes
	}
	place := make([]int, most+2) // of the next node with so many used of the most
	for _, i := range nodes {
		place[most-o.Free(i)+1]++
	}
	for k := range most + 1 {
		place[k+1] += place[k]
	}
	out := make([]int, len(nodes))
	for _, i := range nodes {
		k := most - o.Free(i)
		out[place[k]] = i
		place[k]++
	}
	return out
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
