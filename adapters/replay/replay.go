// Package replay makes a cluster of a trace: what a scheduler would say at one
// instant of a simulated run, in the form in which live schedulers are observed.
// The same questions can then be asked of both.
package replay

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"schedmate"
)

// Cluster follows a run up to some instant. It is told what happens, in order, and
// answers as of the last instant told.
type Cluster struct {
	cluster schedmate.Cluster
	name    string
	logs    string // folder of jobs' logs; "": none
	now     schedmate.Seconds
	live    map[string]*observed
	over    []schedmate.ObservedJob
}

// observed is a job that waits or runs.
type observed struct {
	job    schedmate.Job
	status schedmate.ObservedJob
	held   []schedmate.Allocation
}

// New returns a cluster without jobs. If a folder of logs is named, the log of job J
// is its file J.log.
func New(name string, cluster schedmate.Cluster, logs string) *Cluster {
	cluster.Nodes = slices.Clone(cluster.Nodes) // their health changes
	return &Cluster{cluster: cluster, name: name, logs: logs, live: make(map[string]*observed)}
}

// Submitted puts a job into the queue.
func (c *Cluster) Submitted(at schedmate.Seconds, job schedmate.Job) {
	c.now = at
	j := &observed{job: job, status: schedmate.ObservedJob{
		ID: job.ID, Name: job.Name, User: job.User, Account: job.Group, State: "PENDING", Reason: "Priority",
		Submit: job.Submit, Eligible: job.Submit, TimeLimit: job.TimeLimit, Partitions: []string{partition(job.VC)},
		Request: schedmate.NodeRequest{MinNodes: 1, GPUs: job.GPUs, GPUType: job.GPUType},
	}}
	if c.logs != "" {
		j.status.Stdout = filepath.Join(c.logs, job.ID+".log")
	}
	c.live[job.ID] = j
}

// Started gives a waiting job its GPUs.
func (c *Cluster) Started(at schedmate.Seconds, id string, on []schedmate.Allocation) error {
	j, err := c.find(at, id)
	if err != nil {
		return err
	}
	j.held = slices.Clone(on)
	s := &j.status
	s.State, s.Reason, s.Start, s.Nodes, s.Allocation = "RUNNING", "", at, nil, nil
	if s.TimeLimit > 0 {
		s.End = at + s.TimeLimit
	}
	for _, x := range on {
		if n := len(s.Nodes); n == 0 || s.Nodes[n-1] != x.Node {
			s.Nodes = append(s.Nodes, x.Node)
			s.Allocation = append(s.Allocation, schedmate.NodeHolding{Node: x.Node, GPUType: c.cluster.Node(x.Node).GPUType})
		}
		h := &s.Allocation[len(s.Allocation)-1]
		h.GPUs++
		h.GPUIndices = append(h.GPUIndices, x.GPU)
	}
	return nil
}

// Requeued takes a running job's GPUs away; it waits again.
func (c *Cluster) Requeued(at schedmate.Seconds, id string) error {
	j, err := c.find(at, id)
	if err != nil {
		return err
	}
	ended := j.status
	ended.State, ended.End, ended.Ending, ended.Allocation = "PREEMPTED", at, &schedmate.Ending{}, nil
	c.over = append(c.over, ended)
	j.held = nil
	s := &j.status
	s.State, s.Reason, s.Start, s.End, s.Nodes, s.Allocation = "PENDING", "Priority", 0, 0, nil, nil
	s.Restarts++
	return nil
}

// endStates are the scheduler's words for how a job ended.
var endStates = map[schedmate.State]string{
	schedmate.Completed: "COMPLETED", schedmate.Failed: "FAILED", schedmate.Cancelled: "CANCELLED", schedmate.TimedOut: "TIMEOUT", schedmate.Infeasible: "CANCELLED",
}

// Ended takes a job out of the cluster.
func (c *Cluster) Ended(at schedmate.Seconds, id string, state schedmate.State) error {
	j, err := c.find(at, id)
	if err != nil {
		return err
	}
	ended := j.status
	ended.State, ended.Reason, ended.End, ended.Allocation = cmp.Or(endStates[state], "FAILED"), "", at, nil
	ended.Ending = &schedmate.Ending{}
	if state == schedmate.Failed {
		ended.Ending.ExitCode = 1
	}
	c.over = append(c.over, ended)
	delete(c.live, id)
	return nil
}

