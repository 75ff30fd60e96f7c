package report

import (
	"fmt"

	"schedmate"
)

// window is the stretch of time that the figures over time show, the same for
// all policies. It starts with the first run, not with its epoch, and nothing
// that is drawn or written depends on the epoch.
type window struct {
	timeAxis
	Last schedmate.Seconds // when a job starts or waits last, in any run
	End  schedmate.Seconds // of the longest run; To < End when the tail is cut
	Cut  float64           // largest share of a run's GPU time that lies in the tail
}

// A trace often ends with a few very long jobs on a cluster that drains. No
// policy decides anything there, so the axis stops soon after the last start,
// if that spares a good part of its length.
const (
	margin = 0.05 // of the time to the last start, shown after it
	worth  = 0.75 // of the full length; a longer window is not cut
)

func used(s Sample) int        { return s.UsedGPUs }
func down(s Sample) int        { return s.DownGPUs }
func waitingJobs(s Sample) int { return s.WaitingJobs }
func waitingGPUs(s Sample) int { return s.WaitingGPUs }

// newWindow returns false when no run has recorded anything over time.
func newWindow(runs []*Run) (window, bool) {
	w := window{timeAxis: timeAxis{From: schedmate.Forever}, Last: -schedmate.Forever, End: -schedmate.Forever}
	for _, r := range runs {
		for _, b := range r.Bars {
			w.From, w.Last, w.End = min(w.From, b.Start), max(w.Last, b.Start), max(w.End, b.End)
		}
		if n := len(r.Usage); n > 0 {
			w.From, w.Last, w.End = min(w.From, r.Usage[0].At), max(w.Last, lastStart(r.Usage)), max(w.End, r.Usage[n-1].At)
		}
	}
	if w.From >= w.End {
		return window{}, false
	}
	w.To = w.End
	length, full := float64(w.Last-w.From)*(1+margin), float64(w.End-w.From)
	if 0 < length && length < worth*full {
		w.To = w.From + schedmate.Seconds(length) + 1
		for _, r := range runs {
			w.Cut = max(w.Cut, tailShare(r.Usage, w.To))
		}
	}
	return w, true
}

// lastStart returns when jobs wait or GPUs are taken for the last time.
func lastStart(samples []Sample) schedmate.Seconds {
	for i := len(samples) - 1; i > 0; i-- {
		if samples[i-1].WaitingJobs > 0 || samples[i].UsedGPUs > samples[i-1].UsedGPUs {
			return samples[i].At
		}
	}
	return samples[0].At
}

// tailShare is the share of the GPU time that lies after an instant.
func tailShare(samples []Sample, after schedmate.Seconds) float64 {
	if len(samples) == 0 {
		return 0
	}
	begin, end := samples[0].At, samples[len(samples)-1].At
	all := area(samples, used, begin, end)
	if all == 0 || end <= after {
		return 0
	}
	return float64(area(samples, used, max(begin, after), end)) / float64(all)
}

// remark says where the axis ends and why, or nothing when it is complete.
func (w window) remark() string {
	if w.To == w.End {
		return ""
	}
	text := fmt.Sprintf("After %s no job starts or waits any more under any policy; the clusters only drain until %s. The axis stops there",
		seconds(w.Last-w.From), seconds(w.End-w.From))
	if w.Cut > 0 {
		text += fmt.Sprintf("; at most %s of the GPU time of a run lies beyond it", percent(w.Cut))
	}
	return text + "."
}
