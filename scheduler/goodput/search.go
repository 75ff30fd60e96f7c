package goodput

import "math"

// What a step along a line must bring (the strong Wolfe conditions, with the
// constants of L-BFGS-B).
const (
	enoughDrop  = 1e-3
	enoughSlope = 0.9
	enoughRoom  = 0.1
)

// search looks along d for a point that brings enough, by the method of Moré and
// Thuente (1994). ok is false if there is none.
func search(f func(x, grad *vector) float64, x, g, d *vector, value float64, low, high *vector, start bool) (next, grad vector, lower float64, ok bool) {
	slope0 := dot(g, d)
	if slope0 >= 0 {
		return next, grad, 0, false
	}
	most, step := 1.0, 1.0
	if start {
		step = min(1, 1/math.Sqrt(dot(d, d)))
	} else {
		most = 1e10
		for i := range d {
			switch {
			case d[i] < 0 && low[i]-x[i] < 0:
				most = min(most, (low[i]-x[i])/d[i])
			case d[i] < 0, d[i] > 0 && high[i]-x[i] <= 0:
				most = 0
			case d[i] > 0 && !math.IsInf(high[i], 1):
				most = min(most, (high[i]-x[i])/d[i])
			}
		}
		step = min(1, most)
	}
	test := enoughDrop * slope0
	best, other := end{0, value, slope0}, end{0, value, slope0}
	bracketed, early := false, true
	width, before := most, 2*most
	from, to := 0.0, step+4*step
	for range mostLineTry {
		for i := range next {
			next[i] = min(max(x[i]+step*d[i], low[i]), high[i])
		}
		lower = f(&next, &grad)
		slope := dot(&grad, d)
		if math.IsNaN(lower) || math.IsNaN(slope) {
			return next, grad, lower, false
		}
		bound := value + step*test
		early = early && !(lower <= bound && slope >= 0)
		switch {
		case lower <= bound && math.Abs(slope) <= enoughSlope*-slope0,
			step == most && lower <= bound && slope <= test:
			return next, grad, lower, true
		case bracketed && (step <= from || step >= to),
			bracketed && to-from <= enoughRoom*to,
			step == 0:
			return next, grad, lower, lower < value
		}
		here := end{step, lower, slope}
		if early && lower <= best.value && lower > bound {
			// Until a point has brought enough, work on the function less the line.
			b, o, h := best.less(test), other.less(test), here.less(test)
			step = interpolate(&b, &o, h, &bracketed, from, to)
			best, other = b.less(-test), o.less(-test)
		} else {
			step = interpolate(&best, &other, here, &bracketed, from, to)
		}
		if bracketed {
			if math.Abs(other.at-best.at) >= 0.66*before {
				step = best.at + 0.5*(other.at-best.at)
			}
			before, width = width, math.Abs(other.at-best.at)
			from, to = min(best.at, other.at), max(best.at, other.at)
		} else {
			from, to = step+1.1*(step-best.at), step+4*(step-best.at)
		}
		step = min(max(step, 0), most)
		if bracketed && (step <= from || step >= to || to-from <= enoughRoom*to) {
			step = best.at
		}
	}
	return next, grad, lower, lower < value
}

// end is one end of the interval that a search has narrowed down.
type end struct{ at, value, slope float64 }

// less takes a line of that slope off.
func (e end) less(slope float64) end { return end{e.at, e.value - e.at*slope, e.slope - slope} }

// interpolate narrows the interval by a new point and returns the next to try:
// of cubic and quadratic interpolation, as Moré and Thuente choose between them.
func interpolate(best, other *end, p end, bracketed *bool, from, to float64) float64 {
	sign := p.slope * math.Copysign(1, best.slope)
	theta := 3*(best.value-p.value)/(p.at-best.at) + best.slope + p.slope
	size := max(math.Abs(theta), math.Abs(best.slope), math.Abs(p.slope))
	var next float64
	switch {
	case p.value > best.value:
		root := size * math.Sqrt((theta/size)*(theta/size)-best.slope/size*(p.slope/size))
		if p.at < best.at {
			root = -root
		}
		r := (root - best.slope + theta) / (root - best.slope + root + p.slope)
		cubic := best.at + r*(p.at-best.at)
		square := best.at + best.slope/((best.value-p.value)/(p.at-best.at)+best.slope)/2*(p.at-best.at)
		next = cubic
		if math.Abs(cubic-best.at) >= math.Abs(square-best.at) {
			next = cubic + (square-cubic)/2
		}
		*bracketed = true
	case sign < 0:
		root := size * math.Sqrt((theta/size)*(theta/size)-best.slope/size*(p.slope/size))
		if p.at > best.at {
			root = -root
		}
		r := (root - p.slope + theta) / (root - p.slope + root + best.slope)
		cubic := p.at + r*(best.at-p.at)
		square := p.at + p.slope/(p.slope-best.slope)*(best.at-p.at)
		next = square
		if math.Abs(cubic-p.at) > math.Abs(square-p.at) {
			next = cubic
		}
		*bracketed = true
	case math.Abs(p.slope) < math.Abs(best.slope):
		root := size * math.Sqrt(math.Max(0, (theta/size)*(theta/size)-best.slope/size*(p.slope/size)))
		if p.at > best.at {
			root = -root
		}
		r := (root - p.slope + theta) / (root + (best.slope - p.slope) + root)
		cubic := from
		switch {
		case r < 0 && root != 0:
			cubic = p.at + r*(best.at-p.at)
		case p.at > best.at:
			cubic = to
		}
		square := p.at + p.slope/(p.slope-best.slope)*(best.at-p.at)
		nearer := math.Abs(cubic-p.at) < math.Abs(square-p.at)
		if *bracketed {
			next = square
			if nearer {
				next = cubic
			}
			limit := p.at + 0.66*(other.at-p.at)
			if p.at > best.at {
				next = min(limit, next)
			} else {
				next = max(limit, next)
			}
		} else {
			next = cubic
			if nearer {
				next = square
			}
			next = min(max(next, from), to)
		}
	case *bracketed:
		theta = 3*(p.value-other.value)/(other.at-p.at) + other.slope + p.slope
		size = max(math.Abs(theta), math.Abs(other.slope), math.Abs(p.slope))
		root := size * math.Sqrt((theta/size)*(theta/size)-other.slope/size*(p.slope/size))
		if p.at > other.at {
			root = -root
		}
		r := (root - p.slope + theta) / (root - p.slope + root + other.slope)
		next = p.at + r*(other.at-p.at)
	case p.at > best.at:
		next = to
	default:
		next = from
	}
	if p.value > best.value {
		*other = p
	} else {
		if sign < 0 {
			*other = *best
		}
		*best = p
	}
	return next
}
