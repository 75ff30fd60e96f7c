package milp_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// The same model, seed and budget give the same plan.
func TestARunIsAFunctionOfItsArguments(t *testing.T) {
	for _, m := range []*milp.Model{
		chronus(rand.New(rand.NewSource(1)), 150, 96, 72, 20, 1.2),
		unisched(rand.New(rand.NewSource(1)), 100, 48, 144),
		unisched(rand.New(rand.NewSource(1)), 1200, 960, 144),
	} {
		o := milp.Options{Seed: 42, Budget: milp.Budget{Steps: 20000}}
		if diff := cmp.Diff(milp.Solve(m, o), milp.Solve(m, o)); diff != "" {
			t.Error(diff)
		}
	}
}

// A run that is interrupted at any step has a plan that can be carried out, says
// how many steps it took, and with that budget the same plan is made again.
func TestARunCanBeInterruptedAnywhere(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	models := []*milp.Model{
		chronus(r, 40, 32, 72, 20, 1.2), unisched(r, 100, 48, 144),
		kind(t, "UniSched, pinned cells", r), kind(t, "falling capacity", r), kind(t, "equal deadlines", r),
	}
	for range 10 {
		models = append(models, tiny(r, true))
	}
	for n, m := range models {
		for _, after := range []int64{0, 1, 2, 7, 50, 333, 1000, 2500, 9999, 30000} {
			left := after
			stopped := milp.Solve(m, milp.Options{Seed: 3, Budget: milp.Budget{Interrupt: func() bool { left--; return left < 0 }}})
			if err := check(m, stopped); err != nil {
				t.Fatalf("model %d after %d steps: %v", n, after, err)
			}
			if stopped.Steps > after || stopped.Bound < stopped.Value {
				t.Fatalf("model %d: %d steps of %d, value %v, bound %v", n, stopped.Steps, after, stopped.Value, stopped.Bound)
			}
			if stopped.Steps == 0 {
				continue // a budget of 0 asks for the default
			}
			again := milp.Solve(m, milp.Options{Seed: 3, Budget: milp.Budget{Steps: stopped.Steps}})
			if diff := cmp.Diff(stopped, again); diff != "" {
				t.Fatalf("model %d after %d steps: %s", n, after, diff)
			}
		}
	}
}

// Among equals the standing calendar stays: B could run in 3 and 4 as well as in
// 2 and 4, and A in 1 and 2 or 1 and 3; they run as they stood.
func TestTheStandingCalendarStaysAmongEquals(t *testing.T) {
	one := []milp.Policy{{GPUs: 1, Leases: 2}}
	m := &milp.Model{Capacity: []int{1, 1, 1, 1}, Jobs: []milp.Job{
		{ID: "A", Kind: reward.Strict, Late: reward.One, Steps: []reward.Step{{By: 4, Reward: 100 * reward.One}}, Policies: one},
		{ID: "B", Kind: reward.Strict, Late: reward.One, Steps: []reward.Step{{By: 4, Reward: 100 * reward.One}}, Policies: one},
	}}
	standing := []milp.Promise{{Policy: 0, Slots: []int{2, 4}}, {Policy: 0, Slots: []int{1, 3}}}
	p := milp.Solve(m, milp.Options{Standing: standing})
	if p.Engine != milp.EngineStanding || !slices.Equal(p.Jobs[0].Slots, []int{2, 4}) || !slices.Equal(p.Jobs[1].Slots, []int{1, 3}) {
		t.Errorf("got %+v by %s", p.Jobs, p.Engine)
	}
	// A new job that is worth more and needs slots 1 and 2 moves them.
	m.Jobs = append(m.Jobs, milp.Job{ID: "C", Kind: reward.Strict, Steps: []reward.Step{{By: 2, Reward: 300 * reward.One}}, Policies: one})
	if p := milp.Solve(m, milp.Options{Standing: standing}); p.Engine == milp.EngineStanding || p.Value != (300+100+1)*reward.One {
		t.Errorf("got %v by %s", p.Value.Value(), p.Engine)
	}
	// A standing calendar that is no good (a slot twice, one that is not there)
	// does no harm.
	bad := []milp.Promise{{Policy: 0, Slots: []int{1, 1}}, {Policy: 3, Slots: []int{9}}}
	if p := milp.Solve(notes(), milp.Options{Standing: bad}); check(notes(), p) != nil || p.Value != 180*reward.One {
		t.Errorf("got %v", p.Value.Value())
	}
}

