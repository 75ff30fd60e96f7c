package unisched

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/cells"
	"schedmate/scheduler/place"
)

// roundUp is the GPUs of the smallest cells that hold a gang on its own.
func roundUp(gpus int) int { return cells.RoundUp(gpus) }

// find places a gang: in cells where the options and the cluster allow it, on the
// fewest nodes otherwise.
func (t *table) find(o *schedmate.Occupancy, j *schedmate.Job) []schedmate.Allocation {
	if !t.Cells || !o.Spread() {
		return place.Consolidated(o, j)
	}
	if as, ok := inCells(o, j); ok {
		return as
	}
	return place.Spread(o, j)
}

// inCells places a gang in the fewest aligned cells for which the free ones of its
// nodes are enough, each in the fullest surroundings. It reports false where a
// node does not have eight GPUs, belongs to somebody or is of a type that the job
// does not take, a quota holds, or no combination is tried: of more than 16 GPUs
// there is only one.
func inCells(o *schedmate.Occupancy, j *schedmate.Job) ([]schedmate.Allocation, bool) {
	if o.QuotaLeft(j.VC) < schedmate.MaxGangGPUs {
		return nil, false
	}
	nodes := make([]cells.Node, o.Len())
	for i := range nodes {
		n := o.Node(i)
		switch {
		case !n.Takes():
			continue
		case !o.Admits(i, j) || n.VC != "" || n.GPUs != cells.NodeGPUs:
			return nil, false
		}
		for gpu := range n.GPUs {
			if o.Free(i) > 0 && o.Taken(i, gpu) == 0 {
				nodes[i] |= 1 << gpu
			}
		}
	}
	free := cells.Free(nodes)
	for _, c := range cells.Combinations(j.GPUs) {
		if !free.Holds(c.Levels()) {
			continue
		}
		placed, ok := cells.Place(nodes, []cells.Count{c})
		if !ok {
			panic("BUG: the free cells of all sizes are enough, and no place was found")
		}
		return allocations(o, placed[0]), true
	}
	return nil, false
}

// allocations are the GPUs of cells, as a plan names them.
func allocations(o *schedmate.Occupancy, list []cells.Cell) []schedmate.Allocation {
	var as []schedmate.Allocation
	for _, c := range list {
		for gpu := range c.GPUs {
			as = append(as, schedmate.Allocation{Node: o.Node(c.Node).ID, GPU: c.First + gpu, Share: schedmate.WholeGPU})
		}
	}
	slices.SortFunc(as, func(a, b schedmate.Allocation) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.GPU, b.GPU))
	})
	return as
}
