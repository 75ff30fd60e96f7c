package sim

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"schedmate"
)

// Speeds is how fast a job works on the gangs that it can run on. Work and
// Rate.PerSecond count one unit, which is the trace's choice; a fine one (a
// billionth of an iteration, say) keeps rounding away from whole seconds while
// all arithmetic stays whole.
//
// Invariant: 1 <= Work <= MaxWork; there is a rate; 1 <= PerSecond <= MaxWork,
// 1 <= GPUs, 0 <= Nodes <= GPUs; rates are sorted by GPUs, GPUType and Nodes
// without duplicates.
type Speeds struct {
	Work  int64
	Rates []Rate
}

// Rate is the speed on one gang. Nodes 0 stands for any number of nodes that
// has no rate of its own.
type Rate struct {
	GPUs      int
	GPUType   string
	Nodes     int
	PerSecond int64
}

// MaxWork bounds the work of a job, so that sums do not overflow.
const MaxWork = 1 << 60

func (s *Speeds) validate() error {
	if s == nil {
		return nil
	}
	if s.Work < 1 || s.Work > MaxWork {
		return fmt.Errorf("work must lie in [1, %d], got %d", int64(MaxWork), s.Work)
	}
	if len(s.Rates) == 0 {
		return fmt.Errorf("there must be at least one rate")
	}
	for i, r := range s.Rates {
		switch {
		case r.GPUs < 1 || r.GPUs > schedmate.MaxGangGPUs || r.Nodes < 0 || r.Nodes > r.GPUs:
			return fmt.Errorf("rates[%d]: %d GPUs on %d nodes is no gang", i, r.GPUs, r.Nodes)
		case r.PerSecond < 1 || r.PerSecond > MaxWork:
			return fmt.Errorf("rates[%d]: the speed must lie in [1, %d], got %d", i, int64(MaxWork), r.PerSecond)
		case i > 0 && CompareRates(s.Rates[i-1], r) >= 0:
			return fmt.Errorf("rates[%d]: rates must be sorted by GPUs, type and nodes without duplicates", i)
		}
	}
	return nil
}

// CompareRates orders rates by GPUs, GPUType and Nodes.
func CompareRates(a, b Rate) int {
	return cmp.Or(cmp.Compare(a.GPUs, b.GPUs), cmp.Compare(a.GPUType, b.GPUType), cmp.Compare(a.Nodes, b.Nodes))
}

// Sizes lists the gangs whose rate is known wherever they are placed, on GPUs of
// each of the types.
func (s *Speeds) Sizes(types ...string) []int {
	var sizes []int
	for _, r := range s.Rates {
		if len(sizes) > 0 && sizes[len(sizes)-1] == r.GPUs {
			continue
		}
		if !slices.ContainsFunc(types, func(t string) bool { return s.On(r.GPUs, 0, t) == 0 }) {
			sizes = append(sizes, r.GPUs)
		}
	}
	return sizes
}

// On returns the speed on a gang, or 0 when it is not known.
func (s *Speeds) On(gpus, nodes int, gpuType string) int64 {
	find := func(nodes int) int64 {
		i, ok := slices.BinarySearchFunc(s.Rates, Rate{GPUs: gpus, GPUType: gpuType, Nodes: nodes}, CompareRates)
		if !ok {
			return 0
		}
		return s.Rates[i].PerSecond
	}
	if v := find(nodes); v > 0 {
		return v
	}
	return find(0)
}

// Cut returns the speeds of a job of which only the share part / whole is done.
func (s *Speeds) Cut(part, whole schedmate.Seconds) *Speeds {
	if s == nil || part >= whole {
		return s
	}
	cut := *s
	cut.Work = max(1, scaled(int64(part), s.Work, int64(whole)))
	return &cut
}

// scaled returns a * b / c for 0 <= a <= c, without overflow.
func scaled(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}
