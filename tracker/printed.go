package tracker

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedmate/logs"
	"schedmate/logs/series"
)

// reading is a column that may tell the step time, and how.
type reading struct {
	view   *view
	column int
	name   string
	weight float64 // evidence from unit and name that this is a step's time
	means  meaning
	sparse bool      // printed less often than the counter
	pair   int       // column of the items a batch, for wpb/wps
	counts []float64 // the counter beside it; nil in another line
}

// meaning says how a number gives a step time.
type meaning uint8

const (
	seconds      meaning = iota // of one step
	perInterval                 // seconds since the last record
	rate                        // steps a second
	intervalRate                // records a second
	milliseconds                // of one step, without a unit
	itemRate                    // items a second, with the items of a batch in pair
	ofSteps                     // seconds of as many steps as pair says
)

func (m meaning) String() string {
	return [...]string{"seconds a step", "seconds since the last record", "steps a second", "records a second", "milliseconds a step", "batch size over rate", "seconds of the steps named before it"}[m]
}

// value turns a printed number into seconds a step. interval is the rise of
// the counter between two records.
func (r *reading) value(x, interval float64) float64 {
	switch r.means {
	case perInterval:
		return x / interval
	case rate:
		return 1 / x
	case intervalRate:
		return 1 / (x * interval)
	case milliseconds:
		return x / 1000
	}
	return x
}

// values are the step times that the reading tells, NaN for a record without.
func (r *reading) values(interval float64) []float64 {
	out := make([]float64, r.view.Len())
	inverse := r.inverse()
	for i, x := range r.view.series[r.column] {
		switch {
		case !(x > 0):
			out[i] = math.NaN()
			if y := r.view.At(i).Value(inverse); y > 0 {
				out[i] = r.value(1/y, interval)
			}
		case r.means == ofSteps:
			out[i] = x / r.view.series[r.pair][i]
		case r.means == itemRate:
			out[i] = r.view.series[r.pair][i] / x
		default:
			out[i] = r.value(x, interval)
		}
		if math.IsInf(out[i], 0) {
			out[i] = math.NaN() // one by next to nothing
		}
	}
	if form := r.view.Columns[r.column].Form; r.counts != nil && (form == series.PerItem || form == series.PerTime) {
		if undone := undoSmoothing(out, r.counts); undone != nil {
			return undone
		}
	}
	return out
}

// inverse is the column of the same number where it is printed the other way
// round, -1 when it never is: a bar turns from it/s to s/it when steps take
// more than a second.
func (r *reading) inverse() int {
	col := &r.view.Columns[r.column]
	for i := range r.view.Columns {
		other := &r.view.Columns[i]
		turned := col.Form == series.PerItem && other.Form == series.PerTime || col.Form == series.PerTime && other.Form == series.PerItem
		if turned && other.Name == col.Name && other.Ordinal == col.Ordinal && other.Unit.Item == col.Unit.Item {
			return i
		}
	}
	return -1
}

// latest is the column that holds the newest value of the reading.
func (r *reading) latest() int {
	inverse := r.inverse()
	for i := r.view.Len() - 1; i >= 0; i-- {
		switch {
		case r.view.At(i).Value(r.column) > 0:
			return r.column
		case r.view.At(i).Value(inverse) > 0:
			return inverse
		}
	}
	return r.column
}

// recent is the step time that the reading tells now: the median of its last
// values.
func (r *reading) recent(n int, interval float64) float64 {
	if r.sparse {
		n = 1
	}
	return median(tail(r.values(interval), n))
}

// readings lists the columns that could tell a step time by their unit or
// name, the best first.
func (a *analysis) readings() []reading {
	var out []reading
	collect := func(v *view, sparse bool) {
		for c := range v.Columns {
			if v == a.main && (c == a.primary.column || c == a.primary.whole) || v.how[c].n*3 < v.Len() {
				continue
			}
			if r, ok := a.reading(v, c); ok {
				r.sparse = sparse
				if v != a.main && r.weight < 1.7 && (sparse || len(own(v, c)) == 0) {
					continue // a bare time of another line
				}
				if v != a.main && !sparse && r.means == seconds && a.resetsTogether(a.besideRecords(v, c)) {
					continue // a time since the count began
				}
				if form := v.Columns[c].Form; sparse && a.primary.unit == unitEpoch && (form == series.PerItem || form == series.PerTime) && v.hasBar() {
					continue // the rate of what the bar counts
				}
				if sparse {
					r.weight--
					if r.weight < 1.5 {
						continue
					}
				}
				out = append(out, r)
			}
		}
	}
	collect(a.main, false)
	for _, m := range a.mates {
		if m.heldOut || m.own {
			continue
		}
		collect(m.view, !m.every)
	}
	slices.SortStableFunc(out, func(x, y reading) int { return cmp.Compare(y.weight, x.weight) })
	return out
}

