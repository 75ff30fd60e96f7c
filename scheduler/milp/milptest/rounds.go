package milptest

import (
	"math"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// Tiny draws a round that can be solved by trying everything: falling and
// notched capacity, no slack, equal deadlines, deadlines behind the horizon,
// gangs as large as the cluster and larger, and, if unisched, policies, sub-slots
// and pinned cells.
func Tiny(r Random, unisched bool) *milp.Model {
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

func policy(r Random, most, leases int) milp.Policy {
	gpus := 1 + r.Intn(most)
	if r.Intn(3) > 0 {
		gpus = 1 << r.Intn(4)
	}
	ways := cells.Combinations(gpus)
	return milp.Policy{GPUs: gpus, Cells: ways[r.Intn(len(ways))], Leases: leases}
}

// Chronus draws a round of many jobs as the timings of the formulation were
// taken: gangs 1/2/4/8/16, run times log-normal around 150 minutes, deadlines at
// 1.2 to 2 times that, half of them soft, jobs caught in the middle of their
// life. The first jobs are many enough that their first deadlines ask for load
// times the capacity of some prefix.
func Chronus(r Random, jobs, gpus, slots, leaseMinutes int, load float64) *milp.Model {
	m := &milp.Model{Capacity: constant(gpus, slots)}
	for range jobs {
		m.Jobs = append(m.Jobs, deadlineJob(r, leaseMinutes))
	}
	scale(m, load, gpus)
	return m
}

// deadlineJob draws a job of which at least one step can still be met.
func deadlineJob(r Random, leaseMinutes int) milp.Job {
	for {
		run := math.Exp(math.Log(150) + float64(1.1*r.NormFloat64()))
		allowed := run * (1.2 + float64(0.8*r.Float64()))
		age := allowed * r.Float64()
		done := min(age, run) * r.Float64()
		left := run - done
		j := milp.Job{Kind: reward.Strict, Late: reward.One}
		leases := int(math.Ceil(left / float64(leaseMinutes)))
		steps := tiers[:1]
		if r.Intn(2) == 0 {
			j.Kind, steps = reward.Soft, tiers
		}
		for _, tier := range steps {
			by := int((float64(allowed*tier.factor) - age) / float64(leaseMinutes))
			if by < leases || len(j.Steps) > 0 && j.Steps[len(j.Steps)-1].By == by {
				continue
			}
			j.Steps = append(j.Steps, reward.Step{By: by, Reward: tier.points * reward.One})
		}
		if len(j.Steps) > 0 {
			j.Policies = []milp.Policy{{GPUs: gang(r), Leases: leases}}
			return j
		}
	}
}

// scale sets the capacity so that the first deadlines ask for load times what
// the fullest prefix offers; gpus > 0 keeps the capacity and makes gangs larger
// until the load is met.
func scale(m *milp.Model, load float64, gpus int) {
	if gpus == 0 {
		m.Capacity = constant(max(16, int(peak(m)/load)), len(m.Capacity))
		return
	}
	for n := 0; peak(m) < load*float64(gpus) && n < len(m.Jobs); n++ {
		p := &m.Jobs[n].Policies[0]
		p.GPUs = min(16, p.GPUs*4)
	}
}

// UniSched draws a round with three policies a job, best-effort jobs and
// profilers: 6 in 10 jobs have deadlines.
func UniSched(r Random, jobs, gpus, slots int) *milp.Model {
	m := &milp.Model{Capacity: constant(gpus, slots), Sub: 2}
	for range jobs {
		j := deadlineJob(r, 10)
		ways(&j)
		switch x := r.Float64(); {
		case x < 0.10:
			j = profiler(r)
		case x < 0.40:
			toSpot(&j, m.Sub)
		}
		m.Jobs = append(m.Jobs, j)
	}
	return m
}
