package report

import "schedmate"

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
	Scale    string // "log" or "time"
	From, To schedmate.Seconds
	Zero     float64
	Top      float64 // value at the upper edge
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

// shareTicks label an axis from 0 to 1.
func shareTicks(shares ...float64) []tick {
	var ticks []tick
	for _, s := range shares {
		ticks = append(ticks, tick{At: at(1 - s), Label: number(100*s) + nbsp + "%"})
	}
	return ticks
}
