package synthetic

import (
	"fmt"
	"math"
)

// Fit is a model whose aggregates are those of a profile.
type Fit struct {
	Sizes  []float64  // of gangs, as asked
	Shares []float64  // of the jobs, of each size
	States [3]float64 // shares of the jobs

	A, B, Sigma float64    // median run time exp(A + B ln g + C[s])
	C           [3]float64 // C[0] is 0

	max float64 // ln of the longest run
}

// Fit finds the model. It is an error when no model of this kind has the
// published aggregates.
func (p *Profile) Fit(gangs []Gang) (*Fit, error) {
	f := &Fit{max: math.Log(p.Run.Max), States: [3]float64{1, 0, 0}, B: 0}
	if p.States != nil {
		f.States = p.States.shares()
	}
	if err := f.tilt(gangs, p.GPUs); err != nil {
		return nil, fmt.Errorf("fit %s: %w", p.Name, err)
	}
	f.A, f.Sigma = math.Log(p.Run.Median), math.Sqrt(2*math.Log(p.Run.Mean/p.Run.Median))
	parameters := []*float64{&f.A, &f.Sigma}
	if p.GPUSeconds != nil {
		parameters = append(parameters, &f.B, &f.C[1], &f.C[2])
	}
	if err := solve(parameters, func() []float64 { return f.errors(p) }); err != nil {
		return nil, fmt.Errorf("fit %s: %w", p.Name, err)
	}
	return f, nil
}

// atMedian is the least share of the jobs up to the median size: a little more
// than a half, so that a sample has the median too.
const atMedian = 0.505

// tilt takes the sizes up to the largest and finds the power of the size that,
// times the weights, has the mean. Where too few jobs are then as small as the
// median, they are made to be enough, and the larger ones are tilted more.
func (f *Fit) tilt(gangs []Gang, want Sizes) error {
	var weights []float64
	for _, g := range gangs {
		if g.GPUs <= want.Max {
			f.Sizes, weights = append(f.Sizes, g.GPUs), append(weights, g.Weight)
		}
	}
	small := func(i int) bool { return f.Sizes[i] <= want.Median }
	shares := func(power, least float64) (mean, upToMedian float64) {
		f.Shares = make([]float64, len(weights))
		var low, high float64
		for i, g := range f.Sizes {
			f.Shares[i] = weights[i] * math.Pow(g, power)
			if small(i) {
				low += f.Shares[i]
			} else {
				high += f.Shares[i]
			}
		}
		upToMedian = max(low/(low+high), least)
		for i, g := range f.Sizes {
			if small(i) {
				f.Shares[i] *= upToMedian / low
			} else {
				f.Shares[i] *= (1 - upToMedian) / high
			}
			mean += f.Shares[i] * g
		}
		return mean, upToMedian
	}
	for _, least := range []float64{0, atMedian} {
		lo, hi := -20.0, 20.0
		for range 200 {
			if mean, _ := shares((lo+hi)/2, least); mean < want.Mean {
				lo = (lo + hi) / 2
			} else {
				hi = (lo + hi) / 2
			}
		}
		mean, upToMedian := shares((lo+hi)/2, least)
		if math.Abs(mean/want.Mean-1) > 1e-9 {
			return fmt.Errorf("no tilt of its gangs has the mean %g, %g is the nearest", want.Mean, mean)
		}
		if upToMedian >= 0.5 {
			return nil
		}
	}
	return nil
}

// errors are how far the model's aggregates are from the published ones, as
// logarithms of ratios: the share of runs up to the median, the mean run time and,
// where known, the mean GPU time and the share of it of two states.
func (f *Fit) errors(p *Profile) []float64 {
	var below, mean, total float64
	var used [3]float64
	for i, g := range f.Sizes {
		for s, share := range f.States {
			if share == 0 {
				continue
			}
			m := f.location(g, s)
			run := f.mean(m)
			w := f.Shares[i] * share
			below += w * f.below(m, math.Log(p.Run.Median))
			mean += w * run
			total += w * run * g
			used[s] += w * run * g
		}
	}
	errs := []float64{math.Log(below / (1 - below)), math.Log(mean / p.Run.Mean)}
	if p.GPUSeconds != nil {
		v := p.GPUSeconds.values()
		sum := v[0] + v[1] + v[2]
		errs = append(errs, math.Log(total/(sum/float64(p.Jobs))), math.Log(used[1]/used[0]/(v[1]/v[0])), math.Log(used[2]/used[0]/(v[2]/v[0])))
	}
	return errs
}

// location is the mean logarithm of the run time before it is cut off.
func (f *Fit) location(gpus float64, state int) float64 {
	return f.A + f.B*math.Log(gpus) + f.C[state]
}

// below is the share of run times whose logarithm is at most x.
func (f *Fit) below(m, x float64) float64 {
	lo, hi := f.ends(m)
	return (phi((x-m)/f.Sigma) - lo) / (hi - lo)
}

// mean is the mean run time of a log-normal that is cut off.
func (f *Fit) mean(m float64) float64 {
	lo, hi := f.ends(m)
	s := f.Sigma
	return math.Exp(m+s*s/2) * (phi((f.max-m)/s-s) - phi(-m/s-s)) / (hi - lo)
}

// ends are the shares of the whole log-normal below a second and below the
// longest run.
func (f *Fit) ends(m float64) (lo, hi float64) { return phi(-m / f.Sigma), phi((f.max - m) / f.Sigma) }

// phi is the standard normal distribution.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// solve is Newton's method with steps that are halved until they help.
func solve(parameters []*float64, errors func() []float64) error {
	n := len(parameters)
	norm := func(v []float64) float64 {
		sum := 0.0
		for _, x := range v {
			sum += x * x
		}
		if math.IsNaN(sum) {
			return math.Inf(1)
		}
		return sum
	}
	now := errors()
	for range 200 {
		if norm(now) < 1e-20 {
			return nil
		}
		rows := make([][]float64, n) // the Jacobian, and what is to be mended
		for i := range rows {
			rows[i] = make([]float64, n+1)
			rows[i][n] = -now[i]
		}
		const h = 1e-6
		for k, p := range parameters {
			*p += h
			for i, e := range errors() {
				rows[i][k] = (e - now[i]) / h
			}
			*p -= h
		}
		step := eliminate(rows)
		before := make([]float64, n)
		for k, p := range parameters {
			before[k] = *p
		}
		scale := 1.0
		for ; scale > 1e-9; scale /= 2 {
			for k, p := range parameters {
				*p = before[k] + scale*step[k]
			}
			if next := errors(); norm(next) < norm(now) {
				now = next
				break
			}
		}
		if scale <= 1e-9 {
			break
		}
	}
	if norm(now) < 1e-12 {
		return nil
	}
	return fmt.Errorf("no model has these aggregates, %.3g is left", math.Sqrt(norm(now)))
}

// eliminate solves linear equations by elimination with pivots.
func eliminate(rows [][]float64) []float64 {
	n := len(rows)
	for i := range n {
		best := i
		for k := i + 1; k < n; k++ {
			if math.Abs(rows[k][i]) > math.Abs(rows[best][i]) {
				best = k
			}
		}
		rows[i], rows[best] = rows[best], rows[i]
		for k := i + 1; k < n; k++ {
			factor := rows[k][i] / rows[i][i]
			for c := i; c <= n; c++ {
				rows[k][c] -= factor * rows[i][c]
			}
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		x[i] = rows[i][n]
		for c := i + 1; c < n; c++ {
			x[i] -= rows[i][c] * x[c]
		}
		x[i] /= rows[i][i]
	}
	return x
}
