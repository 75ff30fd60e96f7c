package synthetic

import (
	"math"
	"slices"

	"schedmate/scheduler/sim"
)

// Marginal is one published figure or distribution beside the one that a
// synthetic trace has.
type Marginal struct {
	Name      string   `json:"name"`
	Unit      string   `json:"unit,omitempty"`
	Published *float64 `json:"published,omitempty"`
	Generated *float64 `json:"generated,omitempty"`

	// Kolmogorov is the largest distance between the two distributions, over the
	// Points at which the published one is known.
	Kolmogorov *float64 `json:"kolmogorov,omitempty"`
	Points     int      `json:"points,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// sample collects what the marginals are about.
type sample struct {
	runs, sizes []float64
	asked       []float64
	state       [3]int
	gpuSeconds  [3]float64
	hours       [24]int
	weekdays    [7]int
	windows     map[int]int
	span        float64
}

// Compare makes the trace of a recipe and puts its marginals beside the published
// ones. Jobs of infeasible groups are left out, they are no part of the model.
func (p *Published) Compare(r *Recipe) ([]Marginal, error) {
	pl, err := p.plan(r)
	if err != nil {
		return nil, err
	}
	s := sample{windows: make(map[int]int), span: pl.span}
	if err := p.jobs(r, func(j *sim.Job, d *drawn) error {
		if !d.group {
			s.add(j, d)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	slices.Sort(s.runs)
	slices.Sort(s.asked)
	return slices.Concat(s.figures(pl), s.distributions(pl)), nil
}

func (s *sample) add(j *sim.Job, d *drawn) {
	run := float64(j.Outcome.Run)
	s.runs, s.asked, s.sizes = append(s.runs, run), append(s.asked, d.size), append(s.sizes, float64(j.GPUs))
	k := slices.Index(states, j.Outcome.State)
	s.state[k]++
	s.gpuSeconds[k] += run * float64(j.GPUs)
	s.hours[j.Submit/3600%24]++
	s.weekdays[j.Submit/day%7]++
	s.windows[int(j.Submit/window)]++
}

// figures are numbers: means, medians, shares.
func (s *sample) figures(p *plan) []Marginal {
	q := p.profile
	var out []Marginal
	add := func(name, unit string, published, generated float64, note string) {
		out = append(out, Marginal{Name: name, Unit: unit, Published: &published, Generated: &generated, Note: note})
	}
	n := float64(len(s.runs))
	add("jobs a day", "", float64(q.Jobs)/q.Days, n/(s.span/day), "")
	add("mean run", "s", q.Run.Mean, sum(s.runs)/n, "")
	add("median run", "s", q.Run.Median, middle(s.runs), "")
	add("longest run", "s", q.Run.Max, slices.Max(s.runs), "a cut, which few samples reach")
	whole := ""
	if p.fit.Sizes[0] < 1 {
		whole = "as asked; shares of a GPU become one GPU in the trace"
	}
	add("mean gang", "GPUs", q.GPUs.Mean, sum(s.asked)/n, whole)
	add("median gang", "GPUs", q.GPUs.Median, middle(s.asked), whole)
	add("largest gang", "GPUs", q.GPUs.Max, slices.Max(s.asked), "")
	if q.GPUSeconds != nil {
		v := q.GPUSeconds.values()
		add("GPU time a job", "s", (v[0]+v[1]+v[2])/float64(q.Jobs), (s.gpuSeconds[0]+s.gpuSeconds[1]+s.gpuSeconds[2])/n, "")
		total := sum(s.gpuSeconds[:])
		for k, share := range q.GPUSeconds.shares() {
			add("GPU time "+string(states[k]), "share", share, s.gpuSeconds[k]/total, "")
		}
	}
	return out
}

// distributions are compared where points of them are published.
func (s *sample) distributions(p *plan) []Marginal {
	q := p.profile
	var out []Marginal
	add := func(name string, distance float64, points int, note string) {
		out = append(out, Marginal{Name: name, Kolmogorov: &distance, Points: points, Note: note})
	}
	points, note := q.RunPoints, "of the whole distribution"
	if points == nil {
		points, note = []Point{{q.Run.Median, 0.5}, {q.Run.Max, 1}}, "only the median and the longest run are published"
	}
	add("run times", distance(s.runs, points), len(points), note)
	points, note = []Point{{q.GPUs.Median, 0.5}, {q.GPUs.Max, 1}}, "only the median and the largest gang are published: at most half are smaller, at least half as large"
	d := max(0, 0.5-atMost(s.asked, q.GPUs.Median), below(s.asked, q.GPUs.Median)-0.5)
	if q.RunPoints != nil { // the whole trace is known
		points, note = shape(p), "of the whole distribution"
		d = distance(s.asked, points)
	}
	add("gangs", d, len(points), note)
	if q.States != nil {
		shares := q.States.shares()
		add("end states", steps([]float64{float64(s.state[0]), float64(s.state[1]), float64(s.state[2])}, shares[:]), 3, "")
	}
	add("hours of the day", steps(floats(s.hours[:]), p.arrivals.HourShares), 24, "Venus")
	if s.span >= 14*day { // a shorter one cannot have the published week
		add("weekdays", steps(floats(s.weekdays[:]), p.arrivals.WeekdayShares), 7, "Venus")
	}
	if q.Name == q.Arrivals && p.Days == 0 && p.Load == 0 {
		counts := make([]float64, int(math.Ceil(s.span/window)))
		for w, c := range s.windows {
			if w < len(counts) {
				counts[w] = float64(c)
			}
		}
		slices.Sort(counts)
		add("jobs in ten minutes", distance(counts, p.arrivals.WindowPoints), len(p.arrivals.WindowPoints), "Venus")
	}
	return out
}

// shape is the distribution of gangs of a profile whose trace is known.
func shape(p *plan) (points []Point) {
	total := 0.0
	for i, g := range p.fit.Sizes {
		total += p.fit.Shares[i]
		points = append(points, Point{g, total})
	}
	return points
}

// distance is the largest difference between the distribution of sorted values
// and the published one, at its points.
func distance(sorted []float64, points []Point) float64 {
	d := 0.0
	for _, p := range points {
		d = max(d, math.Abs(atMost(sorted, p.At)-p.Share))
	}
	return d
}

// steps is the same for counts of kinds that have an order.
func steps(counts, shares []float64) float64 {
	d, have, want := 0.0, 0.0, 0.0
	n, all := sum(counts), sum(shares)
	for i := range counts {
		have, want = have+counts[i]/n, want+shares[i]/all
		d = max(d, math.Abs(have-want))
	}
	return d
}

func atMost(sorted []float64, x float64) float64 {
	i, _ := slices.BinarySearchFunc(sorted, x, func(v, x float64) int {
		if v <= x {
			return -1
		}
		return 1
	})
	return float64(i) / float64(len(sorted))
}

func below(sorted []float64, x float64) float64 {
	i, _ := slices.BinarySearch(sorted, x)
	return float64(i) / float64(len(sorted))
}

func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

func floats(xs []int) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = float64(x)
	}
	return out
}
