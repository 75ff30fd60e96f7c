package lucid

import "schedmate"

// arrivals counts submissions in the bins of the last hour, from which the next
// are foretold: as many as in the mean of the bins that are over.
//
// Invariant: bins[i] counts the jobs submitted in bin last - i.
type arrivals struct {
	last schedmate.Seconds // number of the bin that is under way
	seen schedmate.Seconds // jobs up to this submission have been counted
	bins [1 + pastBins]int64
	set  bool
}

const (
	binSeconds = 600
	pastBins   = 5
)

// count takes notice of the jobs that have come since the last plan. Those that
// came and ended between two plans are not seen; a plan follows every arrival.
func (a *arrivals) count(s *schedmate.Snapshot) {
	bin := s.Now / binSeconds
	if !a.set {
		a.last, a.seen, a.set = bin, -1, true
	}
	for ; a.last < bin && a.last+pastBins+1 >= bin; a.last++ {
		copy(a.bins[1:], a.bins[:])
		a.bins[0] = 0
	}
	if a.last != bin {
		a.bins, a.last = [1 + pastBins]int64{}, bin
	}
	latest := a.seen
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} {
		for _, j := range list {
			at := j.Job.Submit
			latest = max(latest, at)
			if i := bin - at/binSeconds; at > a.seen && i <= pastBins {
				a.bins[i]++
			}
		}
	}
	a.seen = latest
}

// busy reports whether more than least jobs a bin are foretold.
func (a *arrivals) busy(least int) bool {
	sum := int64(0)
	for _, n := range a.bins[1:] {
		sum += n
	}
	return sum > int64(least)*pastBins
}

func (a *arrivals) numbers() []int64 {
	return append([]int64{int64(a.last), int64(a.seen)}, a.bins[:]...)
}

func (a *arrivals) read(n []int64) {
	if len(n) != 2+len(a.bins) || n[0] < 0 || n[0] > int64(schedmate.MaxSeconds) || n[1] < -1 || n[1] > int64(schedmate.MaxSeconds) {
		return
	}
	a.last, a.seen, a.set = schedmate.Seconds(n[0]), schedmate.Seconds(n[1]), true
	for i := range a.bins {
		a.bins[i] = min(max(n[2+i], 0), 1<<32)
	}
}
