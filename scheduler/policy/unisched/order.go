package unisched

import (
	"cmp"
	"slices"

	"schedmate"
)

// candidate is a job that could hold GPUs until the next boundary, or one that could
// be measured on them.
type candidate struct {
	j     *schedmate.JobStatus
	gpus  int // that it is counted with
	class class
	key   int64
	probe bool
}

// class comes before key in the order of candidates.
type class int

const (
	held     class = iota // a lease that goes on
	granted               // a lease that begins now
	running               // between two boundaries: nobody gives way to who has no lease
	selected              // the program's choice for this spot lease
	open
	unknown // nothing says how long it runs: first come, first served
)

// order lists the candidates: leases, what the program has picked, and then everybody
// by what is left to do for the reward of its end.
func (t *table) order() {
	for _, j := range t.all {
		e := t.book[j.Job.ID]
		switch {
		case j.Attempt != nil && !t.movable(j), e.measured > t.s.Now:
		case t.unmeasured(j):
			if t.Profiling.Mode == Unified {
				g := measureGPUs(j)
				t.queue = append(t.queue, candidate{j: j, gpus: g, class: t.classOf(j), key: t.cost(t.Spot, g), probe: true})
			}
		case !t.knows(j):
			t.queue = append(t.queue, candidate{j: j, gpus: t.planned(j), class: max(t.classOf(j), unknown), key: int64(j.Job.Submit)})
		default:
			t.queue = append(t.queue, candidate{j: j, gpus: t.planned(j), class: t.classOf(j), key: t.key(j)})
		}
	}
	slices.SortFunc(t.queue, func(a, b candidate) int {
		if a.class != b.class {
			return cmp.Compare(a.class, b.class)
		}
		if a.class <= granted && a.gpus != b.gpus {
			return cmp.Compare(b.gpus, a.gpus) // the largest finds places first
		}
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.j.Seq, b.j.Seq))
	})
}

func (t *table) classOf(j *schedmate.JobStatus) class {
	id := j.Job.ID
	switch boundary := t.s.Now%t.Spot == 0; {
	case j.Attempt != nil && t.leased(j):
		return held
	case t.leases[id], t.leased(j), t.urgent(j):
		return granted
	case !boundary && j.Attempt != nil:
		return running
	case t.picked[id]:
		return selected
	}
	return open
}

// key is what a job without a lease ranks by: the least first.
func (t *table) key(j *schedmate.JobStatus) int64 {
	left := t.left(j)
	if j.Attempt != nil {
		left = max(0, left-t.Rules.Margin)
	}
	k := t.cost(left, j.Job.GPUs)
	if t.book[j.Job.ID].chosen > 0 {
		k += k / 1000 * int64(t.Rules.SlackMilli)
	}
	return k
}

// cost is what a job takes for the reward of its end, in the unit of the order.
func (t *table) cost(left schedmate.Seconds, gpus int) int64 {
	if t.Rules.Order == ByTime {
		return int64(left)
	}
	return int64(left) * int64(gpus)
}

// urgent reports whether a newcomer that nobody has planned for yet misses a
// deadline that it can meet if it waits for the next lease.
func (t *table) urgent(j *schedmate.JobStatus) bool {
	if !t.Rules.AnyTime || j.Attempt != nil || !j.Job.SLO.HasDeadline() || t.book[j.Job.ID].told != "" || !t.knows(j) {
		return false
	}
	end := t.s.Now + t.left(j)
	wait := t.Lease - t.s.Now%t.Lease
	for _, x := range t.tiers(j) {
		if end <= x.Deadline {
			return end+wait > x.Deadline
		}
	}
	return false
}

// choose walks the candidates with a counter of GPUs and returns those that it
// holds.
func (t *table) choose() []candidate {
	free := t.total - t.pinned() - t.aside
	var chosen []candidate
	for _, c := range t.queue {
		if c.gpus <= free {
			free -= c.gpus
			chosen = append(chosen, c)
		}
	}
	return chosen
}
