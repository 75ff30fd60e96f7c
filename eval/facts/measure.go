package facts

import (
	"cmp"
	"math"
	"slices"

	"schedmate"
	"schedmate/eval/advisor"
	"schedmate/eval/failure"
	"schedmate/eval/tracker"
)

// Measured is what the parts answered on labelled cases.
type Measured struct {
	// A history, what was answered about each of its runs at its submission, and
	// how long the answers took, in seconds.
	Runs    []advisor.Run
	Truths  []advisor.Truth
	Answers []advisor.Answer
	Seconds []float64

	Tracked   []Tracked
	Diagnosed []Diagnosed
}

// Tracked is what the tracker said about labelled logs, by file.
type Tracked struct {
	Cases       *tracker.Cases
	Predictions map[string]tracker.Prediction
}

// Diagnosed is what the failure handler said about labelled logs, by log.
type Diagnosed struct {
	Cases       *failure.Cases
	Predictions map[string]failure.Prediction
}

// kept bounds how many values a list of draws keeps: every list is small enough
// to read, and its quantiles are those of what was measured.
const kept = 100

// Measure makes a model of what was answered. Hit counts runs whose work had
// completed before, FalseHit all others.
func Measure(m *Measured) Model {
	out := Model{APIVersion: schedmate.APIVersion, Kind: ModelKind}
	grade := advisor.Grade(m.Truths, m.Answers)
	out.Advisor.Hit, out.Advisor.FalseHit = rounded(grade.HitRate), rounded(grade.FalseHitRate)
	out.Advisor.Seconds = quantiles(m.Seconds)
	out.Advisor.Run, out.Advisor.Utilisation = answered(m)
	prior := priors(m.Runs)
	out.Prior = &prior
	out.Tracker = tracked(m)
	out.Handler = handled(m)
	return out
}

// answered are the answers over the truth.
func answered(m *Measured) (ByState, []float64) {
	bySeq := make(map[int]*advisor.Answer, len(m.Answers))
	for i := range m.Answers {
		bySeq[m.Answers[i].Seq] = &m.Answers[i]
	}
	var by ByState
	var busy []float64
	for i := range m.Truths {
		t := &m.Truths[i]
		a := bySeq[t.Seq]
		if a == nil || len(a.Top) == 0 {
			continue
		}
		if took := float64(t.EndS - t.StartS); took > 0 && a.Seconds != nil && a.Low != nil && a.High != nil {
			value := *a.Seconds
			by.add(t.EndState, Draw{
				Value: value / took, Low: min(*a.Low, value) / took, High: max(*a.High, value) / took, Expected: cmp.Or(a.Occupancy, value) / took,
			})
		}
		if u := t.Hidden.SteadyUtil; u > 0 && a.Utilisation != nil && *a.Utilisation > 0 {
			busy = append(busy, *a.Utilisation/u)
		}
	}
	by.thin()
	return by, quantiles(busy)
}

// add files a draw under the end state of a history.
func (b *ByState) add(state string, d Draw) {
	d = Draw{rounded(d.Value), rounded(d.Low), rounded(d.High), rounded(d.Expected)}
	switch state {
	case "COMPLETED", "TIMEOUT":
		b.Completed = append(b.Completed, d)
	case "CANCELLED":
		b.Cancelled = append(b.Cancelled, d)
	default:
		b.Failed = append(b.Failed, d)
	}
}

func (b *ByState) thin() {
	for _, list := range []*[]Draw{&b.Completed, &b.Failed, &b.Cancelled} {
		slices.SortFunc(*list, func(x, y Draw) int {
			return cmp.Or(cmp.Compare(x.Value, y.Value), cmp.Compare(x.Low, y.Low), cmp.Compare(x.High, y.High), cmp.Compare(x.Expected, y.Expected))
		})
		*list = thinned(*list)
	}
}

// thinned keeps the middles of equally large parts of a sorted list.
func thinned[T any](list []T) []T {
	if len(list) <= kept {
		return list
	}
	out := make([]T, kept)
	for i := range out {
		out[i] = list[(2*i+1)*len(list)/(2*kept)]
	}
	return out
}

func quantiles(list []float64) []float64 {
	list = slices.Clone(list)
	slices.Sort(list)
	list = thinned(list)
	for i := range list {
		list[i] = rounded(list[i])
	}
	return list
}

