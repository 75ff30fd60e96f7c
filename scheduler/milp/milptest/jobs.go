package milptest

import (
	"strconv"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// tiers are the rewards of a soft job, the first that of a strict one.
var tiers = []struct {
	factor float64
	points reward.Points
}{{1, 100}, {1.1, 80}, {1.2, 50}, {1.5, 20}}

// gang draws the GPUs of a job.
func gang(r Random) int {
	switch x := r.Float64(); {
	case x < 0.45:
		return 1
	case x < 0.60:
		return 2
	case x < 0.75:
		return 4
	case x < 0.92:
		return 8
	}
	return 16
}

// ways gives a job the policies of UniSched: its gang in one place, in two
// halves and a little slower, and on half of its GPUs.
func ways(j *milp.Job) {
	p := &j.Policies[0]
	p.Cells = cells.Shape(p.GPUs)
	if p.GPUs == 1 {
		return
	}
	half := cells.Count{}
	if p.GPUs >= 16 {
		half[2] = p.GPUs / 4
	} else {
		half = cells.Shape(p.GPUs / 2)
		for i := range half {
			half[i] *= 2
		}
	}
	j.Policies = append(j.Policies,
		milp.Policy{GPUs: p.GPUs, Cells: half, Leases: p.Leases + 1 + p.Leases/10},
		milp.Policy{GPUs: p.GPUs / 2, Cells: cells.Shape(p.GPUs / 2), Leases: p.Leases*17/10 + 1})
}

// toSpot makes a best-effort job of one with deadlines: leases of sub-slots.
func toSpot(j *milp.Job, sub int) {
	j.Kind, j.Steps, j.Late = reward.Spot, nil, 0
	for c := range j.Policies {
		j.Policies[c].Leases = max(1, sub*j.Policies[c].Leases)
	}
}

func profiler(r Random) milp.Job {
	return milp.Job{Kind: reward.Profiling, Policies: []milp.Policy{{GPUs: 1 + r.Intn(2), Leases: 1}}}
}

// peak is the most GPUs that the first deadlines ask for, on the mean of some
// first slots.
func peak(m *milp.Model) float64 {
	need := make([]int, len(m.Capacity)+1)
	for i := range m.Jobs {
		if len(m.Jobs[i].Steps) == 0 {
			continue
		}
		p := &m.Jobs[i].Policies[0]
		d := lease.Demand{GPUs: p.GPUs, Leases: p.Leases, By: m.Jobs[i].Steps[0].By}
		for t := range need {
			need[t] += d.GPUs * d.Need(t)
		}
	}
	most := 0.0
	for t := 1; t < len(need); t++ {
		most = max(most, float64(need[t])/float64(t))
	}
	return most
}

func name(m *milp.Model) {
	for i := range m.Jobs {
		m.Jobs[i].ID = "job-" + strconv.Itoa(i+1)
	}
}

func constant(gpus, slots int) []int {
	c := make([]int, slots)
	for k := range c {
		c[k] = gpus
	}
	return c
}
