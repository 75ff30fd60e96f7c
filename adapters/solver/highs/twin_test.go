package highs_test

import (
	"math/rand"
	"os"
	"strconv"
	"testing"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
)

// roundsVariable asks for another number of rounds.
const roundsVariable = "SCHEDMATE_SOLVER_ROUNDS"

// rounds is on how many rounds the engines are compared: a thousand unless this
// machine has better things to do.
func rounds(t *testing.T) int {
	if text := os.Getenv(roundsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("%s: %q is no number of rounds", roundsVariable, text)
		}
		return n
	}
	if testing.Short() || raceDetector {
		return 100
	}
	return 1000
}

// drawn is one of many kinds of rounds: tiny ones of all shapes, which the
// textbook model proves; tight ones of some tens of jobs; those of a
// cluster of 96 GPUs; with and without spot jobs; with capacity that falls.
func drawn(n int) *milp.Model {
	r := rand.New(rand.NewSource(int64(n)))
	load := 0.8 + 0.6*r.Float64()
	switch n % 10 {
	case 0, 1, 2:
		return milptest.Tiny(r, false)
	case 3, 4, 5:
		return milptest.Tiny(r, true)
	case 6:
		return milptest.Chronus(r, 8+r.Intn(40), 0, 48, 30, load)
	case 7:
		return milptest.Chronus(r, 50+r.Intn(50), 96, 72, 20, load)
	case 8:
		m := milptest.Chronus(r, 20+r.Intn(60), 0, 24, 30, load)
		for k := 8 + r.Intn(8); k < len(m.Capacity); k++ {
			m.Capacity[k] = m.Capacity[k] * 3 / 4 // some nodes are promised to others
		}
		return m
	}
	return milptest.UniSched(r, 30+r.Intn(60), 48, 48)
}

// HiGHS and the Go engine never contradict each other: no plan of one earns more
// than a bound of the other. The plan is a calendar, which is feasible in all
// three formulations; the textbook model's points are calendars, so that they must
// keep the Go engine's bound. That of the rows may have points that are none, but
// what Refine makes of them is one.
func TestHiGHSAndTheGoEngineNeverContradictEachOther(t *testing.T) {
	l := needed(t)
	count := rounds(t)
	var better, proven, open, tight int
	for n := range count {
		m := drawn(n)
		budget := milp.Budget{}
		switch {
		case n%3 == 1:
			budget.Steps = 200 // a plan and a bound that leave something to do
		case len(m.Jobs) > 50 && n%4 > 0:
			budget.Steps = 3000
		}
		p := milp.Solve(m, milp.Options{Seed: 1, Budget: budget})
		limits := milp.Limits{SoftSeconds: 0.2} // no proof is needed: a bound is one at any time
		for name, f := range formulations(m) {
			a, err := l.Maximise(&f.Program, f.Encode(p), limits)
			if err != nil {
				t.Fatalf("round %d, %s: %v", n, name, err)
			}
			if err := a.Check(&f.Program); err != nil {
				t.Fatalf("round %d, %s: %v", n, name, err)
			}
			const rounding = 2e-6
			if a.Bound < p.Value.Value()-rounding*max(1, p.Value.Value()) {
				t.Errorf("round %d: HiGHS proves %v by %s, and the Go engine has a calendar of %v", n, a.Bound, name, p.Value.Value())
			}
			if name == "direct" && a.Objective > p.Bound.Value()+rounding*max(1, p.Bound.Value()) {
				t.Errorf("round %d: the Go engine proves %v, and HiGHS has a calendar of %v", n, p.Bound.Value(), a.Objective)
			}
		}
		q, err := milp.Improve(m, p, l, limits)
		if err != nil {
			t.Errorf("round %d: %v", n, err)
		}
		if q.Value < p.Value || q.Bound > p.Bound || q.Bound < q.Value {
			t.Errorf("round %d: %v of %v became %v of %v", n, p.Value.Value(), p.Bound.Value(), q.Value.Value(), q.Bound.Value())
		}
		switch {
		case p.Proven():
			proven++
		default:
			open++
			if q.Value > p.Value {
				better++
			}
			if q.Proven() {
				tight++
			}
		}
	}
	t.Logf("%d rounds: %d proven by the Go engine; of %d others HiGHS improved %d and closed %d", count, proven, open, better, tight)
	if better == 0 || tight == 0 {
		t.Error("HiGHS had nothing to do: the test shows little")
	}
}

// formulations are those of a round that are solved in a moment.
func formulations(m *milp.Model) map[string]*milp.Formulation {
	f := map[string]*milp.Formulation{"prefix": milp.Prefix(m), "stock": milp.Stock(m)}
	if len(m.Jobs)*len(m.Capacity) < 300 {
		f["direct"] = milp.Direct(m)
	}
	return f
}
