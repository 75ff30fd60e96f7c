package milp

import (
	"math"

	"schedmate/scheduler/reward"
)

// prices are multipliers of the plain prefix rows and the rows of slot sets, and
// the bound that they prove. Products are converted to float64 before they are
// added, so that no processor fuses the two and rounds differently: a plan is the
// same on every machine.
type prices struct {
	b        *board
	capacity []float64 // GPUs times sub-slots of slots 1..t, by t
	price    []float64 // of row t, not negative
	sums     []float64 // sums[k]: what a GPU costs in slots 1..k, each at the sum of the prices of the rows from it on
	best     []float64 // prices at the best bound
	slack    []float64
	sets     []setPrice // of the board's slot sets
	bound    float64    // in rewards, without what late jobs earn
}

// setPrice is the price of the row of a slot set.
type setPrice struct{ price, best, slack float64 }

func newPrices(b *board) *prices {
	n := b.slots + 1
	p := &prices{
		b: b, bound: math.Inf(1), sets: make([]setPrice, len(b.sets)), capacity: make([]float64, n), price: make([]float64, n),
		sums: make([]float64, n), best: make([]float64, n), slack: make([]float64, n+1),
	}
	sum := 0
	for k, g := range b.m.Capacity {
		sum += g * b.sub
		p.capacity[k+1] = float64(sum)
	}
	return p
}

// cost is what an option pays at the current prices, in rewards.
func (p *prices) cost(i int) float64 {
	o := &p.b.options[i]
	sum := float64(float64(o.charge) * (p.sums[o.window] - p.sums[o.after]))
	for n := range p.sets {
		sum += float64(p.sets[n].price * float64(p.b.sets[n].need[i]))
	}
	return sum
}

// reduced is gain minus cost, in rewards.
func (p *prices) reduced(i int) float64 { return gainOf(&p.b.options[i]) - p.cost(i) }

func gainOf(o *option) float64 { return float64(o.gain) / float64(reward.One) }

// table sums the prices up after they have changed.
func (p *prices) table() {
	suffix := 0.0
	for t := len(p.price) - 1; t >= 1; t-- {
		suffix += p.price[t]
		p.sums[t] = suffix
	}
	for t := 1; t < len(p.price); t++ {
		p.sums[t] += p.sums[t-1]
	}
}

// evaluate returns the bound at the current prices, and leaves in slack what the
// jobs' best options leave of each row.
func (p *prices) evaluate() float64 {
	b := p.b
	total := 0.0
	p.table()
	clear(p.slack)
	for t := 1; t <= b.slots; t++ {
		total += float64(p.price[t] * p.capacity[t])
	}
	for n := range p.sets {
		p.sets[n].slack = float64(b.sets[n].capacity)
		total += float64(p.sets[n].price * p.sets[n].slack)
	}
	for job := range b.m.Jobs {
		best, at := p.choose(job)
		total += best
		if at < 0 {
			continue
		}
		o := &b.options[at]
		w := float64(o.charge)
		p.slack[o.after+1] += w
		p.slack[o.window+1] -= w
		for n := range p.sets {
			p.sets[n].slack -= float64(b.sets[n].need[at])
		}
	}
	use, sum := 0.0, 0.0
	for t := 1; t <= b.slots; t++ {
		use += p.slack[t]
		sum += use
		p.slack[t] = p.capacity[t] - sum
	}
	return total
}

// choose returns the option of a job that earns most at the current prices, or
// -1 when nothing earns more than nothing, and what it earns.
func (p *prices) choose(job int) (float64, int) {
	from, to := p.b.of(job)
	best, at := 0.0, -1
	for i := from; i < to; i++ {
		if r := p.reduced(i); r > best || at < 0 && p.b.m.Jobs[job].Must {
			best, at = r, i
		}
	}
	return best, at
}

// The length of a subgradient step is theta of the distance to the value; theta
// begins at firstTheta and is multiplied by cooling when the bound has not fallen
// for stalePatience steps; measured on rounds of 50 to 800 jobs.
const (
	firstTheta    = 1.5
	leastTheta    = 1e-3
	stalePatience = 12
	cooling       = 0.7
)

// descend takes up to steps subgradient steps toward the least bound. Value is
// what some plan is known to reach; when the bound falls to it, nothing is left
// to prove.
func (p *prices) descend(steps int, value float64, spend func() bool) {
	theta, stale := firstTheta, 0
	for range steps {
		if !spend() {
			break
		}
		bound := p.evaluate()
		if bound < p.bound {
			if p.bound-bound > 1e-4*bound { // also when there was none
				stale = 0
			}
			p.bound = bound
			copy(p.best, p.price)
			for n := range p.sets {
				p.sets[n].best = p.sets[n].price
			}
		}
		if stale++; stale > stalePatience {
			stale, theta = 0, theta*cooling
		}
		norm := 0.0
		for t := 1; t <= p.b.slots; t++ {
			if p.price[t] > 0 || p.slack[t] < 0 {
				norm += float64(p.slack[t] * p.slack[t])
			}
		}
		for n := range p.sets {
			if s := &p.sets[n]; s.price > 0 || s.slack < 0 {
				norm += float64(s.slack * s.slack)
			}
		}
		if p.bound <= value || norm == 0 || theta < leastTheta {
			break
		}
		step := theta * math.Max(bound-value, float64(1e-3*math.Abs(bound))) / norm
		for t := 1; t <= p.b.slots; t++ {
			p.price[t] = math.Max(0, p.price[t]-float64(step*p.slack[t]))
		}
		for n := range p.sets {
			p.sets[n].price = math.Max(0, p.sets[n].price-float64(step*p.sets[n].slack))
		}
	}
	copy(p.price, p.best)
	p.table()
	for n := range p.sets {
		p.sets[n].price = p.sets[n].best
	}
}

// grow makes room for slot sets that were added to the board since.
func (p *prices) grow() {
	for len(p.sets) < len(p.b.sets) {
		p.sets = append(p.sets, setPrice{})
	}
}

// floor turns a bound into points: no plan can earn more, since values come in
// whole grains.
func (b *board) floor(bound float64) reward.Points {
	const slip = 1e-6 // of rounding in the sums, far above what it can be
	points := reward.Points(math.Floor((bound + slip) * float64(reward.One)))
	return points / b.grain * b.grain
}
