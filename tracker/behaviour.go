package tracker

import (
	"math"
	"slices"
)

// behaviour is how the numbers of one column move over the records.
type behaviour struct {
	n        int // values
	distinct int
	integers bool // all values are whole
	up, down int  // records after which the value rose, fell
	same     int
	step     float64 // the commonest rise
	regular  float64 // share of the rises that are the commonest
	resets   int     // falls to the start of the count
	jumps    int     // falls to somewhere else
	first    float64
	last     float64
	min, max float64
	rough    float64 // share of the turns among the moves: noise has many
}

// observe describes a series; NaN are records without a value.
func observe(values []float64) behaviour {
	b := behaviour{integers: true, min: math.Inf(1), max: math.Inf(-1)}
	var rises, falls []float64
	var prev, move float64
	turns, moves := 0, 0
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		b.integers = b.integers && v == math.Trunc(v)
		b.min, b.max, b.last = min(b.min, v), max(b.max, v), v
		if b.n == 0 {
			b.first = v
		} else {
			d := v - prev
			switch {
			case d > 0:
				rises = append(rises, d)
			case d < 0:
				falls = append(falls, prev, v)
			default:
				b.same++
			}
			if d != 0 {
				if move*d < 0 {
					turns++
				}
				moves++
				move = d
			}
		}
		prev = v
		b.n++
	}
	b.up, b.down = len(rises), len(falls)/2
	b.distinct = distinct(values)
	b.step, b.regular = commonest(rises)
	for i := 0; i < len(falls); i += 2 {
		from, to := falls[i], falls[i+1]
		if to <= math.Max(b.step*1.5, 1) || to <= from*0.25 && to <= b.min+b.step*2 {
			b.resets++
		} else {
			b.jumps++
		}
	}
	if moves > 1 {
		b.rough = float64(turns) / float64(moves-1)
	}
	return b
}

// commonest is the most frequent value, the smallest among equals, and its
// share. The slice is reordered.
func commonest(values []float64) (value, share float64) {
	slices.Sort(values)
	most, run := 0, 0
	for i, v := range values {
		if i > 0 && v == values[i-1] {
			run++
		} else {
			run = 1
		}
		if run > most {
			most, value = run, v
		}
	}
	if most == 0 {
		return 0, 0
	}
	return value, float64(most) / float64(len(values))
}

// distinct counts different values, up to 64.
func distinct(values []float64) int {
	var seen [64]float64
	n := 0
next:
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		for i := n - 1; i >= 0; i-- {
			if seen[i] == v {
				continue next
			}
		}
		if n == len(seen) {
			return n
		}
		seen[n] = v
		n++
	}
	return n
}

// counts tells whether the numbers count up: whole, rising with a regular step,
// falling only to begin anew. A restart from a checkpoint may set the count
// back once or twice.
func (b *behaviour) counts() bool {
	if b.n < 3 || !b.integers || b.min < 0 || b.max > 1e13 || b.up < 2 {
		return false
	}
	switch {
	case b.jumps > 0 && b.jumps*12 > b.n: // a restart from a checkpoint, at most
		return false
	case b.down == 0: // by chance a few numbers rise, but not many
		return b.regular >= 0.75 || b.up >= 6 && (b.up*2 >= b.n-1 || b.regular >= 0.5)
	case b.resets*3 > b.up: // a few records between two resets
		return b.n >= 6 && b.regular == 1 && b.jumps == 0
	default:
		return b.n >= 6 && b.regular >= 0.5
	}
}

// rises tells whether the numbers go up nearly always, as a fraction of an
// epoch does; a rounded one stays the same at times.
func (b *behaviour) rises() bool {
	return b.n >= 4 && (b.up+b.same)*10 >= (b.n-1)*8 && b.up*3 >= b.n-1 && b.down*10 <= b.n && b.min >= 0 && b.max < 1e6
}

// slow tells whether the numbers count something that rises rarely, as epochs
// do: by one, staying the same in between.
func (b *behaviour) slow() bool {
	return b.n >= 2 && b.integers && b.min >= 0 && b.max < 1e6 && b.down == 0 && (b.up == 0 || b.step == 1 && b.same > b.up)
}

// drifts tells whether the numbers look measured: many values, up and down.
func (b *behaviour) drifts() bool {
	return b.n >= 4 && !b.integers && b.distinct >= max(3, min(b.n, 64)/4) && b.up > 0 && b.down > 0 && b.rough > 0.08
}

// schedule tells whether the numbers follow a smooth curve, as a learning rate.
func (b *behaviour) schedule() bool {
	return b.n >= 4 && !b.integers && b.distinct >= 4 && b.rough < 0.05 && b.max < 10 && b.max > 0
}

// falls tells whether the numbers look measured and go down nearly always, as what
// an optimizer minimises does; below zero they may as well come nearer to it, as a
// likelihood does.
func (b *behaviour) falls() bool {
	one := b.down*10 >= (b.n-1)*9 || b.max < 0 && b.up*10 >= (b.n-1)*9
	return b.n >= 5 && !b.integers && one && b.distinct >= min(b.n, 64)*3/4
}

// tail is the last n values that are numbers.
func tail(values []float64, n int) []float64 {
	var out []float64
	for i := len(values) - 1; i >= 0 && len(out) < n; i-- {
		if !math.IsNaN(values[i]) {
			out = append(out, values[i])
		}
	}
	slices.Reverse(out)
	return out
}

// median of the values, NaN when there is none. The slice is reordered.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	m := len(values) / 2
	if len(values)%2 == 1 {
		return values[m]
	}
	return values[m-1]/2 + values[m]/2 // their sum may be too large
}
