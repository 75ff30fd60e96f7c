package sia

import (
	"cmp"
	"math"
	"slices"
)

// option is what a job could take: so many GPUs of a kind, for a gain.
type option struct {
	kind, gpus int
	gain       int64
	must       bool // the job takes it whatever it brings
}

// options lists what each job could take. A gain has parts below those of the
// objective, which decide between plans of equal cost: first as many jobs as
// possible keep what they have; then, as the preset says, the most or the fewest
// GPUs are given.
func (r *round) options() [][]option {
	jobs, gpus := r.weights()
	list := make([][]option, len(r.jobs))
	for i, j := range r.jobs {
		for _, c := range j.configs {
			tie := -int64(c.gpus)
			if r.Generous {
				tie = -tie
			}
			if c.kind == j.present.kind && c.gpus == j.present.gpus {
				tie += gpus
			}
			list[i] = append(list[i], option{kind: c.kind, gpus: c.gpus, gain: c.gain*gpus*jobs + tie, must: j.pinned})
		}
	}
	return list
}

// weights are one more than the jobs, and one more than the GPUs, that there are.
func (r *round) weights() (jobs, gpus int64) {
	gpus = 1
	for _, c := range r.capacity {
		gpus += int64(max(c, 0))
	}
	return int64(len(r.jobs) + 1), gpus
}

// choice is the option of each job, or -1, and how good they are together.
type choice struct {
	option       []int
	value, bound int64 // no choice gains more than bound
	used         int64 // options that were tried
}

// choose picks at most one option a job, within the capacities, for the most gain.
//
// It goes through the jobs and keeps, for every vector of GPUs that are left, the
// best way to it. What cannot reach the best choice known so far is dropped, by
// the prices of a Lagrangian relaxation: with prices for GPUs every job takes
// what gains it most over its price, and no choice gains more than these together
// and the price of all GPUs. A narrow search comes first, so that there is
// something to compare with. The number of vectors is bounded by the capacities,
// so the effort is, too; where it is not enough the least promising are dropped
// unseen, and bound says so.
//
// The wide search keeps everything that is as good as the best, and goes through
// the jobs from the last to the first, so that of several best choices it always
// comes to the same.
func choose(capacity []int, jobs [][]option, effort int64) choice {
	k := newKnapsack(capacity, jobs)
	if len(k.items) > 0 {
		k.price()
		k.search(narrow, effort)
		if k.used < effort {
			k.search(math.MaxInt, effort)
		}
	} else {
		k.best.bound = k.best.value
	}
	k.best.used = k.used
	return k.best
}

// narrow is how many vectors the first search keeps.
const narrow = 32

type knapsack struct {
	capacity []int
	items    []item // jobs with something to choose
	prices   []float64
	rest     []float64 // what the items from there on gain over their prices, in sum
	best     choice
	base     int64 // what jobs gain that have no choice
	found    bool  // best.value is that of a choice, not only of the jobs without one
	used     int64
}

type item struct {
	job     int
	options []option
	index   []int // of each option in the job's list
}

func newKnapsack(capacity []int, jobs [][]option) *knapsack {
	k := &knapsack{capacity: slices.Clone(capacity)}
	k.best.option = make([]int, len(jobs))
	for i, list := range jobs {
		k.best.option[i] = -1
		if len(list) > 0 && list[0].must {
			k.best.option[i] = 0
			k.capacity[list[0].kind] -= list[0].gpus
			k.base += list[0].gain
		}
	}
	for i, list := range jobs {
		it := item{job: i}
		for n, o := range list {
			if !o.must && o.gain > 0 && o.gpus <= k.capacity[o.kind] {
				it.options = append(it.options, o)
				it.index = append(it.index, n)
			}
		}
		if len(it.options) > 0 {
			it.thin()
			k.items = append(k.items, it)
		}
	}
	k.best.value = k.base
	return k
}

// thin drops options than which another of the same kind gains as much with as
// few GPUs.
func (it *item) thin() {
	var options []option
	var index []int
	for i, o := range it.options {
		beaten := slices.ContainsFunc(it.options, func(p option) bool {
			return p.kind == o.kind && p.gpus <= o.gpus && p.gain >= o.gain && p != o
		})
		if !beaten {
			options, index = append(options, o), append(index, it.index[i])
		}
	}
	it.options, it.index = options, index
}

// gains is what an item gains over the price of what it takes, nothing at least,
// and what that is; -1: nothing.
func (it *item) gains(prices []float64) (float64, int) {
	best, at := 0.0, -1
	for i, o := range it.options {
		if v := float64(o.gain) - prices[o.kind]*float64(o.gpus); v > best {
			best, at = v, i
		}
	}
	return best, at
}

