package rounds

import (
	"math"
	"math/rand/v2"
	"strconv"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// The jobs of the timings; see the package comment.
const (
	medianRun = 150.0 // minutes
	spreadRun = 1.1   // of its logarithm
)

// tiers are the rewards of a soft job, the first that of a strict one.
var tiers = []struct {
	factor float64
	points reward.Points
}{{1, 100}, {1.1, 80}, {1.2, 50}, {1.5, 20}}

// gang draws the GPUs of a job.
func gang(r *rand.Rand) int {
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

// caught draws a job with deadlines in the middle of its life, of which at least
// one step can still be met.
func caught(r *rand.Rand, leaseMinutes int) milp.Job {
	for {
		run := math.Exp(math.Log(medianRun) + float64(spreadRun*r.NormFloat64()))
		allowed := run * (1.2 + float64(0.8*r.Float64()))
		age := allowed * r.Float64()
		left := run - float64(min(age, run)*r.Float64())
		j := milp.Job{Kind: reward.Strict, Late: reward.One}
		leases := int(math.Ceil(left / float64(leaseMinutes)))
		steps := tiers[:1]
		if r.IntN(2) == 0 {
			j.Kind, steps = reward.Soft, tiers
		}
		for _, tier := range steps {
			by := int((allowed*tier.factor - age) / float64(leaseMinutes))
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

func profiler(r *rand.Rand) milp.Job {
	return milp.Job{Kind: reward.Profiling, Policies: []milp.Policy{{GPUs: 1 + r.IntN(2), Leases: 1}}}
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
