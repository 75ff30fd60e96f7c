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
	weight float64
}

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

// candidate is a run on its way to the query's work, GPU type and software.
type candidate struct {
	run
	seconds float64 // of the run to its end
	factor  float64 // on what is not start-up
	moves   int     // how far its GPU type and software are away
	why     []string
}

// log is the logarithm of what the run says about the query, start-up apart.
func (c *candidate) log(o Options) float64 {
	return math.Log((c.seconds - o.startUp(c.seconds)) * c.factor)
}

// says is what the run says about the query.
func (c *candidate) says(o Options) float64 {
	s := o.startUp(c.seconds)
	return s + (c.seconds-s)*c.factor
}

// startUp is the part of a run that loads code, weights and data, which neither
// more work nor a faster GPU changes.
func (o Options) startUp(seconds float64) float64 { return min(o.StartUp, seconds/2) }

// choose brings runs to the query's GPU type and software and keeps the best:
// similar ones before others, then those that needed no such factor, then late
// ones.
func (e *Estimator) choose(q Query, runs []run, learnt *site) ([]weighted, error) {
	all, err := e.candidates(q, runs, learnt)
	if err != nil {
		return nil, err
	}
	e.settle(q, all, learnt)
	slices.SortFunc(all, func(a, b *candidate) int {
		return cmp.Or(compareDown(a.similarity, b.similarity), cmp.Compare(a.moves, b.moves), cmp.Compare(b.EndS, a.EndS), strings.Compare(a.ID, b.ID))
	})
	var basis []weighted
	for i, c := range all[:min(e.options.TopK, len(all))] {
		w := weighted{weight: math.Exp2(-float64(i) / e.options.RecencyHalving)}
		if c.Slowed {
			w.weight *= slowedWeight
		}
		says := c.says(e.options)
		w.Neighbour = Neighbour{
			ID: c.ID, Similarity: c.similarity, Seconds: says, Factor: says / float64(c.Duration()),
			State: c.State, GPUType: c.GPUType, Software: c.Software, Why: strings.Join(c.why, "; "),
		}
		basis = append(basis, w)
	}
	return basis, nil
}

// candidates are the runs that tell how long they would have been, on the
// query's GPU type as far as the site knows the way there.
func (e *Estimator) candidates(q Query, runs []run, learnt *site) ([]*candidate, error) {
	var all []*candidate
	bridges := make(map[string]*bridge)
	for _, r := range runs {
		seconds, progress, ok := whole(r.Record, e.options.LeastProgress)
		if !ok {
			continue
		}
		c := &candidate{run: r, seconds: seconds, factor: r.scale}
		if r.why != "" {
			c.why = []string{r.why}
		}
		if progress < 1 {
			c.why = append(c.why, "ended early: extended by its progress")
		}
		if r.GPUType != q.GPUType {
			b := bridges[r.GPUType]
			if b == nil {
				var err error
				if b, err = learnt.bridge(r.GPUType, q, e.options.Speed); err != nil {
					return nil, err
				}
				bridges[r.GPUType] = b
			}
			factor, why, ok := b.factor(r.Record, q)
			if !ok {
				continue
			}
			c.factor, c.moves, c.why = c.factor*factor, 2, append(c.why, why)
		}
		all = append(all, c)
	}
	return all, nil
}

// settle lets the work's own runs correct what others taught: those on the
// query's GPU type the factors of other types, then those on its software the
// factors of other software.
func (e *Estimator) settle(q Query, all []*candidate, learnt *site) {
	var own []float64
	moved := make(map[string][]float64)
	for _, c := range all {
		if c.GPUType == q.GPUType {
			own = append(own, c.log(e.options))
		} else {
			moved[c.GPUType] = append(moved[c.GPUType], c.log(e.options))
		}
	}
	if n := ownWeight * float64(len(own)); n > 0 {
		here := median(own)
		correct := make(map[string]float64, len(moved))
		for gpuType, logs := range moved { //schedmate:ordered into a map
			correct[gpuType] = math.Exp(n / (n + 1) * (here - median(logs)))
		}
		for _, c := range all {
			if factor, ok := correct[c.GPUType]; ok {
				c.factor *= factor
			}
		}
	}
	var old, fresh []float64
	for _, c := range all {
		if c.Software == q.Software {
			fresh = append(fresh, c.log(e.options))
		} else {
			old = append(old, c.log(e.options))
		}
	}
	drifts := make(map[string]float64)
	for _, c := range all {
		if c.Software == q.Software {
			continue
		}
		c.moves++
		ratio, known := drifts[c.Software]
		if !known {
			ratio = learnt.drift(c.Software, q.Software, old, fresh)
			drifts[c.Software] = ratio
		}
		if ratio != 1 {
			c.factor, c.why = c.factor*ratio, append(c.why, "other software")
		}
	}
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
