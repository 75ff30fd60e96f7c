package milp_test

import (
	"cmp"
	"math/rand"
	"slices"
	"testing"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
	"schedmate/scheduler/milp/roundfile"
	"schedmate/scheduler/reward"
	"schedmate/scheduler/verify/calendar"
)

// Of 10,000 tiny rounds each, plain and with policies, sub-slots and pinned
// cells, the engine finds the optimum that trying everything finds, proves it,
// and its calendar passes the independent checker.
func TestTinyRoundsAgreeWithTryingEverything(t *testing.T) {
	rounds := 10000
	if testing.Short() || raceDetector {
		rounds = 500
	}
	for _, unisched := range []bool{false, true} {
		r := rand.New(rand.NewSource(7))
		for n := range rounds {
			m := tiny(r, unisched)
			p := milp.Solve(m, milp.Options{Seed: uint64(n)})
			if want := everything(m); p.Value != want || !p.Proven() {
				t.Fatalf("round %d: want %v, got %v of %v by %s\n%+v %+v", n, want.Value(), p.Value.Value(), p.Bound.Value(), p.Engine, *m, m.Gate)
			}
			if err := check(m, p); err != nil {
				t.Fatalf("round %d: %v", n, err)
			}
		}
	}
}

// Rounds of 8 to 50 jobs of every kind that is hard are solved to a proof within
// the default budget, and their calendars pass the independent checker. That such
// proofs are right is shown above, and by the certified rounds of package
// roundfile; this shows that there are enough steps.
func TestHardKindsAreProven(t *testing.T) {
	rounds := 12
	if testing.Short() || raceDetector {
		rounds = 2
	}
	for _, kind := range milptest.Kinds() {
		r := rand.New(rand.NewSource(5))
		for n := range rounds {
			m := kind.Draw(r)
			p := milp.Solve(m, milp.Options{Seed: 1})
			if err := check(m, p); err != nil {
				t.Fatalf("%s, round %d: %v", kind.Name, n+1, err)
			}
			if !p.Proven() {
				t.Errorf("%s, round %d: %v of at most %v by %s in %d steps", kind.Name, n+1, p.Value.Value(), p.Bound.Value(), p.Engine, p.Steps)
			}
		}
	}
}

func check(m *milp.Model, p *milp.Plan) error {
	var list []calendar.Entry
	for j := range p.Jobs {
		for _, k := range p.Jobs[j].Slots {
			list = append(list, calendar.Entry{Job: j, Slot: k, Policy: p.Jobs[j].Policy})
		}
		for _, q := range p.Jobs[j].Subs {
			list = append(list, calendar.Entry{Job: j, Slot: 1, Policy: p.Jobs[j].Policy, Sub: q})
		}
	}
	return calendar.Check(roundfile.Plain(m), list, int64(p.Value))
}

// everything is the slow twin. It knows neither rows nor prices: each job takes
// a step under a policy or nothing, each set of jobs with leases to go fills a
// slot, and what is left of slot 1 is tried on the spot jobs.
func everything(m *milp.Model) reward.Points {
	e := &enumeration{m: m, left: make([]int, len(m.Jobs)), by: make([]int, len(m.Jobs)), policy: make([]int, len(m.Jobs)), spots: map[cells.Levels]reward.Points{}}
	e.most = e.spot(e.free())
	e.jobs(0, 0)
	slices.SortStableFunc(e.choices, func(x, y choice) int { return cmp.Compare(y.value, x.value) })
	best := reward.Points(-1)
	for _, c := range e.choices {
		if c.value+e.most <= best {
			break
		}
		copy(e.left, c.left)
		copy(e.by, c.by)
		copy(e.policy, c.policy)
		if len(m.Capacity) > 0 {
			e.slot(0, 0, m.Capacity[0], e.free(), func(left cells.Levels) {
				best = max(best, c.value+e.spot(left))
			})
		}
	}
	return best
}

type choice struct {
	value            reward.Points
	left, by, policy []int
}

type enumeration struct {
	m                *milp.Model
	left, by, policy []int
	choices          []choice
	most             reward.Points
	spots            map[cells.Levels]reward.Points
}

// free is what slot 1 has: GPUs, and cells of each size if they are pinned.
func (e *enumeration) free() cells.Levels {
	if len(e.m.Capacity) == 0 {
		return cells.Levels{}
	}
	l := cells.Levels{e.m.Capacity[0], 99, 99, 99}
	if e.m.Gate != nil {
		l = e.m.Gate.Free
		l[0] = min(l[0], e.m.Capacity[0])
	}
	return l
}

