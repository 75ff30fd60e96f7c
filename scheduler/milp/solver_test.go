package milp_test

import (
	"errors"
	"math"
	"math/rand"
	"strings"
	"testing"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
	"schedmate/scheduler/reward"
)

// The three formulations, solved by enumeration, agree with the engine: the
// direct model has the same optimum, prefix and stock rows have one optimum that
// is not below it; and the engine's plan, written as a point of each, is
// feasible there and earns its value.
func TestFormulationsAgreeWithTheEngine(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	rounds := 150
	if testing.Short() || raceDetector {
		rounds = 20
	}
	for n := range rounds {
		m := tiny(r, n%2 == 1)
		p := milp.Solve(m, milp.Options{Seed: 1})
		value := map[string]float64{}
		for name, f := range map[string]*milp.Formulation{"direct": milp.Direct(m), "prefix": milp.Prefix(m), "stock": milp.Stock(m)} {
			start := f.Encode(p)
			if got, ok := f.Value(start, 1e-6); !ok || math.Abs(got-p.Value.Value()) > 1e-6 {
				t.Fatalf("round %d: the plan as a point of %s earns %v, feasible %v; want %v\n%+v", n, name, got, ok, p.Value.Value(), *m)
			}
			a, err := milptest.Enumerator{}.Maximise(&f.Program, start, milp.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			value[name] = a.Objective
		}
		if math.Abs(value["direct"]-p.Value.Value()) > 1e-6 {
			t.Fatalf("round %d: the direct model earns %v, the engine %v\n%+v", n, value["direct"], p.Value.Value(), *m)
		}
		if math.Abs(value["prefix"]-value["stock"]) > 1e-6 || value["prefix"] < value["direct"]-1e-6 {
			t.Fatalf("round %d: prefix %v, stock %v, direct %v", n, value["prefix"], value["stock"], value["direct"])
		}
	}
}

// A solver improves a plan that was made with no budget, and proves it.
func TestRefine(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	improved := 0
	for range 40 {
		m := tiny(r, false)
		poor := milp.Solve(m, milp.Options{Budget: milp.Budget{Interrupt: func() bool { return true }}})
		best := milp.Solve(m, milp.Options{})
		p, err := milp.Refine(milp.Direct(m), poor, milptest.Enumerator{}, milp.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if err := check(m, p); err != nil {
			t.Fatal(err)
		}
		if p.Value != best.Value || !p.Proven() {
			t.Fatalf("want %v, got %v of %v by %s\n%+v", best.Value.Value(), p.Value.Value(), p.Bound.Value(), p.Engine, *m)
		}
		if p.Value > poor.Value {
			improved++
		}
	}
	if improved == 0 {
		t.Error("no plan was improved: the test shows nothing")
	}
}

// liar answers as it likes.
type liar struct {
	answer milp.Answer
	err    error
}

func (liar) Name() string { return "liar" }
func (l liar) Maximise(*milp.Program, []float64, milp.Limits) (*milp.Answer, error) {
	return &l.answer, l.err
}

// A solver that fails, or contradicts a plan that can be carried out, changes
// nothing.
func TestASolverThatIsWrong(t *testing.T) {
	m := notes()
	p := milp.Solve(m, milp.Options{})
	for _, tc := range []struct {
		solver liar
		want   string
	}{
		{liar{err: errors.New("killed")}, "killed"},
		{liar{answer: milp.Answer{Bound: 100}}, "below the plan's value"},
		{liar{answer: milp.Answer{Bound: math.Inf(1), Values: []float64{1}}}, "1 columns of"},
		{liar{answer: milp.Answer{Bound: math.NaN()}}, "bound is NaN"},
		{liar{answer: milp.Answer{Bound: math.Inf(-1)}}, "bound is -Inf"},
		{liar{answer: milp.Answer{Bound: math.Inf(1), Optimal: true}}, "has no point"},
		{liar{answer: milp.Answer{Bound: math.Inf(1), Values: []float64{math.NaN(), 0, 0}}}, "column 0 is NaN"},
		{liar{answer: milp.Answer{Bound: math.Inf(1), Values: []float64{0, math.Inf(1), 0}}}, "column 1 is +Inf"},
		{liar{answer: milp.Answer{Bound: math.Inf(1), Values: []float64{1e300, 0, 0}}}, "breaks a row"},
		{liar{answer: milp.Answer{Bound: math.Inf(1), Values: []float64{0.5, 0, 0}}}, "not whole"},
		{liar{answer: milp.Answer{Bound: math.Inf(1), Values: []float64{0, 0, 0}, Objective: 500}}, "says that its point earns 500"},
		{liar{answer: milp.Answer{Bound: math.Inf(1), Values: []float64{0, 0, 0}, Objective: math.NaN()}}, "says that its point earns NaN"},
		{liar{answer: milp.Answer{Bound: 1, Values: []float64{0, 0, 0}, Objective: 2}}, "lies below its point's 2"},
	} {
		got, err := milp.Refine(milp.Prefix(m), p, tc.solver, milp.Limits{})
		if err == nil || !strings.Contains(err.Error(), tc.want) || got != p {
			t.Errorf("want %q and the plan as it was, got %v", tc.want, err)
		}
	}
	if got, err := milp.Refine(milp.Prefix(m), p, liar{answer: milp.Answer{Bound: math.Inf(1)}}, milp.Limits{}); err != nil || got.Value != p.Value || got.Bound != p.Bound {
		t.Errorf("a solver that found nothing: %v", err)
	}
}

// The contract that adapters of solvers are held to is kept by the enumerator,
// and finds what is planted.
func TestContractOfSolvers(t *testing.T) {
	for _, err := range milptest.Contract(milptest.Enumerator{}) {
		t.Error(err)
	}
	for name, spoil := range map[string]func(p *milp.Program, a *milp.Answer){
		"a bound too low":         func(_ *milp.Program, a *milp.Answer) { a.Bound -= 0.5 },
		"a value too high":        func(_ *milp.Program, a *milp.Answer) { a.Objective++; a.Bound++ },
		"a point that is none":    func(_ *milp.Program, a *milp.Answer) { a.Values = append(a.Values, 0) },
		"changes of the question": func(p *milp.Program, _ *milp.Answer) { p.Offset++ },
		"proofs that are none":    func(_ *milp.Program, a *milp.Answer) { a.Bound += 0.5 },
		"no proof":                func(_ *milp.Program, a *milp.Answer) { a.Optimal = false },
	} {
		if len(milptest.Contract(spoiler{spoil: spoil})) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

// spoiler is the enumerator with something wrong.
type spoiler struct {
	milptest.Enumerator
	spoil func(*milp.Program, *milp.Answer)
}

func (s spoiler) Maximise(p *milp.Program, start []float64, limits milp.Limits) (*milp.Answer, error) {
	a, err := s.Enumerator.Maximise(p, start, limits)
	if err == nil {
		s.spoil(p, a)
	}
	return a, err
}

// counter counts the questions that it passes on.
type counter struct {
	milptest.Enumerator
	asked int
}

func (c *counter) Maximise(p *milp.Program, start []float64, limits milp.Limits) (*milp.Answer, error) {
	c.asked++
	return c.Enumerator.Maximise(p, start, limits)
}

// Improve asks nothing about a plan that is proven, or as near as was asked for;
// it asks by the rows and, where gangs that do not split are what is left, by the
// textbook model. On 8 GPUs A wants all of them for two leases by slot 3, B one by
// slot 1 and C one in every slot: 24 GPU-leases hold 16 + 1 + 3, so the rows allow
// 300, but C never leaves A a whole cluster: 201.
func TestImprove(t *testing.T) {
	m := &milp.Model{Capacity: []int{8, 8, 8}, Jobs: []milp.Job{
		{ID: "A", Kind: reward.Strict, Late: reward.One, Steps: []reward.Step{{By: 3, Reward: 100 * reward.One}}, Policies: []milp.Policy{{GPUs: 8, Leases: 2}}},
		{ID: "B", Kind: reward.Strict, Late: reward.One, Steps: []reward.Step{{By: 1, Reward: 100 * reward.One}}, Policies: []milp.Policy{{GPUs: 1, Leases: 1}}},
		{ID: "C", Kind: reward.Strict, Late: reward.One, Steps: []reward.Step{{By: 3, Reward: 100 * reward.One}}, Policies: []milp.Policy{{GPUs: 1, Leases: 3}}},
	}}
	proven := milp.Solve(m, milp.Options{})
	if !proven.Proven() || proven.Value != 201*reward.One {
		t.Fatalf("got %v of %v", proven.Value.Value(), proven.Bound.Value())
	}
	c := &counter{}
	if p, err := milp.Improve(m, proven, c, milp.Limits{}); err != nil || p != proven || c.asked != 0 {
		t.Errorf("a proven plan: %d questions, %v", c.asked, err)
	}
	open := *proven
	open.Bound = 300 * reward.One
	if p, err := milp.Improve(m, &open, c, milp.Limits{RelativeGap: 0.5}); err != nil || p.Bound != open.Bound || c.asked != 0 {
		t.Errorf("a plan that is near enough: %d questions, %v", c.asked, err)
	}
	if p, err := milp.Improve(m, &open, c, milp.Limits{}); err != nil || !p.Proven() || p.Value != 201*reward.One || c.asked != 2 {
		t.Errorf("rows and textbook: %d questions, %v of %v, %v", c.asked, p.Value.Value(), p.Bound.Value(), err)
	}
	// Promises that cannot all be kept count for their rewards only.
	for j := range m.Jobs {
		m.Jobs[j].Must = true
	}
	relaxed := milp.Solve(m, milp.Options{})
	relaxed.Bound = 300 * reward.One
	if p, err := milp.Improve(m, relaxed, c, milp.Limits{}); err != nil || !p.Relaxed || !p.Proven() || p.Value != 201*reward.One {
		t.Errorf("relaxed: %v of %v, %v", p.Value.Value(), p.Bound.Value(), err)
	}
}

// A bound that a calendar of ours contradicts is not passed over in silence.
func TestAWrongBoundIsFound(t *testing.T) {
	poor := milp.Solve(notes(), milp.Options{Budget: milp.Budget{Interrupt: func() bool { return true }}})
	poor.Jobs = []milp.Promise{{Step: -1, Policy: -1}, {Step: -1, Policy: -1}} // nobody runs
	poor.Value, poor.Bound = 2*reward.One, 100*reward.One                      // 180 can be earned
	_, err := milp.Refine(milp.Prefix(notes()), poor, milptest.Enumerator{}, milp.Limits{})
	if err == nil || !strings.Contains(err.Error(), "one of the two is wrong") {
		t.Errorf("got %v", err)
	}
}

func TestProgramsThatMeanNothingAreRefused(t *testing.T) {
	inf := math.Inf(1)
	row := func(low, high float64, terms ...milp.Term) milp.Program {
		return milp.Program{Columns: []milp.Column{{}, {}}, Rows: []milp.Row{{Lower: low, Upper: high, Terms: terms}}}
	}
	for _, c := range []struct {
		want    string
		program milp.Program
	}{
		{"offset: is NaN", milp.Program{Offset: math.NaN()}},
		{"columns[0].objective: is +Inf", milp.Program{Columns: []milp.Column{{Objective: inf}}}},
		{"columns[0]: lies between 1 and 0", milp.Program{Columns: []milp.Column{{Lower: 1}}}},
		{"columns[0]: lies between NaN and 1", milp.Program{Columns: []milp.Column{{Lower: math.NaN(), Upper: 1}}}},
		{"columns[0]: lies between +Inf and +Inf", milp.Program{Columns: []milp.Column{{Lower: inf, Upper: inf}}}},
		{"rows[0]: lies between 0 and -Inf", row(0, -inf)},
		{"rows[0]: has a term of column 2 of 2", row(0, 1, milp.Term{Column: 2, Value: 1})},
		{"rows[0]: has a term of column -1 of 2", row(0, 1, milp.Term{Column: -1, Value: 1})},
		{"rows[0]: column 1 counts NaN times", row(0, 1, milp.Term{Column: 1, Value: math.NaN()})},
		{"rows[0]: column 1 stands there twice", row(0, 1, milp.Term{Column: 1, Value: 1}, milp.Term{Column: 1, Value: 1})},
	} {
		if err := c.program.Validate(); err == nil || err.Error() != c.want {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
	good := row(-inf, inf, milp.Term{Column: 0, Value: 1}, milp.Term{Column: 1, Value: -1})
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}

// notes is the example of the documentation: one GPU, four slots, A strict by 2,
// B soft by 3 or 4, two leases each.
func notes() *milp.Model {
	one := []milp.Policy{{GPUs: 1, Leases: 2}}
	return &milp.Model{Capacity: []int{1, 1, 1, 1}, Jobs: []milp.Job{
		{ID: "A", Kind: reward.Strict, Late: reward.One, Steps: []reward.Step{{By: 2, Reward: 100 * reward.One}}, Policies: one},
		{ID: "B", Kind: reward.Soft, Late: reward.One, Steps: []reward.Step{{By: 3, Reward: 100 * reward.One}, {By: 4, Reward: 80 * reward.One}}, Policies: one},
	}}
}
