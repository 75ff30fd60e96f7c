package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
)

func TestDistributionOfFourJobsByHand(t *testing.T) {
	c := newCDF([]schedmate.Seconds{0, 0, 60, 3600})
	want := cdf{{0, 0.5}, {60, 0.75}, {3600, 1}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("distribution (-want +got):\n%s", diff)
	}
	if got := [3]schedmate.Seconds{c.quantile(0.5), c.quantile(0.75), c.quantile(0.9)}; got != [3]schedmate.Seconds{0, 60, 3600} {
		t.Errorf("quantiles 50, 75 and 90 %% = %v, want 0, 60 and 3600 s", got)
	}
}

func times(t *rapid.T) []schedmate.Seconds {
	one := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) int64 { return rapid.Int64Range(0, 3).Draw(t, "few") }),
		rapid.Int64Range(0, 100000),
		rapid.Int64Range(0, int64(schedmate.MaxSeconds)),
	)
	values := rapid.SliceOfN(rapid.Map(one, func(v int64) schedmate.Seconds { return schedmate.Seconds(v) }), 1, 3000).Draw(t, "times")
	slices.Sort(values)
	return values
}

// coordinates reads an absolute path of M, L, H and V.
func coordinates(path string) []point {
	var points []point
	last := point{}
	for _, m := range regexp.MustCompile(`([MLHV])(\d+)(?: (\d+))?`).FindAllStringSubmatch(path, -1) {
		a, _ := strconv.Atoi(m[2])
		if m[1] == "V" {
			last.y = a
		} else {
			last.x = a
		}
		if m[3] != "" {
			last.y, _ = strconv.Atoi(m[3])
		}
		points = append(points, last)
	}
	return points
}

// Property: a drawn distribution starts at the share of zeros, never falls,
// never goes back in time, ends at 1 in the right upper corner, and needs at
// most 400 points.
func TestDrawnDistributionRisesFromTheZerosToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := times(t)
		s := &series{Label: "p", Runs: []*Run{{}}, jct: values}
		plot := cdfPlot("jct", "", "", []*series{s}, func(s *series) []schedmate.Seconds { return s.jct })
		points := coordinates(plot.Shapes[0].Path)
		if len(points) > maxCurvePoints {
			t.Fatalf("curve has %d points", len(points))
		}
		if want := grid(0, newCDF(values).share(0)); points[0] != want {
			t.Fatalf("curve starts at %v, want %v", points[0], want)
		}
		if last := points[len(points)-1]; last != (point{gridWidth, 0}) {
			t.Fatalf("curve ends at %v, want the right upper corner", last)
		}
		for i := 1; i < len(points); i++ {
			if points[i].x < points[i-1].x || points[i].y > points[i-1].y {
				t.Fatalf("curve turns back from %v to %v", points[i-1], points[i])
			}
		}
	})
}

// Property: no corner of the exact curve is further than a pixel from the
// thinned one, at the size of a large screen.
func TestThinnedCurveCannotBeToldFromTheExactOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := times(t)
		exact := newCDF(values).points(newLogAxis(values))
		thin := simplified(exact)
		k := 0
		for _, p := range exact {
			for k+1 < len(thin)-1 && thin[k+1].x < p.x {
				k++
			}
			distance := math.Inf(1)
			for i := max(0, k-1); i < min(len(thin)-1, k+4); i++ {
				distance = min(distance, pixelDistance(p, thin[i], thin[i+1]))
			}
			if distance > 1 {
				t.Fatalf("%v is %.2f pixels from the thinned curve", p, distance)
			}
		}
	})
}

func TestJobsWithoutWaitStandInTheirOwnStrip(t *testing.T) {
	axis := newLogAxis([]schedmate.Seconds{0, 0, 1, 60}, []schedmate.Seconds{5, 3600})
	if axis.Lo != 1 || axis.Hi != 3600 || axis.Zero != zeroStrip {
		t.Fatalf("axis is %+v", axis)
	}
	if got := axis.place(1); got != zeroStrip {
		t.Errorf("1 s lies at %v, want right of the strip at %v", got, zeroStrip)
	}
	if got := axis.place(3600); math.Abs(got-1) > 1e-9 {
		t.Errorf("the longest delay lies at %v, want the right edge", got)
	}
	if axis := newLogAxis([]schedmate.Seconds{70, 4000}); axis.Lo != 60 || axis.Hi != 4000 || axis.Zero != 0 {
		t.Errorf("without zeros the axis is %+v, want one from 1 min without a strip", axis)
	}
}

func TestShortAxesHaveFinerMarks(t *testing.T) {
	for _, c := range []struct {
		values []schedmate.Seconds
		want   string
	}{
		{[]schedmate.Seconds{1, 30 * day}, "1 s, 10 s, 1 min, 10 min, 1 h, 6 h, 1 d, 7 d, 30 d"},
		{[]schedmate.Seconds{200, 1400}, "2 min, 5 min, 10 min, 20 min"},
		{[]schedmate.Seconds{0, 0}, "0, 1 s, 2 s"},
		// Curves that go on for long after the last mark get one at their end,
		{[]schedmate.Seconds{0, 1, 6 * day}, "0, 1 s, 10 s, 1 min, 10 min, 1 h, 6 h, 1 d, 7 d"},
		{[]schedmate.Seconds{5 * minute, 50 * minute}, "5 min, 10 min, 20 min, 30 min, 1 h"},
		// others not.
		{[]schedmate.Seconds{1, 8 * day}, "1 s, 10 s, 1 min, 10 min, 1 h, 6 h, 1 d, 7 d"},
	} {
		var labels []string
		for _, tick := range newLogAxis(c.values).ticks() {
			labels = append(labels, plain(tick.Label))
		}
		if got := strings.Join(labels, ", "); got != c.want {
			t.Errorf("marks for %v are %s, want %s", c.values, got, c.want)
		}
	}
}

// Property: a logarithmic axis keeps the order of times and all of them within
// the plot, and has a label near its end that is shown on a narrow page too.
func TestLogAxisKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := times(t)
		axis := newLogAxis(values)
		last := 0.0
		for _, v := range values {
			p := axis.place(v)
			if p < last || p > 1+1e-9 || (v > 0 && p < axis.Zero) {
				t.Fatalf("%d lies at %v after %v on %+v", v, p, last, axis)
			}
			last = p
		}
		ticks := axis.ticks()
		if len(ticks) > 13 {
			t.Fatalf("axis has %d ticks", len(ticks))
		}
		if end := ticks[len(ticks)-1]; end.Minor {
			t.Fatalf("the last label %q may be hidden", end.Label)
		} else if share, err := strconv.ParseFloat(end.At, 64); err != nil || share < 100*(1-labelRoom) {
			t.Fatalf("the last label %q stands at %s %%", end.Label, end.At)
		}
	})
}