// NodeHealth notes that a node takes work, or no more.
func (c *Cluster) NodeHealth(at schedmate.Seconds, name string, health schedmate.Health) error {
	c.now = at
	n := c.cluster.Node(name)
	if n == nil {
		return fmt.Errorf("replay: node %s is not in the cluster", name)
	}
	n.Health = health
	return nil
}

func (c *Cluster) find(at schedmate.Seconds, id string) (*observed, error) {
	c.now = at
	j := c.live[id]
	if j == nil {
		return nil, fmt.Errorf("replay: job %s has not been submitted, or has ended", id)
	}
	return j, nil
}

// Until moves the clock to an instant at which nothing happens.
func (c *Cluster) Until(at schedmate.Seconds) { c.now = max(c.now, at) }

// everybody is the partition of jobs that belong to no virtual cluster.
const everybody = "all"

func partition(vc string) string { return cmp.Or(vc, everybody) }

// Observe returns the cluster as of the last instant told.
func (c *Cluster) Observe(context.Context) (*schedmate.Observation, error) {
	o := &schedmate.Observation{
		APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, Now: c.now,
		System: schedmate.System{Name: "replay", Cluster: c.name}, Jobs: []schedmate.ObservedJob{},
	}
	used := make(map[string][]int)
	for _, id := range slices.SortedFunc(maps.Keys(c.live), schedmate.CompareJobIDs) {
		j := c.live[id]
		o.Jobs = append(o.Jobs, j.status)
		for _, x := range j.held {
			if !slices.Contains(used[x.Node], x.GPU) {
				used[x.Node] = append(used[x.Node], x.GPU)
			}
		}
	}
	partitions := make(map[string]*schedmate.Partition)
	for i := range c.cluster.Nodes {
		n := &c.cluster.Nodes[i]
		busy := slices.Sorted(slices.Values(used[n.ID]))
		name := partition(n.VC)
		o.Nodes = append(o.Nodes, schedmate.ObservedNode{
			Name: n.ID, States: states(n, len(busy)), CPUs: n.GPUs, CPUsUsed: len(busy), Partitions: []string{name},
			GPUs: []schedmate.Device{{Type: n.GPUType, Count: n.GPUs, Used: len(busy), InUse: busy}},
		})
		if partitions[name] == nil {
			partitions[name] = &schedmate.Partition{Name: name, State: "UP", Default: name == everybody}
		}
		partitions[name].Nodes = append(partitions[name].Nodes, n.ID)
	}
	for _, vc := range c.cluster.VCs { // one that shares the nodes of all
		if partitions[vc.Name] == nil && partitions[everybody] != nil {
			partitions[vc.Name] = &schedmate.Partition{Name: vc.Name, State: "UP", Nodes: partitions[everybody].Nodes}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(partitions)) {
		o.Partitions = append(o.Partitions, *partitions[name])
	}
	return o, o.Validate()
}

func states(n *schedmate.Node, used int) []string {
	state := "MIXED"
	switch {
	case n.Health == schedmate.Down:
		return []string{"DOWN"}
	case used == 0:
		state = "IDLE"
	case used == n.GPUs:
		state = "ALLOCATED"
	}
	if !n.Takes() {
		return []string{state, "DRAIN"}
	}
	return []string{state}
}

// Past returns the runs that have ended.
func (c *Cluster) Past(_ context.Context, of schedmate.Period) ([]schedmate.ObservedJob, []schedmate.Gap, error) {
	var past []schedmate.ObservedJob
	for i := range c.over {
		if of.Has(&c.over[i]) {
			past = append(past, c.over[i])
		}
	}
	slices.SortStableFunc(past, func(a, b schedmate.ObservedJob) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), schedmate.CompareJobIDs(a.ID, b.ID), cmp.Compare(a.Restarts, b.Restarts))
	})
	return past, nil, nil
}
