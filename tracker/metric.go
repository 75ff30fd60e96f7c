package tracker

import (
	"math"
	"slices"
	"strings"

	"schedmate"
	"schedmate/logs"
	"schedmate/logs/series"
)

// loss is the newest training loss, and its trend.
func (a *analysis) loss() (*schedmate.Reading, []float64) {
	s, method, confidence := a.lossSpot()
	if s.view == nil {
		return nil, nil
	}
	if r := s.newest(); r != nil && s.col().Undefined > r.Sequence { // nan, inf
		return nil, nil
	}
	return s.reading(method, confidence), trend(s.view.series[s.column])
}

// trendPoints is the length of a trend: what fits beside a number in a table.
const trendPoints = 16

// trend thins a series out to a few medians of equal stretches.
func trend(values []float64) []float64 {
	var out []float64
	v := tail(values, len(values))
	for i := range min(trendPoints, len(v)) {
		n := min(trendPoints, len(v))
		out = append(out, median(slices.Clone(v[i*len(v)/n:(i+1)*len(v)/n])))
	}
	return out
}

func (a *analysis) lossSpot() (s spot, method string, confidence float64) {
	var ok bool
	s, ok = a.best(func(v *view, c int) float64 {
		col, words := &v.Columns[c], own(v, c)
		if col.Form != series.Number || !lossWords.in(words) || isCostOfTime(words) || isScale(words) || v.ofOther || heldOutWords.in(words) || col.Unit.Kind != logs.UnitNone {
			return 0
		}
		if h := &v.how[c]; col.Integer && h.counts() && h.down == 0 {
			return 0 // the objective for minibatches 250-299
		}
		score := 2.0
		if h := &v.how[c]; v == a.main && h.n*3 < v.Len() && v.unseen(c) >= 3 {
			score -= 1.2 // of the last epoch, where the others are of this one
		}
		for _, w := range words {
			switch {
			case w == "ppl" || w == "perplexity":
				score -= 0.5
			case lossWords.has(w):
			case w == "std" || w == "var" || w == "min" || w == "max":
				score -= 1 // how it scatters
			case w == "total":
				score += 0.3
			case w == "step" || w == "batch" || w == "train" || w == "training" || w == "lm":
			case w == "init" || w == "initial" || w == "first":
				score -= 1
			case averageWords.has(w), w == "best", w == "epoch":
				score -= 0.7
			default:
				score -= 0.25
			}
		}
		if len(words) == 1 {
			score += 0.2
		}
		if slices.Contains(words, "loss") || slices.Contains(words, "损失") {
			score += 0.3
		}
		return score
	})
	if !ok {
		s, ok = a.best(func(v *view, c int) float64 { // `learn: 0.32`
			if words := own(v, c); v.Columns[c].Form == series.Number && v.Columns[c].Unit.Kind == logs.UnitNone && !v.how[c].integers && (v.how[c].distinct > 1 || v.Len() == 1) && len(words) == 1 && trainWords.in(words) {
				return 1
			}
			return 0
		})
	}
	if ok {
		return s, "named", 0.9
	}
	if s, ok = a.descent(); ok {
		return s, "falls as a loss", 0.6
	}
	// without a name: the first measured number of the record
	for c := range a.main.Columns {
		col := &a.main.Columns[c]
		if c == a.primary.column || col.Form != series.Number || col.Unit.Kind != logs.UnitNone || !a.main.how[c].drifts() || a.main.how[c].min <= 0 {
			continue
		}
		if len(own(a.main, c)) > 0 || a.main.Columns[c].Ordinal&15 != 0 && len(a.main.Columns[c].Name) > 0 && c != a.primary.column+1 || !trends(a.main.series[c]) {
			continue // it has a name, and that is no loss
		}
		return spot{a.main, c, 0}, "first number that drifts", 0.4
	}
	return spot{}, "", 0
}

// unseen is the number of records since the last that has column c.
func (v *view) unseen(c int) int {
	n := 0
	for i := v.Len() - 1; i >= 0 && math.IsNaN(v.series[c][i]); i-- {
		n++
	}
	return n
}

