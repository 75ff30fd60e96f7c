package tracker

import (
	"math"
	"slices"
	"strings"

	"schedmate/logs"
	"schedmate/logs/series"
)

// candidate is a counter that may be the job's step counter.
type candidate struct {
	family  *series.Family
	column  int
	whole   int // column of the total beside it, or -1
	how     behaviour
	lead    []string // words of the line before the counter
	unit    stepUnit
	named   bool // called a step or an epoch
	backed  bool // by its name, or by more than counting and a number that moves
	partial bool // the epoch as a fraction, or a percent: there is no step to read
	chore   bool // the line speaks of something that is no training
	score   float64
	witness float64 // what else the lines report that only training does
	because []string
}

// asRegular is how regular a counter is held for whose percent of the total stands
// beside it.
const asRegular = 0.75

type stepUnit string

const (
	unitStep   stepUnit = "step"
	unitSample stepUnit = "sample"
	unitEnv    stepUnit = "env_step"
	unitEpoch  stepUnit = "epoch"
)

// view is a family with everything about it worked out once.
type view struct {
	*series.Family
	series  [][]float64
	how     []behaviour
	words   [][]string // of each column
	heldOut bool       // the line speaks of validation
	ofOther bool       // words behind its first number say that the others are of held-out data
	chore   bool       // the line speaks of something that is no training
	train   bool

	headed     int      // the column whose name stands at the front of the line, or -1
	headedName []string // the words of that name
}

func (v *view) first() int64 { return v.At(0).Sequence }
func (v *view) latest() int64 {
	return v.At(v.Len() - 1).Sequence
}

func newView(f *series.Family) *view {
	v := &view{Family: f}
	for c := range f.Columns {
		s := f.Series(c)
		v.series = append(v.series, s)
		v.how = append(v.how, observe(s))
		v.words = append(v.words, f.Columns[c].Spoken)
	}
	v.headed, v.headedName = headed(v)
	lead := f.Lead
	v.heldOut = (heldOutWords.in(lead) && !trainsAndTests(lead, f.Sample) || len(f.Columns) > 0 && heldOutWords.in(f.Columns[0].After) || heldOutDoings.in(f.Words) && !trainWords.in(f.Words)) && !endsTraining(f)
	if v.heldOut && v.namesTraining() || v.samples() {
		v.heldOut = false
	}
	v.ofOther = !v.heldOut && len(f.Words) <= 12 && heldOutWords.in(f.Words) && !trainWords.in(f.Words) && !v.namesHeldOut()
	v.train = trainWords.in(lead)
	v.chore = chores.in(lead)
	for c := range f.Columns[:min(len(f.Columns), 3)] {
		v.chore = v.chore || chores.in(f.Columns[c].After) || inferences.in(v.words[c])
	}
	return v
}

// trainsAndTests tells whether the only held-out data that the words before the first
// number speak of is in the name of a module of both, train_val.
func trainsAndTests(lead []string, sample string) bool {
	for i, w := range lead {
		if !heldOutWords.has(w) {
			continue
		}
		if i == 0 || !trainWords.has(lead[i-1]) || !strings.Contains(strings.ToLower(sample), lead[i-1]+"_"+w) {
			return false
		}
	}
	return true
}

// endsTraining tells whether the line ends by saying that it is of training, so
// that a word such as the test in a run's name says nothing.
func endsTraining(f *series.Family) bool {
	return len(f.Columns) > 0 && trainWords.in(f.Columns[len(f.Columns)-1].After)
}

// candidates finds all counters of all families, scored.
func (a *analysis) candidates() []candidate {
	var out []candidate
	for _, v := range a.views {
		if v.Len() < 2 {
			continue
		}
		for c := range v.Columns {
			if cand, ok := a.candidate(v, c); ok {
				out = append(out, cand)
			}
		}
	}
	return out
}

