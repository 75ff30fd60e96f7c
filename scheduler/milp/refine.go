package milp

import (
	"fmt"
	"math"
	"slices"
)

// Formulation is a program with the way between its columns and plans.
type Formulation struct {
	Program

	b      *board
	steps  []int   // column of each option with a step; -1: a spot option
	spots  [][]int // columns by option with q = 1 and sub-slot
	held   [][]int // Direct: columns of option's policy by slot
	stocks []int   // Stock: columns c_1..c_K
	sets   [][]bool
	dense  bool // Prefix: rows of slot sets can be added
	most   int  // column of B, or -1
}

// Refine lets a solver improve a plan, or prove that there is nothing to
// improve, by the given formulation (Prefix, Stock or Direct of the same model).
// Where capacity falls and the choice breaks the row of a slot set, Prefix is
// asked again with that row. It returns the better of the two plans with the
// better of the two bounds, also beside an error. The solver's bound is believed;
// everything else is made and counted here.
func Refine(f *Formulation, plan *Plan, s Solver, limits Limits) (*Plan, error) {
	a, err := s.Maximise(&f.Program, f.Encode(plan), limits)
	if err == nil {
		err = a.Check(&f.Program)
	}
	if err != nil {
		return plan, fmt.Errorf("solver %s: %w", s.Name(), err)
	}
	out := *plan
	if !math.IsInf(a.Bound, 0) {
		late := f.b.m.late()
		bound := late + f.b.floor(a.Bound-late.Value())
		if bound < plan.Value {
			return plan, fmt.Errorf("solver %s: its bound %v lies below the plan's value %v: it must be wrong", s.Name(), a.Bound, plan.Value.Value())
		}
		out.Bound = min(plan.Bound, bound)
	}
	if a.Values == nil {
		return &out, nil
	}
	best := &out
	d, set := f.decode(a.Values)
	if d != nil && d.keepsPromises() {
		if better := d.plan(); better.Value > plan.Value {
			if better.Value > out.Bound {
				return plan, fmt.Errorf("solver %s: its choice earns %v by our calendar, and %v was proven to be the most: one of the two is wrong; please report it with the round", s.Name(), better.Value.Value(), out.Bound.Value())
			}
			better.Bound, better.Engine, better.Steps, better.Relaxed = out.Bound, s.Name(), plan.Steps, plan.Relaxed
			best = better
		}
	}
	if set != nil && f.dense && len(f.sets) < mostSets && !best.Proven() {
		return Refine(Prefix(f.b.m, append(slices.Clone(f.sets), set)...), best, s, limits)
	}
	return best, nil
}

// densest is up to how many jobs the prefix rows are asked. They are dense; the
// sparse stock rows are mostly faster, but with them HiGHS looks at its clock so
// late that 3 of 16 hard rounds of 400 to 1,600 jobs were killed after 1.5 s, and
// with the dense ones none. directMost is up to how many pairs of job and slot the
// textbook model is asked as well.
const (
	densest    = 2000
	directMost = 2000
)

// Improve asks a solver about what is left open between a plan of the model and
// its bound, unless that is within the relative gap of the limits: first by the
// rows, and where the cluster is so small that whole gangs may be what is between
// them, by the textbook model. The limits hold for each question.
func Improve(m *Model, plan *Plan, s Solver, limits Limits) (*Plan, error) {
	if plan.Relaxed {
		m = m.unpromised()
	}
	closed := func() bool { return plan.Proven() || plan.Gap() <= limits.RelativeGap }
	if closed() {
		return plan, nil
	}
	rows := Prefix
	if len(m.Jobs) > densest {
		rows = func(m *Model, _ ...[]bool) *Formulation { return Stock(m) }
	}
	plan, err := Refine(rows(m), plan, s, limits)
	if err != nil || closed() || len(m.Jobs)*len(m.Capacity) > directMost {
		return plan, err
	}
	return Refine(Direct(m), plan, s, limits)
}
