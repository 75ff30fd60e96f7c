package schedtest

import (
	"fmt"

	"schedmate"
)

// Style says how odd an invented cluster may be.
type Style struct {
	MaxNodes   int
	SameSize   bool // all nodes have 4 GPUs, else 1, 2, 4 or 8
	OneType    bool // else some nodes are of another type, and some jobs ask for one
	OneVC      bool // else nodes may belong to VCs, and VCs may have quotas
	AllHealthy bool // else some nodes take no work
}

// Plain is a homogeneous, healthy cluster of one tenant.
var Plain = Style{MaxNodes: 4, SameSize: true, OneType: true, OneVC: true, AllHealthy: true}

// Odd is everything a cluster can be.
var Odd = Style{MaxNodes: 6}

// AnyStyle invents a style between Plain and Odd.
func AnyStyle(d Draw) Style {
	return Style{MaxNodes: 6, SameSize: d.in(2), OneType: d.in(2), OneVC: d.in(2), AllHealthy: d.in(2)}
}

// Cluster invents a cluster.
func Cluster(d Draw, st Style) schedmate.Cluster {
	c := schedmate.Cluster{Name: "test"}
	owned, shared := false, true
	if !st.OneVC {
		for i := range d(0, 3) {
			vc := schedmate.VC{Name: fmt.Sprintf("vc%d", i)}
			if d.in(2) {
				vc.QuotaGPUs = d(1, 12)
			}
			c.VCs = append(c.VCs, vc)
		}
		if len(c.VCs) > 0 {
			owned = d.in(2)
			shared = !owned || d.in(2)
		}
	}
	size := pick(d, 1, 2, 4, 8)
	for i := range 1 + d(0, st.MaxNodes/2-1) + d(0, st.MaxNodes/2) {
		n := schedmate.Node{ID: fmt.Sprintf("n%d", i), GPUs: 4}
		if !st.SameSize {
			n.GPUs = size
			if d.in(3) {
				n.GPUs = pick(d, 1, 2, 4, 8)
			}
		}
		if !st.OneType {
			n.GPUType = pick(d, "a100", "a100", "v100")
		}
		if owned && (!shared || d.in(2)) {
			n.VC = pick(d, c.VCs...).Name
		}
		c.Nodes = append(c.Nodes, n)
	}
	return c
}

// sicken takes some nodes out of service. A node that carries work is never
// down: what ran on it would have been requeued.
func sicken(d Draw, c *schedmate.Cluster, busy map[string]bool) {
	for i := range c.Nodes {
		if n := &c.Nodes[i]; d.in(4) {
			n.Health = pick(d, schedmate.Draining, schedmate.Suspect, schedmate.Down)
			if n.Health == schedmate.Down && busy[n.ID] {
				n.Health = schedmate.Draining
			}
		}
	}
}
