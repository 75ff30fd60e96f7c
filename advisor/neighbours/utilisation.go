package neighbours

import (
	"cmp"
	"slices"

	"schedmate/advisor/history"
)

// warmedUp is the time after which the mean over a run is close to its steady
// utilisation.
const warmedUp = 900 // seconds

// utilisation is the steady utilisation of the nearest runs that have measured
// it: the median of up to seven, long runs before short ones because a short
// run is mostly warm-up.
func utilisation(q Query, f *found) (*float64, error) {
	for _, how := range []relation{sameWork, nearWork, relatedWork} {
		runs, err := f.runs(how)
		if err != nil {
			return nil, err
		}
		if u, ok := steady(q, runs); ok {
			return &u, nil
		}
	}
	return nil, nil
}

func steady(q Query, runs []run) (float64, bool) {
	var list []run
	for _, r := range runs {
		if r.Utilisation != nil && r.Duration() > 0 {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return 0, false
	}
	rank := func(r run) int { // small is better
		n := 0
		if r.Utilisation.Steady <= 0 && r.Duration() < warmedUp {
			n += 2
		}
		if r.GPUType != q.GPUType {
			n++
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b run) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Duration(), a.Duration()))
	})
	var values []float64
	for _, r := range list[:min(7, len(list))] {
		if rank(r)/2 > rank(list[0])/2 { // short runs only where there are no long ones
			break
		}
		values = append(values, steadyOf(r.Record))
	}
	if rank(list[0]) >= 2 { // all are short: the longest has warmed up most
		values = values[:1]
	}
	return median(values), true
}

func steadyOf(r *history.Record) float64 {
	if r.Utilisation.Steady > 0 {
		return r.Utilisation.Steady
	}
	return r.Utilisation.Mean
}
