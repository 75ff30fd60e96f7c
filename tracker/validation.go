package tracker

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"schedmate"
	"schedmate/logs"
	"schedmate/logs/series"
)

// validation collects the metrics of held-out data: numbers with a name that
// says so, and the numbers of lines that speak of nothing else.
func (a *analysis) validation() []schedmate.Curve {
	xUnit, at := a.abscissa()
	curves := map[string]*schedmate.Curve{}
	var order []string
	for _, v := range a.views {
		rare := a.reportsRarely(v)
		if v.chore && !rare && !(v.heldOut && a.reportsMetric(v)) {
			continue
		}
		asides := a.aside(v) // the records that end a pass over other data
		heldOut := v.heldOut || v.ofOther || asides != nil || rare
		if v.namesHeldOut() && !v.heldOut { // loss and val_loss in one line: the names say which
			heldOut = false
		}
		for c := range v.Columns {
			col := &v.Columns[c]
			if v == a.main && c == a.primary.column || col.Form != series.Number && col.Form != series.Percent {
				continue
			}
			if h := &v.how[c]; h.min > 1.2e9 && h.down == 0 && timeScale(h.max) > 0 {
				continue
			}
			words := own(v, c)
			named := heldOutWords.in(words)
			if !named && !heldOut || (v.ofOther || asides != nil || rare) && !lossWords.in(words) && !metricWords.in(words) || !bare(col, words) || v.how[c].integers && col.Integer {
				continue
			}
			if col.Ordinal&15 != 0 && !col.Header && len(col.Name) > 0 { // `0.062 (0.064)`: the mean of the one before
				continue
			}
			if timeWords.in(words) || slices.Contains(words, "runtime") || isEpoch(words) && !lossWords.in(words) && !metricWords.in(words) || isLearningRate(words) || stepWords.in(words) && !lossWords.in(words) || otherCounts.in(words) || slices.Contains(words, "memory") {
				continue
			}
			if !named && !lossWords.in(words) && !metricWords.in(words) && len(words) > 0 && v == a.main {
				continue
			}
			name := curveName(v, col, named)
			curve := curves[name]
			if curve == nil {
				curve = &schedmate.Curve{Name: name, Better: direction(words), XUnit: xUnit}
				curves[name] = curve
				order = append(order, name)
			}
			a.points(curve, v, c, asides, at)
		}
	}
	if len(order) == 0 {
		if s, ok := a.rewardSpot(); ok {
			words := own(s.view, s.column)
			curves[""] = &schedmate.Curve{Name: curveName(s.view, s.col(), true), Better: direction(words), XUnit: xUnit}
			order = append(order, "")
			a.points(curves[""], s.view, s.column, nil, at)
		}
	}
	var out []schedmate.Curve
	for _, name := range order {
		if c := curves[name]; len(c.Points) > 0 {
			out = append(out, *c)
		}
	}
	slices.SortStableFunc(out, func(x, y schedmate.Curve) int { return cmp.Compare(y.Last.Byte, x.Last.Byte) })
	return out
}

// rewardSpot is the reward, where one is reported: it tells how well it goes when
// nothing is held out. Its mean is meant, not how it scatters.
func (a *analysis) rewardSpot() (spot, bool) {
	return a.best(func(v *view, c int) float64 {
		col, words := &v.Columns[c], own(v, c)
		if col.Form != series.Number || col.Unit.Kind != logs.UnitNone || col.Ordinal&15 != 0 && !col.Header || !rewardWords.in(words) || len(words) > 4 || lossWords.in(words) || v.how[c].distinct < 2 {
			return 0
		}
		score := 2 - 0.1*float64(len(words))
		for _, w := range words {
			switch {
			case w == "std" || w == "var" || w == "min" || w == "max" || w == "best":
				return 0
			case averageWords.has(w):
				score += 0.2
			}
		}
		return score
	})
}

// reportsRarely tells whether lines with a metric come now and then between the
// records, and speak neither of training nor of validation: `Top1: 82.67%`.
func (a *analysis) reportsRarely(v *view) bool {
	if v == a.main || v.train || v.Len()*2 > a.main.Len() || v.Rank != a.main.Rank || !a.beside(a.main, v) {
		return false
	}
	for _, m := range a.mates {
		if m.view == v && (m.every || m.own) {
			return false
		}
	}
	for c := range v.Columns {
		col, words := &v.Columns[c], own(v, c)
		if (col.Form == series.Number || col.Form == series.Percent) && bare(col, words) && len(words) <= 4 && metricWords.in(words) && !trainWords.in(words) && (!col.Integer || col.Form == series.Percent) {
			return true
		}
	}
	return false
}

// bare tells whether a number has no unit, or the one of a metric by name: PSNR in dB.
func bare(col *series.Column, words []string) bool {
	return col.Unit.Kind == logs.UnitNone || col.Unit.Kind == logs.UnitOther && metricWords.in(words) && strings.EqualFold(col.Suffix, "db")
}

// reportsMetric tells whether a line has a loss or a metric by name, so that a
// chore named beside it (`batches processed`) is none.
func (a *analysis) reportsMetric(v *view) bool {
	score, _, _ := a.witnesses(v, -1, false)
	return score >= 1.4
}