// Of a better plan, whoever can keeps its slots: C comes and needs slots 1 and 2,
// for which A and B have to move; D stays in 4 and 6, though it could run earlier.
func TestJobsKeepTheirSlotsInABetterPlan(t *testing.T) {
	one := []milp.Policy{{GPUs: 1, Leases: 2}}
	job := func(id string, by int) milp.Job {
		return milp.Job{ID: id, Kind: reward.Strict, Late: reward.One, Steps: []reward.Step{{By: by, Reward: 100 * reward.One}}, Policies: one}
	}
	m := &milp.Model{Capacity: []int{1, 1, 2, 2, 2, 2}, Jobs: []milp.Job{job("A", 6), job("B", 6), job("D", 6), job("C", 2)}}
	standing := []milp.Promise{{Slots: []int{2, 5}}, {Slots: []int{1, 3}}, {Slots: []int{4, 6}}}
	p := milp.Solve(m, milp.Options{Standing: standing})
	if p.Value != 400*reward.One || check(m, p) != nil {
		t.Fatalf("want 400, got %v", p.Value.Value())
	}
	if !slices.Equal(p.Jobs[3].Slots, []int{1, 2}) || !slices.Equal(p.Jobs[2].Slots, []int{4, 6}) {
		t.Errorf("got %+v by %s", p.Jobs, p.Engine)
	}
	if p := milp.Solve(m, milp.Options{}); slices.Equal(p.Jobs[2].Slots, []int{4, 6}) {
		t.Error("it would have stayed there anyway: this test shows nothing")
	}
}

// The value of a plan does not depend on what stood before, and whoever runs in
// slot 1 goes on where all keep their promises: rounds of 40 jobs follow each
// other, each with the calendar of the one before.
func TestRoundsThatFollowEachOther(t *testing.T) {
	m := chronus(rand.New(rand.NewSource(4)), 40, 32, 72, 20, 1.2)
	var standing []milp.Promise
	kept, moved := 0, 0
	for range 12 {
		p := milp.Solve(m, milp.Options{Seed: 1, Standing: standing})
		if err := check(m, p); err != nil {
			t.Fatal(err)
		}
		if alone := milp.Solve(m, milp.Options{Seed: 1}); p.Value != alone.Value {
			t.Fatalf("beside a standing calendar %v, without %v", p.Value, alone.Value)
		}
		for j := range standing {
			for _, k := range standing[j].Slots {
				if slices.Contains(p.Jobs[j].Slots, k) {
					kept++
				} else {
					moved++
				}
			}
		}
		m, standing = aSlotLater(m, p)
	}
	if kept < 9*moved {
		t.Errorf("%d leases were kept and %d moved", kept, moved)
	}
}

// aSlotLater is the round after slot 1 has passed as planned.
func aSlotLater(m *milp.Model, p *milp.Plan) (*milp.Model, []milp.Promise) {
	next := &milp.Model{Capacity: m.Capacity, Sub: m.Sub}
	var standing []milp.Promise
	for j := range m.Jobs {
		job := m.Jobs[j]
		job.Steps, job.Policies = nil, slices.Clone(job.Policies)
		for _, s := range m.Jobs[j].Steps {
			if s.By > 1 {
				job.Steps = append(job.Steps, reward.Step{By: s.By - 1, Reward: s.Reward})
			}
		}
		s := milp.Promise{Policy: p.Jobs[j].Policy}
		for _, k := range p.Jobs[j].Slots {
			if k == 1 {
				job.Policies[0].Leases--
			} else {
				s.Slots = append(s.Slots, k-1)
			}
		}
		if job.Policies[0].Leases > 0 {
			next.Jobs, standing = append(next.Jobs, job), append(standing, s)
		}
	}
	return next, standing
}

// A promise is kept even where breaking it would earn more, and what cannot be
// kept at all is said.
func TestPromises(t *testing.T) {
	m := notes()
	m.Jobs[1].Must = true // B by 3: then A is late, 100 + 1
	p := milp.Solve(m, milp.Options{})
	if p.Value != 101*reward.One || p.Relaxed || check(m, p) != nil {
		t.Errorf("got %v", p.Value.Value())
	}
	m.Jobs[0].Must = true // both: impossible, rewards decide
	if p := milp.Solve(m, milp.Options{}); p.Value != 180*reward.One || !p.Relaxed {
		t.Errorf("got %v, relaxed %v", p.Value.Value(), p.Relaxed)
	}
	_, verdict, short := milp.Certify(m, milp.Budget{})
	if want := (lease.Shortage{Slot: 2, GPUs: 1}); verdict != lease.Impossible || short != want { // A needs both of slots 1 and 2, B one of them
		t.Errorf("got %v, %v", verdict, short)
	}
	m.Jobs[1].Steps = m.Jobs[1].Steps[1:]
	plan, verdict, _ := milp.Certify(m, milp.Budget{})
	if verdict != lease.Found || !slices.Equal(plan.Jobs[0].Slots, []int{1, 2}) || !slices.Equal(plan.Jobs[1].Slots, []int{3, 4}) {
		t.Errorf("got %v", verdict)
	}
}

