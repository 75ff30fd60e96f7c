package schedmate

import "fmt"

// Occupancy tracks which share of which GPU is taken. It supports what-if
// questions by mutation and undo: take and release freely after Mark, then
// Rollback. It is not safe for concurrent use.
//
// Invariant: for each node i, free[i] is the number of GPUs of which nothing
// is taken; for each VC, held is the number of allocations its jobs have on
// nodes that belong to no VC: a GPU that two of them share counts twice.
type Occupancy struct {
	cluster Cluster
	index   map[string]int
	taken   [][]Share
	free    []int
	held    map[string]int
	log     []change
}

type change struct {
	job  *Job
	as   []Allocation
	take bool
}

// NewOccupancy returns the occupancy of the cluster with nothing taken.
// The cluster's nodes must not be reordered afterwards; their health may change.
func NewOccupancy(c Cluster) *Occupancy {
	o := &Occupancy{
		cluster: c,
		index:   make(map[string]int, len(c.Nodes)),
		taken:   make([][]Share, len(c.Nodes)),
		free:    make([]int, len(c.Nodes)),
		held:    make(map[string]int, len(c.VCs)),
	}
	for i := range c.Nodes {
		o.index[c.Nodes[i].ID] = i
		o.taken[i] = make([]Share, c.Nodes[i].GPUs)
		o.free[i] = c.Nodes[i].GPUs
	}
	return o
}

// Len returns the number of nodes.
func (o *Occupancy) Len() int { return len(o.free) }

// Node returns node i.
func (o *Occupancy) Node(i int) *Node { return &o.cluster.Nodes[i] }

// Free returns how many GPUs of node i carry nothing, whatever its health.
func (o *Occupancy) Free(i int) int { return o.free[i] }

// Taken returns which share of a GPU of node i carries something. It panics when
// the node has no such GPU.
func (o *Occupancy) Taken(i, gpu int) Share { return o.taken[i][gpu] }

// Spread reports whether gangs may be placed on more nodes than they need.
func (o *Occupancy) Spread() bool { return o.cluster.Spread }

// Admits reports whether node i may take new work of the job: it is healthy,
// belongs to the job's VC or to none, and has the GPU type asked for.
func (o *Occupancy) Admits(i int, j *Job) bool {
	n := &o.cluster.Nodes[i]
	return n.Takes() && (n.VC == "" || n.VC == j.VC) && (j.GPUType == "" || j.GPUType == n.GPUType)
}

// Capacity returns how many GPUs the job could have now if nothing else ran:
// those of the nodes that may take it, the shared ones only if its VC's quota
// holds the whole gang.
func (o *Occupancy) Capacity(j *Job) int {
	own, shared := 0, 0
	for i := range o.cluster.Nodes {
		switch n := &o.cluster.Nodes[i]; {
		case !o.Admits(i, j):
		case n.VC == "":
			shared += n.GPUs
		default:
			own += n.GPUs
		}
	}
	if v := o.cluster.VC(j.VC); v != nil && v.QuotaGPUs > 0 && v.QuotaGPUs < j.GPUs {
		shared = 0
	}
	return own + shared
}

// QuotaLeft returns how many more GPUs of shared nodes the VC may hold. It is
// negative when the VC holds more than its quota.
func (o *Occupancy) QuotaLeft(vc string) int {
	v := o.cluster.VC(vc)
	if v == nil || v.QuotaGPUs == 0 {
		return MaxGangGPUs
	}
	return v.QuotaGPUs - o.held[vc]
}

// Pick appends the allocations of the k lowest-numbered wholly free GPUs of
// node i. It panics when the node has fewer.
func (o *Occupancy) Pick(as []Allocation, i, k int) []Allocation {
	for gpu, share := range o.taken[i] {
		if k == 0 {
			break
		}
		if share == 0 {
			as = append(as, Allocation{Node: o.cluster.Nodes[i].ID, GPU: gpu, Share: WholeGPU})
			k--
		}
	}
	if k > 0 {
		panic(fmt.Sprintf("BUG: node %s has %d free GPUs fewer than picked", o.cluster.Nodes[i].ID, k))
	}
	return as
}

// Take marks the allocations as the job's. It panics when a GPU does not exist
// or would carry more than WholeGPU: placements are computed, never guessed.
func (o *Occupancy) Take(j *Job, as []Allocation) {
	o.apply(j, as, true)
	o.log = append(o.log, change{j, as, true})
}

// Release undoes a Take, or a part of it. It panics when a GPU carries less.
func (o *Occupancy) Release(j *Job, as []Allocation) {
	o.apply(j, as, false)
	o.log = append(o.log, change{j, as, false})
}

// Mark returns a point to which Rollback can return.
func (o *Occupancy) Mark() int { return len(o.log) }

// Rollback undoes everything since the mark.
func (o *Occupancy) Rollback(mark int) {
	for len(o.log) > mark {
		last := o.log[len(o.log)-1]
		o.log = o.log[:len(o.log)-1]
		o.apply(last.job, last.as, !last.take)
	}
}

// Commit makes everything so far permanent.
func (o *Occupancy) Commit() { o.log = o.log[:0] }

func (o *Occupancy) apply(j *Job, as []Allocation, take bool) {
	node, i := "", -1
	for _, a := range as {
		if a.Node != node || i < 0 {
			var ok bool
			if i, ok = o.index[a.Node]; !ok {
				panic(fmt.Sprintf("BUG: job %s: no node %q", j.ID, a.Node))
			}
			node = a.Node
		}
		if a.GPU < 0 || a.GPU >= len(o.taken[i]) {
			panic(fmt.Sprintf("BUG: job %s: node %s has no GPU %d", j.ID, a.Node, a.GPU))
		}
		before := o.taken[i][a.GPU]
		after := before + a.Share
		if !take {
			after = before - a.Share
		}
		if after < 0 || after > WholeGPU {
			panic(fmt.Sprintf("BUG: job %s: GPU %d of node %s would carry %d thousandths", j.ID, a.GPU, a.Node, after))
		}
		o.taken[i][a.GPU] = after
		switch {
		case before == 0 && after > 0:
			o.free[i]--
		case before > 0 && after == 0:
			o.free[i]++
		}
		if o.cluster.Nodes[i].VC == "" && j.VC != "" {
			if take {
				o.held[j.VC]++
			} else {
				o.held[j.VC]--
			}
		}
	}
}
