package gandiva

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/place"
)

// floor is how the nodes are divided among groups.
//
// Invariant: no node belongs to two groups, and no job to two; mask has exactly
// the nodes that no group may have, whole.
type floor struct {
	cluster *schedmate.Cluster
	mask    *schedmate.Occupancy
	index   map[string]int // of nodes
	classes []*class       // by gang
	member  map[string]*group
	status  map[string]*schedmate.JobStatus
	waits   []string // jobs without a group, in the order in which they are tried
}

// class is the groups of one gang size, in the order in which they are asked.
type class struct {
	gang   int
	groups []*group
}

// group is a set of nodes and the jobs that take turns on them: the first slots
// of jobs run.
type group struct {
	class *class
	nodes []int
	slots int
	jobs  []string
	used  int // jobs in it; in the artifact's reading, jobs ever put into it
	since schedmate.Seconds
}

// nobody is the job that masks nodes.
var nobody = &schedmate.Job{ID: "nobody"}

// recall rebuilds the floor from the notes of the last plan. A group that does
// not fit the cluster any more is forgotten, and its jobs look for another one;
// what runs outside of its group keeps its GPUs until it ends.
func recall(s *schedmate.Snapshot) *floor {
	f := &floor{
		cluster: &s.Cluster,
		mask:    schedmate.NewOccupancy(s.Cluster),
		index:   make(map[string]int, len(s.Cluster.Nodes)),
		member:  make(map[string]*group, len(s.Memory)),
		status:  make(map[string]*schedmate.JobStatus, len(s.Waiting)+len(s.Running)),
	}
	for i := range s.Cluster.Nodes {
		f.index[s.Cluster.Nodes[i].ID] = i
	}
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} {
		for _, j := range list {
			f.status[j.Job.ID] = j
		}
	}
	groups, waits := read(s.Memory, f.index)
	home := make(map[string]*group, len(s.Memory))
	owner := make([]*group, len(s.Cluster.Nodes)) // by node
	for _, g := range groups {
		for _, id := range g.jobs {
			home[id] = g
		}
		for _, i := range g.nodes {
			owner[i] = g
		}
	}
	strangers := make([]bool, len(s.Cluster.Nodes)) // nodes with somebody who does not belong there
	for _, j := range s.Running {
		for _, a := range j.Attempt.Allocations {
			if i := f.index[a.Node]; owner[i] == nil || owner[i] != home[j.Job.ID] {
				strangers[i] = true
			}
		}
	}
	for _, g := range groups {
		if f.stands(g, strangers) {
			f.add(g)
		}
	}
	for i := range s.Cluster.Nodes { // node order, so that the mask is always taken alike
		if strangers[i] {
			f.block(i)
		}
	}
	for _, id := range waits {
		if j := f.status[id]; j != nil && j.Attempt == nil && f.member[id] == nil {
			f.waits = append(f.waits, id)
		}
	}
	return f
}

// stands reports whether the group can go on: its nodes take work, nobody else
// runs there, and none of its jobs could do with fewer nodes.
func (f *floor) stands(g *group, strangers []bool) bool {
	for _, i := range g.nodes {
		if strangers[i] || !f.mask.Node(i).Takes() {
			return false
		}
	}
	for _, id := range g.jobs {
		if j := f.status[id]; j != nil && (j.Job.GPUs != g.class.gang || !f.admits(g, &j.Job)) {
			return false
		}
	}
	return true
}

// admits reports whether the job may run on the group's nodes.
func (f *floor) admits(g *group, j *schedmate.Job) bool {
	shared := false
	for _, i := range g.nodes {
		if !f.mask.Admits(i, j) {
			return false
		}
		shared = shared || f.mask.Node(i).VC == ""
	}
	return len(g.nodes) == 1 || len(g.nodes) <= place.Fewest(f.mask, j, shared)
}

func (f *floor) add(g *group) {
	c := f.class(g.class.gang)
	g.class = c
	c.groups = append(c.groups, g)
	for _, i := range g.nodes {
		f.block(i)
	}
	for _, id := range g.jobs {
		f.member[id] = g
	}
}

func (f *floor) block(i int) {
	f.mask.Take(nobody, f.mask.Pick(nil, i, f.mask.Free(i)))
}

func (f *floor) class(gang int) *class {
	at, ok := slices.BinarySearchFunc(f.classes, gang, func(c *class, gang int) int { return cmp.Compare(c.gang, gang) })
	if !ok {
		f.classes = slices.Insert(f.classes, at, &class{gang: gang})
	}
	return f.classes[at]
}

func (f *floor) groups() []*group {
	var all []*group
	for _, c := range f.classes {
		all = append(all, c.groups...)
	}
	return all
}

// first returns the group that is asked first, of those that admit the job.
func (c *class) first(f *floor, j *schedmate.Job) *group {
	for _, g := range c.groups {
		if f.admits(g, j) {
			return g
		}
	}
	return nil
}

func (c *class) toBack(g *group) {
	i := slices.Index(c.groups, g)
	c.groups = append(slices.Delete(c.groups, i, i+1), g)
}

// sort orders the groups by how much they are used; equal ones keep their order.
func (c *class) sort() {
	slices.SortStableFunc(c.groups, func(a, b *group) int { return cmp.Compare(a.used, b.used) })
}

func (f *floor) put(g *group, id string) {
	g.jobs = append(g.jobs, id)
	g.used++
	f.member[id] = g
}

// open makes a group on free nodes for jobs like j, or returns nil.
func (f *floor) open(c *class, j *schedmate.Job) *group {
	as := place.Consolidated(f.mask, j)
	if as == nil {
		return nil
	}
	g := &group{class: c}
	size := 0
	for k, a := range as {
		if k == 0 || as[k-1].Node != a.Node {
			i := f.index[a.Node]
			g.nodes = append(g.nodes, i)
			size += f.cluster.Nodes[i].GPUs
			f.block(i)
		}
	}
	g.slots = 1
	if len(g.nodes) == 1 {
		g.slots = size / c.gang
	}
	c.groups = append(c.groups, g)
	return g
}

// close gives the group's nodes back.
func (f *floor) close(g *group) {
	i := slices.Index(g.class.groups, g)
	g.class.groups = slices.Delete(g.class.groups, i, i+1)
	for _, n := range g.nodes {
		all := make([]schedmate.Allocation, f.cluster.Nodes[n].GPUs)
		for gpu := range all {
			all[gpu] = schedmate.Allocation{Node: f.cluster.Nodes[n].ID, GPU: gpu, Share: schedmate.WholeGPU}
		}
		f.mask.Release(nobody, all)
	}
}

// sweep forgets the jobs that have ended and closes the groups without jobs.
// The artifact does not count down what a group is used.
func (f *floor) sweep(keepUsed bool) (released bool) {
	for _, g := range f.groups() {
		g.jobs = slices.DeleteFunc(g.jobs, func(id string) bool { return f.status[id] == nil })
		if !keepUsed {
			g.used = len(g.jobs)
		}
		if len(g.jobs) == 0 {
			f.close(g)
			released = true
		}
	}
	return released
}
