package report

import (
	"strconv"

	"schedmate"
)

// bin is a stretch of a step function over [From, To).
type bin struct {
	From, To schedmate.Seconds
	Area     int64 // exact integral, in units of the function times seconds
	Peak     int   // largest value that lasts for any time
}

// Mean is the value of the constant function with the same area.
func (b bin) Mean() float64 { return float64(b.Area) / float64(b.To-b.From) }

// binned cuts [from, to) into at most n bins of equal length, to a second, and
// integrates the samples in each. The areas of the bins add up to the exact
// area of the step function: thinning a curve this way moves no GPU-second.
//
// Before the first sample and from the last one on the function is 0.
func binned(samples []Sample, value func(Sample) int, from, to schedmate.Seconds, n int) []bin {
	length := to - from
	if length <= 0 {
		return nil
	}
	n = int(min(schedmate.Seconds(n), length))
	bins := make([]bin, n)
	k := 0 // the sample that may reach into the bin
	for i := range bins {
		b := bin{
			From: from + length*schedmate.Seconds(i)/schedmate.Seconds(n),
			To:   from + length*schedmate.Seconds(i+1)/schedmate.Seconds(n),
		}
		for ; k+1 < len(samples) && samples[k].At < b.To; k++ {
			lo, hi := max(b.From, samples[k].At), min(b.To, samples[k+1].At)
			if lo < hi {
				v := value(samples[k])
				b.Area += int64(v) * int64(hi-lo)
				b.Peak = max(b.Peak, v)
			}
			if samples[k+1].At > b.To {
				break // the sample reaches into the next bin too
			}
		}
		bins[i] = b
	}
	return bins
}

// area integrates the samples over [from, to).
func area(samples []Sample, value func(Sample) int, from, to schedmate.Seconds) int64 {
	var sum int64
	for _, b := range binned(samples, value, from, to, 1) {
		sum += b.Area
	}
	return sum
}

// makespan is the stretch of a run that its means are over: from the first
// sample to the end of the last job, when the last GPU gets free. What is
// recorded later, such as a node that comes back, is not part of the run. A
// run in which no job has a GPU lasts to its last sample.
func makespan(samples []Sample) (from, to schedmate.Seconds) {
	last := len(samples) - 1
	for i := last; i > 0; i-- {
		if samples[i-1].UsedGPUs > 0 {
			last = i
			break
		}
	}
	return samples[0].At, samples[last].At
}

// overMakespan integrates at least two samples over the makespan of the run,
// and returns how long that is.
func overMakespan(samples []Sample, value func(Sample) int) (sum int64, length schedmate.Seconds) {
	from, to := makespan(samples)
	return area(samples, value, from, to), to - from
}

// peak is the largest value of the samples that lasts for any time.
func peak(samples []Sample, value func(Sample) int) int {
	top := 0
	for i := 0; i+1 < len(samples); i++ {
		top = max(top, value(samples[i]))
	}
	return top
}

// stepPath draws the means of bins as steps over the base line; height turns a
// value into a share of the height of the plot. Upside down, it hangs from the
// upper edge.
func stepPath(bins []bin, axis timeAxis, height func(float64) float64, hang bool) string {
	base := gridHeight
	if hang {
		base = 0
	}
	b := append([]byte("M0 "), strconv.Itoa(base)...)
	last := base
	for i, bin := range bins {
		y := grid(0, height(bin.Mean())).y
		if hang {
			y = gridHeight - y
		}
		if y != last {
			if i > 0 {
				b = append(b, 'H')
				b = strconv.AppendInt(b, int64(grid(axis.place(bin.From), 0).x), 10)
			}
			b = append(b, 'V')
			b = strconv.AppendInt(b, int64(y), 10)
			last = y
		}
	}
	b = append(b, 'H')
	b = strconv.AppendInt(b, gridWidth, 10)
	b = append(b, 'V')
	b = strconv.AppendInt(b, int64(base), 10)
	return string(append(b, 'Z'))
}
