package milptest

import (
	"math"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// Kind is a way in which small rounds are hard to solve to the optimum.
type Kind struct {
	Name string
	Draw func(r Random) *milp.Model
}

// Kinds draw rounds of 8 to 50 jobs.
func Kinds() []Kind {
	return []Kind{
		{"constant capacity", func(r Random) *milp.Model { return draw(r, small(r)) }},
		{"falling capacity", func(r Random) *milp.Model {
			m := draw(r, small(r))
			for range 1 + r.Intn(4) {
				lower(r, m, r.Intn(len(m.Capacity)), len(m.Capacity))
			}
			return m
		}},
		{"notched capacity", func(r Random) *milp.Model {
			m := draw(r, small(r))
			for range 1 + r.Intn(5) {
				from := r.Intn(len(m.Capacity))
				lower(r, m, from, min(len(m.Capacity), from+1+r.Intn(6)))
			}
			return m
		}},
		{"capacity of every slot random", func(r Random) *milp.Model {
			m := draw(r, small(r))
			for k, g := range m.Capacity {
				m.Capacity[k] = g/2 + r.Intn(g/2+2)
			}
			return m
		}},
		{"no slack", func(r Random) *milp.Model {
			s := small(r)
			s.tight = 0.5 + float64(0.5*r.Float64())
			return draw(r, s)
		}},
		{"equal deadlines", func(r Random) *milp.Model {
			s := small(r)
			s.deadlines = 1 + r.Intn(3)
			return draw(r, s)
		}},
		{"deadlines behind the horizon", func(r Random) *milp.Model {
			s := small(r)
			s.slots = 4 + r.Intn(14)
			s.mean *= 1 + float64(2*r.Float64())
			return draw(r, s)
		}},
		{"gangs of the whole cluster", func(r Random) *milp.Model {
			s := small(r)
			s.gpus = []int{8, 12, 16, 24}[r.Intn(4)]
			s.whole = 0.1 + float64(0.3*r.Float64())
			return draw(r, s)
		}},
		{"gangs of any size", func(r Random) *milp.Model {
			s := small(r)
			s.odd = true
			return draw(r, s)
		}},
		{"all of that", func(r Random) *milp.Model {
			s := small(r)
			s.tight, s.odd, s.whole = 0.3, r.Intn(2) == 0, 0.05
			if r.Intn(2) == 0 {
				s.deadlines = 2 + r.Intn(4)
			}
			m := draw(r, s)
			for range r.Intn(5) {
				from := r.Intn(len(m.Capacity))
				lower(r, m, from, min(len(m.Capacity), from+1+r.Intn(12)))
			}
			return m
		}},
		{"UniSched", func(r Random) *milp.Model { return mixed(r, small(r)) }},
		{"UniSched, pinned cells", func(r Random) *milp.Model {
			s := small(r)
			s.gpus = 8 * (1 + r.Intn(6))
			m := mixed(r, s)
			pin(r, m)
			return m
		}},
		{"UniSched, pinned cells and all of that", func(r Random) *milp.Model {
			s := small(r)
			s.gpus, s.tight, s.whole = 8*(1+r.Intn(6)), 0.3, 0.05
			m := mixed(r, s)
			for range 1 + r.Intn(4) {
				from := 1 + r.Intn(len(m.Capacity)-1)
				lower(r, m, from, min(len(m.Capacity), from+1+r.Intn(12)))
			}
			pin(r, m)
			return m
		}},
	}
}

// sketch is what a small round looks like before its jobs are drawn.
type sketch struct {
	jobs, slots, gpus int
	mean              float64 // leases of a job, median
	tight             float64 // share of jobs without slack
	whole             float64 // share of jobs that take the whole cluster
	deadlines         int     // how many different first deadlines there are; 0: one a job
	odd               bool    // gangs are no powers of two
}

func small(r Random) sketch {
	s := sketch{jobs: 8 + r.Intn(43), slots: []int{12, 24, 48, 72}[r.Intn(4)], gpus: 8 * (1 + r.Intn(9))}
	s.mean = float64(s.slots) * (0.05 + float64(0.15*r.Float64()))
	return s
}

// draw makes the jobs, and changes the capacity so that the load lies in 0.8 to
// 2, in which it matters who is left out.
func draw(r Random, s sketch) *milp.Model {
	m := &milp.Model{Capacity: constant(s.gpus, s.slots), Sub: 1}
	common := make([]int, s.deadlines)
	for i := range common {
		common[i] = 1 + r.Intn(s.slots*5/4)
	}
	for range s.jobs {
		m.Jobs = append(m.Jobs, s.job(r, common))
	}
	load := 0.8 + float64(1.2*r.Float64())
	for n := 0; peak(m) > load*float64(s.gpus) && len(m.Jobs) > 8; n++ {
		m.Jobs = m.Jobs[:len(m.Jobs)-1]
	}
	name(m)
	return m
}

func (s *sketch) job(r Random, common []int) milp.Job {
	leases := max(1, int(math.Round(s.mean*math.Exp(r.NormFloat64()))))
	allowed := float64(leases) * (1 + float64(1.2*r.Float64()))
	j := milp.Job{Kind: reward.Strict, Late: reward.One}
	if r.Float64() < s.tight {
		allowed = float64(leases)
	}
	if len(common) > 0 {
		first := common[r.Intn(len(common))]
		allowed, leases = float64(first), min(leases, first)
	}
	steps := tiers[:1]
	if r.Intn(2) == 0 {
		j.Kind, steps = reward.Soft, tiers
		if r.Intn(4) == 0 {
			j.Late = 0
		}
	}
	for _, tier := range steps {
		by := int(allowed * tier.factor)
		if n := len(j.Steps); n == 0 || j.Steps[n-1].By < by {
			j.Steps = append(j.Steps, reward.Step{By: by, Reward: tier.points * reward.One})
		}
	}
	g := min(gang(r), s.gpus)
	if s.odd {
		g = 1 + r.Intn(min(s.gpus, 12))
	}
	if r.Float64() < s.whole {
		g = s.gpus
	}
	j.Policies = []milp.Policy{{GPUs: g, Leases: leases}}
	return j
}

// lower takes some GPUs out of the slots from+1..to.
func lower(r Random, m *milp.Model, from, to int) {
	off := 1 + r.Intn(max(1, m.Capacity[from]))
	for k := from; k < to; k++ {
		m.Capacity[k] = max(0, m.Capacity[k]-off)
	}
}

// mixed draws a UniSched round: two to four best-effort leases a slot, 6 of 10
// jobs with deadlines.
func mixed(r Random, s sketch) *milp.Model {
	m := draw(r, s)
	m.Sub = 2 + r.Intn(3)
	for i := range m.Jobs {
		j := &m.Jobs[i]
		if r.Intn(3) > 0 {
			ways(j)
		}
		switch x := r.Float64(); {
		case x < 0.10:
			*j = profiler(r)
		case x < 0.40:
			toSpot(j, m.Sub)
		}
	}
	name(m)
	return m
}

// pin takes random GPUs out of the nodes of slot 1.
func pin(r Random, m *milp.Model) {
	nodes := make([]cells.Node, m.Capacity[0]/8)
	for n := range nodes {
		nodes[n] = cells.Node(0xff)
		for range r.Intn(4) {
			nodes[n] &^= 1 << r.Intn(8)
		}
	}
	free := cells.Free(nodes)
	m.Gate, m.Capacity[0] = &lease.Gate{Free: free}, free[0]
}