func (a *analysis) reading(v *view, c int) (reading, bool) {
	col, words, how := &v.Columns[c], v.words[c], &v.how[c]
	r := reading{view: v, column: c, name: columnName(col)}
	if v == a.main {
		r.counts = v.series[a.primary.column]
	}
	if remainingWords.in(words) || how.max <= 0 || heldOutWords.in(words) || settings.in(words) && !(ofIntervals(words) && how.distinct > 2) {
		return r, false
	}
	own := col.Ordinal&15 == 0 || col.Header
	nameWords := logs.Words(col.Name)
	item := col.Unit.Item
	switch col.Form {
	case series.PerItem:
		switch {
		case epochWords.has(item) || otherCounts.has(item):
			return r, false
		case stepWords.has(item):
			r.weight = 3
		case item == "":
			r.weight = 1
		default:
			r.weight = 2.4
		}
		r.means = seconds
	case series.PerTime:
		switch {
		case stepWords.has(item):
			r.weight, r.means = 2.8, rate
		case v == a.main && !otherCounts.has(item) && a.rateOfBar(c):
			r.weight, r.means = 2.8, rate
		default:
			return r, false // a throughput
		}
	case series.Duration:
		if v == a.main && (a.endsBar(c) || a.startsBar(c)) {
			return r, false // the two times of a bar
		}
		r.weight, r.means = 1.5, seconds
		if v == a.main && len(col.Words) == 0 && len(col.After) == 1 && col.After[0] == "ms" && onlyTime(v, c) {
			r.weight = 2 // nobody prints the time of many steps in such a unit
		}
		if col.Unit.Kind == logs.UnitTimePer && stepWords.has(item) {
			r.weight = 2.9
		}
	case series.Number:
		switch col.Unit.Kind {
		case logs.UnitTimePer:
			if epochWords.has(item) || otherCounts.has(item) {
				return r, false
			}
			r.weight, r.means = 2.8, seconds
			if col.Unit.Scale == 1e-3 {
				r.means = milliseconds
			}
		case logs.UnitPerTime:
			if !stepWords.in(logs.Words(item)) {
				return r, false
			}
			r.weight, r.means = 2.7, rate
		case logs.UnitTime:
			r.weight, r.means = 1.8, seconds
		case logs.UnitNone:
			if !own {
				return r, false
			}
			if slices.Contains(nameWords, "sps") && a.primary.named && a.primary.unit != unitEpoch && stepWord(a.counterWords()) == "step" && a.rewarded() {
				r.weight, r.means = 3.2, rate // of an agent the steps per second, elsewhere the samples
				break
			}
			if slices.Contains(nameWords, "ups") { // updates per second
				r.weight, r.means = 2.6, rate
				break
			}
			if pair, ok := batchPair(v, nameWords); ok {
				r.weight, r.means, r.pair = 2.2, itemRate, pair
				break
			}
			if isCostOfTime(nameWords) && stepWords.in(nameWords) {
				r.weight, r.means = 2.6, seconds
				break
			}
			if !timeWords.in(nameWords) && !isCostOfTime(nameWords) && !strings.HasSuffix(strings.ToLower(col.Name), "(t)") || col.Integer && how.max > 1000 {
				return r, false
			}
			r.weight, r.means = 1.6, seconds
		default:
			return r, false
		}
	default:
		return r, false
	}
	if (r.means == seconds || r.means == milliseconds) && col.Integer && how.counts() {
		return r, false // it is a count, whatever it is called: `time/batch: 139`
	}
	if r.means == seconds && (col.Form == series.Duration || col.Form == series.Number) {
		switch {
		case logs.UnitInName(col.Name).Kind == logs.UnitTimePer && own:
			r.weight += 1.4
		case stepWords.in(nameWords) && own:
			r.weight++
		case own && len(nameWords) == 1 && timeWords.in(nameWords):
			r.weight += 0.5
		case isEpoch(nameWords) && own:
			return r, false
		}
		switch {
		case own && v == a.main && a.countsRanges():
			r.means = perInterval // of the records 321-330
			r.weight += 0.8
		case own && a.primary.how.step > 1 && (ofIntervals(nameWords) || sinceLast(nameWords) && v == a.main && how.n >= 4 && (how.down*4 >= how.n || how.down > 0 && how.max < 2*how.min)):
			r.means = perInterval
			r.weight = math.Max(r.weight, 2.4)
		case a.ofInterval(v, c):
			r.weight, r.means = 3, perInterval
		case stepsBefore(v, c) && !v.how[c-1].counts():
			r.means, r.pair = ofSteps, c-1
		case trainWords.in(nameWords) && timeWords.in(nameWords) && !stepWords.in(nameWords) && own && a.primary.how.step > 1:
			r.means = perInterval // the time of training, since the last record
			r.weight += 1
		}
		if a.elapsed(v, c) || how.n >= 4 && how.down == 0 && how.up > how.n/2 && v == a.main {
			return r, false // a time since some start
		}
		if elapsedWords.in(nameWords) && own && r.weight < 2.4 && !(how.n >= 4 && how.down*4 >= how.n) { // what falls is no time since some start
			r.weight -= 0.8
		}
	}
	if col.Unit.Kind == logs.UnitTimePer && item != "" && slices.Contains(a.counterWords(), item) {
		r.weight = 2.9 // by the very name of the counter
	} else if own && r.means == seconds && sharesWord(nameWords, a.counterWords()) {
		r.weight = math.Max(r.weight, 2.5) // generation time, where generations are counted
	} else if partTimeWords.in(nameWords) && own && !(trainWords.in(nameWords)) {
		r.weight -= 1.5
	}
	if averageWords.in(nameWords) {
		r.weight -= 0.3
	}
	if r.means == rate && (slices.Contains(nameWords, "device") || slices.Contains(nameWords, "gpu")) {
		r.weight -= 0.5 // a share of the job's rate
	}
	if counted, timed := stepWord(a.counterWords()), stepWord(append(logs.Words(item), nameWords...)); counted != "" && timed != "" {
		if counted == timed {
			r.weight += 0.4
		} else {
			r.weight -= 0.4 // `iteration 12 ... 22,000 steps per second` are two things
		}
	}
	return r, true
}

