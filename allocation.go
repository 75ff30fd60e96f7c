package schedmate

import "cmp"

// Allocation is a share of one GPU of one node.
//
// Invariant: Node is not empty; GPU >= 0; 1 <= Share <= WholeGPU.
type Allocation struct {
	Node  string `json:"node" yaml:"node"`
	GPU   int    `json:"gpu" yaml:"gpu"` // index in the node, from 0
	Share Share  `json:"share" yaml:"share"`
}

// Attempt is one run of a job on one set of GPUs. A job that is preempted or
// loses its node gets another Attempt and stays the same Job.
//
// Invariant: Number >= 1; Allocations are valid and sorted by (Node, GPU), and
// name as many different GPUs as the job's gang, or as one of its Sizes.
type Attempt struct {
	Number      int          `json:"number" yaml:"number"`
	Start       Seconds      `json:"start_s" yaml:"start_s"`
	Allocations []Allocation `json:"allocations" yaml:"allocations"`
}

// validateAllocations checks shape and order; whether the GPUs exist and are
// free is a question to the cluster.
func validateAllocations(path string, as []Allocation, gang int) error {
	if len(as) != gang {
		return fieldErr(path, "a gang of %d GPUs needs exactly %d allocations, got %d", gang, gang, len(as))
	}
	for i, a := range as {
		at := index(path, i)
		switch {
		case a.Node == "":
			return fieldErr(at+".node", "must not be empty")
		case a.GPU < 0:
			return fieldErr(at+".gpu", "must not be negative, got %d", a.GPU)
		case a.Share < 1 || a.Share > WholeGPU:
			return fieldErr(at+".share", "must lie in [1, %d] thousandths, got %d", WholeGPU, a.Share)
		case i > 0 && compareAllocations(as[i-1], a) >= 0:
			return fieldErr(at, "allocations must be sorted by node and GPU without duplicates")
		}
	}
	return nil
}

func compareAllocations(a, b Allocation) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.GPU, b.GPU))
}
