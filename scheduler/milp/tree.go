package milp

import (
	"math"
	"slices"

	"schedmate/scheduler/reward"
)

// tree is branch and bound in two layers. Below, branch decides all jobs at fixed
// prices, which is fast as long as little may be lost. Where that takes too many
// steps, the job whose choice is least clear and weighs most is fixed to each of
// its options in turn, and prices are made anew for each: the bound falls.
type tree struct {
	b      *board // of jobs with steps
	prices *prices
	spend  func() bool
	ended  bool
	target reward.Points // a plan must earn this to be wanted
	open   reward.Points // the most that parts not searched may earn
	cores  *cores

	value reward.Points // of the best plan; -1: none reached the target
	best  []int
	slots [][]int
}

// nodeSteps is how long a node is searched at fixed prices, nodePrices how many
// price steps it begins with.
const (
	nodeSteps  = 20000
	nodePrices = 300
)

// search looks below a node: fixed is the option of each job that is decided
// (none: without), undecided otherwise.
func (t *tree) search(fixed []int, priceSteps int) {
	p := t.prices
	p.fixed, p.bound = fixed, math.Inf(1)
	p.descend(priceSteps, thorough, float64(t.target-t.b.grain)/float64(reward.One), t.spend)
	s := newBranch(t.b, p, t.cores)
	limit := reward.Points(-1)
	if !math.IsInf(s.bound, -1) {
		limit = t.b.floor(math.Max(0, s.bound))
	}
	if limit < t.target {
		return
	}
	left := int64(nodeSteps)
	s.spend = func() bool {
		if left--; left < 0 {
			return false
		}
		if !t.spend() {
			t.ended = true
			return false
		}
		return true
	}
	complete := s.run(t.target)
	if s.value >= 0 {
		t.value, t.best, t.slots, t.target = s.value, s.best, s.slots, s.value+t.b.grain
	}
	if complete || limit < t.target {
		return
	}
	j, bound := s.unclear(fixed), s.bound
	if t.ended || j == nil || len(s.jobs) > proofJobs {
		t.open = max(t.open, limit)
		return
	}
	for n, item := range j.items {
		child := slices.Clone(fixed)
		child[j.job] = item.option
		t.search(child, nodePrices)
		if t.ended { // the child has said what it leaves open; its siblings follow
			if n+1 < len(j.items) {
				t.open = max(t.open, min(limit, t.b.floor(math.Max(0, bound-j.items[n+1].loss))))
			}
			return
		}
	}
}

// Values of fixed that are no option.
const (
	without   = -1
	undecided = -2
)

// unclear is the undecided job that weighs most for what its second choice would
// lose, or nil.
func (s *branch) unclear(fixed []int) *branchJob {
	var best *branchJob
	most := 0.0
	for n := range s.jobs {
		j := &s.jobs[n]
		if fixed[j.job] != undecided || len(j.items) < 2 || j.items[1].loss > s.allowed() {
			continue
		}
		weight := 0.0
		for _, item := range j.items {
			if item.option >= 0 {
				weight = math.Max(weight, float64(s.b.options[item.option].need(s.b.slots)))
			}
		}
		if weight /= j.items[1].loss + 1; best == nil || weight > most {
			best, most = j, weight
		}
	}
	return best
}
