package milp

import (
	"slices"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

// option is one thing that a job can be promised: a step under a policy, or q
// sub-slots of a spot job.
type option struct {
	job, policy, step int // step -1: spot
	gpus              int
	leases, by        int // of the demand
	window, after     int // the latest leases lie in slots after+1..window
	charge            int // GPUs times sub-slots, of each slot
	q                 int // sub-slots of a spot job
	gain              reward.Points
	levels            cells.Levels
}

func (o *option) inside() int { return o.window - o.after }
func (o *option) spot() bool  { return o.step < 0 }

func (o *option) demand(m *Model) lease.Demand {
	return lease.Demand{GPUs: o.gpus, Leases: o.leases, By: o.by, Cells: m.Jobs[o.job].Policies[o.policy].cells()}
}

// need is charge x need(t), in GPUs times sub-slots.
func (o *option) need(t int) int {
	return o.charge * (max(o.after, min(t, o.window)) - o.after)
}

// board is a model made ready: the options of every job, best first.
type board struct {
	m       *Model
	slots   int
	sub     int
	options []option
	first   []int // options[first[i]:first[i+1]] are those of job i
	grain   reward.Points
	spots   bool      // there are spot jobs
	sets    []slotSet // rows beside the prefix rows, as far as they were needed
}

// newBoard lists the options. An option that cannot be met even alone is left
// out, and one that is no better and nowhere easier than another of its job.
// With prefixOnly, easier is meant in the prefix rows alone, which drops far
// more and keeps the bound, but may drop what a tight calendar needs.
func newBoard(m *Model, prefixOnly bool) *board {
	b := &board{m: m, slots: len(m.Capacity), sub: m.subs(), first: make([]int, len(m.Jobs)+1)}
	wide := widest(m.Capacity)
	var own []option
	for i := range m.Jobs {
		own = own[:0]
		if m.Jobs[i].spot() {
			own = b.spotOptions(own, i)
			b.spots = b.spots || len(own) > 0
		} else {
			own = b.stepOptions(own, i, wide)
		}
		b.options = append(b.options, b.undominated(own, prefixOnly)...)
		b.first[i+1] = len(b.options)
	}
	for i := range b.options {
		b.grain = divisor(b.grain, b.options[i].gain)
	}
	if b.grain == 0 {
		b.grain = 1
	}
	if m.Gate != nil {
		b.addGate()
	}
	return b
}

func divisor(a, b reward.Points) reward.Points {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// widest returns the most GPUs of any of the slots 1..t, by t.
func widest(capacity []int) []int {
	w := make([]int, len(capacity)+1)
	for k, g := range capacity {
		w[k+1] = max(w[k], g)
	}
	return w
}

func (b *board) stepOptions(own []option, i int, wide []int) []option {
	j := &b.m.Jobs[i]
	steps := j.Steps
	if j.Must {
		steps = steps[:1]
	}
	for c := range j.Policies {
		p := &j.Policies[c]
		for s, step := range steps {
			gain := step.Reward - j.Late
			if gain <= 0 && !j.Must {
				continue
			}
			d := lease.Demand{GPUs: p.GPUs, Leases: p.Leases, By: step.By}
			inside, window := d.Inside(b.slots), d.Window(b.slots)
			if inside > window || inside > 0 && !b.wideEnough(p.GPUs, inside, window, wide) {
				continue
			}
			own = append(own, option{
				job: i, policy: c, step: s, gpus: p.GPUs, leases: p.Leases, by: step.By,
				window: window, after: window - inside, charge: p.GPUs * b.sub, gain: gain, levels: p.cells().Levels(),
			})
		}
	}
	return own
}

// wideEnough reports whether enough slots of the window hold the gang at all.
func (b *board) wideEnough(gpus, inside, window int, wide []int) bool {
	if wide[window] < gpus {
		return false
	}
	for k := 0; k < window && inside > 0; k++ {
		if b.m.Capacity[k] >= gpus {
			inside--
		}
	}
	return inside == 0
}

func (b *board) spotOptions(own []option, i int) []option {
	j := &b.m.Jobs[i]
	if b.slots == 0 {
		return own
	}
	for c := range j.Policies {
		p := &j.Policies[c]
		levels := p.cells().Levels()
		if p.GPUs > b.m.Capacity[0] || b.m.Gate != nil && !b.m.Gate.Free.Holds(levels) {
			continue
		}
		each := b.each(i, c)
		for q := 1; q <= min(b.sub, p.Leases); q++ {
			own = append(own, option{
				job: i, policy: c, step: -1, gpus: p.GPUs, leases: 1, by: 1, window: 1,
				charge: p.GPUs * q, q: q, gain: each * reward.Points(q), levels: levels,
			})
		}
	}
	return own
}

// each is the reward of one sub-slot of a spot job under a policy.
func (b *board) each(job, policy int) reward.Points {
	if b.m.Jobs[job].Kind == reward.Profiling {
		return reward.Profiler
	}
	return reward.BestEffort(b.m.Jobs[job].Policies[policy].Leases)
}

// undominated drops options that another one beats, and sorts the rest: most
// gain first, then the cheaper.
func (b *board) undominated(own []option, prefixOnly bool) []option {
	slices.SortStableFunc(own, func(x, y option) int {
		switch {
		case x.gain != y.gain:
			return int(max(-1, min(1, y.gain-x.gain)))
		}
		return x.need(b.slots) - y.need(b.slots)
	})
	kept := own[:0]
	for _, o := range own {
		beaten := slices.ContainsFunc(kept, func(k option) bool {
			if o.spot() != k.spot() || k.gain < o.gain {
				return false
			}
			if prefixOnly {
				return b.cheaper(&k, &o) && (b.m.Gate == nil || k.after > 0 || o.after == 0 && o.levels.Holds(k.levels))
			}
			return k.gpus <= o.gpus && k.leases <= o.leases && k.by >= o.by && k.q == o.q && (b.m.Gate == nil || o.levels.Holds(k.levels))
		})
		if !beaten {
			kept = append(kept, o)
		}
	}
	return kept
}

// cheaper reports whether x needs no more than y in every prefix row. Both are
// linear between these slots.
func (b *board) cheaper(x, y *option) bool {
	for _, t := range [...]int{x.after, x.window, y.after, y.window, b.slots} {
		if x.need(t) > y.need(t) {
			return false
		}
	}
	return true
}

// of returns the range of a job's options.
func (b *board) of(job int) (from, to int) { return b.first[job], b.first[job+1] }
