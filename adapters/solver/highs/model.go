package highs

import (
	"errors"
	"math"
	"slices"

	"schedmate/scheduler/milp"
)

// model is a program as the arrays that Highs_passMip reads.
type model struct {
	offset                  float64
	objective, lower, upper []float64
	whole                   []int32 // 1: integer

	rowLower, rowUpper []float64
	start              []int32 // of each row's terms, and where the last ends
	column             []int32
	value              []float64
}

// newModel checks every number: HiGHS takes NaN for a number and calls the result
// optimal.
func newModel(p *milp.Program) (*model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	terms := 0
	for i := range p.Rows {
		terms += len(p.Rows[i].Terms)
	}
	if max(len(p.Columns), len(p.Rows), terms) >= math.MaxInt32 {
		return nil, errors.New("is too large for 32-bit integers")
	}
	m := &model{offset: p.Offset, start: make([]int32, 1, len(p.Rows)+1), column: make([]int32, 0, terms), value: make([]float64, 0, terms)}
	for _, c := range p.Columns {
		m.objective, m.lower, m.upper = append(m.objective, c.Objective), append(m.lower, c.Lower), append(m.upper, c.Upper)
		whole := int32(0)
		if c.Integer {
			whole = 1
		}
		m.whole = append(m.whole, whole)
	}
	for _, r := range p.Rows {
		m.rowLower, m.rowUpper = append(m.rowLower, r.Lower), append(m.rowUpper, r.Upper)
		for _, t := range r.Terms {
			m.column, m.value = append(m.column, int32(t.Column)), append(m.value, t.Value)
		}
		m.start = append(m.start, int32(len(m.column)))
	}
	return m, nil
}

func (m *model) continuous() bool { return !slices.Contains(m.whole, 1) }