func (a *analysis) learningRate() *schedmate.Reading {
	s, ok := a.best(func(v *view, c int) float64 {
		words := own(v, c)
		if v.Columns[c].Form != series.Number || v.how[c].min < 0 {
			return 0
		}
		score := 0.0
		switch h := &v.how[c]; {
		case v != a.main && v.Len() == 1 && v.latest() < a.main.first() && a.main.Len() >= 4:
			return 0 // what was set at the start, and may have changed
		case isLearningRate(words):
			score = 2
		case len(words) == 1 && words[0] == "rate" && !h.integers && h.max < 1 && v.Columns[c].Unit.Kind == logs.UnitNone && (h.up == 0 || h.down == 0):
			score = 1 // 0.0194 rate
		}
		if score > 0 {
			score -= 0.1 * float64(len(words)-1)
		}
		return score
	})
	if !ok {
		return nil
	}
	return s.reading("named", 0.9)
}

// throughput is a printed rate of items other than steps.
func (a *analysis) throughput() (*schedmate.Reading, string) {
	s, ok := a.best(func(v *view, c int) float64 {
		col, words := &v.Columns[c], own(v, c)
		if heldOutWords.in(words) || v.how[c].max <= 0 || slices.Contains(words, "eps") && v.how[c].max < 1 || v.how[c].distinct < 2 && v.how[c].n > 5 || v != a.main && v.latest() < a.main.first() {
			return 0 // of a setting, such as eps
		}
		score := 0.0
		switch {
		case col.Form == series.PerTime && !stepWords.has(col.Unit.Item):
			score = 2
		case col.Form == series.Number && col.Unit.Kind == logs.UnitPerTime && !stepWords.in(logs.Words(col.Unit.Item)):
			score = 1.8
		case col.Form == series.Number && col.Unit.Kind == logs.UnitNone && (slices.Contains(words, "throughput") || slices.ContainsFunc(words, perSecond) || len(col.After) == 1 && perSecond(col.After[0])):
			score = 1.5
		case col.Form == series.Number && col.Unit.Kind == logs.UnitNone && slices.Contains(words, "speed"):
			score = 1
		default:
			return 0
		}
		if averageWords.in(words) {
			score -= 0.5
		}
		if strings.Contains(strings.ToLower(col.Name+col.Unit.Item), "flop") {
			score -= 0.3
		}
		return score - 0.05*float64(col.Ordinal&15)
	})
	if !ok {
		return nil, ""
	}
	if c, ok := s.view.lowest(s.view.ratesLike(s.column)); ok {
		s.column = c
	}
	r := s.reading("printed, median of the last records", 0.9)
	if r == nil {
		return nil, ""
	}
	values := tail(s.view.series[s.column], 20)
	r.Value = median(values)
	return r, throughputUnit(s.col())
}

// perSecond reads the short names of rates: words, tokens, samples, frames,
// items or steps per second.
func perSecond(w string) bool {
	switch w {
	case "wps", "tps", "sps", "fps", "ips", "eps":
		return true
	}
	return false
}

// throughputUnit spells a unit as the reports do: samples/s, tokens/s/gpu.
func throughputUnit(col *series.Column) string {
	item := strings.TrimSpace(col.Unit.Item)
	lower := strings.ToLower(col.Name + " " + col.Suffix)
	for _, known := range []struct{ part, item string }{{"tok", "tokens"}, {"sampl", "samples"}, {"im", "images"}, {"example", "samples"}, {"word", "words"}, {"wps", "words"}, {"fps", "frames"}, {"sent", "sentences"}, {"tflop", "TFLOP"}} {
		if strings.HasPrefix(item, known.part) || item == "" && strings.Contains(lower, known.part) {
			item = known.item
			break
		}
	}
	if item == "" {
		item = "items"
	}
	unit := item + "/s"
	if strings.Contains(lower, "gpu") || strings.Contains(lower, "device") {
		unit += "/gpu"
	}
	return unit
}

// runsDown tells whether a time falls from record to record and rises at most once
// in a while, as the time to the end does whatever it is called, while the counter
// goes to its total.
func (a *analysis) runsDown(c int) bool {
	h := a.main.how[c]
	return a.primary.whole >= 0 && a.main.Columns[c].Form == series.Duration && h.down >= 5 && h.down >= 4*h.up && h.last < h.first
}

// remaining is a printed time to the end.
func (a *analysis) remaining() *schedmate.Reading {
	s, ok := a.best(func(v *view, c int) float64 {
		col := &v.Columns[c]
		isTime := col.Form == series.Duration || col.Form == series.Number && col.Unit.Kind == logs.UnitTime
		switch {
		case !isTime:
			return 0
		case remainingWords.in(own(v, c)) || remainingWords.in(col.After):
			return 2
		case v == a.main && a.endsBar(c):
			return 1
		case v == a.main && a.runsDown(c):
			return 0.8
		}
		return 0
	})
	if !ok {
		return nil
	}
	return s.reading("printed", 0.8)
}
