package tracker

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedmate"
	"schedmate/logs"
	"schedmate/logs/series"
)

// witnessed is the least weight of what the lines report beside the counter: a
// counter alone is no training.
const witnessed = 0.6

// believed is the score from which a counter is taken for training. A regular
// counter (1), that never falls (0.4) or begins anew with a slower one (1), over
// a hundred records (0.7), with one measured number beside it (0.7) is enough;
// the same by chance, in few records, is not.
const believed = 2.65

// analysis works out what the families of a log say. It is a pure function of
// the set of families and the facts from the head of the log.
type analysis struct {
	set     *series.Set
	arrival float64 // resolution of arrival times, seconds
	views   []*view
	primary candidate
	main    *view
	mates   []mate             // families that report beside the primary one
	all     []candidate        // all counters, the best first
	said    *schedmate.Reading // the total that the head of the log declared
	notes   []Note
}

// Note says why something was believed or rejected.
type Note struct {
	What     string `json:"what"`
	Why      string `json:"why"`
	Believed bool   `json:"believed"`
}

func (a *analysis) note(believed bool, what, format string, args ...any) {
	a.notes = append(a.notes, Note{What: what, Why: fmt.Sprintf(format, args...), Believed: believed})
}

func newAnalysis(set *series.Set, arrival float64) *analysis {
	a := &analysis{set: set, arrival: arrival}
	for _, f := range set.Families() {
		a.views = append(a.views, newView(f))
	}
	return a
}

