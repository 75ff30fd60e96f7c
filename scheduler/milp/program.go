package milp

import (
	"fmt"
	"math"
)

// Program is a mixed-integer program as plain data: maximise Offset plus the
// sum of Objective times value over the columns, within the rows.
type Program struct {
	Offset  float64
	Columns []Column
	Rows    []Row
}

// Column is a variable between Lower and Upper (which may be infinite).
type Column struct {
	Objective, Lower, Upper float64
	Integer                 bool
}

// Row keeps the sum of its terms between Lower and Upper (which may be infinite).
type Row struct {
	Lower, Upper float64
	Terms        []Term
}

// Term is Value times a column.
type Term struct {
	Column int
	Value  float64
}

// column adds a column and returns its number.
func (p *Program) column(c Column) int {
	p.Columns = append(p.Columns, c)
	return len(p.Columns) - 1
}

func (p *Program) binary(objective float64) int {
	return p.column(Column{Objective: objective, Upper: 1, Integer: true})
}

// atMost adds the row sum <= upper.
func (p *Program) atMost(upper float64, terms ...Term) {
	if len(terms) > 0 {
		p.Rows = append(p.Rows, Row{Lower: math.Inf(-1), Upper: upper, Terms: terms})
	}
}

// exactly adds the row sum = value.
func (p *Program) exactly(value float64, terms ...Term) {
	p.Rows = append(p.Rows, Row{Lower: value, Upper: value, Terms: terms})
}

// Value returns what a point earns, and whether it keeps bounds, rows and whole
// numbers up to slack.
func (p *Program) Value(point []float64, slack float64) (float64, bool) {
	if len(point) != len(p.Columns) {
		return 0, false
	}
	sum, ok := p.Offset, true
	for i, c := range p.Columns {
		x := point[i]
		sum += c.Objective * x
		ok = ok && x >= c.Lower-slack && x <= c.Upper+slack && (!c.Integer || math.Abs(x-math.Round(x)) <= slack)
	}
	for _, r := range p.Rows {
		left := 0.0
		for _, t := range r.Terms {
			left += t.Value * point[t.Column]
		}
		ok = ok && left >= r.Lower-slack && left <= r.Upper+slack
	}
	return sum, ok
}

// Validate returns an error that names the column or row which means nothing:
// solvers in other languages take such numbers for what they like.
func (p *Program) Validate() error {
	if !finite(p.Offset) {
		return fmt.Errorf("offset: is %v", p.Offset)
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if !finite(c.Objective) {
			return fmt.Errorf("columns[%d].objective: is %v", i, c.Objective)
		}
		if !between(c.Lower, c.Upper) {
			return fmt.Errorf("columns[%d]: lies between %v and %v", i, c.Lower, c.Upper)
		}
	}
	last := make([]int, len(p.Columns)) // the last row with a term of the column, from 1
	for i := range p.Rows {
		r := &p.Rows[i]
		if !between(r.Lower, r.Upper) {
			return fmt.Errorf("rows[%d]: lies between %v and %v", i, r.Lower, r.Upper)
		}
		for _, t := range r.Terms {
			if t.Column < 0 || t.Column >= len(p.Columns) {
				return fmt.Errorf("rows[%d]: has a term of column %d of %d", i, t.Column, len(p.Columns))
			}
			if !finite(t.Value) {
				return fmt.Errorf("rows[%d]: column %d counts %v times", i, t.Column, t.Value)
			}
			if last[t.Column] == i+1 {
				return fmt.Errorf("rows[%d]: column %d stands there twice", i, t.Column)
			}
			last[t.Column] = i + 1
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// between reports whether there is a number from lower to upper.
func between(lower, upper float64) bool {
	return lower <= upper && !math.IsInf(lower, 1) && !math.IsInf(upper, -1) // false for NaN
}
