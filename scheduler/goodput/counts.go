package goodput

// Counts lists the gangs that are considered on nodes of one size (Sia, section
// 3.3): powers of two within a node, the whole node, and then whole nodes up to so
// many GPUs. Few sizes keep gangs on few nodes and the choice small.
func Counts(nodeGPUs, nodes, most int) []int {
	var counts []int
	for n := 1; n < nodeGPUs && n <= most; n *= 2 {
		counts = append(counts, n)
	}
	for k := 1; k <= nodes && k*nodeGPUs <= most; k++ {
		counts = append(counts, k*nodeGPUs)
	}
	return counts
}

// MostGPUs is the largest gang that is considered at all.
const MostGPUs = 64
