package milp_test

import (
	"errors"
	"math"
	"math/rand"
	"strings"
	"testing"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// enumerator is the smallest solver there can be: every column in turn at each
// whole value, as long as no row is out of reach and the rest could still earn
// more. Columns that are not whole follow from the others; they get the least
// value that the rows allow.
type enumerator struct {
	p         *milp.Program
	low, high []float64
	order     []int
	best      float64
	point     []float64
}

func (*enumerator) Name() string { return "enumerator" }

func (*enumerator) Maximise(p *milp.Program, start []float64, _ milp.Limits) (*milp.Answer, error) {
	e := &enumerator{p: p, best: math.Inf(-1)}
	if start != nil {
		value, ok := p.Value(start, 1e-6)
		if !ok {
			return nil, errors.New("the start breaks a row")
		}
		e.best, e.point = value, start
	}
	for i, c := range p.Columns {
		e.low, e.high = append(e.low, c.Lower), append(e.high, c.Upper)
		if c.Integer {
			e.order = append(e.order, i)
		}
	}
	for i, c := range p.Columns {
		if !c.Integer {
			e.order = append(e.order, i)
		}
	}
	e.descend(0)
	return &milp.Answer{Values: e.point, Objective: e.best, Bound: e.best, Optimal: true}, nil
}

func (e *enumerator) descend(n int) {
	low, high := append([]float64(nil), e.low...), append([]float64(nil), e.high...)
	defer func() { e.low, e.high = low, high }()
	if !e.propagate() {
		return
	}
	most := e.p.Offset
	for i, c := range e.p.Columns {
		most += max(c.Objective*e.low[i], c.Objective*e.high[i])
	}
	if most <= e.best+1e-9 {
		return
	}
	for n < len(e.order) && e.low[e.order[n]] == e.high[e.order[n]] {
		n++
	}
	if n == len(e.order) {
		if value, ok := e.p.Value(e.low, 1e-6); ok {
			e.best, e.point = value, append([]float64(nil), e.low...)
		}
		return
	}
	i := e.order[n]
	values := []float64{1, 0}
	if !e.p.Columns[i].Integer {
		values = []float64{e.low[i]}
	}
	nowLow, nowHigh := append([]float64(nil), e.low...), append([]float64(nil), e.high...)
	for _, v := range values {
		copy(e.low, nowLow)
		copy(e.high, nowHigh)
		e.low[i], e.high[i] = v, v
		e.descend(n + 1)
	}
}

// propagate tightens the columns by each row until nothing changes, and reports
// whether a point may be left.
func (e *enumerator) propagate() bool {
	for changed, rounds := true, 0; changed && rounds < 50; rounds++ {
		changed = false
		for _, r := range e.p.Rows {
			least, most := 0.0, 0.0
			for _, t := range r.Terms {
				least += min(t.Value*e.low[t.Column], t.Value*e.high[t.Column])
				most += max(t.Value*e.low[t.Column], t.Value*e.high[t.Column])
			}
			if least > r.Upper+1e-9 || most < r.Lower-1e-9 {
				return false
			}
			for _, t := range r.Terms {
				i := t.Column
				restLeast := least - min(t.Value*e.low[i], t.Value*e.high[i])
				restMost := most - max(t.Value*e.low[i], t.Value*e.high[i])
				up, down := (r.Upper-restLeast)/t.Value, (r.Lower-restMost)/t.Value
				if t.Value < 0 {
					up, down = down, up
				}
				if e.p.Columns[i].Integer {
					up, down = math.Floor(up+1e-9), math.Ceil(down-1e-9)
				}
				if up < e.high[i]-1e-9 {
					e.high[i], changed = up, true
				}
				if down > e.low[i]+1e-9 {
					e.low[i], changed = down, true
				}
				if e.low[i] > e.high[i]+1e-9 {
					return false
				}
				if changed {
					break // the sums are old
				}
			}
		}
	}
	return true
}

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
			a, err := (&enumerator{}).Maximise(&f.Program, start, milp.Limits{})
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
		p, err := milp.Refine(milp.Direct(m), poor, &enumerator{}, milp.Limits{})
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
		{liar{answer: milp.Answer{Bound: math.Inf(1), Values: []float64{1}}}, "columns"},
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

// notes is the example of the documentation: one GPU, four slots, A strict by 2,
// B soft by 3 or 4, two leases each.
func notes() *milp.Model {
	one := []milp.Policy{{GPUs: 1, Leases: 2}}
	return &milp.Model{Capacity: []int{1, 1, 1, 1}, Jobs: []milp.Job{
		{ID: "A", Kind: reward.Strict, Late: reward.One, Steps: []reward.Step{{By: 2, Reward: 100 * reward.One}}, Policies: one},
		{ID: "B", Kind: reward.Soft, Late: reward.One, Steps: []reward.Step{{By: 3, Reward: 100 * reward.One}, {By: 4, Reward: 80 * reward.One}}, Policies: one},
	}}
}