// choose finds the primary counter; it returns false when nothing in the log
// can be believed to be training.
func (a *analysis) choose() bool {
	cands := a.candidates()
	for i := range cands {
		c := &cands[i]
		v := a.viewOf(c.family)
		if a.atOnce(v) {
			c.score -= 3
			c.because = append(c.because, "all of it came at one moment")
		}
		score, named, why := a.witness(v, c)
		if c.named && c.unit == unitStep && v.countsEpochs(c.column) {
			score, why, c.backed = math.Max(score, 0.8), append(why, "an epoch beside it"), true
		}
		if c.named && c.unit == unitStep && c.how.n < 4 && v.namesEpoch(c.column) && v.measures(c.column) >= 3 {
			score, why, c.backed = math.Max(score, 0.8), append(why, "an epoch beside it, the first so far, and what is measured"), true
		}
		if v.train && !c.chore && c.whole < 0 && v.shareOf(c.column) {
			score, why, c.backed = math.Max(score, 1.4), append(why, "a share of what it is trained on"), true
		}
		if c.whole >= 0 && c.unit != unitEpoch && v.fillsEachEpoch(c.column) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "it fills again for each epoch"), true
		}
		if c.whole >= 0 && v.drawsTraining(c.column) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "a bar of training and nothing else"), true
		}
		if c.named && c.unit == unitStep && v.stepsAnEpoch(c.column) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "the same number of steps for each epoch beside it"), true
		}
		if a.announcedTotal(v, c) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "as many in all as the log says that training has steps"), true
		}
		if a.inBursts(v, c) {
			c.score -= 3
			c.because = append(c.because, "it runs through at one moment, again and again")
		}
		if c.named && c.unit != unitEpoch && v.minimises(c.column) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "a number beside it only falls"), true
		}
		if c.named && c.unit != unitEpoch && a.fallsTogether(v) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "a number in the lines with it falls"), true
		}
		if v.twins(c.column) {
			score, why, c.backed = math.Max(score, 1.3), append(why, "two numbers of one name fall together"), true
		}
		if !c.chore && v.timesEach(c.column) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "a time of each beside it"), true
		}
		if c.named && c.unit == unitStep && v.improves(c.column) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "a number beside it falls far and clearly"), true
		}
		if c.named && c.unit == unitStep && v.ofPopulation() {
			score, why, c.backed = math.Max(score, 0.9), append(why, "statistics of a population beside it"), true
		}
		if c.named && c.unit == unitStep && v.optimises(c.column) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "evaluations of what is optimised"), true
		}
		if c.named && c.unit == unitStep && v.namesEpoch(c.column) && a.ratedBeside(v, c.column) {
			score, why, c.backed = math.Max(score, 0.9), append(why, "an epoch beside it, and a rate of the same in its record"), true
		}
		if c.unit != unitEpoch && (c.named || c.whole >= 0) && v.samples() {
			score, why, c.backed = math.Max(score, 0.9), append(why, "the words of a sampler"), true
		}
		if c.named && v.tellsSpeed() {
			score, why, c.backed = math.Max(score, 0.9), append(why, "a speed beside it"), true
		}
		if !v.train && (!c.named || c.unit == unitSample) && v.stands(c.column) {
			c.score -= 3
			c.because = append(c.because, "what is told of quality goes nowhere")
		}
		reason := a.timed(v, c)
		if reason != "" {
			score, why, c.backed = score+0.8, append(why, reason), true
		}
		if alone, _, _ := a.witnesses(v, c.column, true); c.how.n < 4 && alone == 0 && reason == "" && a.besideMany(v) {
			c.score -= 3 // a few lines of something, beside the records of another
		}
		opens, loss := false, false
		if c.unit != unitSample && c.unit != unitEnv {
			opens, loss = a.opensRecords(v)
		}
		if opens && !c.named { // as good as a name
			score, c.backed, why = math.Max(score+1.5, 1.5), true, append(why, "it opens records of several lines")
		}
		if c.named && a.trainsAndEvaluates(v) {
			score, c.backed, why = math.Max(score, 0.9), true, append(why, "training and evaluation take turns behind it")
		}
		if c.whole >= 0 && v.drawsEpochs() == c.column {
			score, c.backed, c.named, c.unit, why = math.Max(score, 0.9), true, true, unitEpoch, append(why, "a bar of epochs")
		} else if a.withinEpochs(v, c) {
			score, c.backed, why = math.Max(score, 0.9), true, append(why, "it fills for each epoch of a bar of epochs")
		}
		rewarded := c.unit == unitEnv && a.rewardsBeside(v)
		if rewarded {
			score, c.backed, why = math.Max(score, 1.8), true, append(why, "a reward comes with each record")
		}
		c.witness = score
		if named || c.named && (c.unit == unitEpoch || v.train) {
			c.backed = true
		}
		c.score += score
		if c.chore {
			if alone, _, _ := a.witnesses(v, c.column, true); alone >= 2 && (c.named && (c.unit != unitEpoch || v.train) || c.whole >= 0) || alone >= 1.4 && c.unit == unitEnv {
				c.score += 3.5 // `completed step: 98, ..., loss: 2.564` is no chore, nor is `Processing |##  | (123/391) ... | Loss: 1.29`
			} else if opens && loss && c.named || rewarded {
				c.score += 4 // it is epochs that are processed, and each has a loss
			} else {
				c.backed = false
			}
		}
		c.because = append(c.because, why...)
	}
	slices.SortStableFunc(cands, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.rank(), x.rank()), cmp.Compare(a.viewOf(y.family).latest(), a.viewOf(x.family).latest()), cmp.Compare(x.column, y.column))
	})
	for i := range cands {
		if i < 6 {
			c := &cands[i]
			a.note(i == 0 && c.score >= believed, "counter "+c.name(), "score %.1f: %s; in %q", c.score, strings.Join(c.because, ", "), clip(c.family.Sample))
		}
	}
	a.all = slices.Clone(cands)
	for i := 1; i < len(cands); i++ {
		if (cands[0].rank()-cands[i].rank() < 0.3 || endOfRange(&cands[i], &cands[0])) && later(&cands[i], &cands[0]) > 0 {
			cands[i].borrow(&cands[0])
			cands[0], cands[i] = cands[i], cands[0]
		}
	}
	for i := 1; i < len(cands); i++ {
		limit := 1.0
		if w := cands[i].whole; w >= 0 && a.viewOf(cands[i].family).how[w].distinct == 1 {
			limit = 4 // a bar beside the lines that say what it is of
		} else if cands[i].witness >= 2 {
			limit = 2 // it has a loss by name
		}
		if cands[0].rank()-cands[i].rank() < limit && a.finer(&cands[i], &cands[0]) {
			cands[i].backed = true // it counts what a step is called elsewhere
			cands[0], cands[i] = cands[i], cands[0]
		}
	}
	for i := 1; i < len(cands); i++ {
		if cands[0].rank()-cands[i].rank() < 0.6 && a.longer(&cands[i], &cands[0]) || a.outlives(&cands[i], &cands[0]) {
			cands[0], cands[i] = cands[i], cands[0]
		}
	}
	cands = slices.DeleteFunc(cands, func(c candidate) bool {
		return c.witness < witnessed || !c.backed || c.score < believed
	})
	if len(cands) == 0 {
		first, ok := a.firstRecord()
		if !ok {
			return false
		}
		a.note(true, "counter "+first.name(), "%s; in %q", strings.Join(first.because, ", "), clip(first.family.Sample))
		cands = append(cands, first)
	}
	a.primary = cands[0]
	a.main = a.viewOf(a.primary.family)
	a.findMates()
	return true
}

