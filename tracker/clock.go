package tracker

import (
	"math"
	"slices"

	"schedmate/logs"
	"schedmate/logs/series"
)

// clock is a time for each record of the primary family.
type clock struct {
	name       string
	seconds    []float64 // NaN where unknown
	resolution float64   // seconds
	derived    bool      // worked out of a mean rate
}

// estimate is a step time with its uncertainty.
type estimate struct {
	seconds float64 // for one count of the primary counter
	errors  float64 // relative, from the clock's resolution
	scatter float64 // relative standard error of the median of the differences
	lag     int     // records that one difference spans
	n       int     // differences
}

func (e estimate) ok() bool { return e.n > 0 && e.seconds > 0 }

// allows tells whether a step time can be that of this clock, coarse as it is.
func (e estimate) allows(seconds float64) bool {
	room := 1.6 + 2*e.errors
	return seconds < e.seconds*room && seconds > e.seconds/room
}

// clocks lists the clocks of the primary family, the most trusted first: when
// the line arrived, a stamp of the runtime or in the line, an elapsed time.
func (a *analysis) clocks() []clock {
	v := a.main
	n := v.Len()
	arrived := clock{name: "arrival times", seconds: make([]float64, n), resolution: a.arrival}
	stamped := clock{name: "stamps", seconds: make([]float64, n), resolution: 1e-9}
	base, stampBase := v.At(0).ArrivedNanos, int64(0)
	haveArrived, haveStamp := 0, 0
	for i := range n {
		r := v.At(i)
		arrived.seconds[i], stamped.seconds[i] = math.NaN(), math.NaN()
		if r.ArrivedNanos != 0 {
			arrived.seconds[i] = float64(r.ArrivedNanos-base) / 1e9
			haveArrived++
		}
		if r.StampNanos != 0 {
			if stampBase == 0 {
				stampBase = r.StampNanos
			}
			stamped.seconds[i] = float64(r.StampNanos-stampBase) / 1e9
			stamped.resolution = math.Max(stamped.resolution, float64(r.StampStep)/1e9)
			haveStamp++
		}
	}
	var out []clock
	if recent := tail(arrived.seconds[max(0, n-24):], 24); len(recent) >= min(8, n/2) && haveArrived > 1 && arrived.seconds[n-1] > 0 {
		out = append(out, arrived)
	}
	if haveStamp*2 > n && moves(stamped.seconds) {
		out = append(out, stamped)
	}
	for c := range v.Columns {
		if k, ok := unixTime(v, c); ok {
			out = append(out, k)
		}
		if a.elapsed(v, c) {
			out = append(out, clock{name: "elapsed time " + v.Columns[c].Name, seconds: v.series[c], resolution: math.Max(resolutionOf(&v.Columns[c]), wholeSeconds(v.series[c]))})
		}
	}
	if len(out) == 0 || out[0].resolution >= 1 {
		if c, ok := a.meanRateClock(); ok {
			out = append(out, c)
		}
	}
	return out
}

// unnamedClock finds a number without a name that grows with the counter as a time
// does: never back, by much the same each step, but not by exactly the same, as
// what is counted would.
func (a *analysis) unnamedClock() []clock {
	var out []clock
	for c := range a.main.Columns {
		col, h := &a.main.Columns[c], a.main.how[c]
		if name := a.main.words[c]; c == a.primary.column || col.Form != series.Number || len(name) > 0 && !(len(name) == 1 && (name[0] == "t" || name[0] == "tm")) || col.Unit.Kind != logs.UnitNone || col.Integer || h.integers || h.n < 6 || h.down > 0 || h.up < h.n-1 {
			continue
		}
		var rates []float64
		for _, d := range differences(a.main.series[a.primary.column], a.main.series[c], 1, a.main.Len()) {
			rates = append(rates, d.seconds/d.counts)
		}
		slices.Sort(rates)
		if n := len(rates); n >= 5 && rates[0] > 0 && rates[n*3/4] < 1.5*rates[n/4] && rates[n-1] > 1.001*rates[0] {
			out = append(out, clock{name: "a number that grows as a time", seconds: a.main.series[c], resolution: math.Pow(10, -float64(col.Decimals))})
		}
	}
	return out
}

// unixTime reads a column that holds Unix time, in seconds or milliseconds.
func unixTime(v *view, c int) (clock, bool) {
	col, h := &v.Columns[c], v.how[c]
	if col.Form != series.Number || h.n < 3 || h.n*2 < v.Len() || h.up*10 < (h.n-1)*8 || h.jumps+h.resets > 0 {
		return clock{}, false
	}
	scale := timeScale(h.min)
	if scale == 0 || timeScale(h.max) != scale || scale == 1 && col.Decimals == 0 && !timeWords.in(v.words[c]) && !slices.Contains(v.words[c], "ts") && !slices.Contains(v.words[c], "timestamp") {
		return clock{}, false
	}
	k := clock{name: "Unix time " + col.Name, seconds: make([]float64, v.Len()), resolution: scale * math.Pow(10, -float64(col.Decimals))}
	for i, x := range v.series[c] {
		k.seconds[i] = (x - h.min) * scale
	}
	return k, true
}

