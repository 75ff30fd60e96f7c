package verify

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
)

// Ledger keeps the books of a cluster apart from whoever plans for it.
//
// Invariant: load holds, for every GPU, the sum of the shares of running jobs;
// shared holds, for every VC, the GPUs its running jobs have on nodes of no VC.
type Ledger struct {
	nodes  map[string]*node
	vcs    map[string]bool
	quotas map[string]int
	shared map[string]int
	jobs   map[string]*entry
	spread bool           // gangs may use more nodes than they need
	order  []string       // node IDs, as in the cluster
	sizes  map[pool][]int // sizes of nodes that take work, largest first; see fewest
	broken Violations
}

type node struct {
	schedmate.Node
	load []schedmate.Share
}

type entry struct {
	job     *schedmate.Job
	running []schedmate.Allocation // nil while waiting
}

type pool struct {
	vc, gpuType string
	shared      bool
}

// NewLedger opens the books of an empty cluster.
func NewLedger(c *schedmate.Cluster) *Ledger {
	l := &Ledger{
		nodes:  make(map[string]*node, len(c.Nodes)),
		vcs:    make(map[string]bool, len(c.VCs)),
		quotas: make(map[string]int, len(c.VCs)),
		shared: make(map[string]int, len(c.VCs)),
		jobs:   make(map[string]*entry),
		sizes:  make(map[pool][]int),
		spread: c.Spread,
	}
	for _, n := range c.Nodes {
		l.order = append(l.order, n.ID)
		l.nodes[n.ID] = &node{Node: n, load: make([]schedmate.Share, n.GPUs)}
	}
	for _, vc := range c.VCs {
		l.vcs[vc.Name] = true
		if vc.QuotaGPUs > 0 {
			l.quotas[vc.Name] = vc.QuotaGPUs
		}
	}
	return l
}

// Submit enters a waiting job.
func (l *Ledger) Submit(j *schedmate.Job) error {
	if _, known := l.jobs[j.ID]; known {
		return fmt.Errorf("ledger: job %s is submitted twice", j.ID)
	}
	l.jobs[j.ID] = &entry{job: j}
	return nil
}

// Health changes what a node may take. Jobs that run on it stay until Requeue
// or End.
func (l *Ledger) Health(id string, h schedmate.Health) error {
	n := l.nodes[id]
	if n == nil {
		return fmt.Errorf("ledger: no node %s", id)
	}
	n.Health = h
	clear(l.sizes)
	return nil
}

// End closes a running job's entry.
func (l *Ledger) End(id string) error {
	e := l.jobs[id]
	if e == nil || e.running == nil {
		return fmt.Errorf("ledger: job %s ends but does not run", id)
	}
	l.book(e, -1)
	delete(l.jobs, id)
	return nil
}

// Requeue puts a running job back among the waiting ones, for a reason that is
// not a plan (its node went down).
func (l *Ledger) Requeue(id string) error {
	e := l.jobs[id]
	if e == nil || e.running == nil {
		return fmt.Errorf("ledger: job %s is requeued but does not run", id)
	}
	l.book(e, -1)
	e.running = nil
	return nil
}

// Open returns the number of jobs that have been submitted and have not ended.
// At the end of a run it must be 0: no job is lost.
func (l *Ledger) Open() int { return len(l.jobs) }

// Apply judges the actions of a plan in their order and books them. On a
// violation it returns Violations, and the ledger is no longer of use.
func (l *Ledger) Apply(p *schedmate.Plan) error {
	l.broken = nil
	l.promises(p)
	l.actions(p)
	l.measures(p)
	if len(l.broken) > 0 {
		return l.broken
	}
	return nil
}

func (l *Ledger) refuse(rule Rule, job, format string, args ...any) {
	l.broken = append(l.broken, Violation{rule, job, fmt.Sprintf(format, args...)})
}

