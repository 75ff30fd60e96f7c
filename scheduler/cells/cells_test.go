package cells_test

import (
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/scheduler/cells"
)

func node(t interface{ Fatal(...any) }, text string) cells.Node {
	n, err := cells.ParseNode(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Four GPUs free at 1-4 hold a pair and two single cells, but no aligned four.
func TestAlignmentCounts(t *testing.T) {
	nodes := []cells.Node{node(t, "01111000")}
	if diff := cmp.Diff(cells.Levels{4, 1, 0, 0}, cells.Free(nodes)); diff != "" {
		t.Error(diff)
	}
	if _, ok := cells.Place(nodes, []cells.Count{{0, 0, 1, 0}}); ok {
		t.Error("a cell of four lies across the boundary")
	}
	got, ok := cells.Place(nodes, []cells.Count{{1, 1, 0, 0}})
	if want := [][]cells.Cell{{{0, 2, 2}, {0, 1, 1}}}; !ok || cmp.Diff(want, got) != "" {
		t.Errorf("want %v, got %v", want, got)
	}
}

// A single goes beside another single rather than into an empty node.
func TestSmallCellsKeepNodesWhole(t *testing.T) {
	nodes := []cells.Node{node(t, "11111111"), node(t, "00000001"), node(t, "00110000")}
	got, ok := cells.Place(nodes, []cells.Count{{1, 0, 0, 0}, {0, 0, 0, 1}})
	if want := [][]cells.Cell{{{1, 7, 1}}, {{0, 0, 8}}}; !ok || cmp.Diff(want, got) != "" {
		t.Errorf("want %v, got %v", want, got)
	}
}

func TestRoundUpAndShapes(t *testing.T) {
	for gpus, want := range map[int]int{1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 6: 8, 8: 8, 9: 16, 12: 16, 17: 24} {
		if got := cells.RoundUp(gpus); got != want {
			t.Errorf("%d GPUs become %d, not %d", gpus, got, want)
		}
	}
	if got, want := cells.Combinations(4), []cells.Count{{0, 0, 1, 0}, {0, 2, 0, 0}, {2, 1, 0, 0}, {4, 0, 0, 0}}; cmp.Diff(want, got) != "" {
		t.Errorf("4 GPUs: %v", got)
	}
	if got := len(cells.Combinations(16)); got != 35 { // two eights 1; one eight 5+3+1 (by fours 0 to 2); none 9+7+5+3+1
		t.Errorf("16 GPUs can be cut in %d ways", got)
	}
	if got := cells.Shape(22); got != (cells.Count{0, 1, 1, 2}) {
		t.Errorf("22 GPUs are %v", got)
	}
}

// A demand is placed if and only if trying every block for every cell finds
// places; then the level test holds, and else it does not.
func TestPlacesExistIfTheLevelsHoldProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := make([]cells.Node, rapid.IntRange(1, 2).Draw(t, "nodes"))
		for i := range nodes {
			nodes[i] = cells.Node(rapid.Uint8().Draw(t, "free"))
		}
		want := cells.Count{rapid.IntRange(0, 3).Draw(t, "1"), rapid.IntRange(0, 2).Draw(t, "2"), rapid.IntRange(0, 2).Draw(t, "4"), rapid.IntRange(0, 1).Draw(t, "8")}
		placed, ok := cells.Place(nodes, []cells.Count{want})
		if holds := cells.Free(nodes).Holds(want.Levels()); holds != ok {
			t.Fatalf("the level test says %v, placing says %v", holds, ok)
		}
		if try := exhaustive(nodes, want); try != ok {
			t.Fatalf("trying all blocks says %v, placing says %v", try, ok)
		}
		left := append([]cells.Node(nil), nodes...)
		var got cells.Count
		for _, list := range placed {
			for _, c := range list {
				block := cells.Node((1<<c.GPUs - 1) << c.First)
				if left[c.Node]&block != block || c.First%c.GPUs != 0 {
					t.Fatalf("cell %v is taken twice, or not aligned", c)
				}
				left[c.Node] &^= block
				got[bits.TrailingZeros(uint(c.GPUs))]++
			}
		}
		if ok && got != want {
			t.Fatalf("want %v, placed %v", want, got)
		}
	})
}

// exhaustive is the slow twin: smallest cells first, every block.
func exhaustive(nodes []cells.Node, want cells.Count) bool {
	for i, size := range cells.Sizes {
		if want[i] == 0 {
			continue
		}
		want[i]--
		for n := range nodes {
			for first := 0; first < 8; first += size {
				block := cells.Node((1<<size - 1) << first)
				if nodes[n]&block == block {
					next := append([]cells.Node(nil), nodes...)
					next[n] &^= block
					if exhaustive(next, want) {
						return true
					}
				}
			}
		}
		return false
	}
	return true
}

// Every combination holds the GPUs, and no two are alike.
func TestCombinationsAreCompleteProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.IntRange(1, 16).Draw(t, "gpus")
		seen := map[cells.Count]bool{}
		for _, c := range cells.Combinations(gpus) {
			if c.GPUs() != gpus || seen[c] || c.Validate() != nil {
				t.Fatalf("%v", c)
			}
			seen[c] = true
		}
		if !seen[cells.Shape(gpus)] {
			t.Fatal("the fewest cells are missing")
		}
	})
}
