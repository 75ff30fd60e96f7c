package cells

import (
	"fmt"
	"math/bits"
)

// Node is the set of free GPUs of a node: bit i is GPU i.
type Node uint8

// Cell is an aligned block of GPUs: GPUs First to First+GPUs-1 of Node.
type Cell struct{ Node, First, GPUs int }

// Free counts the free aligned cells.
func Free(nodes []Node) Levels {
	var l Levels
	for _, n := range nodes {
		for i, size := range Sizes {
			for first := 0; first < NodeGPUs; first += size {
				if n.holds(first, size) {
					l[i]++
				}
			}
		}
	}
	return l
}

func mask(first, size int) Node { return Node((1<<size - 1) << first) }

func (n Node) holds(first, size int) bool { return n&mask(first, size) == mask(first, size) }

// Place finds GPUs for every demand, one list of cells each, and reports
// whether they all fit; nodes is not changed. Largest cells go first, each into
// the block whose surroundings are fullest, so that large blocks stay whole.
// That finds places whenever there are any: a cell of size z takes z/l cells of
// each size l <= z, wherever it lies.
func Place(nodes []Node, demands []Count) ([][]Cell, bool) {
	free := append([]Node(nil), nodes...)
	out := make([][]Cell, len(demands))
	for i := len(Sizes) - 1; i >= 0; i-- {
		for d, c := range demands {
			for range c[i] {
				cell, ok := tightest(free, Sizes[i])
				if !ok {
					return nil, false
				}
				free[cell.Node] &^= mask(cell.First, cell.GPUs)
				out[d] = append(out[d], cell)
			}
		}
	}
	return out, true
}

// tightest returns the free block of that size in the fullest surroundings: of
// its buddy first, then of the buddy of both, then of the node.
func tightest(nodes []Node, size int) (Cell, bool) {
	best, found, least := Cell{}, false, 0
	for n, node := range nodes {
		for first := 0; first < NodeGPUs; first += size {
			if !node.holds(first, size) {
				continue
			}
			around := 0 // free GPUs in ever larger blocks around it, the nearest weighing most
			for block := 2 * size; block <= NodeGPUs; block *= 2 {
				around = around*16 + bits.OnesCount8(uint8(node&mask(first/block*block, block)))
			}
			if !found || around < least {
				best, found, least = Cell{n, first, size}, true, around
			}
		}
	}
	return best, found
}

// ParseNode reads the GPUs of a node from left to right: 1 is free, 0 is taken.
func ParseNode(text string) (Node, error) {
	if len(text) != NodeGPUs {
		return 0, fmt.Errorf("node %q: write %d digits, one for each GPU", text, NodeGPUs)
	}
	var n Node
	for i, digit := range []byte(text) {
		switch digit {
		case '1':
			n |= 1 << i
		case '0':
		default:
			return 0, fmt.Errorf("node %q: write 1 for a free GPU and 0 for one that is taken", text)
		}
	}
	return n, nil
}
