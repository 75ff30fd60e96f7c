package report

import (
	"cmp"
	"slices"

	"schedmate"
)

// window is the stretch of time that the figures over time show, the same for
// all policies.
type window struct {
	timeAxis
	End schedmate.Seconds // of the longest run; To < End when the tail is cut
	Cut float64           // largest share of a run's GPU time that lies in the tail
}

// A trace often ends with a few very long jobs on an otherwise empty cluster.
// The axis stops once doneShare of the GPU time of each run has passed, if
// that spares at least half of its length.
const (
	doneShare = 0.99
	spares    = 0.5
)

func used(s Sample) int        { return s.UsedGPUs }
func down(s Sample) int        { return s.DownGPUs }
func waitingJobs(s Sample) int { return s.WaitingJobs }
func waitingGPUs(s Sample) int { return s.WaitingGPUs }

// newWindow returns false when no run has recorded anything over time.
func newWindow(runs []*Run) (window, bool) {
	w := window{timeAxis: timeAxis{From: schedmate.Forever}}
	var done schedmate.Seconds
	for _, r := range runs {
		for _, b := range r.Bars {
			w.From, w.End = min(w.From, b.Start), max(w.End, b.End)
		}
		if n := len(r.Usage); n > 0 {
			w.From, w.End = min(w.From, r.Usage[0].At), max(w.End, r.Usage[n-1].At)
			done = max(done, whenDone(r.Usage, doneShare))
		}
	}
	if w.From >= w.End {
		return window{}, false
	}
	w.To = w.End
	if done > w.From && float64(done-w.From) < spares*float64(w.End-w.From) {
		w.To = done
		for _, r := range runs {
			w.Cut = max(w.Cut, tailShare(r.Usage, w.To))
		}
	}
	return w, true
}

// whenDone returns the first instant by which the share of the GPU time has
// passed.
func whenDone(samples []Sample, share float64) schedmate.Seconds {
	if len(samples) == 0 {
		return 0
	}
	end := samples[len(samples)-1].At
	limit := share * float64(area(samples, used, samples[0].At, end))
	passed := 0.0
	for i := 0; i+1 < len(samples); i++ {
		passed += float64(samples[i].UsedGPUs) * float64(samples[i+1].At-samples[i].At)
		if passed >= limit {
			return samples[i+1].At
		}
	}
	return end
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

// firstRuns returns the runs that the figures over time show.
func firstRuns(all []*series) []*Run {
	runs := make([]*Run, len(all))
	for i, s := range all {
		runs[i] = s.first()
	}
	return runs
}

// byMeanJCT returns the series, the shortest mean JCT first; those in which no
// job ended come last.
func byMeanJCT(all []*series) []*series {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *series) int {
		x, okX := mean(a.pooled(jctOf))
		y, okY := mean(b.pooled(jctOf))
		if okX != okY {
			if okX {
				return -1
			}
			return 1
		}
		return cmp.Compare(x, y)
	})
	return sorted
}
