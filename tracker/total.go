package tracker

import (
	"slices"
	"strings"

	"schedmate"
	"schedmate/logs"
	"schedmate/logs/series"
)

// namesTotal tells whether a name speaks of all steps and of nothing else:
// max_steps, total optimization steps; not linesearch.max_iterations.
func namesTotal(words []string) bool {
	total, step := false, false
	for _, w := range words {
		switch {
		case totalWords.has(w):
			total = true
		case w == "batch" || w == "batches" || epochWords.has(w):
			return false
		case stepWords.has(w):
			step = true
		case w == "of" || w == "optimization" || w == "optimizer" || w == "global" || trainWords.has(w):
		default:
			return false
		}
	}
	return total && step
}

// announcedTotal tells whether the total of a bar is the number of steps that the log
// says its training has: `Total optimization steps = 244` before `46/244`.
func (a *analysis) announcedTotal(v *view, c *candidate) bool {
	if c.whole < 0 || c.unit != unitStep && c.unit != unitSample || v.heldOut || v.how[c.whole].distinct != 1 || a.said == nil || a.said.Value != v.how[c.whole].last || a.said.Value < 10 {
		return false
	}
	words := logs.Words(a.said.Name)
	return trainWords.in(words) || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "optimiz") || w == "max" })
}

// totalBeside is the constant behind the counter in its record that is called what
// the counter is out of: `step=5 of=2000`, `"done": 8, "all": 6400`.
func (a *analysis) totalBeside() *schedmate.Reading {
	c := a.primary.column + 1
	if c >= len(a.main.Columns) || a.primary.unit == unitEpoch {
		return nil
	}
	col, h := &a.main.Columns[c], &a.main.how[c]
	if col.Form != series.Number || !col.Integer || col.Ordinal&15 != 0 && !col.Header || col.Unit.Kind != logs.UnitNone || h.distinct != 1 || h.n < a.main.Len() || h.last < a.primary.how.max || h.last < 2 {
		return nil
	}
	words := logs.Words(col.Name)
	if n := len(words); n == 0 || n > 2 || words[n-1] != "of" && !totalWords.has(words[n-1]) {
		return nil
	}
	return spot{a.main, c, 0}.reading("a constant behind the counter", 0.7)
}

// declaredTotal is the number of steps that the log announces, at its start
// (`Total optimization steps = 11,250`) or with every record (`max_steps`): a
// constant whose name speaks of all the steps. The one named latest counts.
func (a *analysis) declaredTotal() *schedmate.Reading {
	var best spot
	var at int64 = -1
	for _, v := range a.views {
		for c := range v.Columns {
			col, h := &v.Columns[c], v.how[c]
			if col.Form != series.Number || !h.integers || h.distinct != 1 || h.last < 2 || col.Ordinal&15 != 0 && !col.Header {
				continue
			}
			words := logs.Words(col.Name)
			if !namesTotal(words) {
				continue
			}
			if v.latest() > at {
				best, at = spot{v, c, 0}, v.latest()
			}
		}
	}
	if best.view == nil {
		return nil
	}
	return best.reading("declared", 0.8)
}
