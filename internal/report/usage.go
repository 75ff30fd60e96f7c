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

// utilisation draws the share of GPUs in use, one panel a series. The mean of
// a panel is over the run's own makespan, as that of the metric is, and not
// over the axis, which is as long as the longest run.
func utilisation(all []*series, w window) []panel {
	var panels []panel
	for _, s := range all {
		r := s.first()
		p := plot{
			ID: fmt.Sprintf("use-%d", s.Slot), Title: "GPUs in use over time: " + s.Label,
			Height: 72, Rows: gridHeight, X: w.ticks(), Y: shareTicks(1, 0.5, 0),
			Scale: "time", To: w.length(), Top: 1, Share: true,
		}
		height := linear(float64(r.GPUs))
		remark := "not recorded"
		if len(r.Usage) > 1 {
			sum, length := overMakespan(r.Usage, used)
			share := float64(sum) / (float64(r.GPUs) * float64(length))
			remark = fmt.Sprintf("mean %s, peak %s", percent(share), percent(float64(peak(r.Usage, used))/float64(r.GPUs)))
			bins := binned(r.Usage, used, w.From, w.To, usageBins)
			p.Shapes = append(p.Shapes, shape{Class: fmt.Sprintf("area c%d", s.Colour()), Series: s.Slot, Path: stepPath(bins, w.timeAxis, height, false)})
		}
		if n := peak(r.Usage, down); n > 0 {
			p.Shapes = append(p.Shapes, shape{Class: "down", Series: -1, Path: stepPath(binned(r.Usage, down, w.From, w.To, usageBins), w.timeAxis, height, true)})
			remark += fmt.Sprintf(", up to %s down", counted(n, "GPU", "GPUs"))
		}
		p.Desc = s.Label + ": " + remark + "."
		panels = append(panels, panel{s, p, remark})
	}
	return panels
}

// queueLength draws the number of waiting jobs, one panel a series, all with
// the same scale. Queues of two policies often differ by more than ten times;
// on a square-root scale the short one can still be seen beside the long one.
func queueLength(all []*series, w window) []panel {
	longest := 0.0
	bins := make([][]bin, len(all))
	for i, s := range all {
		bins[i] = binned(s.first().Usage, waitingJobs, w.From, w.To, usageBins)
		for _, b := range bins[i] {
			longest = max(longest, b.Mean())
		}
	}
	top := rootTop(longest)
	var panels []panel
	for i, s := range all {
		r := s.first()
		remark := queueRemark(r)
		p := plot{
			ID: fmt.Sprintf("wait-%d", s.Slot), Title: "Waiting jobs over time: " + s.Label, Desc: s.Label + ": " + remark + ".",
			Height: 72, Rows: gridHeight, X: w.ticks(), Y: rootTicks(top),
			Scale: "time", To: w.length(), Top: float64(top), Root: true,
		}
		if peak(r.Usage, waitingJobs) > 0 {
			p.Shapes = append(p.Shapes, shape{Class: fmt.Sprintf("area c%d", s.Colour()), Series: s.Slot, Path: stepPath(bins[i], w.timeAxis, root(float64(top)), false)})
		}
		panels = append(panels, panel{s, p, remark})
	}
	return panels
}

// queueRemark gives the mean over the run's makespan, and the peaks.
func queueRemark(r *Run) string {
	if len(r.Usage) < 2 {
		return "not recorded"
	}
	jobs, gpus := peak(r.Usage, waitingJobs), peak(r.Usage, waitingGPUs)
	if jobs == 0 {
		return "no job waits"
	}
	sum, length := overMakespan(r.Usage, waitingJobs)
	remark := fmt.Sprintf("mean %s; peak %s", number(math.Round(10*float64(sum)/float64(length))/10), counted(jobs, "job", "jobs"))
	if gpus > 0 {
		remark += ", " + counted(gpus, "GPU", "GPUs")
	}
	return remark
}
