package sim_test

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// hope is what 3Sigma expects of a job.
type hope struct {
	*twinJob
	lefts []schedmate.Seconds // equally likely
	class int                 // 0 start now, 1 unknown with a deadline, 2 best effort, 3 unknown best effort, 4 later
	sort  schedmate.Seconds
	first int // slot it is booked from
}

// hopes of a job: low end, value twice, high end, as far as it has not outrun them.
func (w *twin) hope(j *twinJob) *hope {
	h := &hope{twinJob: j}
	last := never
	if n := len(j.SLO.Tiers); n > 0 {
		last = j.SLO.Tiers[n-1].Deadline
	}
	var low, value, high schedmate.Seconds
	switch {
	case w.world.Estimates == scheduler.TrueRunTime:
		low, value, high = j.total, j.total, j.total
	case w.world.Estimates == scheduler.TraceEstimate && len(j.Facts) > 0:
		f := j.Facts[0]
		low, value, high = schedmate.Seconds(f.Low), schedmate.Seconds(f.Value), schedmate.Seconds(f.High)
	default:
		h.class, h.sort = 3, j.Submit
		if last != never && w.now <= last {
			h.class, h.sort = 1, last
		}
		return h
	}
	for _, v := range []schedmate.Seconds{low, value, value, high} {
		if v > j.done {
			h.lefts = append(h.lefts, j.owed+v-j.done)
		}
	}
	if len(h.lefts) == 0 {
		h.lefts = []schedmate.Seconds{j.owed + max(1, j.done-high)}
	}
	sum := schedmate.Seconds(0)
	for _, l := range h.lefts {
		sum += l
	}
	mean := sum / schedmate.Seconds(len(h.lefts))
	if w.reward(h, 0) == 0 {
		h.class, h.sort = 2, mean
		return h
	}
	due := last
	for i := len(j.SLO.Tiers) - 1; i >= 0; i-- {
		if w.now+mean <= j.SLO.Tiers[i].Deadline {
			due = j.SLO.Tiers[i].Deadline
		}
	}
	h.sort = due - w.now - mean
	return h
}

func (w *twin) reward(h *hope, after schedmate.Seconds) int {
	sum := 0
	for _, l := range h.lefts {
		sum += h.SLO.RewardAt(w.now + after + l)
	}
	return sum
}

// thousandths of GPUs that a job is expected to use in a slot counted from its first.
func (w *twin) uses(h *hope, k int) int {
	if h.class == 1 {
		return 1000 * h.GPUs
	}
	still := 0
	for _, l := range h.lefts {
		if l > schedmate.Seconds(k)*w.rule.slot {
			still++
		}
	}
	return 1000 * h.GPUs * still / len(h.lefts)
}

func (w *twin) capacity(part []*twinJob) int {
	all := 0
	for _, n := range w.nodes {
		if n.Takes() && (w.common() || n.VC == part[0].VC) {
			all += n.GPUs
		}
	}
	return all
}

// byOutlook plans the jobs that can make a deadline for the first slot with room,
// and lets those that are not planned for later compete for places.
func (w *twin) byOutlook(part []*twinJob) {
	w.outlook = map[*twinJob]*hope{}
	var booked, promised []*hope
	for _, j := range in(part, "running") {
		h := w.hope(j)
		w.outlook[j] = h
		if h.class <= 1 && !w.stuck(j) {
			booked = append(booked, h)
		}
	}
	for _, j := range in(part, "waiting") {
		h := w.hope(j)
		w.outlook[j] = h
		if h.class == 0 {
			promised = append(promised, h)
		}
	}
	slices.SortStableFunc(promised, func(a, b *hope) int {
		return cmp.Or(cmp.Compare(a.sort, b.sort), cmp.Compare(a.Submit, b.Submit), a.seq-b.seq)
	})
	room := func(h *hope, first int) bool {
		for k := 0; w.uses(h, k) > 0; k++ {
			used := w.uses(h, k)
			for _, b := range booked {
				if first+k >= b.first {
					used += w.uses(b, first+k-b.first)
				}
			}
			if used > 1000*w.capacity(part) {
				return false
			}
		}
		return true
	}
	for i, h := range promised {
		mean := schedmate.Seconds(0)
		for _, l := range h.lefts {
			mean += l
		}
		h.class, h.sort = 2, mean/schedmate.Seconds(len(h.lefts)) // if it finds no room
		for first := 0; w.reward(h, schedmate.Seconds(first)*w.rule.slot) > 0; first++ {
			if room(h, first) {
				h.first, h.class, h.sort = first, 0, schedmate.Seconds(i)
				booked = append(booked, h)
				break
			}
		}
	}
	var queue []*twinJob
	for _, j := range in(part, "waiting") {
		if h := w.outlook[j]; h.class == 0 && h.first > 0 {
			h.class = 4
		} else {
			queue = append(queue, j)
		}
	}
	w.byPlace(part, w.order(queue))
}

