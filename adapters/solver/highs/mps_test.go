package highs_test

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"schedmate/scheduler/milp"
)

// writeMPS writes a program as free MPS, the format that every solver reads: rows
// R0, R1 ... and columns C0, C1 ... Solvers disagree about maximising and about
// constants, so that it minimises what is lost and leaves the offset out.
func writeMPS(w io.Writer, p *milp.Program) error {
	out := bufio.NewWriter(w)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	fmt.Fprintln(out, "NAME program FREE") // the last word is for CBC
	fmt.Fprintln(out, "ROWS\n N LOST")
	rows := make([][]milp.Term, len(p.Columns)) // of each column: row and value
	for i, r := range p.Rows {
		sense := "L"
		switch {
		case r.Lower == r.Upper:
			sense = "E"
		case math.IsInf(r.Upper, 1):
			sense = "G"
		case !math.IsInf(r.Lower, -1):
			return fmt.Errorf("row %d has two sides, which no formulation has", i)
		}
		fmt.Fprintf(out, " %s R%d\n", sense, i)
		for _, t := range r.Terms {
			rows[t.Column] = append(rows[t.Column], milp.Term{Column: i, Value: t.Value})
		}
	}
	fmt.Fprintln(out, "COLUMNS")
	whole := false
	mark := func(to bool) {
		if to != whole {
			fmt.Fprintf(out, " MARKER 'MARKER' %s\n", map[bool]string{true: "'INTORG'", false: "'INTEND'"}[to])
			whole = to
		}
	}
	for i, c := range p.Columns {
		mark(c.Integer)
		fmt.Fprintf(out, " C%d LOST %s\n", i, number(-c.Objective))
		for _, t := range rows[i] {
			fmt.Fprintf(out, " C%d R%d %s\n", i, t.Column, number(t.Value))
		}
	}
	mark(false)
	fmt.Fprintln(out, "RHS")
	for i, r := range p.Rows {
		side := r.Upper
		if math.IsInf(side, 1) {
			side = r.Lower
		}
		fmt.Fprintf(out, " RHS R%d %s\n", i, number(side))
	}
	fmt.Fprintln(out, "BOUNDS")
	for i, c := range p.Columns {
		fmt.Fprintf(out, " LO BOUND C%d %s\n", i, number(c.Lower))
		if math.IsInf(c.Upper, 1) {
			fmt.Fprintf(out, " PL BOUND C%d\n", i)
		} else {
			fmt.Fprintf(out, " UP BOUND C%d %s\n", i, number(c.Upper))
		}
	}
	fmt.Fprintln(out, "ENDATA")
	return out.Flush()
}
