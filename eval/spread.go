package eval

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the share of such intervals that hold the true mean.
const Confidence = 0.95

// Interval is a mean over seeds with Student's interval around it: what the
// mean over very many seeds is, if figures of single seeds are normal.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// IntervalOf is the interval of the figures of at least two seeds.
func IntervalOf(figures []float64) Interval {
	n := float64(len(figures))
	mean, deviation := stat.MeanStdDev(figures, nil)
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1 + Confidence) / 2)
	half := t * deviation / math.Sqrt(n)
	return Interval{mean, mean - half, mean + half}
}

// Spread is how the main figures of one policy vary over the seeds.
type Spread struct {
	Experiment  string   `json:"experiment"`
	Policy      string   `json:"policy"`
	Preset      string   `json:"preset"`
	Seeds       int      `json:"seeds"`
	MeanJCT     Interval `json:"mean_jct_s"`
	P99JCT      Interval `json:"p99_jct_s"`
	MeanQueue   Interval `json:"mean_queue_s"`
	Makespan    Interval `json:"makespan_s"`
	Utilisation Interval `json:"utilisation"`

	// Where each seed has one.
	WDMR              *Interval `json:"wdmr,omitempty"`
	StrictMiss        *Interval `json:"strict_miss,omitempty"`
	SoftMiss          *Interval `json:"soft_miss,omitempty"`
	MeanJCTBestEffort *Interval `json:"mean_jct_best_effort_s,omitempty"`
	P99JCTBestEffort  *Interval `json:"p99_jct_best_effort_s,omitempty"`
	AcceptanceStrict  *Interval `json:"acceptance_strict,omitempty"`
	Broken            *Interval `json:"broken_among_accepted,omitempty"`
}

// Spreads are those of all policies that ran with several seeds, in the order
// of their first runs.
func Spreads(runs []Run) []Spread {
	index := make(map[RunID]int)
	var groups [][]*Run
	for i := range runs {
		id := runs[i].RunID
		id.Seed = 0
		g, ok := index[id]
		if !ok {
			g = len(groups)
			index[id], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], &runs[i])
	}
	var out []Spread
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		over := func(figure func(*Run) float64) Interval {
			var all []float64
			for _, r := range g {
				all = append(all, figure(r))
			}
			return IntervalOf(all)
		}
		s := Spread{
			Experiment: g[0].Experiment, Policy: g[0].Policy, Preset: g[0].Preset, Seeds: len(g),
			MeanJCT:     over(func(r *Run) float64 { return r.MeanJCT }),
			P99JCT:      over(func(r *Run) float64 { return r.P99JCT }),
			MeanQueue:   over(func(r *Run) float64 { return r.MeanQueue }),
			Makespan:    over(func(r *Run) float64 { return float64(r.Makespan) }),
			Utilisation: over(func(r *Run) float64 { return r.Utilisation }),
		}
		some := func(figure func(*Run) *float64) *Interval {
			for _, r := range g {
				if figure(r) == nil {
					return nil
				}
			}
			x := over(func(r *Run) float64 { return *figure(r) })
			return &x
		}
		s.WDMR = some(func(r *Run) *float64 { return r.WDMR })
		s.StrictMiss = some(func(r *Run) *float64 { return r.StrictMiss })
		s.SoftMiss = some(func(r *Run) *float64 { return r.SoftMiss })
		s.MeanJCTBestEffort = some(func(r *Run) *float64 { return r.MeanJCTBestEffort })
		s.P99JCTBestEffort = some(func(r *Run) *float64 { return r.P99JCTBestEffort })
		s.AcceptanceStrict = some(func(r *Run) *float64 { return r.AcceptanceStrict })
		s.Broken = some(func(r *Run) *float64 { return r.BrokenAmongAccepted })
		out = append(out, s)
	}
	return out
}
