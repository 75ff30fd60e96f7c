package tracker

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"schedmate/logs/series"
)

// timed tells whether a number of the line follows the clock: it is large when
// the time since the last record is large. Only the time of the work itself
// does that.
func (a *analysis) timed(v *view, c *candidate) string {
	if v.Len() < 12 {
		return ""
	}
	with := &analysis{set: a.set, arrival: a.arrival, views: a.views, primary: *c, main: v}
	for _, k := range with.clocks() {
		if k.name != "stamps" && k.name != "arrival times" {
			continue
		}
		ds := differences(v.series[c.column], k.seconds, 1, 60)
		if len(ds) < 10 || k.resolution > 0.1*meanSeconds(ds) || c.how.regular < 0.5 && steady(ds) {
			continue
		}
		for col := range v.Columns {
			if col == c.column || v.how[col].integers || v.how[col].distinct < 6 || v.Columns[col].Form == series.Percent {
				continue
			}
			if r := agreementOf(ds, v.series[col]); math.Abs(r) > 0.6 {
				return fmt.Sprintf("%s follows the clock", columnName(&v.Columns[col]))
			}
		}
	}
	return ""
}

// steady tells whether the records come at equal times, as those of a monitor do
// that reports whatever was counted meanwhile: its speed is arithmetic.
func steady(ds []difference) bool {
	mean := meanSeconds(ds)
	for _, d := range ds {
		if math.Abs(d.seconds-mean) > 0.1*mean {
			return false
		}
	}
	return true
}

func meanSeconds(ds []difference) float64 {
	sum := 0.0
	for _, d := range ds {
		sum += d.seconds
	}
	return sum / float64(len(ds))
}

// agreementOf is the rank correlation of the step times by the clock with a
// column; negative when the column is a rate, and 0 when so few records agree
// as well by chance (three standard errors).
func agreementOf(ds []difference, column []float64) float64 {
	var x, y []float64
	for _, d := range ds {
		if v := column[d.at]; !math.IsNaN(v) {
			x = append(x, math.Round(d.seconds*1e9)/d.counts)
			y = append(y, v)
		}
	}
	if len(x) < 10 {
		return 0
	}
	r := stat.Correlation(ranks(x), ranks(y), nil)
	if math.IsNaN(r) || math.Abs(r)*math.Sqrt(float64(len(x)-1)) < 3 {
		return 0
	}
	return r
}

// ranks of the values; equal ones share their mean rank.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	out := make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}