func (e *enumeration) isSpot(j int) bool {
	return e.m.Jobs[j].Kind == reward.Spot || e.m.Jobs[j].Kind == reward.Profiling
}

func (e *enumeration) levels(j, c int) cells.Levels {
	if e.m.Gate == nil {
		return cells.Levels{e.m.Jobs[j].Policies[c].GPUs}
	}
	return e.m.Jobs[j].Policies[c].Cells.Levels()
}

// jobs lists every choice of steps.
func (e *enumeration) jobs(j int, value reward.Points) {
	if j == len(e.m.Jobs) {
		e.choices = append(e.choices, choice{value, slices.Clone(e.left), slices.Clone(e.by), slices.Clone(e.policy)})
		return
	}
	e.left[j] = 0
	if e.isSpot(j) {
		e.jobs(j+1, value)
		return
	}
	e.jobs(j+1, value+e.m.Jobs[j].Late)
	for c, p := range e.m.Jobs[j].Policies {
		for _, s := range e.m.Jobs[j].Steps {
			slots := len(e.m.Capacity)
			e.left[j], e.by[j], e.policy[j] = max(0, p.Leases-max(0, s.By-slots)), min(s.By, slots), c
			if e.left[j] <= e.by[j] {
				e.jobs(j+1, value+s.Reward)
			}
		}
	}
	e.left[j] = 0
}

// slot fills slot k+1 from job j on in every way, then the slots after it. Done
// is called with what each complete calendar leaves of slot 1.
func (e *enumeration) slot(k, j, free int, first cells.Levels, done func(cells.Levels)) bool {
	if j == len(e.left) {
		if k == 0 {
			if e.m.Gate == nil {
				first[0] = free
			}
			if k+1 == len(e.m.Capacity) {
				if e.finished() {
					done(first)
				}
				return false
			}
			if e.slot(1, 0, e.m.Capacity[1], first, nil) {
				done(first)
			}
			return false
		}
		if k+1 == len(e.m.Capacity) {
			return e.finished()
		}
		return e.slot(k+1, 0, e.m.Capacity[k+1], first, nil)
	}
	if e.left[j] > 0 && k < e.by[j] {
		g, l := e.m.Jobs[j].Policies[e.policy[j]].GPUs, e.levels(j, e.policy[j])
		if g <= free && (k > 0 || first.Holds(l) || e.m.Gate == nil) {
			after := first
			if k == 0 && e.m.Gate != nil {
				after = first.Sub(l)
			}
			e.left[j]--
			ok := e.slot(k, j+1, free-g, after, done)
			e.left[j]++
			if ok {
				return true
			}
		}
	}
	return e.slot(k, j+1, free, first, done)
}

func (e *enumeration) finished() bool {
	for j := range e.left {
		if e.left[j] > 0 {
			return false
		}
	}
	return true
}

// spot is the most that spot jobs earn in what is left of slot 1.
func (e *enumeration) spot(left cells.Levels) reward.Points {
	if v, ok := e.spots[left]; ok {
		return v
	}
	subs := max(1, e.m.Sub)
	free := make([]cells.Levels, subs)
	for q := range free {
		free[q] = left
	}
	var job func(j int) reward.Points
	job = func(j int) reward.Points {
		if j == len(e.m.Jobs) {
			return 0
		}
		best := job(j + 1)
		if !e.isSpot(j) {
			return best
		}
		for c, p := range e.m.Jobs[j].Policies {
			l, each := e.levels(j, c), reward.BestEffort(p.Leases)
			for set := 1; set < 1<<subs; set++ {
				n, fits := 0, true
				for q := range free {
					if set>>q&1 == 1 {
						n++
						fits = fits && free[q].Holds(l)
					}
				}
				if !fits || n > p.Leases {
					continue
				}
				for q := range free {
					if set>>q&1 == 1 {
						free[q] = free[q].Sub(l)
					}
				}
				best = max(best, reward.Points(n)*each+job(j+1))
				for q := range free {
					if set>>q&1 == 1 {
						free[q] = free[q].Add(l)
					}
				}
			}
		}
		return best
	}
	v := job(0)
	e.spots[left] = v
	return v
}