func (a *analysis) candidate(v *view, c int) (candidate, bool) {
	col := &v.Columns[c]
	if col.Form == series.Percent {
		return a.percentDone(v, c)
	}
	if col.Form != series.Number && col.Form != series.Part && !v.countsInWhole(c) || len(v.words[c]) == 1 && identities.in(v.words[c]) || v.tellsQuality(c) {
		return candidate{}, false
	}
	switch col.Unit.Kind {
	case logs.UnitNone:
	default:
		return candidate{}, false
	}
	how := v.how[c]
	words := v.words[c]
	named := stepWords.in(words) || isEpoch(words) || otherCounts.in(words)
	two := how.n == 2 && how.integers && how.up == 1 && named
	partial := !how.integers && !col.Integer && isEpoch(words) && how.rises()
	ofTotal := col.Form == series.Part && named && how.n >= 3 && how.integers && how.down == 0 && how.up == how.n-1 && v.wholeOf(c) >= 0 && v.how[v.wholeOf(c)].distinct == 1
	if !how.counts() && !two && !ofTotal && !partial && !v.fills(c) && !v.percentSays(c) || how.n*2 < v.Len() {
		return candidate{}, false
	}
	cand := candidate{family: v.Family, column: c, whole: -1, how: how, lead: v.Lead, unit: unitStep, partial: partial}
	add := func(score float64, why string) {
		cand.score += score
		cand.because = append(cand.because, why)
	}
	if partial {
		add(0.8, "rises steadily")
	} else if how.regular < asRegular && v.percentSays(c) {
		add(asRegular, "counts up as the percent beside it")
	} else {
		add(how.regular, "counts up regularly")
	}
	if how.down == 0 {
		add(0.4, "never falls")
	}
	if share := float64(how.up) / float64(max(how.n-1, 1)); share > 0.5 {
		add(0.4*(share-0.5), "rises in most records")
	}
	if v.countsDown() {
		cand.backed = true
		add(0.6, "a time elapsed and a time remaining beside it")
	}
	if col.Form == series.Part {
		if w := v.wholeOf(c); w >= 0 {
			cand.whole = w
			if v.how[w].distinct == 1 {
				cand.backed = true
				add(1.3, "has a constant total")
			}
		}
	}
	if e := v.slowerCount(c); e >= 0 {
		cand.backed = true
		add(1, "begins anew whenever a slower count rises")
	}
	name, suffix := col.Words, col.After
	if cand.whole >= 0 && len(name) == 0 {
		name = v.barCounts(c)
	}
	if cand.whole >= 0 && len(suffix) == 0 {
		suffix = v.Columns[cand.whole].After // 8,410/30,000 steps
	}
	counted := c + 1
	if col.Form == series.Whole {
		name = append(v.Columns[c-1].Words[:len(v.Columns[c-1].Words):len(v.Columns[c-1].Words)], name...) // Batch 8/25 names what counts
	}
	switch {
	case col.Form == series.Part && counted < len(v.Columns) && v.countsInWhole(counted):
		cand.unit, cand.named = unitEpoch, true
		add(0, "rises as what counts behind it begins anew")
	case (isEpoch(name) && !stepWords.in(name) || isEpoch(suffix)) && (how.step <= 1 || how.n < 4):
		cand.unit, cand.named = unitEpoch, true
		add(0, "is called an epoch")
	case stepWords.in(name) || stepWords.in(suffix):
		cand.named = true
		add(2, "is called a step")
		if slices.Contains(name, "micro") || slices.Contains(name, "inner") || slices.Contains(name, "sub") {
			add(-3, "is a part of a step")
		}
	case len(name) <= 2 && generations.in(name):
		cand.named = true
		add(1.5, "is called a generation")
	case otherCounts.in(name) || otherCounts.in(suffix):
		cand.unit = unitSample
		if w := strings.ToLower(col.Name); strings.Contains(w, "step") || strings.Contains(w, "episode") || strings.Contains(w, "frame") {
			cand.unit = unitEnv
		}
		add(-0.3, "counts samples")
	}
	if cand.unit == unitStep && !cand.named && cand.whole >= 0 && powerOfTwo(commonDivisor(v.series[c])) {
		cand.unit = unitSample // a bar that moves by a batch
	}
	if cand.unit == unitStep && how.slow() && how.up*rarely(cand.whole >= 0) < how.n && (!cand.named || v.fasterNamesake(c)) {
		cand.unit = unitEpoch
		add(-0.5, "rises rarely")
	}
	if col.Form == series.Number && !col.Integer && !partial {
		add(-0.5, "is printed with a fraction")
	}
	if cand.whole < 0 && (!cand.named || cand.unit != unitStep) && !isEpoch(name) && a.multiplies(v, c) {
		if cand.unit == unitStep {
			cand.unit = unitSample
		}
		add(-1.5, "is a multiple of another count of the record")
	}
	if heldOutWords.in(name) {
		add(-3, "is about validation")
	}
	if slices.Contains(name, "best") {
		add(-3, "is that of the best so far")
	}
	if v.train {
		add(0.3, "the line speaks of training")
	}
	if v.heldOut {
		add(-4, "the line speaks of validation")
	}
	if cand.chore = v.chore || chores.in(name) || chores.in(suffix); cand.chore {
		add(-4, "the line speaks of a chore")
	}
	if v.solves() || v.solvesAgain(c) {
		add(-5, "the line speaks of what solvers of equations report")
	}
	if cand.whole < 0 && v.percentOf(c) {
		cand.backed = true
		add(1, "the percent beside it says the same")
	}
	switch {
	case how.n < 4:
		add(-1, "very few records")
	case how.n < 6:
		add(-0.5, "few records")
	default:
		add(math.Min(1, math.Log10(float64(v.Count))/3), "number of records")
	}
	return cand, true
}

