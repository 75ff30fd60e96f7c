package schedmate

import (
	"cmp"
	"slices"
)

// Health says whether a node may take new work.
type Health string

const (
	Healthy  Health = "healthy"  // takes work
	Draining Health = "draining" // keeps what runs, takes nothing new
	Suspect  Health = "suspect"  // as Draining, until a check clears it
	Down     Health = "down"     // runs nothing
)

// Known reports whether h is one of the declared values.
func (h Health) Known() bool {
	return slices.Contains([]Health{Healthy, Draining, Suspect, Down}, h)
}

// Node is one machine with GPUs of one type.
//
// Invariant: ID is not empty; 1 <= GPUs <= MaxGangGPUs; MemoryMiB >= 0; Health
// is known (empty means healthy).
type Node struct {
	ID        string `json:"id" yaml:"id"`
	GPUType   string `json:"gpu_type,omitempty" yaml:"gpu_type,omitempty"`
	GPUs      int    `json:"gpus" yaml:"gpus"`
	MemoryMiB int    `json:"memory_mib,omitempty" yaml:"memory_mib,omitempty"` // of one GPU
	VC        string `json:"vc,omitempty" yaml:"vc,omitempty"`                 // owner; empty: shared by all
	Switch    string `json:"switch,omitempty" yaml:"switch,omitempty"`         // failure and network domain
	Health    Health `json:"health,omitempty" yaml:"health,omitempty"`
}

// Validate checks the invariant of Node.
func (n *Node) Validate(path string) error {
	switch {
	case n.ID == "":
		return fieldErr(path+".id", "must not be empty")
	case n.GPUs < 1 || n.GPUs > MaxGangGPUs:
		return fieldErr(path+".gpus", "must lie in [1, %d], got %d", MaxGangGPUs, n.GPUs)
	case n.MemoryMiB < 0:
		return fieldErr(path+".memory_mib", "must not be negative, got %d", n.MemoryMiB)
	case n.Health != "" && !n.Health.Known():
		return fieldErr(path+".health", "unknown health %q: use healthy, draining, suspect or down", n.Health)
	}
	return first(
		checkText(path, ".id", n.ID),
		checkText(path, ".gpu_type", n.GPUType),
		checkText(path, ".vc", n.VC),
		checkText(path, ".switch", n.Switch),
	)
}

// Takes reports whether the node accepts new work.
func (n *Node) Takes() bool { return n.Health == "" || n.Health == Healthy }

// VC is a virtual cluster: a tenant that owns nodes (Node.VC), or may use at
// most QuotaGPUs of the shared ones.
//
// Invariant: Name is not empty; QuotaGPUs >= 0, where 0 means no quota.
type VC struct {
	Name      string `json:"name" yaml:"name"`
	QuotaGPUs int    `json:"quota_gpus,omitempty" yaml:"quota_gpus,omitempty"`
}

// Cluster is the machine park.
//
// Invariant: there is a node; Nodes and VCs are valid; Nodes are sorted by ID
// and VCs by Name, both without duplicates; every Node.VC that is not empty is
// declared in VCs.
type Cluster struct {
	Name  string `json:"name,omitempty" yaml:"name,omitempty"`
	Nodes []Node `json:"nodes" yaml:"nodes"`
	VCs   []VC   `json:"vcs,omitempty" yaml:"vcs,omitempty"`

	// Spread lets gangs be placed on more nodes than they need: where a job runs
	// is the same to it. Otherwise a gang gets the fewest nodes that could hold it.
	Spread bool `json:"spread,omitempty" yaml:"spread,omitempty"`
}

// Validate checks the invariant of Cluster.
func (c *Cluster) Validate(path string) error {
	if len(c.Nodes) == 0 {
		return fieldErr(path+".nodes", "must name at least one node")
	}
	if err := checkText(path, ".name", c.Name); err != nil {
		return err
	}
	for i := range c.VCs {
		at := index(path+".vcs", i)
		if err := checkText(at, ".name", c.VCs[i].Name); err != nil {
			return err
		}
		switch {
		case c.VCs[i].Name == "":
			return fieldErr(at+".name", "must not be empty")
		case c.VCs[i].QuotaGPUs < 0:
			return fieldErr(at+".quota_gpus", "must not be negative, got %d", c.VCs[i].QuotaGPUs)
		case i > 0 && c.VCs[i-1].Name >= c.VCs[i].Name:
			return fieldErr(at+".name", "vcs must be sorted by name without duplicates: %q follows %q", c.VCs[i].Name, c.VCs[i-1].Name)
		}
	}
	for i := range c.Nodes {
		n, at := &c.Nodes[i], index(path+".nodes", i)
		if err := n.Validate(at); err != nil {
			return err
		}
		if i > 0 && c.Nodes[i-1].ID >= n.ID {
			return fieldErr(at+".id", "nodes must be sorted by id without duplicates: %q follows %q", n.ID, c.Nodes[i-1].ID)
		}
		if n.VC != "" && c.VC(n.VC) == nil {
			return fieldErr(at+".vc", "unknown vc %q: declare it under vcs", n.VC)
		}
	}
	return nil
}

// VC returns the virtual cluster of that name, or nil.
func (c *Cluster) VC(name string) *VC {
	i, ok := slices.BinarySearchFunc(c.VCs, name, func(v VC, name string) int { return cmp.Compare(v.Name, name) })
	if !ok {
		return nil
	}
	return &c.VCs[i]
}

// Node returns the node of that ID, or nil.
func (c *Cluster) Node(id string) *Node {
	i, ok := slices.BinarySearchFunc(c.Nodes, id, func(n Node, id string) int { return cmp.Compare(n.ID, id) })
	if !ok {
		return nil
	}
	return &c.Nodes[i]
}

// GPUs returns the number of GPUs of all nodes, whatever their health.
func (c *Cluster) GPUs() int {
	sum := 0
	for i := range c.Nodes {
		sum += c.Nodes[i].GPUs
	}
	return sum
}
