package tracker

import (
	"cmp"
	"math"
	"time"

	"schedmate"
	"schedmate/logs"
	"schedmate/logs/series"
)

// FollowLimits keep one of thousands of logs that are followed at once within
// 300 kB (measured after 100,000 lines of a busy log). A log with as many shapes
// of line as are kept, all of them full of numbers, takes 6.5 MB.
var FollowLimits = series.Limits{Families: 64, Columns: 24, History: 256}

// State is what the tracker remembers of one log. Write costs work in the
// written bytes only; memory is bounded whatever the log's size. A State is not
// safe for concurrent use.
type State struct {
	decoder *logs.Decoder
	set     *series.Set
	review  int64 // segments at which the counter is looked for again
	total   *schedmate.Reading
	arrival float64 // resolution of the arrival times, seconds
	slow    *schedmate.Slowdown
}

// firstReview is the number of segments after which the counter is first looked
// for: before lines of the head can have given way.
const firstReview = 256

// New returns the state of a log of which nothing has been read.
func New(limits series.Limits) *State {
	s := &State{set: series.NewSet(limits), review: firstReview, arrival: 1e-3}
	s.decoder = logs.NewDecoder(s.add)
	return s
}

// add takes a segment. Now and then, ever more rarely, it finds out which
// counter is the job's: its value is kept with the lines that follow, and the
// totals that the head of the log names are kept before their lines give way.
func (s *State) add(seg *logs.Segment) {
	s.set.Add(seg)
	if n := s.set.Sequence(); n >= s.review {
		s.review = 3 * n
		s.anchor()
	}
}

func (s *State) anchor() {
	a := newAnalysis(s.set, s.arrival)
	s.total = cmp.Or(a.declaredTotal(), s.total)
	a.said = s.total
	if a.choose() {
		s.set.SetAnchor(a.main.Family, a.primary.column)
	}
}

// Write takes the next bytes of the log, which arrived at the given moment
// (nanoseconds since any fixed moment; 0: nobody knows).
func (s *State) Write(p []byte, arrivedNanos int64) { s.decoder.Write(p, arrivedNanos) }

// SetArrivalStep tells how coarse the arrival times are, a millisecond unless
// said: bytes that came within a step of each other may have one moment.
func (s *State) SetArrivalStep(step time.Duration) { s.arrival = step.Seconds() }

// Skip says that n bytes with the given number of line feeds (negative: not
// counted) are left out.
func (s *State) Skip(n, lines int64) { s.decoder.Skip(n, lines) }

// Offset is the number of bytes of the log written or skipped so far.
func (s *State) Offset() int64 { return s.decoder.Offset() }

// Progress says what the log tells now, and why. A line without an end counts
// when it looks whole.
func (s *State) Progress() (schedmate.Progress, []Note) {
	s.decoder.Peek()
	a := newAnalysis(s.set, s.arrival)
	s.total = cmp.Or(a.declaredTotal(), s.total)
	a.said = s.total
	if !a.choose() {
		return schedmate.Progress{}, a.notes
	}
	s.set.SetAnchor(a.main.Family, a.primary.column)
	p := a.progress(s.total)
	s.slow = lasting(s.slow, &p)
	p.Slowdown = s.slow
	return p, a.notes
}

// lasting keeps a slowdown that was found once, after the records before it
// are no longer kept, until the step time is back at what it was.
func lasting(before *schedmate.Slowdown, p *schedmate.Progress) *schedmate.Slowdown {
	if p.Slowdown != nil || before == nil || p.StepTime == nil {
		return p.Slowdown
	}
	if p.StepTime.Value < before.BeforeSeconds*slowRatio {
		return nil
	}
	kept := *before
	kept.AfterSeconds, kept.Ratio = p.StepTime.Value, p.StepTime.Value/before.BeforeSeconds
	return &kept
}

func (a *analysis) progress(declared *schedmate.Reading) schedmate.Progress {
	p := schedmate.Progress{Trackable: true, StepUnit: string(a.primary.unit), Phase: a.phase()}
	confidence := math.Min(0.99, 0.5+0.1*(a.primary.score-believed)+0.2)
	if a.primary.partial {
		p.StepUnit = string(unitStep)
		a.metrics(&p)
		if a.main.Columns[a.primary.column].Form == series.Percent {
			p.Fraction = a.latest(confidence)
			p.Fraction.Value, p.Fraction.Method = math.Min(p.Fraction.Value/100, 1), "printed percent"
		}
		return p
	}
	p.Step = a.latest(confidence)
	if a.primary.whole >= 0 {
		p.TotalSteps = spot{a.main, a.primary.whole, 0}.reading("printed beside the counter", confidence)
		if p.TotalSteps != nil && p.TotalSteps.Value < p.Step.Value {
			p.TotalSteps = nil
		}
	}
	if p.TotalSteps == nil {
		p.TotalSteps = a.totalBeside()
	}
	if p.TotalSteps == nil && declared != nil && declared.Value >= p.Step.Value && a.primary.unit == unitStep {
		p.TotalSteps = declared
	}
	st, ok := a.stepTime()
	if ok && a.plausible(st.seconds/math.Max(1, st.batch)) {
		r := a.main.At(a.main.Len() - 1)
		p.StepTime = &schedmate.Reading{Value: st.seconds, Line: r.Line, Byte: r.Byte, Method: st.method, Confidence: math.Max(0.05, math.Min(st.confidence, 1))}
		if st.view != nil {
			if at := (spot{st.view, st.column, 0}).reading(st.method, st.confidence); at != nil {
				p.StepTime.Name, p.StepTime.Line, p.StepTime.Byte = at.Name, at.Line, at.Byte
			}
		}
		p.Slowdown = a.slowdown(&st)
	} else {
		p.Slowdown = a.slowdown(nil)
	}
	if a.primary.unit == unitEpoch {
		a.stepsOfEpoch(&p, confidence)
	}
	a.metrics(&p)
	p.Fraction = a.fraction(&p)
	p.StepTimeTrend = trend(a.paces(&st).seconds)
	return p
}

