package admit

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/cells"
)

// area is the nodes of one owner and one GPU type: where a promise rests.
type area struct {
	vc, gpuType string
	nodes       []*schedmate.Node // that take work
	widest      int               // GPUs of the largest of them
	name        string            // of its first node, whatever its health: how notes call the area
}

func (a *area) of(n *schedmate.Node) bool { return n.VC == a.vc && n.GPUType == a.gpuType }

// areas lists the areas of a cluster, sorted by owner and type.
func areas(c *schedmate.Cluster) []*area {
	var out []*area
	for i := range c.Nodes {
		n := &c.Nodes[i]
		at := slices.IndexFunc(out, func(a *area) bool { return a.of(n) })
		if at < 0 {
			out = append(out, &area{vc: n.VC, gpuType: n.GPUType, name: n.ID})
			at = len(out) - 1
		}
		if n.Takes() {
			out[at].nodes, out[at].widest = append(out[at].nodes, n), max(out[at].widest, n.GPUs)
		}
	}
	slices.SortFunc(out, func(x, y *area) int { return cmp.Or(cmp.Compare(x.vc, y.vc), cmp.Compare(x.gpuType, y.gpuType)) })
	return out
}

// admits reports whether the job may run there.
func (a *area) admits(j *schedmate.Job) bool {
	return (a.vc == "" || a.vc == j.VC) && (j.GPUType == "" || j.GPUType == a.gpuType)
}

// places lists the areas in which a job may run: its tenant's own before those
// that all share.
func places(all []*area, j *schedmate.Job) []*area {
	var own, shared []*area
	for _, a := range all {
		switch {
		case !a.admits(j):
		case a.vc == "":
			shared = append(shared, a)
		default:
			own = append(own, a)
		}
	}
	return append(own, shared...)
}

// limit is the most GPUs that the jobs of a VC may hold in the area at once, and
// false when there is none.
func (a *area) limit(c *schedmate.Cluster, vc string) (int, bool) {
	if a.vc != "" || vc == "" {
		return 0, false
	}
	v := c.VC(vc)
	if v == nil || v.QuotaGPUs == 0 {
		return 0, false
	}
	return v.QuotaGPUs, true
}

// cell is the largest cell that a gang needs whole: a gang of 16 is two cells of 8,
// and where the largest node has 4 GPUs it is four cells of 4.
func (a *area) cell(gang int, o *Options) int {
	if !o.RoundUp {
		return 1
	}
	c := cells.NodeGPUs
	for c > gang || c > max(1, a.widest) {
		c /= 2
	}
	return c
}

// held says of a GPU in which slots, 1 to the value, somebody without a promise
// keeps it.
type held map[schedmate.Allocation]int

// capacity is the GPUs that make whole cells of a size in each of the slots.
func (a *area) capacity(cell, slots int, kept held) []int {
	out := make([]int, slots)
	if len(kept) == 0 {
		all := 0
		for _, n := range a.nodes {
			all += n.GPUs / cell * cell
		}
		for k := range out {
			out[k] = all
		}
		return out
	}
	taken := make([]int, slots+1)
	for _, n := range a.nodes {
		clear(taken)
		for gpu := range n.GPUs {
			if until := min(kept[schedmate.Allocation{Node: n.ID, GPU: gpu}], slots); until > 0 {
				taken[0]++
				taken[until]--
			}
		}
		free := n.GPUs
		for k := range out {
			free -= taken[k]
			out[k] += free / cell * cell
		}
	}
	return out
}

// holds lists which GPUs running jobs keep that are promised nothing.
func holds(s *schedmate.Snapshot, from schedmate.Seconds, promised func(job string) bool, o *Options) held {
	if !o.HoldRunning {
		return nil
	}
	out := make(held)
	for _, j := range s.Running {
		if promised(j.Job.ID) {
			continue
		}
		until := holdsUntil(j, s.Now, from, o)
		for _, x := range j.Attempt.Allocations {
			gpu := schedmate.Allocation{Node: x.Node, GPU: x.GPU}
			out[gpu] = max(out[gpu], until)
		}
	}
	return out
}

// holdsUntil is the last slot in which a running job must be expected to be there.
func holdsUntil(j *schedmate.JobStatus, now, from schedmate.Seconds, o *Options) int {
	end := schedmate.Forever
	if f := j.Fact(schedmate.RunSeconds, now); f != nil {
		if rest := left(j, schedmate.Seconds(f.High), now); rest > 0 {
			end = now + rest
		}
	}
	if end == schedmate.Forever && j.Job.TimeLimit > 0 {
		end = max(now, j.Attempt.Start+j.Job.TimeLimit)
	}
	if end == schedmate.Forever {
		return mostSlots
	}
	return min(int((max(0, end-from)+o.Lease-1)/o.Lease), mostSlots)
}
