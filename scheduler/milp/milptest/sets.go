package milptest

import "schedmate/scheduler/milp"

// Set is a set of rounds that planners and solvers are measured on.
type Set struct {
	Name   string
	Rounds int
	draw   func(r Random, n int) *milp.Model
}

// Models draws the rounds of the set.
func (s Set) Models(r Random) []*milp.Model {
	models := make([]*milp.Model, s.Rounds)
	for n := range models {
		models[n] = s.draw(r, n*7)
	}
	return models
}

// Sets are rounds of small clusters, rounds like those of the papers, and ones
// ten times as large.
var Sets = []Set{
	{"jobs=20-50/gpus=fitted", 50, func(r Random, n int) *milp.Model {
		return Chronus(r, 20+n%31, 0, 48, 30, 1.2)
	}},
	{"jobs=50-150/gpus=96", 100, func(r Random, n int) *milp.Model {
		return Chronus(r, 50+2*(n%51), 96, 72, 20, 0.8+0.4*r.Float64())
	}},
	{"jobs=200-800/gpus=960", 100, func(r Random, n int) *milp.Model {
		return Chronus(r, 200+6*(n%101), 960, 72, 20, 0.8+0.4*r.Float64())
	}},
	{"jobs=200-800/gpus=960/lease=10min", 100, func(r Random, n int) *milp.Model {
		return Chronus(r, 200+6*(n%101), 960, 144, 10, 0.8+0.4*r.Float64())
	}},
	{"jobs=5000/gpus=10240", 10, func(r Random, n int) *milp.Model {
		return Chronus(r, 5000, 10240, 72, 20, 0.9+0.1*float64(n%5))
	}},
	{"unisched/jobs=200-800/gpus=960", 60, func(r Random, n int) *milp.Model {
		return UniSched(r, 200+6*(n%101), 960, 144)
	}},
	{"unisched/jobs=1000-1600/gpus=960", 60, func(r Random, n int) *milp.Model {
		return UniSched(r, 1000+20*(n%31), 960, 144)
	}},
	{"unisched/jobs=400-1200/gpus=512", 60, func(r Random, n int) *milp.Model {
		return UniSched(r, 400+27*(n%31), 512, 144)
	}},
}