// Whatever the round: the calendar can be carried out and earns its value, which
// is between what late jobs earn and the bound; more capacity never earns less,
// and neither does one job less beside the same ones.
func TestPlansProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		m := tiny(r, rapid.Bool().Draw(t, "unisched"))
		p := milp.Solve(m, milp.Options{Seed: 1})
		if err := check(m, p); err != nil {
			t.Fatal(err)
		}
		late := reward.Points(0)
		for i := range m.Jobs {
			late += m.Jobs[i].Late
		}
		if p.Value < late || p.Bound < p.Value {
			t.Fatalf("late %v, value %v, bound %v", late, p.Value, p.Bound)
		}
		more := *m
		more.Capacity = slices.Clone(m.Capacity)
		more.Capacity[rapid.IntRange(0, len(m.Capacity)-1).Draw(t, "slot")] += 2
		if q := milp.Solve(&more, milp.Options{Seed: 1}); q.Value < p.Value {
			t.Fatalf("with more GPUs %v becomes %v", p.Value, q.Value)
		}
		fewer := *m
		fewer.Jobs = m.Jobs[:len(m.Jobs)-1]
		lost := m.Jobs[len(m.Jobs)-1].Late
		if q := milp.Solve(&fewer, milp.Options{Seed: 1}); q.Value+lost > p.Value {
			t.Fatalf("without a job %v becomes %v", p.Value, q.Value)
		}
	})
}

// Certify says yes to a model exactly if keeping its promises is possible, and a
// yes comes with a calendar that keeps them.
func TestCertifyProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		m := tiny(r, false)
		for j := range m.Jobs {
			m.Jobs[j].Must = true
			m.Jobs[j].Steps = m.Jobs[j].Steps[:1]
		}
		p, verdict, _ := milp.Certify(m, milp.Budget{})
		all := reward.Points(len(m.Jobs)) * 100 * reward.One
		loose := *m
		loose.Jobs = slices.Clone(m.Jobs)
		for j := range loose.Jobs {
			loose.Jobs[j].Must = false
		}
		if possible := everything(&loose) == all; possible != (verdict == lease.Found) {
			t.Fatalf("possible %v, verdict %v", possible, verdict)
		}
		if verdict == lease.Found {
			p.Value = all
			if err := check(m, p); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestModelsThatMeanNothingAreRefused(t *testing.T) {
	policy := milp.Policy{GPUs: 1, Leases: 1}
	for _, m := range []milp.Model{
		{Capacity: []int{-1}},
		{Sub: -1},
		{Gate: &lease.Gate{Free: [4]int{-1}}},
		{Jobs: []milp.Job{{Kind: "other"}}},
		{Jobs: []milp.Job{{Kind: reward.Strict, Must: true}}},
		{Jobs: []milp.Job{{Kind: reward.Spot, Steps: []reward.Step{{By: 1}}}}},
		{Jobs: []milp.Job{{Kind: reward.Profiling, Policies: []milp.Policy{{GPUs: 1, Leases: 2}}}}},
		{Jobs: []milp.Job{{Kind: reward.Strict, Policies: []milp.Policy{{GPUs: 0, Leases: 2}}}}},
		{Jobs: []milp.Job{{Kind: reward.Strict, Policies: []milp.Policy{{GPUs: 2, Cells: [4]int{1}, Leases: 2}}}}},
		{Jobs: []milp.Job{{Kind: reward.Strict, Steps: []reward.Step{{By: 2}, {By: 1}}, Policies: []milp.Policy{policy}}}},
	} {
		if err := m.Validate(); err == nil {
			t.Errorf("%+v passes", m)
		}
	}
	if err := (&milp.Model{}).Validate(); err != nil {
		t.Errorf("nothing to plan is a round: %v", err)
	}
	if p := milp.Solve(&milp.Model{}, milp.Options{}); p.Value != 0 || !p.Proven() {
		t.Error("and it is solved")
	}
}