// besideMany tells whether what speaks for training beside a few lines are the many
// records of another family.
func (a *analysis) besideMany(v *view) bool {
	for _, w := range a.views {
		if w != v && w.Len() >= 4*v.Len() && a.beside(v, w) {
			if s, _, _ := a.witnesses(w, -1, false); s > 0 {
				return true
			}
		}
	}
	return false
}

func clip(text string) string {
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return text
}

func (c *candidate) name() string {
	col := &c.family.Columns[c.column]
	if col.Name == "" {
		return fmt.Sprintf("number %d", col.Ordinal+1)
	}
	return fmt.Sprintf("%q.%d", col.Name, col.Ordinal&15)
}

func (a *analysis) viewOf(f *series.Family) *view {
	for _, v := range a.views {
		if v.Family == f {
			return v
		}
	}
	return nil
}

// witness weighs what else the lines report: only training has a loss, a
// learning rate, a metric that moves.
func (a *analysis) witness(v *view, c *candidate) (score float64, named bool, why []string) {
	score, named, why = a.witnesses(v, c.column, true)
	best, bestNamed, bestWhy, tied := 0.0, false, "", false
	for _, w := range a.views {
		if w == v || w.chore || w.Len() < 2 && v.Len() > 8 || w.Rank != v.Rank && w.Rank >= 0 && v.Rank >= 0 {
			continue
		}
		if !a.beside(v, w) {
			continue
		}
		s, named, reasons := a.witnesses(w, -1, interleaved(v, w))
		if w.heldOut {
			s /= 3
		}
		if s *= 0.8; s > best {
			best, bestNamed, bestWhy = s, named, "beside it "+strings.Join(reasons, ", ")
			tied = s >= 1.6 && v.Len() >= 6 && interleaved(v, w) && interleaved(w, v) // each has a loss
		}
	}
	if best > score {
		if score > 0.5 {
			best += 0.3
		} else if c.whole < 0 && !c.named && !tied {
			best -= 1 // nothing ties the counter to what stands beside it
		}
		return best, bestNamed, append(why, bestWhy)
	}
	return score, named, why
}

