package tracker

import (
	"math"
	"slices"
)

// smoothing is the weight of the newest value in the rate that progress bars
// print (tqdm's default): the rest is what the bar printed before.
const smoothing = 0.3

// undoSmoothing turns the exponentially smoothed step times that a bar prints
// back into those of each stretch. A bar smooths counts and seconds apart and
// prints their ratio, so with s as the smoothed counts,
//
//	dt[k] = (m[k] s[k] - 0.7 m[k-1] s[k-1]) / 0.3.
//
// In a smoothed series a pause for evaluation raises a dozen values, and would
// look like a slowdown; undone, it raises one. It returns nil unless that is
// seen: of the values far above the median at most half are left, and no step
// takes less than no time, which is what comes out when nothing was smoothed.
func undoSmoothing(m, counts []float64) []float64 {
	out := make([]float64, len(m))
	s, seconds, last := 0.0, 0.0, math.NaN()
	for k := range m {
		out[k] = math.NaN()
		d := counts[k] - last
		if math.IsNaN(m[k]) || math.IsNaN(counts[k]) || d == 0 {
			continue // drawn again while the counter stood
		}
		if !(d > 0) { // the first values, or another bar
			s, seconds, d = 0, 0, 1
		}
		smoothed := smoothing*d + (1-smoothing)*s
		now := m[k] * smoothed
		out[k] = (now - (1-smoothing)*seconds) / smoothing / d
		s, seconds, last = smoothed, now, counts[k]
		if out[k] <= 0 {
			return nil
		}
	}
	before, after := farAbove(m), farAbove(out)
	if before < 3 || after*2 > before {
		return nil
	}
	return out
}

// farAbove counts the values above the median by more than a quarter.
func farAbove(values []float64) int {
	return above(values, 1.25*median(slices.DeleteFunc(slices.Clone(values), math.IsNaN)))
}
