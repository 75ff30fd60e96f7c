package report

import (
	"math"
	"slices"

	"schedmate"
)

// tick is a labelled line across a plot.
type tick struct {
	At    string // per cent of the axis, from the left or from the top
	Label string
	Minor bool // its label gives way where the figure is narrow
}

// logAxis places durations on a logarithmic scale from Lo to Hi. Since 0 has
// no logarithm, durations of 0 get a strip of their own, Zero of the width,
// at the left.
//
// Invariant: 1 <= Lo < Hi; 0 <= Zero < 1.
type logAxis struct {
	Lo, Hi schedmate.Seconds
	Zero   float64
	marks  []mark
	closed bool // Hi is labelled too
}

// zeroStrip is the share of the width kept for durations of 0.
const zeroStrip = 0.12

// mark is a round duration at which a logarithmic axis has a line.
type mark struct {
	at    schedmate.Seconds
	minor bool
}

// decades are the marks of an axis over several orders of magnitude, between
// those of one over few of them.
var (
	decades = []mark{
		{1, false}, {10, true}, {minute, false}, {10 * minute, true}, {hour, false},
		{6 * hour, true}, {day, false}, {7 * day, true}, {30 * day, false},
		{365 * day, true}, {10 * 365 * day, false}, {100 * 365 * day, true},
	}
	between = []mark{
		{1, false}, {2, true}, {5, true}, {10, false}, {20, true}, {30, true},
		{minute, false}, {2 * minute, true}, {5 * minute, true}, {10 * minute, false}, {20 * minute, true}, {30 * minute, true},
		{hour, false}, {2 * hour, true}, {3 * hour, true}, {6 * hour, false}, {12 * hour, true},
		{day, false}, {2 * day, true}, {4 * day, true}, {7 * day, false}, {14 * day, true}, {30 * day, false},
		{90 * day, true}, {365 * day, false}, {1000 * day, true}, {3000 * day, false}, {10000 * day, true}, {30000 * day, false}, {100000 * day, true},
	}
)

// fewMarks is how many marks of the decades are too few for an axis.
const fewMarks = 4

// Room that a label on a logarithmic axis needs, as a share of its length: on
// a screen of usual width, and where the figure is narrow.
const (
	labelRoom  = 0.07
	narrowRoom = 0.12
)

// newLogAxis covers all the values of sorted lists. It starts at a mark, and
// has a label near its end.
func newLogAxis(lists ...[]schedmate.Seconds) logAxis {
	lo, hi, zero := schedmate.Forever, schedmate.Seconds(1), 0.0
	for _, values := range lists {
		for _, v := range values {
			if v > 0 {
				lo = min(lo, v)
				break
			}
			zero = zeroStrip
		}
		if len(values) > 0 {
			hi = max(hi, values[len(values)-1])
		}
	}
	axis := logAxis{Hi: hi, Zero: zero, marks: decades}.from(min(lo, hi))
	if len(axis.within()) < fewMarks {
		axis.marks = between
		axis = axis.from(min(lo, hi))
	}
	return axis.rounded()
}

// from starts the axis at the last mark that is not above the least value.
func (a logAxis) from(least schedmate.Seconds) logAxis {
	for _, m := range a.marks {
		if m.at <= least {
			a.Lo = m.at
		}
	}
	a.Hi = max(a.Hi, 2*a.Lo)
	return a
}

// rounded goes on to the next of the finer marks where no mark is near the
// end: a reader could not tell how far the curves go.
func (a logAxis) rounded() logAxis {
	marks := a.within()
	if 1-a.place(marks[len(marks)-1].at) < labelRoom {
		return a
	}
	for _, m := range between {
		if m.at >= a.Hi {
			a.Hi, a.closed = m.at, true
			break
		}
	}
	return a
}

// within returns the marks on the axis.
func (a logAxis) within() []mark {
	var within []mark
	for _, m := range a.marks {
		if a.Lo <= m.at && m.at <= a.Hi {
			within = append(within, m)
		}
	}
	return within
}

// place returns where a duration lies, from 0 at the left to 1 at the right.
// A duration of 0 lies at the left edge.
func (a logAxis) place(t schedmate.Seconds) float64 {
	if t < a.Lo {
		return 0
	}
	span := math.Log(float64(a.Hi) / float64(a.Lo))
	return a.Zero + (1-a.Zero)*math.Log(float64(t)/float64(a.Lo))/span
}

// ticks labels the marks. The last label always stands, others near it give
// way.
func (a logAxis) ticks() []tick {
	var ticks []tick
	if a.Zero > 0 {
		ticks = append(ticks, tick{At: at(a.Zero / 2), Label: "0"})
	}
	marks := a.within()
	if a.closed {
		marks = slices.DeleteFunc(marks, func(m mark) bool { return 1-a.place(m.at) < labelRoom })
		marks = append(marks, mark{at: a.Hi})
	}
	last := marks[len(marks)-1].at
	for _, m := range marks {
		near := m.at < last && a.place(last)-a.place(m.at) < narrowRoom
		ticks = append(ticks, tick{At: at(a.place(m.at)), Label: seconds(m.at), Minor: near || m.minor && m.at < last})
	}
	return ticks
}

// timeAxis places instants on a linear scale.
//
// Invariant: From < To.
type timeAxis struct{ From, To schedmate.Seconds }

// place returns where an instant lies, from 0 to 1; those outside lie on the
// edges.
func (a timeAxis) place(t schedmate.Seconds) float64 {
	return float64(max(a.From, min(t, a.To))-a.From) / float64(a.To-a.From)
}

func (a timeAxis) length() schedmate.Seconds { return a.To - a.From }

// maxTicks is how many lines a linear axis has at most.
const maxTicks = 10

// ticks counts from the start of the axis, in the unit of its step.
func (a timeAxis) ticks() []tick {
	steps := []struct{ step, unit schedmate.Seconds }{
		{1, 1}, {2, 1}, {5, 1}, {10, 1}, {30, 1},
		{minute, minute}, {2 * minute, minute}, {5 * minute, minute}, {10 * minute, minute}, {30 * minute, minute},
		{hour, hour}, {2 * hour, hour}, {3 * hour, hour}, {6 * hour, hour}, {12 * hour, hour},
		{day, day}, {2 * day, day}, {5 * day, day}, {10 * day, day}, {20 * day, day}, {50 * day, day}, {100 * day, day},
		{365 * day, day}, {1000 * day, day}, {5000 * day, day}, {10000 * day, day}, {20000 * day, day},
	}
	names := map[schedmate.Seconds]string{1: "s", minute: "min", hour: "h", day: "d"}
	length := a.length()
	s := steps[0]
	for _, s = range steps {
		if length/s.step < maxTicks {
			break
		}
	}
	var ticks []tick
	for t := schedmate.Seconds(0); t <= length; t += s.step {
		label := "0"
		if t > 0 {
			label = Count(int(t/s.unit)) + nbsp + names[s.unit]
		}
		ticks = append(ticks, tick{At: at(a.place(a.From + t)), Label: label, Minor: len(ticks)%2 == 1})
	}
	return ticks
}
