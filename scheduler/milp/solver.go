package milp

import (
	"fmt"
	"math"
)

// Solver is the port for an exact solver. The core always has a plan of its own
// before it asks one, and never takes a calendar from it: only a choice of
// options, which is scheduled and checked like its own, and a bound.
type Solver interface {
	// Name and version, for the record: it becomes the Engine of the plan.
	Name() string

	// Maximise looks for the best point of a program. Start is a point that keeps
	// all rows, which the solver should not fall below; nil when there is none.
	// It must return by limits.Hard, whatever that takes (a solver that checks its
	// own limit late belongs into a process that can be killed), with the best it
	// has by then. An error means that there is no answer at all; then the plan
	// stands as it is.
	//
	// The same call may answer differently on another machine, so whoever wants to
	// replay a plan records the answer and gives it back in place of the solver.
	Maximise(p *Program, start []float64, limits Limits) (*Answer, error)
}

// Limits bound a call of a solver.
type Limits struct {
	SoftSeconds float64 // asked of the solver; 0: none
	HardSeconds float64 // enforced by the adapter; 0: none
	RelativeGap float64 // stop when (bound - objective) / bound is at most this
	AbsoluteGap float64
}

// Answer is what a solver found.
type Answer struct {
	Values    []float64 // of each column; nil: no point found
	Objective float64
	Bound     float64 // no point earns more; +Inf: nothing proven
	Optimal   bool    // Objective is within the gaps of Bound
}

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
// better of the two bounds. The
// solver's bound is believed; everything else is made and counted here.
func Refine(f *Formulation, plan *Plan, s Solver, limits Limits) (*Plan, error) {
	a, err := s.Maximise(&f.Program, f.Encode(plan), limits)
	if err != nil {
		return plan, fmt.Errorf("solver %s: %w", s.Name(), err)
	}
	out := *plan
	if !math.IsNaN(a.Bound) && !math.IsInf(a.Bound, 0) {
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
	if len(a.Values) != len(f.Columns) {
		return plan, fmt.Errorf("solver %s: answers %d columns of %d", s.Name(), len(a.Values), len(f.Columns))
	}
	d, set := f.decode(a.Values)
	if set != nil && f.dense && len(f.sets) < mostSets {
		return Refine(Prefix(f.b.m, append(f.sets, set)...), &out, s, limits)
	}
	if d == nil || !d.keepsPromises() {
		return &out, nil
	}
	if better := d.plan(); better.Value > plan.Value {
		better.Bound, better.Engine, better.Steps, better.Relaxed = max(out.Bound, better.Value), s.Name(), plan.Steps, plan.Relaxed
		return better, nil
	}
	return &out, nil
}
