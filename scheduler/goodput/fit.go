package goodput

import "math"

// Point is one kind of step that a job has made.
//
// Invariant: 1 <= Nodes <= GPUs, 1 <= Local; 0 <= Sync < Seconds.
type Point struct {
	Nodes, GPUs int
	Local       int     // samples of one GPU in one pass
	Seconds     float64 // of a step with an exchange
	Sync        float64 // of the exchange in it, as far as nothing was computed meanwhile
}

// The order of the constants in a point of the fit.
const (
	compute = iota
	computeSample
	across
	acrossGPU
	within
	withinGPU
	gamma
	constants
)

// Fit returns the model that is closest to the points, of which there must be
// some (Pollux, section 4.1). What the points say nothing about is left at
// nothing, so that a job grows until it knows better:
//
//	minimise RMS(log compute) + RMS(log step)
//	         + 0.001 (gamma - 1)^2 + 0.01 ((AcrossGPU/Across)^2 + (WithinGPU/Within)^2)
func Fit(points []Point) Model {
	x := [constants]float64{0.1, 0.01, 0.1, 0.01, 0.1, 0.01, 1.001}
	var low, high [constants]float64
	for i := range constants {
		low[i], high[i] = tiny, math.Inf(1)
	}
	low[gamma], high[gamma] = 1, 10
	fix := func(i int, v float64) { x[i], low[i], high[i] = v, v, v }

	oneSize, spread, local, many := true, false, false, false
	mean := 0.0
	for _, p := range points {
		oneSize = oneSize && p.Local == points[0].Local
		spread = spread || p.Nodes > 1
		local = local || p.Nodes == 1 && p.GPUs > 1
		many = many || p.GPUs > 2
		mean += (p.Seconds - p.Sync) / float64(len(points))
	}
	if oneSize {
		fix(compute, mean/2)
	}
	if !spread {
		fix(across, tiny)
		fix(acrossGPU, tiny)
	}
	if !local {
		fix(within, tiny)
		fix(withinGPU, tiny)
	}
	if !many {
		fix(acrossGPU, tiny)
		fix(withinGPU, tiny)
	}
	x = minimise(func(x, grad *[constants]float64) float64 { return loss(points, x, grad) }, x, low, high)
	if !spread { // several nodes are never better than one
		x[across] = max(x[across], 1.1*x[within])
		x[acrossGPU] = max(x[acrossGPU], 1.1*x[withinGPU])
	}
	return Model{
		Compute: x[compute], ComputeSample: x[computeSample],
		Across: x[across], AcrossGPU: x[acrossGPU],
		Within: x[within], WithinGPU: x[withinGPU],
		Gamma: x[gamma],
	}
}

// loss is what Fit minimises, with its gradient.
func loss(points []Point, x, grad *[constants]float64) float64 {
	g := x[gamma]
	var square [2]float64
	var slope [2][constants]float64
	for i := range points {
		p := &points[i]
		c := x[compute] + x[computeSample]*float64(p.Local)
		n, base, each := tiny*(1+math.Max(float64(p.GPUs-2), tiny)), -1, -1
		switch {
		case p.Nodes > 1:
			base, each = across, acrossGPU
		case p.GPUs > 1:
			base, each = within, withinGPU
		}
		more := math.Max(float64(p.GPUs-2), tiny)
		if base >= 0 {
			n = x[base] + x[each]*more
		}
		off := math.Log(c) - math.Log(p.Seconds-p.Sync)
		square[0] += off * off
		slope[0][compute] += off / c
		slope[0][computeSample] += off / c * float64(p.Local)

		lc, ln := math.Log(c), math.Log(n)
		top := math.Max(lc, ln)
		ec, en := math.Exp(g*(lc-top)), math.Exp(g*(ln-top))
		sum := ec + en
		step := top + math.Log(sum)/g // log((c^g + n^g)^(1/g))
		off = step - math.Log(p.Seconds)
		square[1] += off * off
		toC, toN := ec/sum/c, en/sum/n
		slope[1][compute] += off * toC
		slope[1][computeSample] += off * toC * float64(p.Local)
		if base >= 0 {
			slope[1][base] += off * toN
			slope[1][each] += off * toN * more
		}
		mixed := (ec*(lc-top) + en*(ln-top)) / sum
		slope[1][gamma] += off * (mixed/g - math.Log(sum)/(g*g))
	}
	*grad = [constants]float64{}
	total := 0.0
	for k := range square {
		rms := math.Sqrt(square[k] / float64(len(points)))
		total += rms
		if rms > 0 {
			for i := range grad {
				grad[i] += slope[k][i] / float64(len(points)) / rms
			}
		}
	}
	total += 0.001 * (g - 1) * (g - 1)
	grad[gamma] += 0.002 * (g - 1)
	for _, i := range [2]int{across, within} {
		r := x[i+1] / x[i]
		total += 0.01 * r * r
		grad[i+1] += 0.02 * r / x[i]
		grad[i] -= 0.02 * r * r / x[i]
	}
	return total
}