// timeScale is the unit in seconds in which a number can be a Unix time of the years
// 2008 to 2046: 1 or a thousandth; else 0.
func timeScale(v float64) float64 {
	switch {
	case v > 1.2e9 && v < 2.4e9:
		return 1
	case v > 1.2e12 && v < 2.4e12:
		return 1e-3
	}
	return 0
}

// countdown is the clock of last resort: a printed remaining time that runs
// down steadily.
func (a *analysis) countdown() (clock, bool) {
	v := a.main
	for c := range v.Columns {
		h := v.how[c]
		if v.Columns[c].Form != series.Duration || !remainingWords.in(v.words[c]) || h.n < 5 || h.down*10 < (h.n-1)*9 {
			continue
		}
		k := clock{name: "remaining time running down", seconds: make([]float64, v.Len()), resolution: resolutionOf(&v.Columns[c])}
		for i, x := range v.series[c] {
			k.seconds[i] = h.max - x
		}
		ds := differences(v.series[a.primary.column], k.seconds, 1, v.Len())
		var rates []float64
		for _, d := range ds {
			rates = append(rates, d.seconds/d.counts)
		}
		slices.Sort(rates)
		if n := len(rates); n >= 4 && rates[n*3/4] < 1.5*rates[n/4] {
			return k, true
		}
	}
	return clock{}, false
}

func moves(seconds []float64) bool {
	b := observe(seconds)
	return b.up > 0
}

// resolutionOf is the unit of the last printed digit of a time, in seconds.
func resolutionOf(c *series.Column) float64 {
	scale := 1.0
	if c.Unit.Kind == logs.UnitTime && c.Unit.Scale > 0 {
		scale = c.Unit.Scale
	}
	return scale * math.Pow(10, -float64(c.Decimals))
}

// wholeSeconds is 1 when the last of the times are whole seconds, whatever unit the
// first were printed in, else 0.
func wholeSeconds(values []float64) float64 {
	recent := tail(values, 12)
	for _, v := range recent {
		if v != math.Trunc(v) {
			return 0
		}
	}
	if len(recent) < 6 {
		return 0
	}
	return 1
}

// elapsed tells whether a column is the time since some start: a time that
// rises with the counter and falls only where the counter begins anew.
func (a *analysis) elapsed(v *view, c int) bool {
	col := &v.Columns[c]
	isTime := col.Form == series.Duration || col.Form == series.Number && (col.Unit.Kind == logs.UnitTime || (!col.Integer || v.ticks(c)) && (elapsedWords.in(v.words[c]) || timeWords.in(v.words[c])))
	if !isTime || remainingWords.in(v.words[c]) || partTimeWords.in(v.words[c]) || slices.Contains(v.words[c], "at") {
		return false
	}
	if words := v.words[c]; col.Unit.Kind == logs.UnitNone && !timeWords.in(words) && (stepWords.in(words) || isEpoch(words) || otherCounts.in(words) || measured(words)) {
		return false // cumulative steps and a total reward grow as well
	}
	h := v.how[c]
	if h.n < 3 || h.up == 0 || h.up < (h.n-1)/3 && resolutionOf(col) < 1 || h.max <= 0 {
		return false
	}
	if h.down == 0 && h.n < 6 && h.last < 1.5*h.first && col.Form == series.Number && col.Unit.Kind == logs.UnitNone && !elapsedWords.in(v.words[c]) {
		return false // a few times of one step rise by chance
	}
	if h.down == 0 {
		return h.last > h.first
	}
	if v != a.main {
		return false
	}
	if a.startsBar(c) {
		return true
	}
	return a.resetsTogether(v.series[c])
}

// ticks tells whether whole numbers without a unit rise as seconds do: never back,
// not by the same each time, and by less than two minutes a record. What rises faster
// may be milliseconds.
func (v *view) ticks(c int) bool {
	h := &v.how[c]
	return h.n >= 6 && h.integers && h.down == 0 && h.up*10 >= (h.n-1)*8 && h.regular < 0.9 && h.last-h.first < 120*float64(h.n-1)
}

