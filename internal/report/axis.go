package report

import (
	"math"

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
}

// zeroStrip is the share of the width kept for durations of 0.
const zeroStrip = 0.08

// decades are the round durations at which a logarithmic axis has lines.
var decades = []struct {
	at    schedmate.Seconds
	minor bool
}{
	{1, false}, {10, true}, {minute, false}, {10 * minute, true}, {hour, false},
	{6 * hour, true}, {day, false}, {7 * day, true}, {30 * day, false},
	{365 * day, true}, {10 * 365 * day, false}, {100 * 365 * day, true},
}

// newLogAxis covers all the values of sorted lists.
func newLogAxis(lists ...[]schedmate.Seconds) logAxis {
	axis := logAxis{Lo: schedmate.Forever, Hi: 1}
	for _, values := range lists {
		for _, v := range values {
			if v > 0 {
				axis.Lo = min(axis.Lo, v)
				break
			}
			axis.Zero = zeroStrip
		}
		if len(values) > 0 {
			axis.Hi = max(axis.Hi, values[len(values)-1])
		}
	}
	lowest := schedmate.Seconds(1)
	for _, d := range decades {
		if d.at <= min(axis.Lo, axis.Hi) {
			lowest = d.at
		}
	}
	axis.Lo = lowest
	axis.Hi = max(axis.Hi, 2*axis.Lo)
	return axis
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

func (a logAxis) ticks() []tick {
	var ticks []tick
	if a.Zero > 0 {
		ticks = append(ticks, tick{At: at(a.Zero / 2), Label: "0"})
	}
	for _, d := range decades {
		if a.Lo <= d.at && d.at <= a.Hi {
			ticks = append(ticks, tick{At: at(a.place(d.at)), Label: seconds(d.at), Minor: d.minor})
		}
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

// maxTicks is how many lines a linear axis has at most.
const maxTicks = 10

// ticks counts from the start of the axis, in the unit of its step.
func (a timeAxis) ticks() []tick {
	steps := []struct{ step, unit schedmate.Seconds }{
		{1, 1}, {2, 1}, {5, 1}, {10, 1}, {30, 1},
		{minute, minute}, {2 * minute, minute}, {5 * minute, minute}, {10 * minute, minute}, {30 * minute, minute},
		{hour, hour}, {2 * hour, hour}, {3 * hour, hour}, {6 * hour, hour}, {12 * hour, hour},
		{day, day}, {2 * day, day}, {5 * day, day}, {10 * day, day}, {20 * day, day}, {50 * day, day}, {100 * day, day},
		{365 * day, day}, {1000 * day, day}, {5000 * day, day}, {10000 * day, day},
	}
	names := map[schedmate.Seconds]string{1: "s", minute: "min", hour: "h", day: "d"}
	length := a.To - a.From
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
			label = count(int(t/s.unit)) + " " + names[s.unit]
		}
		ticks = append(ticks, tick{At: at(a.place(a.From + t)), Label: label, Minor: len(ticks)%2 == 1})
	}
	return ticks
}

// roundUp returns the smallest of 1, 2, 2.5, 5 times a power of ten that is
// not below v, at least 1: the top of an axis that counts things.
func roundUp(v float64) float64 {
	if v <= 1 || !finite(v) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, factor := range []float64{1, 2, 2.5, 5, 10} {
		if top := factor * power; top >= v && top == math.Trunc(top) {
			return top
		}
	}
	return 10 * power
}
