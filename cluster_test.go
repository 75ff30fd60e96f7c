package schedmate_test

import (
	"math"
	"testing"

	"schedmate"
)

// validCluster has 20 GPUs: 8 of tenant nlp, 12 shared, of which tenant vision
// may hold 6.
func validCluster() *schedmate.Cluster {
	return &schedmate.Cluster{
		Name: "lab",
		Nodes: []schedmate.Node{
			{ID: "a", GPUType: "V100", GPUs: 8, MemoryMiB: 32768, VC: "nlp", Switch: "rack-1", Health: schedmate.Healthy},
			{ID: "b", GPUType: "V100", GPUs: 8, MemoryMiB: 32768, Switch: "rack-1"},
			{ID: "c", GPUType: "A100", GPUs: 4, MemoryMiB: 40960, Switch: "rack-2", Health: schedmate.Draining},
		},
		VCs: []schedmate.VC{{Name: "nlp"}, {Name: "vision", QuotaGPUs: 6}},
	}
}

func TestClusterValidate(t *testing.T) {
	type cluster = schedmate.Cluster
	checkRows(t, validCluster, func(c *cluster) error { return c.Validate("cluster") }, []row[cluster]{
		{"one node, no name, no vc", func(c *cluster) { *c = cluster{Nodes: []schedmate.Node{{ID: "a", GPUs: 1}}} }, ""},
		{"no node", func(c *cluster) { c.Nodes = nil }, "cluster.nodes: must name at least one node"},
		{"an empty list of nodes", func(c *cluster) { c.Nodes = []schedmate.Node{} }, "cluster.nodes: must name at least one node"},
		{"name in Latin-1", func(c *cluster) { c.Name = "\xe9" }, `cluster.name: must be UTF-8, got "\xe9"`},

		{"nodes out of order", func(c *cluster) { c.Nodes[1].ID = "A" }, `cluster.nodes[1].id: nodes must be sorted by id without duplicates: "A" follows "a"`},
		{"a node twice", func(c *cluster) { c.Nodes[2].ID = "b" }, `cluster.nodes[2].id: nodes must be sorted by id without duplicates: "b" follows "b"`},
		{"ids that sort as bytes", func(c *cluster) { c.Nodes[0].ID, c.Nodes[1].ID, c.Nodes[2].ID = "n10", "n9", "né" }, ""},
		{"an undeclared owner", func(c *cluster) { c.Nodes[0].VC = "audio" }, `cluster.nodes[0].vc: unknown vc "audio": declare it under vcs`},

		{"vcs out of order", func(c *cluster) { c.VCs[0].Name = "z" }, `cluster.vcs[1].name: vcs must be sorted by name without duplicates: "vision" follows "z"`},
		{"a vc twice", func(c *cluster) { c.VCs[1].Name = "nlp" }, `cluster.vcs[1].name: vcs must be sorted by name without duplicates: "nlp" follows "nlp"`},
		{"a vc without a name", func(c *cluster) { c.VCs[0].Name = "" }, "cluster.vcs[0].name: must not be empty"},
		{"a vc in Latin-1", func(c *cluster) { c.VCs[1].Name = "w\xe9" }, `cluster.vcs[1].name: must be UTF-8, got "w\xe9"`},
		{"a quota below 0", func(c *cluster) { c.VCs[1].QuotaGPUs = -1 }, "cluster.vcs[1].quota_gpus: must not be negative, got -1"},
		{"no quota", func(c *cluster) { c.VCs[1].QuotaGPUs = 0 }, ""},
		{"a quota far above the cluster", func(c *cluster) { c.VCs[1].QuotaGPUs = math.MaxInt }, ""},

		{"an invalid node", func(c *cluster) { c.Nodes[1].GPUs = 0 }, "cluster.nodes[1].gpus: must lie in [1, 1048576], got 0"},
	})
}

func TestNodeValidate(t *testing.T) {
	type node = schedmate.Node
	valid := func() *node { return &validCluster().Nodes[0] }
	checkRows(t, valid, func(n *node) error { return n.Validate("node") }, []row[node]{
		{"nothing but an id and a GPU", func(n *node) { *n = node{ID: "a", GPUs: 1} }, ""},
		{"texts of any characters", func(n *node) { n.ID, n.GPUType, n.VC, n.Switch = anyUnicode, anyUnicode, anyUnicode, anyUnicode }, ""},
		{"no id", func(n *node) { n.ID = "" }, "node.id: must not be empty"},

		{"no GPU", func(n *node) { n.GPUs = 0 }, "node.gpus: must lie in [1, 1048576], got 0"},
		{"GPUs below 0", func(n *node) { n.GPUs = -8 }, "node.gpus: must lie in [1, 1048576], got -8"},
		{"more GPUs than the largest gang", func(n *node) { n.GPUs = 1048577 }, "node.gpus: must lie in [1, 1048576], got 1048577"},
		{"one GPU", func(n *node) { n.GPUs = 1 }, ""},
		{"as many GPUs as the largest gang", func(n *node) { n.GPUs = 1048576 }, ""},

		{"memory below 0", func(n *node) { n.MemoryMiB = -1 }, "node.memory_mib: must not be negative, got -1"},
		{"memory unknown", func(n *node) { n.MemoryMiB = 0 }, ""},

		{"unknown health", func(n *node) { n.Health = "tired" }, `node.health: unknown health "tired": use healthy, draining, suspect or down`},
		{"no word about health", func(n *node) { n.Health = "" }, ""},
		{"healthy", func(n *node) { n.Health = schedmate.Healthy }, ""},
		{"draining", func(n *node) { n.Health = schedmate.Draining }, ""},
		{"suspect", func(n *node) { n.Health = schedmate.Suspect }, ""},
		{"down", func(n *node) { n.Health = schedmate.Down }, ""},

		{"id in Latin-1", func(n *node) { n.ID = "\xe9" }, `node.id: must be UTF-8, got "\xe9"`},
		{"GPU type in Latin-1", func(n *node) { n.GPUType = "\xe9" }, `node.gpu_type: must be UTF-8, got "\xe9"`},
		{"vc in Latin-1", func(n *node) { n.VC = "\xe9" }, `node.vc: must be UTF-8, got "\xe9"`},
		{"switch in Latin-1", func(n *node) { n.Switch = "\xe9" }, `node.switch: must be UTF-8, got "\xe9"`},
	})
}

func TestNodeTakesWork(t *testing.T) {
	for health, want := range map[schedmate.Health]bool{
		"": true, schedmate.Healthy: true, schedmate.Draining: false, schedmate.Suspect: false, schedmate.Down: false,
	} {
		n := schedmate.Node{Health: health}
		if got := n.Takes(); got != want {
			t.Errorf("a node of health %q takes work: %v, want %v", health, got, want)
		}
	}
}

// 8 + 8 + 4 GPUs, the draining ones included.
func TestClusterLookups(t *testing.T) {
	c := validCluster()
	if got := c.GPUs(); got != 20 {
		t.Errorf("the cluster has %d GPUs, want 20", got)
	}
	for i, n := range c.Nodes {
		if c.Node(n.ID) != &c.Nodes[i] {
			t.Errorf("node %s is not found", n.ID)
		}
	}
	for i, vc := range c.VCs {
		if c.VC(vc.Name) != &c.VCs[i] {
			t.Errorf("vc %s is not found", vc.Name)
		}
	}
	for _, id := range []string{"", "B", "aa", "z"} {
		if n, vc := c.Node(id), c.VC(id); n != nil || vc != nil {
			t.Errorf("%q is no node and no vc, found %v and %v", id, n, vc)
		}
	}
}
