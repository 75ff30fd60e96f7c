package report

import (
	"fmt"
	"math"
)

// usageBins is how many steps a curve over time has at most. Each step is the
// mean over its stretch, so the area is exact.
const usageBins = 800

// panel is one of several small plots below each other that share their axes.
type panel struct {
	*series
	Plot   plot
	Remark string // the numbers of the panel in one line
}

// utilisation draws the share of GPUs in use, one panel a series.
func utilisation(all []*series, w window) []panel {
	var panels []panel
	for _, s := range all {
		r := s.first()
		bins := binned(r.Usage, used, w.From, w.To, usageBins)
		share := float64(area(r.Usage, used, w.From, w.To)) / (float64(r.GPUs) * float64(w.To-w.From))
		remark := fmt.Sprintf("mean %s, peak %s", percent(share), percent(float64(peak(r.Usage, used))/float64(r.GPUs)))
		p := plot{
			ID: fmt.Sprintf("use-%d", s.Slot), Title: "GPUs in use over time: " + s.Label,
			Height: 72, Rows: gridHeight, X: w.ticks(), Y: shareTicks(1, 0.5, 0),
			Scale: "time", From: w.From, To: w.To, Top: 1, Share: true,
		}
		if len(r.Usage) > 1 {
			p.Shapes = append(p.Shapes, shape{Class: fmt.Sprintf("area c%d", s.Colour()), Series: s.Slot, Path: stepPath(bins, w.timeAxis, float64(r.GPUs), false)})
		} else {
			remark = "not recorded"
		}
		if n := peak(r.Usage, down); n > 0 {
			p.Shapes = append(p.Shapes, shape{Class: "down", Series: -1, Path: stepPath(binned(r.Usage, down, w.From, w.To, usageBins), w.timeAxis, float64(r.GPUs), true)})
			remark += fmt.Sprintf(", up to %s down", counted(n, "GPU", "GPUs"))
		}
		p.Desc = s.Label + ": " + remark + "."
		panels = append(panels, panel{s, p, remark})
	}
	return panels
}

// queueLength draws the number of waiting jobs, one panel a series, all with
// the same scale.
func queueLength(all []*series, w window) []panel {
	top := 0.0
	bins := make([][]bin, len(all))
	for i, s := range all {
		bins[i] = binned(s.first().Usage, waitingJobs, w.From, w.To, usageBins)
		for _, b := range bins[i] {
			top = max(top, b.Mean())
		}
	}
	top = roundUp(top)
	var panels []panel
	for i, s := range all {
		r := s.first()
		jobs, gpus := peak(r.Usage, waitingJobs), peak(r.Usage, waitingGPUs)
		mean := math.Round(10*float64(area(r.Usage, waitingJobs, w.From, w.To))/float64(w.To-w.From)) / 10
		remark := fmt.Sprintf("mean %s; peak %s, %s", number(mean), counted(jobs, "job", "jobs"), counted(gpus, "GPU", "GPUs"))
		switch {
		case len(r.Usage) < 2:
			remark = "not recorded"
		case jobs == 0:
			remark = "no job waits"
		case gpus == 0:
			remark = fmt.Sprintf("mean %s; peak %s", number(mean), counted(jobs, "job", "jobs"))
		}
		p := plot{
			ID: fmt.Sprintf("wait-%d", s.Slot), Title: "Waiting jobs over time: " + s.Label, Desc: s.Label + ": " + remark + ".",
			Height: 72, Rows: gridHeight, X: w.ticks(),
			Y:     []tick{{At: "0", Label: number(top)}, {At: "50", Label: number(top / 2)}, {At: "100", Label: "0"}},
			Scale: "time", From: w.From, To: w.To, Top: top,
		}
		if jobs > 0 {
			p.Shapes = append(p.Shapes, shape{Class: fmt.Sprintf("area c%d", s.Colour()), Series: s.Slot, Path: stepPath(bins[i], w.timeAxis, top, false)})
		}
		panels = append(panels, panel{s, p, remark})
	}
	return panels
}
