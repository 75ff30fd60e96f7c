package milptest

import (
	"errors"
	"math"
	"slices"

	"schedmate/scheduler/milp"
)

// Enumerator is the smallest solver there can be: every column in turn at each
// whole value, as long as no row is out of reach and the rest could still earn
// more. Columns that are not whole follow from the others; they get the least
// value that the rows allow.
type Enumerator struct{}

type enumeration struct {
	p         *milp.Program
	low, high []float64
	order     []int
	best      float64
	point     []float64
}

// Name is "enumerator".
func (Enumerator) Name() string { return "enumerator" }

// Maximise keeps no limits.
func (Enumerator) Maximise(p *milp.Program, start []float64, _ milp.Limits) (*milp.Answer, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	e := &enumeration{p: p, low: []float64{}, high: []float64{}, best: math.Inf(-1)}
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
	if e.point == nil {
		return nil, errors.New("no point keeps all rows")
	}
	return &milp.Answer{Values: e.point, Objective: e.best, Bound: e.best, Optimal: true}, nil
}

func (e *enumeration) descend(n int) {
	low, high := slices.Clone(e.low), slices.Clone(e.high)
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
			e.best, e.point = value, slices.Clone(e.low)
		}
		return
	}
	i := e.order[n]
	values := []float64{e.low[i]}
	if e.p.Columns[i].Integer {
		for v := e.low[i] + 1; v <= e.high[i]; v++ {
			values = append(values, v)
		}
		slices.Reverse(values)
	}
	nowLow, nowHigh := slices.Clone(e.low), slices.Clone(e.high)
	for _, v := range values {
		copy(e.low, nowLow)
		copy(e.high, nowHigh)
		e.low[i], e.high[i] = v, v
		e.descend(n + 1)
	}
}

// propagate tightens the columns by each row until nothing changes, and reports
// whether a point may be left.
func (e *enumeration) propagate() bool {
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