// onlyTime tells whether column c is the only time of its line.
func onlyTime(v *view, c int) bool {
	for i := range v.Columns {
		switch v.Columns[i].Form {
		case series.Duration, series.PerItem, series.PerTime:
			if i != c {
				return false
			}
		}
	}
	return true
}

// counterWords are the words that name the primary counter.
func (a *analysis) counterWords() []string {
	return a.main.words[a.primary.column]
}

// sharesWord tells whether two names have a word in common that is more than a
// time or a training.
func sharesWord(x, y []string) bool {
	return slices.ContainsFunc(x, func(w string) bool {
		return len(w) > 3 && slices.Contains(y, w) && !timeWords.has(w) && !trainWords.has(w) && !epochWords.has(w)
	})
}

// stepWord brings the names of a step to one word each: it, iter and iteration
// are one thing, steps another.
func stepWord(words []string) string {
	for _, w := range words {
		switch w {
		case "it", "its", "iter", "iters", "iteration", "iterations":
			return "iteration"
		case "step", "steps", "globalstep":
			return "step"
		case "batch", "batches":
			return "batch"
		case "update", "updates":
			return "update"
		}
	}
	return ""
}

// batchPair finds the items a batch that belong to a rate: wpb for wps, tokens
// per batch for tokens per second.
func batchPair(v *view, words []string) (int, bool) {
	if len(words) != 1 || len(words[0]) != 3 || !strings.HasSuffix(words[0], "ps") {
		return 0, false
	}
	want := words[0][:1] + "pb"
	for c := range v.Columns {
		if w := logs.Words(v.Columns[c].Name); len(w) == 1 && w[0] == want && v.Columns[c].Ordinal&15 == 0 {
			return c, true
		}
	}
	return 0, false
}

func columnName(c *series.Column) string {
	name := c.Name
	if name == "" {
		name = "(no name)"
	}
	if c.Ordinal&15 != 0 && !c.Header {
		name += fmt.Sprintf(" +%d", c.Ordinal&15)
	}
	if c.Suffix != "" {
		name += " " + c.Suffix
	}
	return name
}

// verified tests every number of the primary family and its mates against the
// clock: which of them is the step time, in what unit?
func (a *analysis) verified(truth estimate, tolerance float64) []reading {
	var out []reading
	interval := math.Max(a.primary.how.step, 1)
	try := func(v *view, sparse bool) {
		for c := range v.Columns {
			col := &v.Columns[c]
			if measured(v.words[c]) {
				continue
			}
			if v == a.main && (c == a.primary.column || c == a.primary.whole) || v.how[c].distinct < 3 && v.how[c].n > 6 || v.how[c].n*3 < v.Len() {
				continue
			}
			switch col.Form {
			case series.Part, series.Whole, series.Percent:
				continue
			}
			if col.Unit.Kind == logs.UnitSize || col.Unit.Kind == logs.UnitSizeRate || col.Unit.Kind == logs.UnitOther || remainingWords.in(v.words[c]) || a.elapsed(v, c) {
				continue
			}
			for _, m := range []meaning{seconds, milliseconds, rate, perInterval, intervalRate} {
				if (m == perInterval || m == intervalRate) && interval == 1 || m == milliseconds && col.Unit.Kind != logs.UnitNone {
					continue
				}
				if col.Form == series.PerTime && m != rate && m != intervalRate || (col.Form == series.Duration || col.Form == series.PerItem) && m != seconds && m != perInterval {
					continue
				}
				r := reading{view: v, column: c, name: columnName(col), means: m, sparse: sparse}
				x := r.recent(a.window(), interval)
				if math.IsNaN(x) || math.Abs(x/truth.seconds-1) > tolerance {
					continue
				}
				out = append(out, r)
			}
		}
	}
	try(a.main, false)
	for _, m := range a.mates {
		if m.every && !m.heldOut && !m.own {
			try(m.view, false)
		}
	}
	return out
}