// byReserve is TitanSched's: whole slots, and whoever is planned for a later slot
// is forgotten until it is too late.
func (w *twin) byReserve(part []*twinJob) {
	slot := w.rule.slot
	left := func(j *twinJob) schedmate.Seconds {
		est, known := w.estimate(j)
		if !known {
			return never
		}
		return max(0, est-j.done)
	}
	best := func(j *twinJob) bool { return w.deadline(j) == never || w.now+left(j) > w.deadline(j) }
	slots := func(j *twinJob) int { return int((left(j) + slot - 1) / slot) }
	type block struct{ from, to, gpus int } // slots from now on
	var blocks []block
	free := func(k int) int {
		n := w.capacity(part)
		for _, b := range blocks {
			if b.from <= k && k < b.to {
				n -= b.gpus
			}
		}
		return n
	}
	var jobs []*twinJob
	idle := 0
	for _, n := range w.nodes {
		if n.Takes() && (w.common() || n.VC == part[0].VC) {
			idle += n.free
		}
	}
	for _, j := range in(part, "waiting") {
		from, has := w.reserved[j]
		if has && (best(j) || w.deadline(j)/slot <= w.now/slot) {
			delete(w.reserved, j)
			has = false
		}
		if has {
			first := int((from - w.now) / slot)
			blocks = append(blocks, block{first, first + slots(j), j.GPUs})
		} else {
			jobs = append(jobs, j)
		}
	}
	for _, j := range in(part, "running") {
		switch {
		case w.stuck(j):
		case best(j):
			jobs = append(jobs, j)
			idle += j.GPUs
		default:
			blocks = append(blocks, block{0, slots(j), j.GPUs})
		}
	}
	if idle == 0 {
		return
	}
	key := func(j *twinJob) schedmate.Seconds {
		est, known := w.estimate(j)
		switch {
		case !known:
			return never
		case best(j):
			return est
		}
		return w.deadline(j) - est - w.now
	}
	slices.SortStableFunc(jobs, func(a, b *twinJob) int {
		if best(a) != best(b) {
			if best(a) {
				return 1
			}
			return -1
		}
		return cmp.Compare(key(a), key(b))
	})
	var chosen, gone []*twinJob
	for _, j := range jobs {
		need, window := 1, 1
		if !best(j) {
			need, window = slots(j), int(w.deadline(j)/slot-w.now/slot)
		}
		first := -1
		for at := 0; at+need <= window && first < 0; at++ {
			first = at
			for k := range need {
				if free(at+k) < j.GPUs {
					first = -1
				}
			}
		}
		if first >= 0 {
			blocks = append(blocks, block{first, first + need, j.GPUs})
		}
		switch {
		case j.state == "running" && first < 0:
			gone = append(gone, j)
		case j.state == "waiting" && first == 0:
			chosen = append(chosen, j)
		case j.state == "waiting" && first > 0:
			w.reserved[j] = w.now + schedmate.Seconds(first)*slot
		}
	}
	for _, j := range gone {
		w.preempt(j)
	}
	on := map[*twinJob]map[string]int{}
	widest := slices.Clone(chosen)
	slices.SortStableFunc(widest, func(a, b *twinJob) int { return b.GPUs - a.GPUs })
	for _, j := range widest {
		if on[j] = w.place(j); on[j] != nil {
			w.start(j, on[j])
		}
	}
	for _, j := range chosen { // they came to run in the order in which they were chosen
		if on[j] != nil {
			j.seq = w.moves
			w.moves++
		}
	}
}
