package highs

import (
	"errors"
	"fmt"
	"math"

	"schedmate/scheduler/milp"
)

// The values of the C API in use.
const (
	byRows   = 2
	maximise = -1

	statusOptimal       = 7
	statusInfeasible    = 8
	statusTimeLimit     = 13
	statusSolutionLimit = 16
	statusInterrupt     = 17

	solutionFeasible = 2
)

// rounding is what HiGHS takes for nothing (mip_feasibility_tolerance). A bound
// that is lower than the truth by so much must not become a proof.
const rounding = 1e-6

// valueRounding is how much that may be of a value, as a share.
const valueRounding = 1e-6

// Maximise implements milp.Solver, except that it keeps no hard limit: HiGHS looks
// at its clock between steps which may take seconds. The lower of the two limits
// is what it is told.
func (l *Library) Maximise(p *milp.Program, start []float64, limits milp.Limits) (*milp.Answer, error) {
	m, err := newModel(p)
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	if start != nil && len(start) != len(p.Columns) {
		return nil, fmt.Errorf("start: has %d columns, the program %d", len(start), len(p.Columns))
	}
	for i, x := range start {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("start: column %d is %v", i, x)
		}
	}
	if len(p.Columns) == 0 {
		return constant(p)
	}
	var a *milp.Answer
	done := make(chan struct{})
	l.calls <- func() {
		defer close(done)
		a, err = l.solve(m, start, limits)
	}
	<-done
	return a, err
}

// constant answers a program without columns, of which HiGHS says nothing.
func constant(p *milp.Program) (*milp.Answer, error) {
	for i, r := range p.Rows {
		if r.Lower > 0 || r.Upper < 0 {
			return nil, fmt.Errorf("rows[%d]: nothing lies between %v and %v: no point keeps all rows", i, r.Lower, r.Upper)
		}
	}
	return &milp.Answer{Values: []float64{}, Objective: p.Offset, Bound: p.Offset, Optimal: true}, nil
}

// solve makes one run, with an object of its own so that runs do not differ by
// what came before.
func (l *Library) solve(m *model, start []float64, limits milp.Limits) (*milp.Answer, error) {
	h := l.f.create()
	if h == 0 {
		return nil, errors.New("no object from Highs_create: is there no memory left?")
	}
	defer l.f.destroy(h)
	if err := l.set(h, limits); err != nil {
		return nil, err
	}
	if s := l.f.passMip(h, int32(len(m.objective)), int32(len(m.rowLower)), int32(len(m.column)), byRows, maximise, m.offset,
		m.objective, m.lower, m.upper, m.rowLower, m.rowUpper, m.start, m.column, m.value, m.whole); s != 0 {
		return nil, fmt.Errorf("the program is refused by Highs_passMip (status %d)", s)
	}
	if start != nil {
		if s := l.f.setSolution(h, start, nil, nil, nil); s < 0 {
			return nil, fmt.Errorf("the start is refused by Highs_setSolution (status %d)", s)
		}
	}
	if s := l.f.run(h); s < 0 {
		return nil, fmt.Errorf("a failure of Highs_run (status %d, model status %d)", s, l.f.modelStatus(h))
	}
	return l.answer(h, m)
}

// set gives the object its options. Output is silenced first: a refused option
// would be reported on standard output.
func (l *Library) set(h uintptr, limits milp.Limits) error {
	type option struct {
		name   string
		status int32
	}
	options := []option{
		{"output_flag", l.f.setBool(h, "output_flag", 0)},
		{"threads", l.f.setInt(h, "threads", 1)},
		{"parallel", l.f.setString(h, "parallel", "off")},
		{"presolve", l.f.setString(h, "presolve", "off")},
		{"mip_rel_gap", l.f.setDouble(h, "mip_rel_gap", max(0, limits.RelativeGap))},
		{"mip_abs_gap", l.f.setDouble(h, "mip_abs_gap", max(rounding, limits.AbsoluteGap))},
	}
	seconds := limits.SoftSeconds
	if hard := limits.HardSeconds; hard > 0 && (seconds <= 0 || hard < seconds) {
		seconds = hard
	}
	if seconds > 0 {
		options = append(options, option{"time_limit", l.f.setDouble(h, "time_limit", seconds)})
	}
	for _, o := range options {
		if o.status != 0 {
			return fmt.Errorf("the option %s is refused by HiGHS %s (status %d)", o.name, l.version, o.status)
		}
	}
	return nil
}

// answer reads what a run has found.
func (l *Library) answer(h uintptr, m *model) (*milp.Answer, error) {
	status := l.f.modelStatus(h)
	switch status {
	case statusOptimal, statusTimeLimit, statusSolutionLimit, statusInterrupt:
	case statusInfeasible:
		return nil, errors.New("no point keeps all rows (infeasible)")
	default:
		return nil, fmt.Errorf("the run ended without a result (model status %d)", status)
	}
	a := &milp.Answer{Objective: math.Inf(-1), Bound: math.Inf(1)}
	bound, objective, solution := math.NaN(), math.NaN(), int32(0)
	for _, s := range []int32{
		l.f.getDouble(h, "mip_dual_bound", &bound),
		l.f.getDouble(h, "objective_function_value", &objective),
		l.f.getInt(h, "primal_solution_status", &solution),
	} {
		if s != 0 {
			return nil, fmt.Errorf("no word from HiGHS %s of what its run has found (status %d)", l.version, s)
		}
	}
	if m.continuous() {
		// A linear program has no bound of a search: its optimum is one.
		bound = math.Inf(1)
		if status == statusOptimal {
			bound = objective
		}
	}
	if !math.IsNaN(bound) && !math.IsInf(bound, 0) {
		a.Bound = bound + rounding
	}
	if solution != solutionFeasible {
		return a, nil
	}
	columns, rows := make([]float64, len(m.objective)), make([]float64, len(m.rowLower))
	if s := l.f.getSolution(h, columns, nil, rows, nil); s != 0 {
		return nil, fmt.Errorf("a failure of Highs_getSolution (status %d)", s)
	}
	a.Values, a.Objective, a.Optimal = columns, m.offset, status == statusOptimal
	for i := range columns {
		if m.whole[i] == 1 {
			columns[i] = math.Round(columns[i]) + 0 // no -0
		}
		a.Objective += m.objective[i] * columns[i]
	}
	if few := valueRounding * max(1, math.Abs(a.Objective)); a.Bound < a.Objective && a.Bound >= a.Objective-few {
		a.Bound = a.Objective // whole columns were 1e-6 from whole
	}
	return a, nil
}
