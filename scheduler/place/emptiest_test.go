package place

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
)

// Counting sorts as comparing does, whatever the sizes of the nodes.
func TestEmptiestFirstIsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c schedmate.Cluster
		for i := range rapid.IntRange(1, 12).Draw(t, "nodes") {
			c.Nodes = append(c.Nodes, schedmate.Node{ID: fmt.Sprintf("n%02d", i), GPUs: rapid.SampledFrom([]int{1, 2, 4, 8, 100}).Draw(t, "GPUs")})
		}
		o := schedmate.NewOccupancy(c)
		var nodes []int
		for i := range c.Nodes {
			if used := rapid.IntRange(0, c.Nodes[i].GPUs).Draw(t, "used"); used > 0 {
				j := &schedmate.Job{ID: fmt.Sprint(i), GPUs: used}
				o.Take(j, o.Pick(nil, i, used))
			}
			if rapid.Bool().Draw(t, "candidate") {
				nodes = append(nodes, i)
			}
		}
		nodes = rapid.Permutation(nodes).Draw(t, "order")
		want := slices.Clone(nodes)
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(o.Free(b), o.Free(a)) })
		if got := emptiestFirst(o, slices.Clone(nodes)); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
