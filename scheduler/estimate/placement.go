package estimate

import (
	"fmt"
	"strconv"
)

// mostPerNode bounds a placement: no node has more GPUs than this.
const mostPerNode = 1024

// Placement is how many GPUs a job holds on each of its nodes, at least one
// node, at least one GPU on each. The order of nodes has no meaning.
type Placement []int

// ParsePlacement reads a digit a node: 44 is two nodes of four GPUs. This is how
// the tables of Sia and Titan write placements; nodes of more than nine GPUs
// cannot be written so.
func ParsePlacement(text string) (Placement, error) {
	if text == "" {
		return nil, fmt.Errorf("placement: must have a digit for each node, such as 44 for two nodes of four GPUs, got nothing")
	}
	p := make(Placement, len(text))
	for i, c := range []byte(text) {
		if c < '1' || c > '9' {
			return nil, fmt.Errorf("placement %q: must have digits 1 to 9 only, one for each node, got %s", text, strconv.QuoteRune(rune(c)))
		}
		p[i] = int(c - '0')
	}
	return p, nil
}

// Validate reports a placement that cannot be.
func (p Placement) Validate() error {
	if len(p) == 0 {
		return fmt.Errorf("placement: must name at least one node")
	}
	for i, g := range p {
		if g < 1 || g > mostPerNode {
			return fmt.Errorf("placement[%d]: must lie in 1 to %d GPUs, got %d", i, mostPerNode, g)
		}
	}
	return nil
}

// GPUs is how many GPUs the placement holds.
func (p Placement) GPUs() int {
	sum := 0
	for _, g := range p {
		sum += g
	}
	return sum
}

// widest is how many GPUs the fullest node holds.
func (p Placement) widest() int {
	most := 0
	for _, g := range p {
		most = max(most, g)
	}
	return most
}
