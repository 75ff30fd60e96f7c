package milp

import (
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

func falling(capacity []int, jobs ...Policy) *board {
	m := &Model{Capacity: capacity}
	for _, p := range jobs {
		by := p.Cells[0] // the test's shorthand
		p.Cells[0] = 0
		m.Jobs = append(m.Jobs, Job{Kind: reward.Strict, Steps: []reward.Step{{By: by, Reward: 100 * reward.One}}, Policies: []Policy{p}})
	}
	return newBoard(m, false)
}

// Capacity 4, 1, 4 and three jobs of one GPU that need both of slots 1 and 2. The
// prefix sums hold (3 of 4, 6 of 5 does not: so take two of them and a third that
// ends later): slot 2 alone has room for one.
func TestTheSlotSetThatPrefixesDoNotSee(t *testing.T) {
	two := Policy{GPUs: 1, Leases: 2}
	two.Cells[0] = 2
	b := falling([]int{4, 1, 4}, two, two)
	set := b.violated([]int{0, 1})
	if diff := cmp.Diff([]bool{false, true, false}, set); diff != "" {
		t.Fatal(diff)
	}
	b.addSet(set)
	r := newRows(b)
	if !r.fits(0) {
		t.Error("one of them fits")
	}
	r.take(0, +1)
	if r.fits(1) {
		t.Error("two leases do not fit into the one GPU of slot 2")
	}
}

// A set that is named is a proof: the demands it was named for have no calendar.
// And it is named whenever a calendar that may split gangs is missing: for gangs of
// one GPU, whenever there is none.
func TestSlotSetsAreProofs(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	named, missed := 0, 0
	for range 5000 {
		capacity := make([]int, 2+r.Intn(4))
		for k := range capacity {
			capacity[k] = r.Intn(4)
		}
		var jobs []Policy
		for range 1 + r.Intn(5) {
			by := 1 + r.Intn(len(capacity))
			p := Policy{GPUs: 1, Leases: 1 + r.Intn(by)}
			p.Cells[0] = by
			jobs = append(jobs, p)
		}
		b := falling(capacity, jobs...)
		var pick []int
		var demands []lease.Demand
		for i := range b.options {
			pick = append(pick, i)
			demands = append(demands, b.options[i].demand(b.m))
		}
		_, verdict := lease.Find(capacity, nil, demands, func() bool { return true })
		switch set := b.violated(pick); {
		case set != nil && verdict == lease.Found:
			t.Fatalf("%v: the set %v refuses what has a calendar", capacity, set)
		case set != nil:
			named++
		case verdict == lease.Impossible:
			missed++
		}
	}
	if named < 1000 || missed > 0 {
		t.Errorf("%d proofs named, %d missed", named, missed)
	}
}
