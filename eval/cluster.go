package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedmate"
)

// ClusterSpec describes a simulated cluster: equal nodes, or pools of them.
//
// Invariant: either Nodes and GPUsPerNode, or Pools; sizes are positive.
type ClusterSpec struct {
	Nodes       int    `json:"nodes,omitempty" yaml:"nodes,omitempty"`
	GPUsPerNode int    `json:"gpus_per_node,omitempty" yaml:"gpus_per_node,omitempty"`
	GPUType     string `json:"gpu_type,omitempty" yaml:"gpu_type,omitempty"`

	Spread bool `json:"spread,omitempty" yaml:"spread,omitempty"` // gangs may use more nodes than they need

	Pools []Pool         `json:"pools,omitempty" yaml:"pools,omitempty"`
	VCs   []schedmate.VC `json:"vcs,omitempty" yaml:"vcs,omitempty"` // with quotas; VCs of pools and of the trace need no entry
}

// Pool is a group of equal nodes, owned by a VC or shared.
type Pool struct {
	Name        string `json:"name" yaml:"name"`
	Nodes       int    `json:"nodes" yaml:"nodes"`
	GPUsPerNode int    `json:"gpus_per_node" yaml:"gpus_per_node"`
	GPUType     string `json:"gpu_type,omitempty" yaml:"gpu_type,omitempty"`
	VC          string `json:"vc,omitempty" yaml:"vc,omitempty"`
}

// maxNodes keeps a corrupt number from becoming a huge cluster.
const maxNodes = 1 << 20

// ParseCluster reads NODESxGPUS, for example 18x8.
func ParseCluster(text string) (ClusterSpec, error) {
	n, g, ok := strings.Cut(text, "x")
	nodes, err1 := strconv.Atoi(n)
	gpus, err2 := strconv.Atoi(g)
	if !ok || err1 != nil || err2 != nil {
		return ClusterSpec{}, fmt.Errorf("cluster %q: write NODESxGPUS, for example 18x8", text)
	}
	spec := ClusterSpec{Nodes: nodes, GPUsPerNode: gpus}
	if err := spec.validate(); err != nil {
		return ClusterSpec{}, fmt.Errorf("cluster %q: %w", text, err)
	}
	return spec, nil
}

func (c *ClusterSpec) pools() []Pool {
	if len(c.Pools) > 0 {
		return c.Pools
	}
	return []Pool{{Name: "n", Nodes: c.Nodes, GPUsPerNode: c.GPUsPerNode, GPUType: c.GPUType}}
}

func (c *ClusterSpec) validate() error {
	if len(c.Pools) > 0 && (c.Nodes != 0 || c.GPUsPerNode != 0) {
		return &schedmate.FieldError{Path: "cluster.pools", Problem: "stand instead of nodes and gpus_per_node, not beside them"}
	}
	total := 0
	for i, p := range c.pools() {
		at := "cluster"
		if len(c.Pools) > 0 {
			at = fmt.Sprintf("cluster.pools[%d]", i)
		}
		switch {
		case p.Name == "":
			return &schedmate.FieldError{Path: at + ".name", Problem: "must not be empty"}
		case p.Nodes < 1 || p.Nodes > maxNodes:
			return &schedmate.FieldError{Path: at + ".nodes", Problem: fmt.Sprintf("must lie in [1, %d], got %d", maxNodes, p.Nodes)}
		case p.GPUsPerNode < 1 || p.GPUsPerNode > schedmate.MaxGangGPUs:
			return &schedmate.FieldError{Path: at + ".gpus_per_node", Problem: fmt.Sprintf("must lie in [1, %d], got %d", schedmate.MaxGangGPUs, p.GPUsPerNode)}
		}
		if total += p.Nodes * p.GPUsPerNode; total > 1<<24 {
			return &schedmate.FieldError{Path: "cluster", Problem: fmt.Sprintf("holds more than %d GPUs", 1<<24)}
		}
	}
	return nil
}

// Build returns the cluster, with every VC of the trace declared.
func (c *ClusterSpec) Build(traceVCs []string) (schedmate.Cluster, error) {
	var out schedmate.Cluster
	names := slices.Clone(traceVCs)
	for _, p := range c.pools() {
		width := len(strconv.Itoa(p.Nodes - 1))
		for i := range p.Nodes {
			out.Nodes = append(out.Nodes, schedmate.Node{
				ID: fmt.Sprintf("%s%0*d", p.Name, width, i), GPUs: p.GPUsPerNode, GPUType: p.GPUType, VC: p.VC,
			})
		}
		if p.VC != "" {
			names = append(names, p.VC)
		}
	}
	slices.SortFunc(out.Nodes, func(a, b schedmate.Node) int { return cmp.Compare(a.ID, b.ID) })
	out.VCs = slices.Clone(c.VCs)
	out.Spread = c.Spread
	for _, name := range names {
		if !slices.ContainsFunc(out.VCs, func(v schedmate.VC) bool { return v.Name == name }) {
			out.VCs = append(out.VCs, schedmate.VC{Name: name})
		}
	}
	slices.SortFunc(out.VCs, func(a, b schedmate.VC) int { return cmp.Compare(a.Name, b.Name) })
	if err := out.Validate("cluster"); err != nil {
		return schedmate.Cluster{}, err
	}
	return out, nil
}

// String writes the spec for people, for example "18 x 8 GPUs".
func (c *ClusterSpec) String() string {
	parts := make([]string, 0, len(c.pools()))
	for _, p := range c.pools() {
		text := fmt.Sprintf("%d x %d GPUs", p.Nodes, p.GPUsPerNode)
		if p.GPUType != "" {
			text += " " + p.GPUType
		}
		if p.VC != "" {
			text += " of " + p.VC
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
