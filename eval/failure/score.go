package failure

import "slices"

// nearby is how many lines beside its label a root still counts as found.
const nearby = 3

// Tally counts right answers.
type Tally struct {
	Right int     `json:"right"`
	Of    int     `json:"of"`
	Share float64 `json:"share"` // 0 when there is nothing to count
}

func (t *Tally) add(right bool) {
	t.Of++
	if right {
		t.Right++
	}
	t.Share = float64(t.Right) / float64(t.Of)
}

// Detection is how well one class is told from the rest.
type Detection struct {
	F1        float64 `json:"f1"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// Wrong is a node that would have been taken out of service although nothing in
// the log justifies it.
type Wrong struct {
	File     string `json:"file"`
	Class    string `json:"class"` // that the log really is of
	Subclass string `json:"subclass"`
}

// Bin is a range of confidence, with the class of the answers that claim it: a
// handler that knows how sure it may be is right as often as it claims.
type Bin struct {
	From    float64 `json:"from"`    // included; the next bin's From is not
	Claimed float64 `json:"claimed"` // the mean
	Class   Tally   `json:"class"`
}

// bins are where the ranges of confidence begin, above no answer at all.
var bins = [...]float64{0, 0.4, 0.6, 0.8, 0.9}

// binOf is the bin of a confidence.
func binOf(confidence float64) int {
	i := len(bins) - 1
	for i > 0 && confidence < bins[i] {
		i--
	}
	return i
}

func (b *Bin) add(claimed float64, right bool) {
	b.Class.add(right)
	b.Claimed += (claimed - b.Claimed) / float64(b.Class.Of)
}

// Score is how well a handler does.
type Score struct {
	Logs   int `json:"logs"`
	Absent int `json:"absent"` // logs without any answer

	Root             Tally     `json:"root"` // the line, or silence where nothing failed
	Class            Tally     `json:"class"`
	ClassLenient     Tally     `json:"class_lenient"` // a class that can be defended counts, too
	MacroF1          float64   `json:"macro_f1"`      // over the four classes
	Infrastructure   Detection `json:"infrastructure"`
	Component        Tally     `json:"component"`
	ComponentLenient Tally     `json:"component_lenient"`
	Node             Tally     `json:"node"` // none where there is none to blame

	Quarantine         Tally          `json:"quarantine"`        // asked for, of those that no careful person would hold back
	WrongQuarantines   []Wrong        `json:"wrong_quarantines"` // in the order of the labels
	WrongByClass       map[string]int `json:"wrong_quarantines_by_class"`
	WastedRestarts     int            `json:"wasted_restarts"` // asked for, and no help
	MissedRestarts     int            `json:"missed_restarts"` // not asked for, and they would have helped
	SecondRoots        Tally          `json:"second_roots"`
	Reliability        []Bin          `json:"reliability,omitempty"` // of the answers that claim a confidence, the unsure first
	MedianMilliseconds *float64       `json:"median_ms"`             // time of a log; nil if no prediction tells it
	P99Milliseconds    *float64       `json:"p99_ms"`
}

// Score compares predictions, by log, with the labels. A log without one has an
// empty prediction.
func (c *Cases) Score(predictions map[string]Prediction) *Score {
	s := &Score{WrongQuarantines: []Wrong{}, WrongByClass: map[string]int{}}
	answers := confusion{}
	var reliability [len(bins)]Bin
	var times []float64
	for i := range c.Labels {
		l := &c.Labels[i]
		p, ok := predictions[LogName(l.File)]
		if !ok {
			s.Absent++
		}
		if p.Milliseconds != nil {
			times = append(times, *p.Milliseconds)
		}
		answers[[2]string{l.Class, p.Class}]++
		s.count(l, &p)
		if p.Confidence > 0 {
			reliability[binOf(p.Confidence)].add(p.Confidence, p.Class == l.Class)
		}
	}
	for i, bin := range reliability {
		if bin.From = bins[i]; bin.Class.Of > 0 {
			s.Reliability = append(s.Reliability, bin)
		}
	}
	s.Infrastructure = answers.detection(Classes[0])
	for _, class := range Classes {
		s.MacroF1 += answers.f1(class) / float64(len(Classes))
	}
	if n := len(times); n > 0 {
		slices.Sort(times)
		s.MedianMilliseconds, s.P99Milliseconds = &times[n/2], &times[int(0.99*float64(n-1))]
	}
	return s
}

// count judges one prediction.
func (s *Score) count(l *Label, p *Prediction) {
	s.Logs++
	s.Root.add(l.rootFound(p.RootLine))
	s.Class.add(p.Class == l.Class)
	s.ClassLenient.add(p.Class == l.Class || slices.Contains(l.ClassAlternatives, p.Class))
	s.Component.add(p.Component == l.Component)
	s.ComponentLenient.add(p.Component == l.Component || slices.Contains(l.ComponentsToo, p.Component))
	s.Node.add(p.Node == l.Node)
	if p.Quarantine && !l.Quarantine {
		s.WrongQuarantines = append(s.WrongQuarantines, Wrong{l.File, l.Class, l.Subclass})
		s.WrongByClass[l.Class]++
	}
	if l.Quarantine && !l.QuarantineOptional {
		s.Quarantine.add(p.Quarantine)
	}
	switch {
	case p.RestartHelps && !l.RestartHelps:
		s.WastedRestarts++
	case !p.RestartHelps && l.RestartHelps:
		s.MissedRestarts++
	}
	for _, want := range l.Also {
		s.SecondRoots.add(slices.ContainsFunc(p.Also, func(got LineOnly) bool { return isNear(got.Line, want.Line) }))
	}
}

// rootFound tells whether a line, 0 for none, is the root of the label.
func (l *Label) rootFound(line int64) bool {
	if l.RootLine == 0 || l.Class == NoFailure {
		return line == 0
	}
	return line > 0 && (isNear(line, l.RootLine) || l.RootSpan.holds(line) ||
		slices.ContainsFunc(l.RootAccept, func(r Range) bool { return r.holds(line) }))
}

func isNear(a, b int64) bool { return max(a, b)-min(a, b) <= nearby }

// confusion counts logs by their class and the class they were given.
type confusion map[[2]string]int

// f1 is the F1 score of a class, 0 when it neither is nor was given.
func (c confusion) f1(class string) float64 {
	is, given := c.totals(class)
	return 2 * float64(c[[2]string{class, class}]) / float64(max(1, is+given))
}

func (c confusion) detection(class string) Detection {
	is, given := c.totals(class)
	right := float64(c[[2]string{class, class}])
	return Detection{c.f1(class), right / float64(max(1, given)), right / float64(max(1, is))}
}

// totals are how many logs are of a class, and how many were given it.
func (c confusion) totals(class string) (is, given int) {
	for pair, n := range c {
		if pair[0] == class {
			is += n
		}
		if pair[1] == class {
			given += n
		}
	}
	return is, given
}
