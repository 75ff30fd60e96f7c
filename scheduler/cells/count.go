package cells

import "fmt"

// NodeGPUs is the number of GPUs of a node.
const NodeGPUs = 8

// Sizes are the sizes of cells, by the index that Count and Levels use.
var Sizes = [4]int{1, 2, 4, 8}

// Count says how many cells of each of the Sizes are wanted.
type Count [4]int

// Levels says for each of the Sizes how many aligned cells there are. Smaller
// cells inside larger ones count as well: an empty node has 8, 4, 2, 1.
type Levels [4]int

// GPUs is the number of GPUs in the cells.
func (c Count) GPUs() int { return c[0] + 2*c[1] + 4*c[2] + 8*c[3] }

// Levels returns how many aligned cells of each size the cells cover.
func (c Count) Levels() Levels {
	return Levels{c[0] + 2*c[1] + 4*c[2] + 8*c[3], c[1] + 2*c[2] + 4*c[3], c[2] + 2*c[3], c[3]}
}

// Add returns both demands together.
func (l Levels) Add(m Levels) Levels {
	for i := range l {
		l[i] += m[i]
	}
	return l
}

// Sub returns what is left of l after m.
func (l Levels) Sub(m Levels) Levels {
	for i := range l {
		l[i] -= m[i]
	}
	return l
}

// Holds reports whether cells that cover m fit where l are free.
func (l Levels) Holds(m Levels) bool {
	return m[0] <= l[0] && m[1] <= l[1] && m[2] <= l[2] && m[3] <= l[3]
}

// RoundUp returns the GPUs that a gang is planned with: 1, 2, 4 or a multiple
// of 8, the shapes for which whole nodes pack without loss.
func RoundUp(gpus int) int {
	switch {
	case gpus <= 2:
		return gpus
	case gpus <= 4:
		return 4
	}
	return (gpus + NodeGPUs - 1) / NodeGPUs * NodeGPUs
}

// Shape returns the fewest cells that hold exactly that many GPUs: 6 is 4+2.
func Shape(gpus int) Count {
	return Count{gpus & 1, gpus >> 1 & 1, gpus >> 2 & 1, gpus / NodeGPUs}
}

// Combinations returns every way to cut that many GPUs into cells, fewest cells
// first: 4, 2+2, 2+1+1, 1+1+1+1. Beyond 16 GPUs, the most for which UniSched
// tries them all, there is one: Shape.
func Combinations(gpus int) []Count {
	if gpus <= 0 {
		return nil
	}
	if gpus > 2*NodeGPUs {
		return []Count{Shape(gpus)}
	}
	var out []Count
	for eights := gpus / 8; eights >= 0; eights-- {
		for fours := (gpus - 8*eights) / 4; fours >= 0; fours-- {
			for twos := (gpus - 8*eights - 4*fours) / 2; twos >= 0; twos-- {
				out = append(out, Count{gpus - 8*eights - 4*fours - 2*twos, twos, fours, eights})
			}
		}
	}
	return out
}

// Validate returns an error that names the size with a negative count.
func (c Count) Validate() error {
	for i, n := range c {
		if n < 0 {
			return fmt.Errorf("cells of %d GPUs: must not be negative, got %d", Sizes[i], n)
		}
	}
	return nil
}
