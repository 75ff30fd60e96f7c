package report

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"schedmate/failure"
)

// axis places moments of an incident from 0 to 1: by the logs' clock where the
// findings are stamped, else by line.
//
// Invariant: from < to.
type axis struct {
	from, to int64 // nanoseconds, or lines, or thousandths of a log
	clock    bool
	parts    bool               // several logs without a clock: places within each log
	lengths  []int64            // of the logs, in lines
	stamped  [][]failure.Moment // the stamped moments of each log, in the order of its lines
	year     int                // of stamps that print none
}

// newAxis covers what a reader looks for: from the last progress or the first
// finding of the failure to the last finding. What the job got over long before
// is left of it. Without a failure it covers everything.
func newAxis(in *failure.Incident) *axis {
	a := &axis{}
	logs := len(in.Logs)
	for _, l := range in.Lanes {
		logs = max(logs, l.Log+1)
	}
	a.lengths, a.stamped = make([]int64, logs), make([][]failure.Moment, logs)
	for i, l := range in.Logs {
		a.lengths[i] = l.Lines
	}
	marks, stamped := 0, 0
	for i := range in.Lanes {
		l := &in.Lanes[i]
		moments := []failure.Moment{l.First, l.Last}
		if l.LastProgress != nil {
			moments = append(moments, *l.LastProgress)
		}
		for _, m := range l.Marks {
			moments = append(moments, m.Moment)
			marks++
			if m.StampNanos != 0 {
				stamped++
			}
		}
		for _, m := range moments {
			a.lengths[l.Log] = max(a.lengths[l.Log], m.Line)
			if m.StampNanos != 0 {
				a.stamped[l.Log] = append(a.stamped[l.Log], m)
				if y := time.Unix(0, m.StampNanos).UTC().Year(); y != unknownYear {
					a.year = max(a.year, y)
				}
			}
		}
	}
	for _, s := range a.stamped {
		slices.SortFunc(s, func(a, b failure.Moment) int { return cmp.Compare(a.Line, b.Line) })
	}
	a.clock = stamped > 0 && 2*stamped >= marks
	a.parts = !a.clock && logs > 1
	a.cover(in)
	return a
}

// cover sets the ends of the axis.
func (a *axis) cover(in *failure.Incident) {
	var alive, all []int64
	add := func(to []int64, log int, m failure.Moment) []int64 {
		if at, ok := a.at(log, m); ok {
			return append(to, at)
		}
		return to
	}
	for i := range in.Lanes {
		l := &in.Lanes[i]
		all = add(add(all, l.Log, l.First), l.Log, l.Last)
		for _, m := range l.Marks {
			all = add(all, l.Log, m.Moment)
			if m.Role != failure.RoleRecovered {
				alive = add(alive, l.Log, m.Moment)
			}
		}
	}
	if len(alive) > 0 {
		for i := range in.Lanes {
			if l := &in.Lanes[i]; l.LastProgress != nil {
				alive = add(alive, l.Log, *l.LastProgress)
			}
		}
		all = alive
	}
	switch least := int64(20); {
	case a.parts:
		a.from, a.to = 0, 1000
		return
	case len(all) == 0:
		a.from, a.to = 0, least
		return
	case a.clock:
		least = int64(10 * time.Second)
		fallthrough
	default:
		a.from, a.to = slices.Min(all), slices.Max(all)
		pad := max((a.to-a.from)/20, (least-(a.to-a.from))/2, 1)
		a.from, a.to = a.from-pad, a.to+pad
		if !a.clock {
			a.from = max(a.from, 1)
		}
	}
}

// at is where a moment stands on the axis, in its unit. On the clock, a moment
// without a stamp lies between its stamped neighbours in the same log, by line;
// ok is false when there are none.
func (a *axis) at(log int, m failure.Moment) (at int64, ok bool) {
	switch {
	case a.parts:
		return 1000 * m.Line / max(a.lengths[log], 1), true
	case !a.clock:
		return m.Line, true
	case m.StampNanos != 0:
		return a.dated(m.StampNanos), true
	}
	s := a.stamped[log]
	i, _ := slices.BinarySearchFunc(s, m, func(a, b failure.Moment) int { return cmp.Compare(a.Line, b.Line) })
	switch {
	case len(s) == 0:
		return 0, false
	case i == 0:
		return a.dated(s[0].StampNanos), true
	case i == len(s):
		return a.dated(s[i-1].StampNanos), true
	}
	before, after := s[i-1], s[i]
	t0, t1 := a.dated(before.StampNanos), a.dated(after.StampNanos)
	share := float64(m.Line-before.Line) / float64(max(after.Line-before.Line, 1))
	return t0 + int64(share*float64(t1-t0)), true
}

// dated gives a stamp without a year the year of the others.
func (a *axis) dated(nanos int64) int64 {
	t := time.Unix(0, nanos).UTC()
	if t.Year() != unknownYear || a.year == 0 {
		return nanos
	}
	return t.AddDate(a.year-unknownYear, 0, 0).UnixNano()
}

// share is where a moment stands, from 0 to 1; before and after say that it is
// off the axis.
func (a *axis) share(log int, m failure.Moment) (share float64, before, after, ok bool) {
	at, ok := a.at(log, m)
	if !ok {
		return 0, false, false, false
	}
	share = float64(at-a.from) / float64(a.to-a.from)
	return min(max(share, 0), 1), share < 0, share > 1, true
}

// timeTick is a labelled line across the timeline.
type timeTick struct {
	At, Label string
	Minor     bool
}

// maxTicks is how many lines the axis has at most.
const maxTicks = 7

var clockSteps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 365 * 24 * time.Hour, 3650 * 24 * time.Hour,
}

// ticks are at round times or lines.
func (a *axis) ticks() []timeTick {
	step := int64(1)
	if a.clock {
		for _, s := range clockSteps {
			if step = int64(s); (a.to-a.from)/step < maxTicks {
				break
			}
		}
	} else {
		for k := 0; (a.to-a.from)/step >= maxTicks; k++ {
			step = step * []int64{2, 5, 2}[k%3] / []int64{1, 2, 1}[k%3] // 1, 2, 5, 10, 20, ...
		}
	}
	var ticks []timeTick
	for at := (a.from + step - 1) / step * step; at <= a.to; at += step {
		ticks = append(ticks, timeTick{
			At: percentage(float64(at-a.from) / float64(a.to-a.from)), Label: a.label(at, step), Minor: len(ticks)%2 == 1,
		})
	}
	return ticks
}

func (a *axis) label(at, step int64) string {
	switch {
	case a.parts:
		return strconv.FormatInt(at/10, 10) + " %"
	case !a.clock:
		return count(at)
	case step >= int64(24*time.Hour):
		return time.Unix(0, at).UTC().Format("01-02")
	case step >= int64(time.Minute):
		return time.Unix(0, at).UTC().Format("15:04")
	}
	return time.Unix(0, at).UTC().Format("15:04:05")
}

// percentage is a share of a length for SVG.
func percentage(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) }
