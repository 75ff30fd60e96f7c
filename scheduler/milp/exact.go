package milp

import (
	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

// exact looks for the optimum: for each way to serve the spot jobs that no other
// way beats, branch and bound over the rest. best is what a plan earns so far
// beyond late rewards. It returns a better draft, if there is one, and the bound
// it proves.
func (b *board) exact(best reward.Points, bound reward.Points, spend func() bool) (*draft, reward.Points) {
	patterns, ok := b.patterns(spend)
	if !ok {
		return nil, bound
	}
	var found *draft
	var proven reward.Points // the most that any pattern can still earn
	deadlines := bound       // the most that jobs with steps can earn beside any pattern
	for n := len(patterns) - 1; n >= 0; n-- {
		// The last one serves nobody: it leaves most room, and bounds the others.
		p := &patterns[n]
		most := min(bound, deadlines+p.gain)
		if most <= best {
			proven = max(proven, most)
			continue
		}
		d, limit := b.beside(p, best, spend)
		if n == len(patterns)-1 {
			deadlines = limit - p.gain
		}
		if d != nil {
			found, best = d, d.total()
		}
		proven = max(proven, min(most, limit))
	}
	return found, min(bound, max(proven, best))
}

// proofSteps is how many price steps a proof begins with: the better the bound,
// the less is left to search.
func proofSteps(jobs int) int {
	if jobs <= proofJobs {
		return 2000
	}
	return 300
}

// proofJobs is up to how many jobs a round is worth more than one set of prices.
const proofJobs = 120

// beside solves the rest of the round when spot jobs are served as the pattern
// says. It returns a draft that earns more than best, if there is one, and a
// bound on all drafts with this pattern.
func (b *board) beside(p *pattern, best reward.Points, spend func() bool) (*draft, reward.Points) {
	rest := newBoard(b.m.without(p), false)
	q := newPrices(rest)
	for _, h := range rest.rooms()[1:] {
		q.addRooms(h)
	}
	wanted := best - p.gain // to be beaten
	if wanted >= 0 {
		wanted = wanted / rest.grain * rest.grain
	} else {
		wanted = -rest.grain
	}
	t := &tree{b: rest, prices: q, spend: spend, target: wanted + rest.grain, value: -1, cores: newCores(rest)}
	fixed := make([]int, len(rest.m.Jobs))
	for j := range fixed {
		fixed[j] = undecided
	}
	t.search(fixed, proofSteps(len(b.m.Jobs)))
	limit := max(wanted, t.value, t.open)
	if t.value < 0 {
		return nil, p.gain + limit
	}
	d := newDraft(b)
	for job, i := range t.best {
		if i < 0 {
			continue
		}
		o := &rest.options[i]
		from, to := b.of(job)
		for n := from; n < to; n++ {
			if b.options[n].policy == o.policy && b.options[n].step == o.step {
				d.hold(n, t.slots[job])
			}
		}
	}
	d.spots, d.extra = p.picks, p.gain
	return d, p.gain + limit
}

// without returns the round of the jobs with steps when slot 1 lacks what the
// pattern uses. Spot jobs stay, with nothing to choose.
func (m *Model) without(p *pattern) *Model {
	rest := &Model{Capacity: append([]int(nil), m.Capacity...), Sub: 1, Jobs: make([]Job, len(m.Jobs))}
	for j := range m.Jobs {
		if m.Jobs[j].spot() {
			rest.Jobs[j] = Job{ID: m.Jobs[j].ID, Kind: m.Jobs[j].Kind}
		} else {
			rest.Jobs[j] = m.Jobs[j]
		}
	}
	if len(rest.Capacity) > 0 {
		rest.Capacity[0] -= p.use[0]
	}
	if m.Gate != nil {
		rest.Gate = &lease.Gate{Free: m.Gate.Free.Sub(p.use)}
	}
	return rest
}
