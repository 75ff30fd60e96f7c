package rounds

import (
	"math/rand/v2"

	"schedmate/scheduler/milp"
)

// Size is a family of rounds at which the planner is timed.
type Size struct {
	Name string
	Draw func(r *rand.Rand) *milp.Model
}

// Sizes are those of the timings: rounds of the papers, small clusters in which
// gangs leave holes, and ten times the papers' size.
func Sizes() []Size {
	return []Size{
		{"20 jobs, 32 GPUs, 20 min, load 1.1", fitted(20, 20, 72, 1.1)},
		{"50 jobs, 64 GPUs, 20 min, load 1.1", fitted(50, 20, 72, 1.1)},
		{"50 jobs, 64 GPUs, 10 min, load 1.1", fitted(50, 10, 144, 1.1)},
		{"100 jobs, 96 GPUs, 20 min, load 1.1", fitted(100, 20, 72, 1.1)},
		{"100 jobs, 144 GPUs, 10 min, load 1.1", fitted(100, 10, 144, 1.1)},
		{"400 jobs, 768 GPUs, 20 min, load 1.1", chronus(400, 400, 768, 20, 72, 1.1, 1.1)},
		{"400 jobs, 768 GPUs, 10 min, load 1.1", chronus(400, 400, 768, 10, 144, 1.1, 1.1)},
		{"50-150 jobs, 96 GPUs, 20 min, load 0.8-1.2", chronus(50, 150, 96, 20, 72, 0.8, 1.2)},
		{"200-800 jobs, 960 GPUs, 20 min, load 0.8-1.2", chronus(200, 800, 960, 20, 72, 0.8, 1.2)},
		{"200-800 jobs, 960 GPUs, 10 min, load 0.8-1.2", chronus(200, 800, 960, 10, 144, 0.8, 1.2)},
		{"800 jobs, 960 GPUs, 20 min, load 1.1", chronus(800, 800, 960, 20, 72, 1.1, 1.1)},
		{"2,000 jobs, 3,840 GPUs, 20 min, load 1.1", chronus(2000, 2000, 3840, 20, 72, 1.1, 1.1)},
		{"5,000 jobs, 10,240 GPUs, 20 min, load 1.1", chronus(5000, 5000, 10240, 20, 72, 1.1, 1.1)},
		{"UniSched, 100 jobs, 48 GPUs", unisched(100, 100, 48)},
		{"UniSched, 200 jobs, 96 GPUs", unisched(200, 200, 96)},
		{"UniSched, 200-800 jobs, 960 GPUs", unisched(200, 800, 960)},
		{"UniSched, 1,000-1,600 jobs, 960 GPUs", unisched(1000, 1600, 960)},
		{"UniSched, 400-1,200 jobs, 512 GPUs", unisched(400, 1200, 512)},
		{"UniSched, 6,000 jobs, 7,680 GPUs", unisched(6000, 6000, 7680)},
		{"small: 20 jobs, about 26 GPUs, load 1.2", fitted(20, 20, 72, 1.2)},
		{"small: 40 jobs, 32 GPUs, load 1.2", chronus(40, 40, 32, 20, 72, 1.2, 1.2)},
		{"small: 60 jobs, 64 GPUs, load 1.2", chronus(60, 60, 64, 20, 72, 1.2, 1.2)},
		{"small: 100 jobs, 64 GPUs, load 1.2", chronus(100, 100, 64, 20, 72, 1.2, 1.2)},
		{"small: 100 jobs, about 115 GPUs, load 1.2", fitted(100, 20, 72, 1.2)},
		{"small: 200 jobs, 128 GPUs, load 1.2", chronus(200, 200, 128, 20, 72, 1.2, 1.2)},
	}
}

// fitted draws rounds whose capacity makes the load, but not less than the
// largest gang.
func fitted(jobs, leaseMinutes, slots int, load float64) func(*rand.Rand) *milp.Model {
	return func(r *rand.Rand) *milp.Model {
		m := &milp.Model{Capacity: constant(0, slots)}
		for range jobs {
			m.Jobs = append(m.Jobs, caught(r, leaseMinutes))
		}
		m.Capacity = constant(max(16, int(peak(m)/load)), slots)
		name(m)
		return m
	}
}

// chronus draws rounds of given capacity: gangs grow until the load is met.
func chronus(least, most, gpus, leaseMinutes, slots int, low, high float64) func(*rand.Rand) *milp.Model {
	return func(r *rand.Rand) *milp.Model {
		m := &milp.Model{Capacity: constant(gpus, slots)}
		jobs, load := least+r.IntN(most-least+1), low+float64((high-low)*r.Float64())
		for range jobs {
			m.Jobs = append(m.Jobs, caught(r, leaseMinutes))
		}
		for n := 0; peak(m) < load*float64(gpus) && n < len(m.Jobs); n++ {
			p := &m.Jobs[n].Policies[0]
			p.GPUs = min(16, p.GPUs*4)
		}
		name(m)
		return m
	}
}

// unisched draws rounds of 24 hours in leases of 10 minutes, two best-effort
// leases each: three policies a job, 6 of 10 with deadlines, 3 best effort, 1
// profiler.
func unisched(least, most, gpus int) func(*rand.Rand) *milp.Model {
	return func(r *rand.Rand) *milp.Model {
		m := &milp.Model{Capacity: constant(gpus, 144), Sub: 2}
		for range least + r.IntN(most-least+1) {
			j := caught(r, 10)
			ways(&j)
			switch x := r.Float64(); {
			case x < 0.10:
				j = profiler(r)
			case x < 0.40:
				toSpot(&j, 2)
			}
			m.Jobs = append(m.Jobs, j)
		}
		name(m)
		return m
	}
}
