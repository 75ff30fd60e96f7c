package estimate

import (
	"fmt"
	"math"
	"slices"
)

// Spread is an interval around a prediction in units of that prediction's own
// doubt. The zero value is an interval without width, for who wants the
// prediction only.
type Spread struct {
	Low, High float64 // Low <= High
}

// Calibrate returns the spread that holds a share of the misses, leaving out as
// many below as above: the quantiles of split conformal prediction, with the
// correction for few misses (rank ceil((n+1) q)). It is an error that wraps
// ErrMissing if there are too few misses for that share: 19 for 90 %.
func Calibrate(misses []float64, share float64) (Spread, error) {
	if !(share > 0 && share < 1) {
		return Spread{}, fmt.Errorf("share of the interval: must lie between 0 and 1, got %g", share)
	}
	sorted := slices.Clone(misses)
	for i, m := range sorted {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return Spread{}, fmt.Errorf("miss %d: must be a number, got %g", i, m)
		}
	}
	slices.Sort(sorted)
	n := len(sorted)
	// The small amount keeps 0.95 * 20 from counting as more than 19.
	rank := int(math.Ceil(float64(n+1)*(1+share)/2 - 1e-9))
	if rank > n || n == 0 {
		return Spread{}, fmt.Errorf("calibrate an interval of %g: %w: %d misses are too few", share, ErrMissing, n)
	}
	return Spread{Low: sorted[n-rank], High: sorted[rank-1]}, nil
}
