package milp_test

import (
	"math/rand"
	randv2 "math/rand/v2"
	"testing"

	"schedmate/eval/rounds"
	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// drawn is the n-th round of a size or kind of package rounds.
func drawn(t testing.TB, name string, n int) *milp.Model {
	r := randv2.New(randv2.NewPCG(1, 0))
	draw := func(one func(*randv2.Rand) *milp.Model) *milp.Model {
		for range n - 1 {
			one(r)
		}
		return one(r)
	}
	for _, s := range rounds.Sizes() {
		if s.Name == name {
			return draw(s.Draw)
		}
	}
	for _, k := range rounds.Kinds() {
		if k.Name == name {
			return draw(k.Draw)
		}
	}
	t.Fatalf("no rounds are called %q", name)
	return nil
}

// tiny draws a round that can be solved by trying everything: falling and
// notched capacity, no slack, equal deadlines, deadlines behind the horizon,
// gangs as large as the cluster and larger, and, if unisched, policies, sub-slots
// and pinned cells.
func tiny(r *rand.Rand, unisched bool) *milp.Model {
	slots := 1 + r.Intn(4)
	gpus := []int{1, 2, 4, 8}[r.Intn(4)]
	m := &milp.Model{Capacity: make([]int, slots), Sub: 1}
	shape := r.Intn(4)
	for k := range m.Capacity {
		m.Capacity[k] = gpus
		switch {
		case shape == 1 && k >= slots/2: // falls
			m.Capacity[k] = gpus / 2
		case shape == 2 && k == slots/2: // a notch
			m.Capacity[k] = r.Intn(gpus)
		case shape == 3:
			m.Capacity[k] = r.Intn(gpus + 1)
		}
	}
	if unisched {
		m.Sub = 1 + r.Intn(3)
		if r.Intn(2) == 0 {
			free := cells.Free([]cells.Node{cells.Node(r.Intn(256))})
			m.Gate = &lease.Gate{Free: free}
		}
	}
	common := 1 + r.Intn(slots+1)
	for range 1 + r.Intn(4) {
		j := milp.Job{ID: string(rune('A' + len(m.Jobs))), Kind: reward.Strict, Late: reward.One}
		first := 1 + r.Intn(slots+1)
		switch r.Intn(6) {
		case 0, 1:
			first = common
		case 2:
			first = slots + r.Intn(4)
		}
		j.Steps = []reward.Step{{By: first, Reward: 100 * reward.One}}
		if r.Intn(2) == 0 {
			j.Kind = reward.Soft
			for s := range 1 + r.Intn(2) {
				j.Steps = append(j.Steps, reward.Step{By: first + s + r.Intn(2), Reward: []reward.Points{80, 50}[s] * reward.One})
			}
		}
		policies := 1
		if unisched {
			policies += r.Intn(2)
		}
		for range policies {
			leases := 1 + r.Intn(first)
			if r.Intn(3) == 0 {
				leases = first
			}
			j.Policies = append(j.Policies, policy(r, gpus, leases))
		}
		m.Jobs = append(m.Jobs, j)
	}
	if unisched {
		for range r.Intn(4) {
			j := milp.Job{ID: string(rune('A' + len(m.Jobs))), Kind: reward.Spot}
			leases := 1 + r.Intn(5)
			if r.Intn(3) == 0 {
				j.Kind, leases = reward.Profiling, 1
			}
			for range 1 + r.Intn(2) {
				j.Policies = append(j.Policies, policy(r, gpus, leases))
			}
			m.Jobs = append(m.Jobs, j)
		}
	}
	return m
}

func policy(r *rand.Rand, most, leases int) milp.Policy {
	gpus := 1 + r.Intn(most)
	if r.Intn(3) > 0 {
		gpus = 1 << r.Intn(4)
	}
	ways := cells.Combinations(gpus)
	return milp.Policy{GPUs: gpus, Cells: ways[r.Intn(len(ways))], Leases: leases}
}