// metrics reads what the records say beside the counter and the clock.
func (a *analysis) metrics(p *schedmate.Progress) {
	p.Throughput, p.ThroughputUnit = a.throughput()
	p.Loss, p.LossTrend = a.loss()
	p.LearningRate = a.learningRate()
	p.Remaining = a.remaining()
	p.Epoch, p.TotalEpochs = a.epoch()
	p.Validation = a.validation()
}

// latest is the newest value of the counter, not its largest.
func (a *analysis) latest(confidence float64) *schedmate.Reading {
	method := "counter by behaviour"
	if a.primary.how.n < 2 {
		method = "in the only record"
	}
	r := spot{a.main, a.primary.column, 0}.reading(method, confidence)
	if a.announced() { // the last line only opens a record that is not there yet
		rec := a.main.At(a.main.Len() - 2)
		r.Value, r.Line, r.Byte = rec.Value(a.primary.column), rec.Line, rec.Byte
		return r
	}
	// the line may have changed its form: the same counter in a younger family
	col := &a.main.Columns[a.primary.column]
	for _, c := range a.all {
		v := a.viewOf(c.family)
		other := &v.Columns[c.column]
		if other.Name == "" && c.score < believed || other.Name != col.Name || other.Ordinal != col.Ordinal || other.Form != col.Form || v.heldOut || v.latest() <= a.main.latest() || v.Rank != a.main.Rank {
			continue
		}
		if gap := c.how.last - r.Value; gap < 0 || gap > 10*math.Max(a.primary.how.step, 1) {
			continue
		}
		if c.whole >= 0 && a.primary.whole >= 0 && v.how[c.whole].last != a.main.how[a.primary.whole].last {
			continue
		}
		if x := (spot{v, c.column, 0}).reading("counter by behaviour", confidence); x != nil && x.Byte > r.Byte {
			r = x
		}
	}
	if x := a.continued(r); x != nil {
		x.Method, x.Confidence = "counter by behaviour, in its next phase", confidence
		return x
	}
	if x := a.ahead(); x != nil && x.Byte > r.Byte {
		x.Method, x.Confidence = "counter by behaviour", confidence
		return x
	}
	return r
}

// fraction is the part of the whole run that is done.
func (a *analysis) fraction(p *schedmate.Progress) *schedmate.Reading {
	if p.Step == nil || p.TotalSteps == nil || p.TotalSteps.Value <= 0 {
		return nil
	}
	f := *p.Step
	f.Name, f.Method = "", "step / total"
	f.Value /= p.TotalSteps.Value
	if p.StepUnit == string(unitEpoch) {
		if a.primary.how.resets > 0 {
			return nil // the epochs of one fold
		}
	} else if a.primary.how.resets > 0 || p.TotalEpochs != nil || a.primary.unit == unitEpoch { // the counter is of one epoch
		if p.Epoch == nil || p.TotalEpochs == nil || p.TotalEpochs.Value <= 0 {
			return nil
		}
		done := p.Epoch.Value - 1 // epochs printed from 1, unless one was printed as 0
		if a.epochFromZero(p.Epoch) {
			done++
		}
		f.Value, f.Method = (done+f.Value)/p.TotalEpochs.Value, "epochs and steps / totals"
	}
	if !(f.Value >= 0 && f.Value <= 1) {
		return nil
	}
	return &f
}

func (a *analysis) epochFromZero(r *schedmate.Reading) bool {
	for _, v := range a.views {
		for c := range v.Columns {
			if columnName(&v.Columns[c]) == r.Name && v.how[c].min == 0 {
				return true
			}
		}
	}
	return false
}

// phase is what the last lines are about.
func (a *analysis) phase() schedmate.Phase {
	latest := a.main.latest()
	if plain, at := a.set.LastPlain(); at > latest {
		switch words := logs.Words(plain); {
		case checkpointWords.in(words):
			return schedmate.PhaseCheckpoint
		case heldOutWords.in(words):
			return schedmate.PhaseEval
		}
	}
	for _, v := range a.views {
		if v.latest() <= latest || !a.beside(a.main, v) {
			continue
		}
		switch {
		case v.heldOut:
			return schedmate.PhaseEval
		case checkpointWords.in(v.Words) && v.Len() < a.main.Len():
			return schedmate.PhaseCheckpoint
		}
	}
	counts := tail(a.main.series[a.primary.column], 4)
	for i := 1; i < len(counts); i++ {
		if counts[i] < counts[i-1] && counts[i] > a.primary.how.step*1.5 && a.primary.how.jumps > 0 {
			return schedmate.PhaseRestart
		}
	}
	if a.main.Count < 5 {
		return schedmate.PhaseWarmUp
	}
	return schedmate.PhaseTrain
}