func (l *Ledger) actions(p *schedmate.Plan) {
	acted := make(map[string]schedmate.ActionKind, len(p.Actions))
	moving := l.release(p)
	for i := range p.Actions {
		a := &p.Actions[i]
		e := l.jobs[a.Job]
		switch {
		case e == nil:
			l.refuse(OnePlace, a.Job, "is not known, or has ended")
			continue
		case acted[a.Job] != "" && !(acted[a.Job] == schedmate.Preempt && a.Kind == schedmate.Start):
			l.refuse(OnePlace, a.Job, "occurs in two actions")
			continue
		}
		acted[a.Job] = a.Kind
		switch a.Kind {
		case schedmate.Start:
			l.start(e, a)
			l.joins(e, a)
		case schedmate.Preempt:
			l.parts(e, a)
			l.preempt(e, a)
		case schedmate.Move:
			l.move(e, a, moving[a.Job])
		case schedmate.Park:
			l.park(e, a)
		default:
			l.refuse(Form, a.Job, "unknown action %q", a.Kind)
		}
	}
}

// release takes away what the jobs that the plan moves hold, and returns them.
func (l *Ledger) release(p *schedmate.Plan) map[string]bool {
	var moving map[string]bool
	for i := range p.Actions {
		e := l.jobs[p.Actions[i].Job]
		if p.Actions[i].Kind != schedmate.Move || e == nil || e.running == nil {
			continue
		}
		if moving == nil {
			moving = make(map[string]bool)
		}
		l.book(e, -1)
		e.running = nil
		moving[p.Actions[i].Job] = true
	}
	return moving
}

func (l *Ledger) move(e *entry, a *schedmate.Action, moving bool) {
	if !moving {
		l.refuse(OnePlace, a.Job, "is moved but does not run")
		return
	}
	l.start(e, a)
}

func (l *Ledger) park(e *entry, a *schedmate.Action) {
	switch {
	case e.running != nil:
		l.refuse(OnePlace, a.Job, "is parked but runs")
	case len(a.Allocations) > 0:
		l.refuse(Form, a.Job, "is parked and given %d allocations", len(a.Allocations))
	}
}

func (l *Ledger) preempt(e *entry, a *schedmate.Action) {
	if e.running == nil {
		l.refuse(OnePlace, a.Job, "is preempted but does not run")
		return
	}
	if len(a.Allocations) > 0 {
		l.refuse(Form, a.Job, "is preempted and given %d allocations", len(a.Allocations))
		return
	}
	l.book(e, -1)
	e.running = nil
}

func (l *Ledger) start(e *entry, a *schedmate.Action) {
	if e.running != nil {
		l.refuse(OnePlace, a.Job, "is started but runs already")
		return
	}
	if !l.gang(e.job, a.Allocations) {
		return
	}
	used, sharedGPUs := 0, 0
	for i, x := range a.Allocations {
		n := l.nodes[x.Node]
		if n == nil {
			l.refuse(Topology, a.Job, "names node %q, which does not exist", x.Node)
			return
		}
		if i == 0 || a.Allocations[i-1].Node != x.Node {
			used++
			if !l.admits(n, e.job) {
				return
			}
		}
		if n.VC == "" {
			sharedGPUs++
		}
		if x.GPU < 0 || x.GPU >= len(n.load) {
			l.refuse(Topology, a.Job, "names GPU %d of node %s, which has %d", x.GPU, x.Node, len(n.load))
			return
		}
		if n.load[x.GPU]+x.Share > schedmate.WholeGPU {
			l.refuse(Capacity, a.Job, "GPU %d of node %s would carry %d thousandths", x.GPU, x.Node, n.load[x.GPU]+x.Share)
			return
		}
	}
	if most := l.fewest(e.job, len(a.Allocations), sharedGPUs > 0); used > most && !l.spread && !l.follows(a) {
		l.refuse(Topology, a.Job, "is spread over %d nodes where %d would do", used, most)
		return
	}
	if quota, ok := l.quotas[e.job.VC]; ok && sharedGPUs > 0 && l.shared[e.job.VC]+sharedGPUs > quota {
		l.refuse(Quota, a.Job, "vc %s would hold %d shared GPUs, its quota is %d", e.job.VC, l.shared[e.job.VC]+sharedGPUs, quota)
		return
	}
	e.running = a.Allocations
	l.book(e, +1)
}