// price looks for the prices with the lowest bound by subgradients.
func (k *knapsack) price() {
	prices := make([]float64, len(k.capacity))
	lowest, reached, scale, stale := math.Inf(1), 0.0, 1.0, 0
	for range 300 {
		bound, gain := 0.0, 0.0
		over := make([]float64, len(prices))
		for i, c := range k.capacity {
			bound += prices[i] * float64(c)
			over[i] = -float64(c)
		}
		for i := range k.items {
			v, at := k.items[i].gains(prices)
			bound += v
			if at >= 0 {
				o := k.items[i].options[at]
				over[o.kind] += float64(o.gpus)
				gain += float64(o.gain)
			}
		}
		k.used += int64(len(k.items))
		length, fits := 0.0, true
		for i := range over {
			fits = fits && over[i] <= 0
			if over[i] < 0 && prices[i] == 0 {
				over[i] = 0
			}
			length += over[i] * over[i]
		}
		if fits {
			reached = max(reached, gain)
		}
		if bound < lowest-1e-9 {
			lowest, stale = bound, 0
			k.prices = slices.Clone(prices)
		} else if stale++; stale == 10 {
			scale, stale = scale/2, 0
		}
		if length == 0 || lowest-reached < 0.5 {
			break
		}
		step := scale * max(bound-reached, 1) / length
		for i := range prices {
			prices[i] = max(0, prices[i]+step*over[i])
		}
	}
	slices.Reverse(k.items)
	k.rest = make([]float64, len(k.items)+1)
	for i := len(k.items) - 1; i >= 0; i-- {
		v, _ := k.items[i].gains(k.prices)
		k.rest[i] = k.rest[i+1] + v
	}
	k.best.bound = k.base + whole(k.ahead(0, k.capacity))
}

// ahead bounds what the items from i on can gain with so much left.
func (k *knapsack) ahead(i int, left []int) float64 {
	sum := k.rest[i]
	for n, p := range k.prices {
		sum += p * float64(left[n])
	}
	return sum
}

// whole is the largest gain that a bound allows: gains are whole, bounds rounded.
func whole(bound float64) int64 {
	return int64(math.Floor(bound + 1e-6 + 1e-13*math.Abs(bound)))
}

// way is the best way to a vector of GPUs that are left.
type way struct {
	left   []int
	gain   int64
	bound  float64
	option int // of the last item; -1: none
	before *way
}

// search goes through all items, with so many vectors at most after each.
func (k *knapsack) search(width int, effort int64) {
	ways := []*way{{left: k.capacity, bound: k.ahead(0, k.capacity)}}
	missed := math.Inf(-1) // the best that was dropped unseen
	for i := range k.items {
		it := &k.items[i]
		var next []*way
		for _, w := range ways {
			for n := -1; n < len(it.options); n++ {
				k.used++
				to := way{left: w.left, gain: w.gain, option: n, before: w}
				if n >= 0 {
					o := it.options[n]
					if o.gpus > w.left[o.kind] {
						continue
					}
					to.left = slices.Clone(w.left)
					to.left[o.kind] -= o.gpus
					to.gain += o.gain
				}
				to.bound = float64(to.gain) + k.ahead(i+1, to.left)
				if whole(to.bound) >= k.best.value-k.base || !k.found {
					next = append(next, &to)
				}
			}
		}
		next = merge(next)
		most := width
		if k.used >= effort {
			most = 1
		}
		if len(next) > most {
			slices.SortStableFunc(next, func(a, b *way) int { return cmp.Compare(b.bound, a.bound) })
			missed = max(missed, next[most].bound)
			next = next[:most]
		}
		ways = next
	}
	var best *way
	for _, w := range ways {
		if best == nil || w.gain > best.gain {
			best = w
		}
	}
	if best != nil && k.base+best.gain >= k.best.value {
		k.found = true
		k.best.value = k.base + best.gain
		for i, at := len(k.items)-1, best; i >= 0; i, at = i-1, at.before {
			k.best.option[k.items[i].job] = -1
			if at.option >= 0 {
				k.best.option[k.items[i].job] = k.items[i].index[at.option]
			}
		}
	}
	proven := k.best.value
	if !math.IsInf(missed, -1) {
		proven = max(proven, k.base+whole(missed))
	}
	k.best.bound = min(k.best.bound, proven)
}

// merge keeps the best way to each vector, the first of equals.
func merge(ways []*way) []*way {
	slices.SortStableFunc(ways, func(a, b *way) int {
		return cmp.Or(slices.Compare(a.left, b.left), cmp.Compare(b.gain, a.gain))
	})
	return slices.CompactFunc(ways, func(a, b *way) bool { return slices.Equal(a.left, b.left) })
}
