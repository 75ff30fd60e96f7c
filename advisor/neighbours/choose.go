package neighbours

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"schedmate/advisor/history"
)

// weighted is a neighbour with its weight in the median.
type weighted struct {
	Neighbour
	weight   float64
	progress float64
}

// reached is the share of the work that the run did before it ended.
func (w weighted) reached() float64 { return w.progress }

const slowedWeight = 0.3 // of a run that others slowed

// whole returns how long a run takes to the end and the share of it that was
// done, or false if the run does not tell.
func whole(r *history.Record, least float64) (seconds, progress float64, ok bool) {
	d := float64(r.Duration())
	switch {
	case d <= 0:
		return 0, 0, false
	case r.Progress >= 1, r.Progress < 0 && r.State == history.Completed:
		return d, 1, true
	case r.Progress > least:
		return d / r.Progress, r.Progress, true
	}
	return 0, 0, false
}

// choose brings runs to the query's GPU type and software and keeps the best:
// first those that need no such factor, then similar ones, then late ones.
func (e *Estimator) choose(q Query, runs []run, learnt *site) []weighted {
	type candidate struct {
		run
		seconds, progress, factor float64
		moved                     int // factors that it needed
		why                       []string
	}
	var all []candidate
	for _, r := range runs {
		seconds, progress, ok := whole(r.Record, e.options.LeastProgress)
		if !ok {
			continue
		}
		c := candidate{run: r, seconds: seconds, progress: progress, factor: r.scale}
		if r.why != "" {
			c.why = []string{r.why}
		}
		if progress < 1 {
			c.why = append(c.why, "ended early: extended by its progress")
		}
		if r.GPUType != q.GPUType {
			factor, why, ok := learnt.hardware(r.Record, q, e.options.Speed)
			if !ok {
				continue
			}
			c.factor, c.moved, c.why = c.factor*factor, c.moved+2, append(c.why, why)
		}
		all = append(all, c)
	}
	// The same works' runs on old and new software tell what the change was worth.
	var old, fresh []float64
	for _, c := range all {
		if x := math.Log(c.seconds * c.factor); c.Software == q.Software {
			fresh = append(fresh, x)
		} else {
			old = append(old, x)
		}
	}
	for i := range all {
		if c := &all[i]; c.Software != q.Software {
			ratio := learnt.drift(c.Software, q.Software, old, fresh)
			c.factor, c.moved = c.factor*ratio, c.moved+1
			if ratio != 1 {
				c.why = append(c.why, "other software")
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(compareDown(a.similarity, b.similarity), cmp.Compare(a.moved, b.moved), cmp.Compare(b.EndS, a.EndS), strings.Compare(a.ID, b.ID))
	})
	all = all[:min(e.options.TopK, len(all))]
	var basis []weighted
	for i, c := range all {
		w := weighted{weight: math.Exp2(-float64(i) / e.options.RecencyHalving), progress: c.progress}
		if c.Slowed {
			w.weight *= slowedWeight
		}
		w.Neighbour = Neighbour{
			ID: c.ID, Similarity: c.similarity, Seconds: c.seconds * c.factor, Factor: c.seconds * c.factor / float64(c.Duration()),
			State: c.State, GPUType: c.GPUType, Software: c.Software, Why: strings.Join(c.why, "; "),
		}
		basis = append(basis, w)
	}
	return basis
}

// weightedMedian is the weighted median of the logarithms, interpolated between
// the two middle runs.
func weightedMedian(basis []weighted) float64 {
	list := slices.Clone(basis)
	slices.SortStableFunc(list, func(a, b weighted) int { return cmp.Compare(a.Seconds, b.Seconds) })
	total := 0.0
	for _, w := range list {
		total += w.weight
	}
	sum := 0.0
	for i, w := range list {
		sum += w.weight
		switch {
		case math.Abs(sum-total/2) < 1e-12 && i+1 < len(list):
			return math.Sqrt(w.Seconds * list[i+1].Seconds)
		case sum > total/2:
			return w.Seconds
		}
	}
	return list[len(list)-1].Seconds
}

func spread(basis []weighted) float64 {
	low, high := math.Inf(1), 0.0
	for _, w := range basis {
		low, high = min(low, w.Seconds), max(high, w.Seconds)
	}
	return high / low
}

func compareDown(a, b float64) int { return cmp.Compare(b, a) }

// sortRuns sorts by an order, equal ones the latest first.
func sortRuns(list []run, order func(a, b run) int) {
	slices.SortFunc(list, func(a, b run) int {
		return cmp.Or(order(a, b), cmp.Compare(b.EndS, a.EndS), strings.Compare(a.ID, b.ID))
	})
}
