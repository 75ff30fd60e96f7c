package report

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
)

// loadPlots draws the loads with the most promised GPUs.
func loadPlots(p *Promises, a timeAxis) (plots []loadPlot, omitted int) {
	loads := slices.Clone(p.Loads)
	for i := range loads { // the calendar may show only the most urgent
		if n := len(loads[i].Steps); n > 0 {
			a.To = max(a.To, loads[i].Steps[n-1].End)
		}
	}
	slices.SortStableFunc(loads, func(x, y Load) int { return cmp.Compare(y.promised(), x.promised()) })
	for i := range loads {
		if i >= chartLoads {
			return plots, len(loads) - chartLoads
		}
		plots = append(plots, newLoadPlot(p, i, &loads[i], a))
	}
	return plots, 0
}

// promised is the GPU-time of all leases.
func (l *Load) promised() (sum int64) {
	for _, s := range l.Steps {
		sum += int64(s.Promised) * int64(s.End-s.Start)
	}
	return sum
}

// loadPlot is a curve of GPUs promised, below one of those that can be.
type loadPlot struct {
	Name, Remark string
	Plot         plot
}

func newLoadPlot(p *Promises, i int, l *Load, a timeAxis) loadPlot {
	top, most, sum, room := 1, 0, int64(0), int64(0)
	for _, s := range l.Steps {
		top, most = max(top, s.GPUs, s.Promised), max(most, s.Promised)
		sum, room = sum+int64(s.Promised)*int64(s.End-s.Start), room+int64(s.GPUs)*int64(s.End-s.Start)
	}
	out := loadPlot{Name: l.Name, Remark: "nothing can be promised"}
	if room > 0 {
		out.Remark = fmt.Sprintf("%s of the GPU time until the last slot is promised, at most %s at once", percent(float64(sum)/float64(room)), counted(most, "GPU", "GPUs"))
	}
	out.Plot = plot{
		ID: fmt.Sprintf("load-%d", i), Title: "GPUs promised: " + l.Name, Desc: l.Name + ": " + out.Remark + ".",
		Height: 96, Rows: gridHeight, X: p.ticks(a), Y: []tick{{At: "0", Label: Count(top)}, {At: "100", Label: "0"}},
		Scale: "time", To: a.length(), Top: float64(top),
	}
	if p.Clock {
		out.Plot.Clock = a.From
	}
	high := linear(float64(top))
	steps := func(value func(LoadStep) int) ([]byte, schedmate.Seconds) {
		d, last := fmt.Appendf(nil, "M0 %d", gridHeight), gridHeight
		to := func(t schedmate.Seconds, v int) {
			if y := grid(0, high(float64(v))).y; y != last {
				d, last = fmt.Appendf(d, "H%dV%d", grid(a.place(t), 0).x, y), y
			}
		}
		end := a.From
		for _, s := range l.Steps {
			if s.Start >= a.To {
				break
			}
			if s.Start > end {
				to(end, 0)
			}
			to(s.Start, value(s))
			end = s.End
		}
		return d, end
	}
	promised, end := steps(func(s LoadStep) int { return s.Promised })
	promised = fmt.Appendf(promised, "H%dV%dH%dZ", grid(a.place(end), 0).x, gridHeight, gridWidth)
	capacity, end := steps(func(s LoadStep) int { return s.GPUs })
	capacity = fmt.Appendf(capacity, "H%d", grid(a.place(end), 0).x)
	out.Plot.Shapes = []shape{
		{Class: "area c0", Series: -1, Path: string(promised)},
		{Class: "capacity", Series: -1, Path: string(capacity)},
		{Class: "now", Series: -1, Path: fmt.Sprintf("M%d 0V%d", grid(a.place(p.Now), 0).x, gridHeight)},
	}
	if p.Shortage != nil {
		out.Plot.Shapes = append(out.Plot.Shapes, shape{Class: "binding", Series: -1, Path: fmt.Sprintf("M%d 0V%d", grid(a.place(p.Shortage.Until), 0).x, gridHeight)})
	}
	return out
}
