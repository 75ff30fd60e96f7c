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

// spot is a column of a family.
type spot struct {
	view   *view
	column int
	score  float64
}

func (s spot) col() *series.Column { return &s.view.Columns[s.column] }

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
// number before it.
func own(v *view, c int) []string { return v.Columns[c].Words }

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
		if m.heldOut || m.own {
			continue
		}
		bonus := 0.0
		if m.every {
			bonus = 0.3
		}
		consider(m.view, bonus)
	}
	return out, out.view != nil
}

// loss is the newest training loss, and its trend.
func (a *analysis) loss() (*schedmate.Reading, []float64) {
	s, method, confidence := a.lossSpot()
	if s.view == nil {
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
		if col.Form != series.Number || !lossWords.in(words) || heldOutWords.in(words) || col.Unit.Kind != logs.UnitNone {
			return 0
		}
		score := 2.0
		for _, w := range words {
			switch {
			case w == "ppl" || w == "perplexity":
				score -= 0.5
			case lossWords.has(w):
			case w == "step" || w == "batch" || w == "train" || w == "total" || w == "training" || w == "lm":
			case w == "init" || w == "initial" || w == "first":
				score -= 1
			case averageWords.has(w), w == "scale", w == "best", w == "epoch":
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
			if words := own(v, c); v.Columns[c].Form == series.Number && v.Columns[c].Unit.Kind == logs.UnitNone && !v.how[c].integers && len(words) == 1 && trainWords.in(words) {
				return 1
			}
			return 0
		})
	}
	if ok {
		return s, "named", 0.9
	}
	// without a name: the first measured number of the record
	for c := range a.main.Columns {
		col := &a.main.Columns[c]
		if c == a.primary.column || col.Form != series.Number || col.Unit.Kind != logs.UnitNone || !a.main.how[c].drifts() || a.main.how[c].min <= 0 {
			continue
		}
		if words := own(a.main, c); timeWords.in(words) || isLearningRate(words) || metricWords.in(words) || gradWords.in(words) || heldOutWords.in(words) {
			continue
		}
		return spot{a.main, c, 0}, "first number that drifts", 0.4
	}
	return spot{}, "", 0
}

