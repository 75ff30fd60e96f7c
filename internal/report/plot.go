package report

import (
	"math"

	"schedmate"
)

// plot is a pair of axes with what is drawn between them. The template "plot"
// turns it into SVG: the curves are stretched with the page, the text is not.
type plot struct {
	ID          string // unique on the page
	Title, Desc string // what a screen reader says
	Height      int    // in CSS pixels
	Rows        int    // height of the grid of the shapes; width is gridWidth
	X, Y        []tick
	XName       string
	Strip       *strip // for values of 0; nil for none
	Shapes      []shape
	Dots        []dot

	// For the read-out under the pointer.
	Scale    string            // "log" or "time"
	From, To schedmate.Seconds // on an axis of time from 0, whatever the epoch
	Clock    schedmate.Seconds // Unix time of From; 0: instants count from the start of the axis
	Zero     float64
	Top      float64 // value at the upper edge
	Root     bool    // heights grow with the square root of the value
	Share    bool    // values are shares
}

// strip is a part of the plot at its left edge, set off from the axis. Width
// and Middle are per cent from the left.
type strip struct{ Width, Middle, Name string }

// shape is one path. A series of -1 belongs to the plot itself.
type shape struct {
	Class  string
	Series int
	Path   string
	Data   string // for the read-out of the Gantt chart
}

// dot marks a place in per cent from the left and the top.
type dot struct {
	*series
	X, Y string
}

// linear returns which share of the height a value has, of top at the upper
// edge.
func linear(top float64) func(float64) float64 {
	return func(v float64) float64 { return v / top }
}

// root does the same on a square-root scale: a quarter of top stands at half
// the height.
func root(top float64) func(float64) float64 {
	return func(v float64) float64 { return math.Sqrt(v / top) }
}

// rootTicks label the top of a square-root axis of counts, and the values at a
// half and a quarter of the height where they are whole.
func rootTicks(top int) []tick {
	ticks := []tick{{At: "0", Label: Count(top)}}
	for _, half := range []int{2, 4} {
		if square := half * half; top%square == 0 {
			ticks = append(ticks, tick{At: at(1 - 1/float64(half)), Label: Count(top / square)})
		}
	}
	return append(ticks, tick{At: "100", Label: "0"})
}

// rootTop returns the top of a square-root axis: the smallest round number not
// below v that has a whole quarter, or 1 or 2.
func rootTop(v float64) int {
	for power := 1; ; power *= 10 {
		for _, tenths := range []int{10, 12, 16, 20, 24, 30, 40, 60, 80} {
			top := tenths * power / 10
			if float64(top) >= v && tenths*power%10 == 0 && (top <= 2 || top%4 == 0) {
				return top
			}
		}
	}
}

// shareTicks label an axis from 0 to 1.
func shareTicks(shares ...float64) []tick {
	var ticks []tick
	for _, s := range shares {
		ticks = append(ticks, tick{At: at(1 - s), Label: number(100*s) + nbsp + "%"})
	}
	return ticks
}
