package reward

import (
	"fmt"
	"math"
)

// Points is an amount of reward in units of 1/One.
type Points int64

// One is the reward 1. It is the least common multiple of 1 to 20, so that 1/n
// of a job with up to 20 leases left is exact; beyond, it is rounded down.
const One Points = 232792560

// most is where a reward ends that still leaves room for the sum over a
// million jobs.
const most = 10000

// Of returns the points of a reward as people write it. It must lie in 0 to
// 10,000.
func Of(value float64) (Points, error) {
	if !(value >= 0 && value <= most) {
		return 0, fmt.Errorf("reward %v: must lie in 0 to %d", value, most)
	}
	return Points(math.Round(value * float64(One))), nil
}

// Value is the reward as people write it.
func (p Points) Value() float64 {
	whole, part := p/One, p%One
	return float64(whole) + float64(part)/float64(One)
}

// BestEffort is the reward for each best-effort lease of a job that needs
// leases of them, at least one, to its end: what is nearly done goes first, and
// a job is worth 1 at most.
func BestEffort(leases int) Points { return One / Points(leases) }

// Profiler is the reward for the one lease of a profiling run.
const Profiler = One
