package milp

import "math"

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