// aside finds a pass over other data by its behaviour: a family that counts to
// another total than the primary one, in bursts. It returns the records that
// end a burst, nil when the family is none.
func (a *analysis) aside(v *view) map[int]bool {
	own := false
	for _, m := range a.mates {
		own = own || m.view == v && m.own
	}
	if !own {
		return nil
	}
	for c := range v.Columns {
		w := v.wholeOf(c)
		if w < 0 || v.how[w].distinct != 1 {
			continue
		}
		ends := map[int]bool{}
		for i := range v.Len() {
			if v.series[c][i] == v.series[w][i] {
				ends[i] = true
			}
		}
		if len(ends) > 0 {
			return ends
		}
	}
	return nil
}

func curveName(v *view, col *series.Column, named bool) string {
	name := strings.TrimSpace(col.Name)
	if !named {
		about := v.Lead
		if v.ofOther {
			about = v.Words
		}
		for _, w := range about {
			if heldOutWords.has(w) {
				name = strings.TrimSpace(w + " " + name)
				break
			}
		}
	}
	return name
}

// namesHeldOut tells whether a column of the line is named as held-out data's.
func (v *view) namesHeldOut() bool {
	for c := range v.Columns {
		if heldOutWords.in(v.Columns[c].Words) {
			return true
		}
	}
	return false
}

// ownStep is the column in which a line of metrics says at which step it is,
// -1 when it does not: `step 250: val loss 2.3`.
func (a *analysis) ownStep(v *view) int {
	if v == a.main {
		return -1
	}
	for c := range v.Columns {
		col := &v.Columns[c]
		if col.Form == series.Number && col.Integer && col.Ordinal == 0 && col.Unit.Kind == logs.UnitNone && stepWords.in(col.Words) && !isEpoch(col.Words) && v.how[c].last <= a.primary.how.max+a.primary.how.step && v.how[c].last >= a.primary.how.min {
			return c
		}
	}
	return -1
}

// abscissa is what curves are drawn over: the counter, or the epoch when the
// counter begins anew with each.
func (a *analysis) abscissa() (unit string, values []float64) {
	if e := a.main.slowerCount(a.primary.column); e >= 0 {
		return string(unitEpoch), a.main.series[e]
	}
	if a.primary.how.resets > 0 {
		if values := a.epochsBeside(); values != nil {
			return string(unitEpoch), values
		}
	}
	return string(a.primary.unit), a.main.series[a.primary.column]
}

// epochsBeside is the epoch of each record when it stands in lines of its own
// between the records, nil when there are none.
func (a *analysis) epochsBeside() []float64 {
	for _, m := range a.mates {
		if m.heldOut {
			continue
		}
		for e := range m.Columns {
			if h := m.how[e]; !isEpoch(m.words[e]) || !h.integers || h.down > 0 || h.n < 2 || h.up > a.primary.how.resets+1 {
				continue
			}
			out := make([]float64, a.main.Len())
			epoch, j := math.NaN(), 0
			for i := range out {
				for j < m.Len() && m.At(j).Sequence < a.main.At(i).Sequence {
					if x := m.series[e][j]; !math.IsNaN(x) {
						epoch = x
					}
					j++
				}
				out[i] = epoch
			}
			return out
		}
	}
	return nil
}

// points appends the values of a column at the counter's value at that time. A
// value printed again unchanged with every record is one point.
func (a *analysis) points(curve *schedmate.Curve, v *view, c int, only map[int]bool, counts []float64) {
	own := -1
	if curve.XUnit == string(a.primary.unit) {
		own = a.ownStep(v)
	}
	j := 0
	at := math.NaN()
	for i := range v.Len() {
		x := v.series[c][i]
		if math.IsNaN(x) || only != nil && !only[i] {
			continue
		}
		r := v.At(i)
		for j < a.main.Len() && a.main.At(j).Sequence <= r.Sequence {
			at = counts[j]
			j++
		}
		x0 := at
		if math.IsNaN(x0) && curve.XUnit == string(a.primary.unit) {
			x0 = r.Anchor
		}
		if own >= 0 && math.Abs(v.series[own][i]-x0) <= 1.5*a.primary.how.step {
			x0 = v.series[own][i] // not the step of the validation itself
		}
		n := len(curve.Points)
		if n > 0 && curve.Points[n-1][1] == x && v == a.main {
			continue // carried along
		}
		if math.IsNaN(x0) && j == 0 && n == 0 && a.main.Count == a.main.Len() && v.heldOut { // before the first step
			x0 = math.Max(0, counts[0]-a.primary.how.step)
		}
		if math.IsNaN(x0) {
			continue
		}
		curve.Points = append(curve.Points, [2]float64{x0, x})
		curve.Last = schedmate.Reading{Value: x, Line: r.Line, Byte: r.Byte, Name: curve.Name, Method: "printed", Confidence: 0.85}
	}
}

// direction tells from a metric's name whether lower or higher is better.
func direction(words []string) string {
	for _, w := range words {
		switch {
		case w == "err" || w == "error" || w == "wer" || w == "cer" || w == "mse" || w == "mae" || w == "rmse" || w == "mape" || w == "fid" || w == "lpips", lossWords.has(w):
			return "lower"
		case metricWords.has(w):
			return "higher"
		}
	}
	return ""
}
