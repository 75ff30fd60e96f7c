package report

import (
	"fmt"
	"strings"

	"schedmate"
)

// cdf is an empirical distribution function: for each distinct value, in
// ascending order, the share of values that are not above it.
type cdf []cdfStep

type cdfStep struct {
	At    schedmate.Seconds
	Share float64
}

// newCDF takes sorted values.
func newCDF(sorted []schedmate.Seconds) cdf {
	var c cdf
	for i, v := range sorted {
		if i+1 == len(sorted) || sorted[i+1] != v {
			c = append(c, cdfStep{v, float64(i+1) / float64(len(sorted))})
		}
	}
	return c
}

// share returns the share of values that are not above t.
func (c cdf) share(t schedmate.Seconds) float64 {
	s := 0.0
	for _, step := range c {
		if step.At > t {
			break
		}
		s = step.Share
	}
	return s
}

// quantile returns the smallest value with at least the share q below or at it.
func (c cdf) quantile(q float64) schedmate.Seconds {
	for _, step := range c {
		if step.Share >= q {
			return step.At
		}
	}
	return 0
}

// points is the curve as steps on the grid, before it is thinned. It runs
// over the strip of the zeros at their share.
func (c cdf) points(axis logAxis) []point {
	points := []point{grid(0, c.share(0))}
	for _, step := range c {
		p, last := grid(axis.place(step.At), step.Share), points[len(points)-1]
		if step.At == 0 || p == last {
			continue
		}
		points = append(points, point{p.x, last.y}, p)
	}
	return append(points, grid(1, 1))
}

// cdfPlot draws one curve a series, over all jobs of all its seeds. The strip
// of the jobs with 0 is named zero. It returns nil when no job ended.
func cdfPlot(id, title, zero string, all []*series, values func(*series) []schedmate.Seconds) *plot {
	lists := make([][]schedmate.Seconds, len(all))
	jobs := 0
	for i, s := range all {
		lists[i] = values(s)
		jobs += len(lists[i])
	}
	if jobs == 0 {
		return nil
	}
	axis := newLogAxis(lists...)
	p := &plot{
		ID: id, Title: title, Height: int(screenHeight), Rows: gridHeight,
		X: axis.ticks(), Y: shareTicks(1, 0.75, 0.5, 0.25, 0),
		Scale: "log", From: axis.Lo, To: axis.Hi, Zero: axis.Zero, Top: 1, Share: true,
	}
	if axis.Zero > 0 {
		p.Strip = &strip{at(axis.Zero), at(axis.Zero / 2), zero}
	}
	var desc strings.Builder
	for i, s := range all {
		c := newCDF(lists[i])
		if len(c) == 0 {
			continue
		}
		p.Shapes = append(p.Shapes, shape{
			Class:  fmt.Sprintf("line c%d d%d", s.Colour(), s.Dash()),
			Series: s.Slot,
			Path:   path(simplified(c.points(axis))),
		})
		if axis.Zero > 0 {
			p.Dots = append(p.Dots, dot{s, at(axis.Zero / 2), at(1 - c.share(0))})
			fmt.Fprintf(&desc, "%s: %s at 0, ", s.Label, percent(c.share(0)))
		} else {
			fmt.Fprintf(&desc, "%s: ", s.Label)
		}
		fmt.Fprintf(&desc, "half of the jobs within %s, 90 %% within %s, all within %s. ",
			seconds(c.quantile(0.5)), seconds(c.quantile(0.9)), seconds(c.quantile(1)))
	}
	p.Desc = strings.TrimSpace(desc.String())
	return p
}
