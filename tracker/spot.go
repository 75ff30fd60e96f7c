package tracker

import (
	"math"

	"schedmate"
	"schedmate/logs"
	"schedmate/logs/series"
)

// spot is a column of a family.
type spot struct {
	view   *view
	column int
	score  float64
}

func (s spot) col() *series.Column { return &s.view.Columns[s.column] }

// newest is the record with the newest number of the column.
func (s spot) newest() *series.Record {
	for i := s.view.Len() - 1; i >= 0; i-- {
		if !math.IsNaN(s.view.series[s.column][i]) {
			return s.view.At(i)
		}
	}
	return nil
}

// reading is the newest number in the column.
func (s spot) reading(method string, confidence float64) *schedmate.Reading {
	for i := s.view.Len() - 1; i >= 0; i-- {
		if x := s.view.series[s.column][i]; !math.IsNaN(x) {
			r := s.view.At(i)
			return &schedmate.Reading{Value: x, Line: r.Line, Byte: r.Byte, Name: columnName(s.col()), Method: method, Confidence: confidence}
		}
	}
	return nil
}

// own are the words of a column's name when it is its own and not that of a
// number before it. In a line without names before its numbers they stand
// behind: `1.26 loss, 0.01 LR`.
func own(v *view, c int) []string {
	if c == v.headed {
		return v.headedName
	}
	if col := &v.Columns[c]; col.Name != "" || col.Unit.Kind != logs.UnitNone {
		return col.Words
	}
	return v.Columns[c].After
}

// best finds the column of the primary family and its mates with the highest
// score; a score of 0 or less is no candidate.
func (a *analysis) best(score func(v *view, c int) float64) (spot, bool) {
	var out spot
	consider := func(v *view, bonus float64) {
		for c := range v.Columns {
			if v == a.main && (c == a.primary.column || c == a.primary.whole) {
				continue
			}
			if s := score(v, c); s > 0 && s+bonus > out.score {
				out = spot{v, c, s + bonus}
			}
		}
	}
	consider(a.main, 0.4)
	for _, m := range a.mates {
		if m.heldOut || m.ofOther || m.own {
			continue
		}
		bonus := 0.0
		switch {
		case m.every:
			bonus = 0.3
		case m.Count > 2*a.main.Count: // a part of the record's work: layers of a network
			bonus = -0.6
		}
		consider(m.view, bonus)
	}
	return out, out.view != nil
}