// meanRateClock undoes a mean rate: when the counter divided by the printed
// rate is the elapsed time that stands beside it, it is a finer clock than the
// elapsed time itself.
func (a *analysis) meanRateClock() (clock, bool) {
	v := a.main
	counts := v.series[a.primary.column]
	var shown []float64
	for c := range v.Columns {
		if v.Columns[c].Form == series.Duration && a.elapsed(v, c) {
			shown = v.series[c]
			break
		}
	}
	if shown == nil {
		return clock{}, false
	}
	out := clock{name: "mean rate", seconds: make([]float64, len(counts)), derived: true}
	agree, back, n := 0, 0, 0
	earliest := math.Inf(-1) // of the next record
	for i := range counts {
		out.seconds[i] = math.NaN()
		if i > 0 && counts[i] < counts[i-1] {
			earliest = math.Inf(-1) // another bar
		}
		for c := range v.Columns {
			x := v.series[c][i]
			if math.IsNaN(x) || x <= 0 || math.IsNaN(shown[i]) {
				continue
			}
			var t float64
			switch v.Columns[c].Form {
			case series.PerTime:
				t = counts[i] / x
			case series.PerItem:
				t = counts[i] * x
			default:
				continue
			}
			n++
			rounding := t * math.Pow(10, -float64(v.Columns[c].Decimals)) / x / 2
			if d := t - shown[i]; d >= -0.1-rounding && d <= 1.1+rounding { // printed times are cut, not rounded
				agree++
			}
			if t+rounding < earliest {
				back++ // a clock does not run backwards: the rate is of the last steps only
			}
			earliest = t - rounding
			out.seconds[i] = t
			if i >= len(counts)-20 {
				out.resolution = math.Max(out.resolution, 2*rounding)
			}
		}
	}
	return out, n >= 5 && agree*20 >= n*19 && back*20 <= n
}

// window is the number of differences that tell the present step time: those
// over the last 20 steps, but at least five.
func (a *analysis) window() int {
	step := math.Max(a.primary.how.step, 1)
	return min(max(int(math.Ceil(20/step)), 5), 20)
}

// measure is the step time by a clock: the median of its differences over those
// of the counter. When the clock is coarse, differences span several records.
func (a *analysis) measure(c clock) estimate {
	counts := a.main.series[a.primary.column]
	single := differences(counts, c.seconds, 1, a.window())
	if len(single) == 0 {
		return estimate{}
	}
	var spans []float64
	for _, d := range single {
		spans = append(spans, d.seconds)
	}
	span := mean(spans)
	if span <= 0 {
		span = c.resolution / float64(len(single)+1)
	}
	lag := 1
	if c.resolution > 0 && c.resolution > span*0.08 {
		lag = int(math.Ceil(c.resolution / (span * 0.05)))
	}
	if lag == 1 {
		return summarise(single, c.resolution, 1)
	}
	e := coarse(differences(counts, c.seconds, 1, max(a.window(), 3*lag)), c.resolution, lag)
	if span < c.resolution/2 {
		if t := a.byTicks(c); t.ok() && (t.errors <= enoughTicks || t.errors < e.errors) {
			return t
		}
	}
	return e
}

func medianCounts(ds []difference) float64 {
	var counts []float64
	for _, d := range ds {
		counts = append(counts, d.counts)
	}
	return median(counts)
}

func summarise(ds []difference, resolution float64, lag int) estimate {
	var rates, spans []float64
	for _, d := range ds {
		rates = append(rates, d.seconds/d.counts)
		spans = append(spans, d.seconds)
	}
	m := median(rates)
	for i, r := range rates {
		rates[i] = math.Abs(r - m)
	}
	scatter := 1.2533 * 1.4826 * median(rates) / m / math.Sqrt(float64(len(ds)))
	return estimate{seconds: m, errors: resolution / math.Max(median(spans), resolution/4+1e-12), scatter: scatter, lag: lag, n: len(ds)}
}

type difference struct {
	seconds, counts float64
	from, at        int // the earlier record and the later
}

// differences lists the last n differences of clock and counter over lag
// records between which the counter never falls.
func differences(counts, seconds []float64, lag, n int) []difference {
	var out []difference
	var at []int // records with both
	for i := range counts {
		if math.IsNaN(counts[i]) || math.IsNaN(seconds[i]) {
			continue
		}
		if n := len(at); n > 0 && counts[at[n-1]] == counts[i] {
			continue // printed again while the counter stood
		}
		at = append(at, i)
	}
	for j := len(at) - 1; j >= lag && len(out) < n; j-- {
		whole := true
		for k := j; k > j-lag; k-- {
			if counts[at[k]] < counts[at[k-1]] || seconds[at[k]] < seconds[at[k-1]] {
				whole = false
				break
			}
		}
		d := difference{seconds: seconds[at[j]] - seconds[at[j-lag]], counts: counts[at[j]] - counts[at[j-lag]], from: at[j-lag], at: at[j]}
		if whole && d.counts > 0 && d.seconds >= 0 {
			out = append(out, d)
		}
	}
	return out
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
