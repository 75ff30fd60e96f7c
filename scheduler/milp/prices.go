package milp

import (
	"math"

	"schedmate/scheduler/reward"
)

// family is the prefix rows of one way of counting: gangs and slots in rooms of
// so many GPUs. The plain rows count single GPUs (times sub-slots).
type family struct {
	weight   []int     // by option: rooms in each slot
	capacity []float64 // rooms of slots 1..t, by t
	price    []float64 // of row t, not negative
	sums     []float64 // sums[k]: what a room costs in slots 1..k, each at the sum of the prices of the rows from it on
	best     []float64 // prices at the best bound
	slack    []float64
}

// prices are multipliers of the rows, and the bound that they prove. Products are
// converted to float64 before they are added, so that no processor fuses the two
// and rounds differently: a plan is the same on every machine.
type prices struct {
	b        *board
	families []*family
	sets     []setPrice // of the board's slot sets
	bound    float64    // in rewards, without what late jobs earn
}

// setPrice is the price of the row of a slot set.
type setPrice struct{ price, best, slack float64 }

func newPrices(b *board) *prices {
	p := &prices{b: b, bound: math.Inf(1), sets: make([]setPrice, len(b.sets))}
	plain := p.family()
	sum := 0
	for k, g := range b.m.Capacity {
		sum += g * b.sub
		plain.capacity[k+1] = float64(sum)
	}
	for i := range b.options {
		plain.weight[i] = b.options[i].charge
	}
	return p
}

// family adds rows without weights or capacity.
func (p *prices) family() *family {
	n := p.b.slots + 1
	f := &family{
		weight: make([]int, len(p.b.options)), capacity: make([]float64, n), price: make([]float64, n),
		sums: make([]float64, n), best: make([]float64, n), slack: make([]float64, n+1),
	}
	p.families = append(p.families, f)
	return f
}

// cost is what an option pays at the current prices, in rewards.
func (p *prices) cost(i int) float64 {
	o := &p.b.options[i]
	sum := 0.0
	for _, f := range p.families {
		sum += float64(float64(f.weight[i]) * (f.sums[o.window] - f.sums[o.after]))
	}
	for n := range p.sets {
		sum += float64(p.sets[n].price * float64(p.b.sets[n].need[i]))
	}
	return sum
}

// reduced is gain minus cost, in rewards.
func (p *prices) reduced(i int) float64 { return gainOf(&p.b.options[i]) - p.cost(i) }

func gainOf(o *option) float64 { return float64(o.gain) / float64(reward.One) }

// table sums the prices up after they have changed.
func (f *family) table(price []float64) {
	suffix := 0.0
	for t := len(price) - 1; t >= 1; t-- {
		suffix += price[t]
		f.sums[t] = suffix
	}
	for t := 1; t < len(price); t++ {
		f.sums[t] += f.sums[t-1]
	}
}

// evaluate returns the bound at the current prices, and leaves in slack what the
// jobs' best options leave of each row.
func (p *prices) evaluate() float64 {
	b := p.b
	total := 0.0
	for _, f := range p.families {
		f.table(f.price)
		clear(f.slack)
		for t := 1; t <= b.slots; t++ {
			total += float64(f.price[t] * f.capacity[t])
		}
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
		for _, f := range p.families {
			w := float64(f.weight[at])
			f.slack[o.after+1] += w
			f.slack[o.window+1] -= w
		}
		for n := range p.sets {
			p.sets[n].slack -= float64(b.sets[n].need[at])
		}
	}
	for _, f := range p.families {
		use, sum := 0.0, 0.0
		for t := 1; t <= b.slots; t++ {
			use += f.slack[t]
			sum += use
			f.slack[t] = f.capacity[t] - sum
		}
	}
	return total
}

// choose returns the option of a job that earns most at the current prices, or
// -1 when nothing earns more than nothing, and what it earns.
func (p *prices) choose(job int) (float64, int) {
	from, to := p.b.of(job)
	must := p.b.m.Jobs[job].Must
	best, at := 0.0, -1
	for i := from; i < to; i++ {
		if r := p.reduced(i); r > best || at < 0 && must {
			best, at = r, i
		}
	}
	return best, at
}

// The length of a subgradient step is theta of the distance to the value; theta
// begins at firstTheta and is multiplied by a cooling when the bound has not
// fallen for some steps. Quick is for large rounds, thorough for proofs; measured
// on rounds of 50 to 800 jobs.
const firstTheta = 1.5

type cooling struct {
	patience int
	factor   float64
}

var (
	quick    = cooling{12, 0.7}
	thorough = cooling{20, 0.85}
)

// descend takes up to steps subgradient steps toward the least bound. Value is
// what some plan is known to reach; when the bound falls to it, nothing is left
// to prove.
func (p *prices) descend(steps int, c cooling, value float64, spend func() bool) {
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
			for _, f := range p.families {
				copy(f.best, f.price)
			}
			for n := range p.sets {
				p.sets[n].best = p.sets[n].price
			}
		}
		if stale++; stale > c.patience {
			stale, theta = 0, theta*c.factor
		}
		norm := 0.0
		for _, f := range p.families {
			for t := 1; t <= p.b.slots; t++ {
				if f.price[t] > 0 || f.slack[t] < 0 {
					norm += float64(f.slack[t] * f.slack[t])
				}
			}
		}
		for n := range p.sets {
			if s := &p.sets[n]; s.price > 0 || s.slack < 0 {
				norm += float64(s.slack * s.slack)
			}
		}
		if p.bound <= value || norm == 0 || theta < 1e-3 {
			break
		}
		step := theta * math.Max(bound-value, float64(1e-3*math.Abs(bound))) / norm
		for _, f := range p.families {
			for t := 1; t <= p.b.slots; t++ {
				f.price[t] = math.Max(0, f.price[t]-float64(step*f.slack[t]))
			}
		}
		for n := range p.sets {
			p.sets[n].price = math.Max(0, p.sets[n].price-float64(step*p.sets[n].slack))
		}
	}
	for _, f := range p.families {
		copy(f.price, f.best)
		f.table(f.price)
	}
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
