package estimators

import (
	"math"
	"slices"
)

// Errors sums up relative errors, as fractions.
type Errors struct {
	Of     int     `json:"of"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Worst  float64 `json:"worst"`

	misses []float64
}

func (e *Errors) add(miss float64) { e.misses = append(e.misses, miss) }

// finish works out the figures from what was added.
func (e *Errors) finish() {
	if e.Of = len(e.misses); e.Of == 0 {
		return
	}
	slices.Sort(e.misses)
	sum := 0.0
	for _, v := range e.misses {
		sum += v
	}
	e.Mean = sum / float64(e.Of)
	e.Median, e.P90, e.Worst = quantile(e.misses, 0.5), quantile(e.misses, 0.9), e.misses[e.Of-1]
}

// quantile is the least value that a share of the sorted values do not exceed.
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))-1e-9))-1)]
}

// Coverage is how often an interval held the truth.
type Coverage struct {
	Held  int     `json:"held"`
	Of    int     `json:"of"`
	Share float64 `json:"share"`
	// Width is the median of the intervals' widths, relative to the prediction.
	Width float64 `json:"width"`

	widths []float64
}

func (c *Coverage) add(low, value, high, truth float64) {
	// Half a millionth of slack: the tables are rounded.
	slack := 5e-7 * math.Abs(truth)
	if low-slack <= truth && truth <= high+slack {
		c.Held++
	}
	c.Of++
	c.widths = append(c.widths, (high-low)/value)
}

func (c *Coverage) finish() {
	if c.Of == 0 {
		return
	}
	c.Share = float64(c.Held) / float64(c.Of)
	slices.Sort(c.widths)
	c.Width = quantile(c.widths, 0.5)
}