// rounded keeps four significant digits, so that a document can be read.
func rounded(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	unit := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*unit) / unit
}

// lookBack is how many past runs the belief without an advisor is the mean of.
const lookBack = 5

// priors are the errors of what is believed without an advisor: the mean of the
// last runs of that user and name, of that user, or of all, that had ended when
// the run was submitted. Its interval is the one that nine of ten such beliefs
// would have needed, over the whole history.
func priors(runs []advisor.Run) ByState {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b advisor.Run) int { return cmp.Compare(a.SubmitS, b.SubmitS) })
	ended := slices.Clone(runs)
	slices.SortStableFunc(ended, func(a, b advisor.Run) int { return cmp.Compare(a.EndS, b.EndS) })
	type key struct{ user, name string }
	past := make(map[key][]float64)
	type belief struct {
		state string
		ratio float64
	}
	var beliefs []belief
	for i := range runs {
		r := &runs[i]
		for len(ended) > 0 && ended[0].EndS <= r.SubmitS {
			e := &ended[0]
			ended = ended[1:]
			for _, k := range [...]key{{e.User, e.JobName}, {e.User, ""}, {"", ""}} {
				list := append(past[k], float64(e.EndS-e.StartS))
				past[k] = list[max(0, len(list)-lookBack):]
			}
		}
		for _, k := range [...]key{{r.User, r.JobName}, {r.User, ""}, {"", ""}} {
			if took := float64(r.EndS - r.StartS); len(past[k]) > 0 && took > 0 {
				sum := 0.0
				for _, x := range past[k] {
					sum += x
				}
				if mean := sum / float64(len(past[k])); mean > 0 {
					beliefs = append(beliefs, belief{r.EndState, mean / took})
				}
				break
			}
		}
	}
	if len(beliefs) == 0 {
		return ByState{}
	}
	ratios := make([]float64, len(beliefs))
	for i, b := range beliefs {
		ratios[i] = b.ratio
	}
	slices.Sort(ratios)
	at := func(q float64) float64 { return ratios[int(q*float64(len(ratios)-1))] }
	low, high := min(1, 1/at(0.95)), max(1, 1/at(0.05)) // the truth over the belief
	var by ByState
	for _, b := range beliefs {
		by.add(b.state, Draw{Value: b.ratio, Low: b.ratio * low, High: b.ratio * high, Expected: b.ratio})
	}
	by.thin()
	return by
}

// tracked is how step times were read where they could be.
func tracked(m *Measured) Tracker {
	var ratios []float64
	logs := 0
	for _, t := range m.Tracked {
		for i := range t.Cases.Labels {
			l := &t.Cases.Labels[i]
			if !l.Trackable || l.StepTime == nil || *l.StepTime <= 0 {
				continue
			}
			logs++
			if p := t.Predictions[l.File]; p.StepTime != nil && *p.StepTime > 0 {
				ratios = append(ratios, *p.StepTime / *l.StepTime)
			}
		}
	}
	return Tracker{Success: rounded(share(len(ratios), logs)), StepTime: quantiles(ratios)}
}

// handled is how failures of infrastructure were told from others.
func handled(m *Measured) Handler {
	var right, of, alarms, others int
	var seconds []float64
	for _, d := range m.Diagnosed {
		for i := range d.Cases.Labels {
			l := &d.Cases.Labels[i]
			p := d.Predictions[failure.LogName(l.File)]
			if p.Milliseconds != nil {
				seconds = append(seconds, *p.Milliseconds/1000)
			}
			said := p.Class == infrastructure
			switch {
			case l.Class == infrastructure && said:
				right, of = right+1, of+1
			case l.Class == infrastructure:
				of++
			case l.Class == failure.NoFailure || slices.Contains(l.ClassAlternatives, infrastructure):
			case said:
				alarms, others = alarms+1, others+1
			default:
				others++
			}
		}
	}
	return Handler{Recall: rounded(share(right, of)), FalseAlarm: rounded(share(alarms, others)), Seconds: quantiles(seconds)}
}

func share(part, of int) float64 { return float64(part) / float64(max(1, of)) }

const infrastructure = "infrastructure"
