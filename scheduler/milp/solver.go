package milp

import (
	"errors"
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

// pointSlack is how far a solver's point may break a row: it counts in floating
// point, and what it chose is scheduled and counted here once more. Rows count
// GPUs and leases, so a thousandth is rounding. valueSlack is the same for what
// it says to earn, as a share.
const (
	pointSlack = 1e-3
	valueSlack = 1e-5
)

// Check returns an error when an answer contradicts itself or the program. What
// passes may still be wrong: a bound cannot be checked.
func (a *Answer) Check(p *Program) error {
	if math.IsNaN(a.Bound) || math.IsInf(a.Bound, -1) {
		return fmt.Errorf("its bound is %v", a.Bound)
	}
	if a.Values == nil {
		if a.Optimal {
			return errors.New("it says optimal and has no point")
		}
		return nil
	}
	if len(a.Values) != len(p.Columns) {
		return fmt.Errorf("it answers %d columns of %d", len(a.Values), len(p.Columns))
	}
	for i, x := range a.Values {
		if !finite(x) {
			return fmt.Errorf("its column %d is %v", i, x)
		}
	}
	value, ok := p.Value(a.Values, pointSlack)
	if !ok {
		return errors.New("its point breaks a row, or is not whole where it must be")
	}
	slack := valueSlack * max(1, math.Abs(value))
	if !(math.Abs(a.Objective-value) <= slack) { // also NaN
		return fmt.Errorf("it says that its point earns %v, which earns %v", a.Objective, value)
	}
	if a.Bound < value-slack {
		return fmt.Errorf("its bound %v lies below its point's %v", a.Bound, value)
	}
	return nil
}