func (a *analysis) learningRate() *schedmate.Reading {
	s, ok := a.best(func(v *view, c int) float64 {
		words := own(v, c)
		if v.Columns[c].Form != series.Number || v.how[c].min < 0 {
			return 0
		}
		score := 0.0
		if isLearningRate(words) {
			score = 2
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
		if heldOutWords.in(words) || v.how[c].max <= 0 || v.how[c].distinct < 2 && v.how[c].n > 5 {
			return 0
		}
		score := 0.0
		switch {
		case col.Form == series.PerTime && !stepWords.has(col.Unit.Item):
			score = 2
		case col.Form == series.Number && col.Unit.Kind == logs.UnitPerTime && !stepWords.in(logs.Words(col.Unit.Item)):
			score = 1.8
		case col.Form == series.Number && col.Unit.Kind == logs.UnitNone && (slices.Contains(words, "throughput") || slices.ContainsFunc(words, perSecond)):
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
		}
		return 0
	})
	if !ok {
		return nil
	}
	return s.reading("printed", 0.8)
}

// endsBar tells whether the two times at c-1 and c are those of a bar, the one
// since its start and the one to its end: (total - n) / n of the first is the
// second.
func (a *analysis) endsBar(c int) bool {
	v := a.main
	b := v.neighbour(c, -1)
	if b < 0 || a.primary.whole < 0 || v.Columns[c].Form != series.Duration || v.Columns[b].Form != series.Duration {
		return false
	}
	hit, n := 0, 0
	for i := max(0, v.Len()-20); i < v.Len(); i++ {
		count, total := v.series[a.primary.column][i], v.series[a.primary.whole][i]
		since, left := v.series[b][i], v.series[c][i]
		if math.IsNaN(since) || math.IsNaN(left) || count <= 0 {
			continue
		}
		n++
		if want := since * (total - count) / count; left <= 2*want+2 && left >= want/2-2 {
			hit++
		}
	}
	return n >= 3 && hit*2 >= n
}

// neighbour is the column of the number that stands by places after (before)
// that of column c in the line, -1 when there is none.
func (v *view) neighbour(c, by int) int {
	for i := range v.Columns {
		if v.Columns[i].Name == v.Columns[c].Name && v.Columns[i].Ordinal == v.Columns[c].Ordinal+by {
			return i
		}
	}
	return -1
}

// startsBar tells whether the time at c is the first of a bar's two.
func (a *analysis) startsBar(c int) bool {
	next := a.main.neighbour(c, 1)
	return next >= 0 && a.endsBar(next)
}

// epoch is the number of the pass over the data: a count in the record, or in
// a line of its own between the records.
func (a *analysis) epoch() (epoch, total *schedmate.Reading) {
	var best spot
	consider := func(v *view, bonus float64) {
		for c := range v.Columns {
			col := &v.Columns[c]
			if v == a.main && c == a.primary.column && a.primary.unit != unitEpoch || col.Form != series.Number && col.Form != series.Part {
				continue
			}
			words := col.After
			if w := own(v, c); w != nil {
				words = append(words, w...)
			}
			score := 0.0
			if epochWords.in(words) {
				score = 2
				if stepWords.in(words) || lossWords.in(words) || timeWords.in(words) {
					score = 0.5
				}
			} else if v == a.main && col.Ordinal == 0 && v.how[c].slow() && v.how[c].up > 0 && col.Form == series.Part {
				score = 0.6
			}
			if score > 0 && v.how[c].min >= 0 && score+bonus > best.score {
				best = spot{v, c, score + bonus}
			}
		}
	}
	consider(a.main, 0.4)
	for _, m := range a.mates {
		if !m.heldOut && m.Len() > 1 {
			consider(m.view, 0)
		}
	}
	if best.view == nil {
		return nil, nil
	}
	epoch = best.reading("counted", 0.85)
	if w := best.view.wholeOf(best.column); w >= 0 {
		total = spot{best.view, w, 0}.reading("printed", 0.85)
	}
	return epoch, total
}

// validation collects the metrics of held-out data: numbers with a name that
// says so, and the numbers of lines that speak of nothing else.
func (a *analysis) validation() []schedmate.Curve {
	xUnit, at := a.abscissa()
	curves := map[string]*schedmate.Curve{}
	var order []string
	for _, v := range a.views {
		rare := a.reportsRarely(v)
		if v.chore && !rare {
			continue
		}
		asides := a.aside(v) // the records that end a pass over other data
		heldOut := v.heldOut || asides != nil || rare
		for c := range v.Columns {
			col := &v.Columns[c]
			if v == a.main && c == a.primary.column || col.Form != series.Number && col.Form != series.Percent {
				continue
			}
			words := own(v, c)
			named := heldOutWords.in(words)
			if !named && !heldOut || (asides != nil || rare) && !lossWords.in(words) && !metricWords.in(words) || col.Unit.Kind != logs.UnitNone || v.how[c].integers && col.Integer {
				continue
			}
			if timeWords.in(words) || epochWords.in(words) || isLearningRate(words) || stepWords.in(words) && !lossWords.in(words) || otherCounts.in(words) || slices.Contains(words, "memory") {
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
	var out []schedmate.Curve
	for _, name := range order {
		if c := curves[name]; len(c.Points) > 0 {
			out = append(out, *c)
		}
	}
	slices.SortStableFunc(out, func(x, y schedmate.Curve) int { return cmp.Compare(y.Last.Byte, x.Last.Byte) })
	return out
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
		if (col.Form == series.Number || col.Form == series.Percent) && col.Unit.Kind == logs.UnitNone && len(words) <= 4 && metricWords.in(words) && !trainWords.in(words) && (!col.Integer || col.Form == series.Percent) {
			return true
		}
	}
	return false
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
		for _, w := range v.Lead {
			if heldOutWords.has(w) {
				name = strings.TrimSpace(w + " " + name)
				break
			}
		}
	}
	if col.Ordinal&15 != 0 && !col.Header {
		name += " +" + string(rune('0'+min(col.Ordinal&15, 9)))
	}
	return name
}

// abscissa is what curves are drawn over: the counter, or the epoch when the
// counter begins anew with each.
func (a *analysis) abscissa() (unit string, values []float64) {
	if e := a.main.slowerCount(a.primary.column); e >= 0 {
		return string(unitEpoch), a.main.series[e]
	}
	return string(a.primary.unit), a.main.series[a.primary.column]
}

// points appends the values of a column at the counter's value at that time. A
// value printed again unchanged with every record is one point.
func (a *analysis) points(curve *schedmate.Curve, v *view, c int, only map[int]bool, counts []float64) {
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
		n := len(curve.Points)
		if n > 0 && curve.Points[n-1][1] == x && v == a.main {
			continue // carried along
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