// runsOn reports whether the job runs on so many GPUs.
func runsOn(j *schedmate.Job, gpus int) bool {
	if len(j.Sizes) > 0 {
		return slices.Contains(j.Sizes, gpus)
	}
	return gpus == j.GPUs
}

// gang: as many different GPUs as the job asked for, or another number that it
// can run on, in order, and of each the same share: a gang works in step.
func (l *Ledger) gang(j *schedmate.Job, as []schedmate.Allocation) bool {
	if !runsOn(j, len(as)) {
		l.refuse(Gang, j.ID, "asks for %d GPUs and is given %d", j.GPUs, len(as))
		return false
	}
	for i, a := range as {
		if a.Share < 1 || a.Share > schedmate.WholeGPU {
			l.refuse(Gang, j.ID, "is given %d thousandths of GPU %d of node %s", a.Share, a.GPU, a.Node)
			return false
		}
		if a.Share != as[0].Share {
			l.refuse(Gang, j.ID, "is given %d thousandths of GPU %d of node %s and %d of another: a gang holds as much of each", a.Share, a.GPU, a.Node, as[0].Share)
			return false
		}
		if i > 0 && cmp.Or(cmp.Compare(as[i-1].Node, a.Node), cmp.Compare(as[i-1].GPU, a.GPU)) >= 0 {
			l.refuse(Gang, j.ID, "allocations are not sorted by node and GPU, or name one twice")
			return false
		}
	}
	return true
}

// takes reports whether the node may take new work of the job.
func (n *node) takes(j *schedmate.Job) bool {
	return (n.Health == "" || n.Health == schedmate.Healthy) && (n.VC == "" || n.VC == j.VC) && (j.GPUType == "" || j.GPUType == n.GPUType)
}

func (l *Ledger) admits(n *node, j *schedmate.Job) bool {
	switch {
	case n.Health != "" && n.Health != schedmate.Healthy:
		l.refuse(Topology, j.ID, "is placed on node %s, which is %s", n.ID, n.Health)
	case n.VC != "" && n.VC != j.VC:
		l.refuse(Topology, j.ID, "of vc %q is placed on node %s of vc %s", j.VC, n.ID, n.VC)
	case j.GPUType != "" && j.GPUType != n.GPUType:
		l.refuse(Topology, j.ID, "asks for %s and is placed on node %s with %s", j.GPUType, n.ID, n.GPUType)
	default:
		return true
	}
	return false
}

// fewest returns the number of nodes that a gang needs if all the nodes it may
// use now were empty: the largest ones first. A placement that stays off shared
// nodes is compared with the VC's own.
func (l *Ledger) fewest(j *schedmate.Job, left int, shared bool) int {
	sizes := l.sizesFor(pool{j.VC, j.GPUType, shared})
	for k, size := range sizes {
		if left -= size; left <= 0 {
			return k + 1
		}
	}
	return len(sizes)
}

func (l *Ledger) sizesFor(p pool) []int {
	if sizes, ok := l.sizes[p]; ok {
		return sizes
	}
	var sizes []int
	for _, id := range l.order {
		n := l.nodes[id]
		takes := n.Health == "" || n.Health == schedmate.Healthy
		mine := n.VC != "" && n.VC == p.vc || n.VC == "" && p.shared
		if takes && mine && (p.gpuType == "" || p.gpuType == n.GPUType) {
			sizes = append(sizes, n.GPUs)
		}
	}
	slices.SortFunc(sizes, func(a, b int) int { return cmp.Compare(b, a) })
	l.sizes[p] = sizes
	return sizes
}

func (l *Ledger) book(e *entry, sign schedmate.Share) {
	for _, a := range e.running {
		n := l.nodes[a.Node]
		n.load[a.GPU] += sign * a.Share
		if n.VC == "" && e.job.VC != "" {
			l.shared[e.job.VC] += int(sign)
		}
	}
}