// percentDone is the candidate of a log that counts in percent only: there is
// progress, but no step.
func (a *analysis) percentDone(v *view, c int) (candidate, bool) {
	h := v.how[c]
	if !h.rises() || h.integers && h.distinct < 5 || h.max > 100 {
		return candidate{}, false
	}
	_, named, _ := a.witnesses(v, c, false)
	if !named || v.heldOut || v.chore {
		return candidate{}, false
	}
	return candidate{family: v.Family, column: c, whole: -1, how: h, unit: unitStep, partial: true, named: true, backed: true, score: 1.5, because: []string{"a percent that rises steadily"}}, true
}

// commonDivisor of all rises of a series of whole numbers.
func commonDivisor(values []float64) int64 {
	var g int64
	prev := math.NaN()
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if d := v - prev; d > 0 {
			a, b := g, int64(d)
			for b != 0 {
				a, b = b, a%b
			}
			g = a
		}
		prev = v
	}
	return g
}

// rarely is how many records there are to a rise from which it is rare: bars
// are drawn several times a step.
func rarely(bar bool) int {
	if bar {
		return 8
	}
	return 3
}

// fasterNamesake tells whether a number under the same name counts faster, as
// the second of `"step": [2, 340]` does.
func (v *view) fasterNamesake(c int) bool {
	for i := range v.Columns {
		if i != c && v.Columns[i].Name == v.Columns[c].Name && v.Columns[i].Ordinal > v.Columns[c].Ordinal && v.how[i].counts() && v.how[i].up > 3*v.how[c].up {
			return true
		}
	}
	return false
}

func powerOfTwo(n int64) bool { return n >= 16 && n&(n-1) == 0 }

// countsDown tells whether the line has a time that grows and one that is
// called the remaining.
func (v *view) countsDown() bool {
	grows, remains := false, false
	for c := range v.Columns {
		if v.Columns[c].Form != series.Duration {
			continue
		}
		if remainingWords.in(v.words[c]) {
			remains = true
		} else if h := v.how[c]; h.n >= 3 && h.down == 0 && h.up*10 >= (h.n-1)*8 {
			grows = true
		}
	}
	return grows && remains
}

// remains tells whether the line has a time that is called the remaining.
func (v *view) remains() bool {
	for c := range v.Columns {
		if v.Columns[c].Form == series.Duration && remainingWords.in(v.words[c]) && v.how[c].distinct > 2 {
			return true
		}
	}
	return false
}

// rank orders the candidates: a count of steps says more than one of epochs,
// and that more than a fraction of an epoch.
func (c *candidate) rank() float64 {
	switch {
	case c.partial:
		return c.score - 2
	case c.unit == unitEpoch:
		return c.score - 1.3
	}
	return c.score
}

// fills tells whether column c is the part of a constant total that is filled
// again and again, by whatever rises, as a bar that is drawn ten times a second.
func (v *view) fills(c int) bool {
	h, w := &v.how[c], v.wholeOf(c)
	if v.Columns[c].Form != series.Part || w < 0 || v.how[w].distinct != 1 || !h.integers || h.min < 0 || h.max > v.how[w].last || h.resets*2 > h.up {
		return false
	}
	return h.n >= 8 && h.up >= 4 && (h.jumps == 0 || h.up >= 24*h.jumps) || h.n >= 4 && h.jumps == 0 && v.slowerCount(c) >= 0
}

// countsInWhole tells whether column c looks like a total and is the counter: the
// number before it is the epoch, as in `Batch 5/700`, `Batch 5/800`.
func (v *view) countsInWhole(c int) bool {
	if v.Columns[c].Form != series.Whole || c == 0 || v.Columns[c-1].Form != series.Part {
		return false
	}
	part, whole := &v.how[c-1], &v.how[c]
	return whole.counts() && whole.up > 2*part.up && part.up <= whole.resets+1 && part.down == 0
}

// wholeOf is the column of the total that stands behind the part in column c.
func (v *view) wholeOf(c int) int {
	p := &v.Columns[c]
	for w := range v.Columns {
		q := &v.Columns[w]
		if q.Form == series.Whole && (q.Ordinal == p.Ordinal+1 && (q.Name == p.Name || q.Header || p.Header)) && w > c {
			return w
		}
	}
	return -1
}