// witnesses weighs the columns of one family. It is backed by a name that only
// training uses, by a rate of samples, or by numbers that fall as a loss does.
func (a *analysis) witnesses(v *view, counter int, unnamed bool) (score float64, backed bool, why []string) {
	plain, minimised, falling := 0, 0, 0.0
	var drifting []int
	for c := range v.Columns {
		col := &v.Columns[c]
		if u := col.Unit; u.Kind == logs.UnitPerTime && otherCounts.in(logs.Words(u.Item)) && !chores.in(logs.Words(u.Item)) && v.how[c].distinct > 2 {
			score, backed, why = math.Max(score, 0.9), true, append(why, "a rate of "+u.Item)
		}
		if words := v.words[c]; trainWords.in(words) && timeWords.in(words) && (col.Ordinal&15 == 0 || col.Header) && col.Form == series.Duration {
			score, backed, why = math.Max(score, 0.9), true, append(why, "a time of training "+col.Name)
			continue
		}
		if c == counter || col.Form != series.Number && col.Form != series.Percent {
			continue
		}
		how, words := &v.how[c], v.words[c]
		if how.n*2 < v.Len() && how.n < 8 {
			continue
		}
		if k := col.Unit.Kind; k != logs.UnitNone || col.Scaled {
			continue
		}
		if chores.in(words) || (timeWords.in(words) || resources.in(words)) && !lossWords.in(words) {
			continue
		}
		if col.Ordinal&15 != 0 && !col.Header { // of another number's name
			words = nil
		}
		if c == v.headed {
			words = v.headedName
		}
		if how.integers && col.Integer && !lossInWholes(how, words) {
			continue
		}
		switch {
		case wordsOf(words) > 4 && !(averageWords.in(words) && (lossWords.in(words) || rewardWords.in(words))) || isScale(words): // prose
		case lossWords.in(words) && (col.Form == series.Percent || slices.Contains(words, "packet") || slices.Contains(words, "pct")): // of a network
		case isCostOfTime(words), ends.in(words): // an initial and a final cost are of something that is over
		case lossWords.in(words) && !heldOutWords.in(words):
			score, why = math.Max(score, 2), append(why, "a loss "+col.Name)
		case direction(words) == "higher" && v.converges(c): // an accuracy that is a tolerance
		case isObjective(words) && how.distinct > 3:
			score, why = math.Max(score, 1.4), append(why, "an objective "+col.Name)
		case metricWords.in(words) || lossWords.in(words) || trainWords.in(words) && len(words) == 1:
			score, why = math.Max(score, 1.4), append(why, "a metric "+col.Name)
		case isLearningRate(words) && how.max < 1000, gradWords.in(words):
			score, why = math.Max(score, 1.3), append(why, "a rate or gradient "+col.Name)
		case unnamed && col.Form == series.Number && math.Max(how.max, -how.min) >= 10 && how.falls() && v.descends(c):
			minimised++
		case unnamed && col.Form == series.Number && (how.drifts() || how.schedule()):
			plain++
			if how.drifts() {
				drifting = append(drifting, c)
			}
		}
	}
	if plain >= 1 && minimised > 0 && (v.hasBarClock() || !v.convergesAnywhere()) { // what is minimised, beside what moves; a solver converges, and tells no time
		plain += minimised
		falling = 0.4
	}
	times := 2.0
	if counter >= 0 && len(v.words[counter]) == 0 && v.wholeOf(counter) < 0 && len(v.Lead) > 1 {
		times = 4 // a number among words, and none of them names it
	}
	if counter < 0 || !stepWords.in(v.words[counter]) && !isEpoch(v.words[counter]) {
		times = math.Min(times+0.75*float64(len(drifting)-1), 5) // of many numbers that only scatter one seems to fall by chance
	}
	for _, c := range drifting {
		if trendsBy(v.series[c], times) && v.fallsFar(c) && !v.conserves() && !wanders(v.series[c]) {
			falling = 0.4
			break
		}
	}
	if plain > 0 {
		s := math.Min(1.1, 0.7+0.2*float64(plain-1)) + falling
		if s > score {
			why = append(why, fmt.Sprintf("%d numbers that drift", plain))
		}
		score = math.Max(score, s)
	}
	if plain >= 3 && v.remains() {
		backed, why = true, append(why, "a time remaining")
	}
	return score, backed || score > 0.9 && falling > 0 || score >= 1.3, why
}

// lossInWholes tells whether whole numbers are a loss so large that three digits
// of it are printed, train_loss=482, and not a count of losses.
func lossInWholes(how *behaviour, words []string) bool {
	return slices.Contains(words, "loss") && how.min >= 100 && how.distinct >= 4 && how.down > how.up
}

// wordsOf counts the words of more than one letter: cv_agg's binary_logloss has four.
func wordsOf(words []string) int {
	n := 0
	for _, w := range words {
		if len(w) > 1 {
			n++
		}
	}
	return n
}

// trends tells whether the numbers fall over the records by more than they
// scatter, as a loss does.
func trends(values []float64) bool { return trendsBy(values, 2) }

func trendsBy(values []float64, times float64) bool {
	v := tail(values, len(values))
	if len(v) < 8 {
		return false
	}
	third := len(v) / 3
	first, last := slices.Clone(v[:third]), slices.Clone(v[len(v)-third:])
	var d []float64
	for i := 1; i < len(v); i++ {
		d = append(d, math.Abs(v[i]-v[i-1]))
	}
	return median(first)-median(last) > times*median(d)/math.Sqrt(float64(third))
}

// beside tells whether the lines of w come among those of v.
func (a *analysis) beside(v, w *view) bool {
	from, to := v.first(), v.latest()
	margin := (to-from)/8 + 20
	in, all := 0, 0
	for i := range w.Len() {
		s := w.At(i).Sequence
		if s < from-margin && v.Count > v.Len() {
			continue // beside records that are no longer kept
		}
		all++
		if s >= from-margin && s <= to+margin {
			in++
		}
	}
	return in > 0 && in*10 >= all*6
}
