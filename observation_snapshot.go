package schedmate

import (
	"cmp"
	"fmt"
	"slices"
)

// Snapshot makes of the observation what a policy can plan with: the nodes that
// have GPUs, the jobs that hold or want whole GPUs. What a policy has no notion of
// is left out and told as gaps; nothing is made up. Jobs are in the order of their
// submission. Where the scheduler does not tell which GPUs of a node a job holds,
// it gets those with the lowest indices that are free: the number is what counts.
func (o *Observation) Snapshot() (*Snapshot, []Gap) {
	b := snapshotOf{o: o, s: &Snapshot{APIVersion: APIVersion, Kind: SnapshotKind, Now: o.Now}, left: map[string]int{}}
	b.s.Cluster.Name = o.System.Cluster
	for i := range o.Nodes {
		b.node(&o.Nodes[i])
	}
	order := make([]*ObservedJob, len(o.Jobs))
	for i := range o.Jobs {
		order[i] = &o.Jobs[i]
	}
	slices.SortStableFunc(order, func(x, y *ObservedJob) int {
		return cmp.Or(cmp.Compare(x.Submit, y.Submit), CompareJobIDs(x.ID, y.ID))
	})
	b.taken = make(map[Allocation]bool)
	for _, told := range []bool{true, false} { // whose indices are told come first
		for _, j := range order {
			if j.Runs() && j.toldGPUs() == told {
				b.running(j)
			}
		}
	}
	for _, j := range order {
		if j.Waits() {
			b.waiting(j)
		}
	}
	for _, list := range [][]*JobStatus{b.s.Running, b.s.Waiting} {
		slices.SortStableFunc(list, func(x, y *JobStatus) int {
			return cmp.Or(cmp.Compare(x.Job.Submit, y.Job.Submit), CompareJobIDs(x.Job.ID, y.Job.ID))
		})
	}
	for seq, j := range slices.Concat(b.s.Running, b.s.Waiting) {
		j.Seq = int64(seq)
	}
	return b.s, b.gaps()
}

// snapshotOf is a snapshot in the making.
type snapshotOf struct {
	o     *Observation
	s     *Snapshot
	taken map[Allocation]bool
	left  map[string]int // why jobs were left out
}

func (b *snapshotOf) gaps() []Gap {
	var gaps []Gap
	if len(b.o.Partitions) > 1 || len(b.o.Reservations) > 0 {
		gaps = append(gaps, Gap{What: "partitions, reservations, features and limits", Why: "policies have no notion of them: a plan may start jobs where the scheduler would not"})
	}
	for why, n := range b.left {
		gaps = append(gaps, Gap{What: jobs(n), Why: why})
	}
	slices.SortFunc(gaps, func(x, y Gap) int { return cmp.Compare(x.Why, y.Why) })
	return gaps
}

func jobs(n int) string {
	if n == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", n)
}

// mixedGPUs is the type of a node whose GPUs are of several.
const mixedGPUs = "mixed"

func (b *snapshotOf) node(n *ObservedNode) {
	total, _ := n.GPUCount("")
	if total == 0 {
		return
	}
	node := Node{ID: n.Name, GPUs: total, GPUType: n.GPUs[0].Type, Health: n.Health()}
	if len(n.GPUs) > 1 {
		node.GPUType = mixedGPUs
	}
	b.s.Cluster.Nodes = append(b.s.Cluster.Nodes, node)
}

func (j *ObservedJob) toldGPUs() bool {
	for _, h := range j.Allocation {
		if len(h.GPUIndices) != h.GPUs {
			return false
		}
	}
	return true
}

func (b *snapshotOf) status(j *ObservedJob) *JobStatus {
	s := &JobStatus{Job: Job{
		ID: j.ID, Name: j.Name, User: j.User, Group: j.Account, GPUs: j.Request.GPUs, GPUType: j.Request.GPUType,
		Submit: min(j.Submit, b.o.Now), TimeLimit: j.TimeLimit,
	}, Preemptions: j.Restarts}
	if j.Waits() {
		s.Waited = max(0, b.o.Now-s.Job.Submit)
	}
	return s
}

func (b *snapshotOf) running(j *ObservedJob) {
	var as []Allocation
	for _, h := range j.Allocation {
		n := b.s.Cluster.Node(h.Node)
		if n == nil {
			continue
		}
		indices := h.GPUIndices
		if len(indices) != h.GPUs {
			indices = b.free(n, h.GPUs)
		}
		for _, gpu := range indices {
			if gpu < n.GPUs {
				as = append(as, Allocation{h.Node, gpu, WholeGPU})
			}
		}
	}
	slices.SortFunc(as, compareAllocations)
	as = slices.CompactFunc(as, func(x, y Allocation) bool { return compareAllocations(x, y) == 0 })
	if len(as) == 0 {
		b.left["running without whole GPUs"]++
		return
	}
	for _, x := range as {
		if b.taken[x] {
			b.left["holding GPUs that others hold, too"]++
			return
		}
	}
	for _, x := range as {
		b.taken[x] = true
	}
	s := b.status(j)
	s.Job.GPUs = len(as)
	s.Attempt = &Attempt{Number: j.Restarts + 1, Start: min(max(j.Start, s.Job.Submit), b.o.Now), Allocations: as}
	b.s.Running = append(b.s.Running, s)
}

// free are GPUs of a node that nobody was found to hold.
func (b *snapshotOf) free(n *Node, count int) []int {
	var out []int
	for gpu := 0; gpu < n.GPUs && len(out) < count; gpu++ {
		if !b.taken[Allocation{n.ID, gpu, WholeGPU}] {
			out = append(out, gpu)
		}
	}
	return out
}

func (b *snapshotOf) waiting(j *ObservedJob) {
	switch {
	case j.Request.GPUs == 0:
		b.left["waiting for no whole GPUs"]++
		return
	case j.Held():
		b.left["held, or waiting for a time or other jobs"]++
		return
	}
	for _, id := range j.TaskIDs(maxExpanded) {
		s := b.status(j)
		s.Job.ID = id
		b.s.Waiting = append(b.s.Waiting, s)
	}
}

// maxExpanded bounds the tasks that one record of an array becomes.
const maxExpanded = 10_000

// Held reports whether a waiting job would not be started even on an empty
// cluster, by its scheduler's own word.
func (j *ObservedJob) Held() bool {
	switch j.Reason {
	case "JobHeldUser", "JobHeldAdmin", "BeginTime", "Dependency", "DependencyNeverSatisfied", "JobHoldMaxRequeue":
		return true
	}
	return false
}
