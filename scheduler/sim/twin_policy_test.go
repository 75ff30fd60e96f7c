package sim_test

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// estimate is the run time that the policy is told.
func (w *twin) estimate(j *twinJob) (schedmate.Seconds, bool) {
	if w.world.Estimates == scheduler.TrueRunTime {
		return j.total, true
	}
	if w.world.Estimates == scheduler.TraceEstimate && len(j.Facts) > 0 {
		return schedmate.Seconds(j.Facts[0].Value), true
	}
	return 0, false
}

const never = schedmate.Seconds(1 << 60)

// key is what jobs are ordered by, smaller first; equal keys by who came first.
func (w *twin) key(j *twinJob) (schedmate.Seconds, schedmate.Seconds) {
	est, known := w.estimate(j)
	switch w.rule.order {
	case "fifo":
		return j.Submit, 0
	case "tiresias":
		queue := schedmate.Seconds(0)
		for _, t := range w.rule.thresholds {
			if int64(j.GPUs)*int64(j.held) > t {
				queue++
			}
		}
		return queue, j.Submit
	case "edf":
		for _, tier := range j.SLO.Tiers {
			if w.now <= tier.Deadline {
				return tier.Deadline, j.Submit
			}
		}
		return never, j.Submit
	}
	if !known {
		if j.state == "running" {
			return -1, 0
		}
		return never, j.Submit
	}
	switch w.rule.order {
	case "sjf":
		return est, 0
	case "qssf":
		return est * schedmate.Seconds(j.GPUs), schedmate.Seconds(j.GPUs)
	}
	return j.owed + max(0, est-j.done), 0 // srtf
}

func (w *twin) order(jobs []*twinJob) []*twinJob {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b *twinJob) int {
		a1, a2 := w.key(a)
		b1, b2 := w.key(b)
		return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2))
	})
	return jobs
}

func (w *twin) decide(part []*twinJob) {
	waiting := in(part, "waiting")
	if len(waiting) == 0 {
		return
	}
	queue := w.order(waiting)
	switch w.rule.order {
	case "srtf", "tiresias", "edf":
		if w.rule.counted {
			w.byCount(part, queue)
		} else {
			w.byPlace(part, queue)
		}
		return
	}
	if w.rule.arrivals {
		old := false
		for _, j := range waiting {
			old = old || j.Submit < w.now
		}
		if !old {
			queue = slices.Clone(waiting)
			slices.SortStableFunc(queue, func(a, b *twinJob) int { return a.GPUs - b.GPUs })
		}
	}
	w.inOrder(queue)
}

func (w *twin) inOrder(queue []*twinJob) {
	var stopped []string // VCs of which nobody may start any more
	for _, j := range queue {
		if slices.Contains(stopped, j.VC) {
			continue
		}
		if on := w.place(j); on != nil {
			w.start(j, on)
			continue
		}
		most := 0 // GPUs that it could have if nothing else ran
		for _, n := range w.usable(j, w.quota(j.VC) >= j.GPUs) {
			most += n.GPUs
		}
		if !w.rule.headOfLine || most < j.GPUs {
			continue
		}
		if w.quotaLeft(j.VC) >= j.GPUs {
			return
		}
		stopped = append(stopped, j.VC)
	}
}

func (w *twin) start(j *twinJob, on map[string]int) {
	for id, k := range on {
		w.node(id).free -= k
	}
	j.on, j.state, j.seq, j.lost = on, "running", w.moves, j.done
	w.moves++
	if j.out.Start == sim.NoTime {
		j.out.Start = w.now
	} else {
		j.out.Restarts++
	}
}

func (w *twin) preempt(j *twinJob) {
	w.leave(j)
	j.owed += w.world.Restart(j.GPUs)
	j.out.Preemptions++
	w.wait(j)
}

// stuck says whether a running job has GPUs on a node that takes nothing new.
func (w *twin) stuck(j *twinJob) bool {
	for id := range j.on {
		if n := w.node(id); !n.Takes() {
			return true
		}
	}
	return false
}

// byCount lets jobs run in order as long as their number of GPUs fits, takes
// the GPUs of all others away, and then looks for places.
func (w *twin) byCount(part, queue []*twinJob) {
	count := 0
	for _, n := range w.nodes {
		if n.Takes() && (w.common() || n.VC == part[0].VC) {
			count += n.GPUs
		}
	}
	all := append(slices.Clone(queue), w.order(in(part, "running"))...)
	slices.SortStableFunc(all, func(a, b *twinJob) int {
		a1, a2 := w.key(a)
		b1, b2 := w.key(b)
		if a1 != b1 || w.rule.order == "srtf" {
			return cmp.Compare(a1, b1) // srtf: equal ones wait first
		}
		if a2 != b2 {
			return cmp.Compare(a2, b2)
		}
		return cmp.Compare(b.state, a.state) * -1 // tiresias: equal ones run first
	})
	var chosen, gone []*twinJob
	for _, j := range all {
		switch {
		case j.state == "running" && w.stuck(j):
		case j.GPUs <= count:
			count -= j.GPUs
			if j.state == "waiting" {
				chosen = append(chosen, j)
			}
		case j.state == "running":
			gone = append(gone, j)
		}
	}
	for _, j := range gone {
		w.preempt(j)
	}
	for _, j := range chosen {
		if on := w.place(j); on != nil {
			w.start(j, on)
		}
	}
}

// byPlace starts jobs in order; for one that does not fit it preempts those it
// beats, if that helps, the worst first and nobody in vain. Who is preempted
// goes back into the order; if it is its turn before the others', the place it
// would have is kept free until the next second.
func (w *twin) byPlace(part, queue []*twinJob) {
	var gone []*twinJob
	kept := map[string]int{}
	defer func() {
		for id, k := range kept {
			w.node(id).free += k
		}
	}()
	rank := map[*twinJob][3]schedmate.Seconds{}
	for _, j := range part {
		a, b := w.key(j)
		rank[j] = [3]schedmate.Seconds{a, b, schedmate.Seconds(j.seq)}
	}
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		if slices.Contains(gone, j) {
			for id, k := range w.place(j) {
				w.node(id).free -= k
				kept[id] += k
			}
			continue
		}
		if on := w.place(j); on != nil {
			w.start(j, on)
			gone = append(gone, j) // started just now: nobody's victim
			continue
		}
		var victims []*twinJob
		for _, v := range w.order(in(part, "running")) {
			if !slices.Contains(gone, v) && !w.stuck(v) && w.beats(j, v) {
				victims = append(victims, v)
			}
		}
		for _, v := range victims {
			w.lend(v, +1)
		}
		if w.place(j) == nil {
			for _, v := range victims {
				w.lend(v, -1)
			}
			continue
		}
		var taken []*twinJob
		for _, v := range victims { // the best first
			w.lend(v, -1)
			if w.place(j) == nil {
				w.lend(v, +1)
				taken = append(taken, v)
			}
		}
		on := w.place(j)
		slices.Reverse(taken)
		for _, v := range slices.Backward(taken) {
			w.lend(v, -1)
			w.preempt(v)
			gone = append(gone, v)
			queue = append(queue, v)
		}
		slices.SortFunc(queue, func(a, b *twinJob) int {
			x, y := rank[a], rank[b]
			return slices.Compare(x[:], y[:])
		})
		w.start(j, on)
		gone = append(gone, j)
	}
}

func (w *twin) lend(j *twinJob, sign int) {
	for id, k := range j.on {
		w.node(id).free += sign * k
	}
	if sign > 0 {
		j.state = "lent"
	} else {
		j.state = "running"
	}
}

func (w *twin) beats(j, v *twinJob) bool {
	mine, _ := w.key(j)
	his, _ := w.key(v)
	if w.rule.order == "tiresias" {
		return mine < his
	}
	if w.rule.order == "edf" {
		return mine < never && his == never
	}
	_, known := w.estimate(j)
	_, ok := w.estimate(v)
	return known && ok && his > mine+w.rule.margin
}

// quota is how many shared GPUs the VC may hold.
func (w *twin) quota(vc string) int {
	for _, v := range w.vcs {
		if v.Name == vc && v.QuotaGPUs > 0 {
			return v.QuotaGPUs
		}
	}
	return 1 << 30
}

func (w *twin) quotaLeft(vc string) int {
	left := w.quota(vc)
	for _, j := range w.jobs {
		for id, k := range j.on {
			if j.VC == vc && j.state != "lent" && w.node(id).VC == "" {
				left -= k
			}
		}
	}
	return left
}

// usable lists the nodes that may take the job, shared ones only if wanted.
func (w *twin) usable(j *twinJob, shared bool) []*twinNode {
	var out []*twinNode
	for _, n := range w.nodes {
		fits := n.Takes() && (j.GPUType == "" || n.GPUType == j.GPUType)
		if fits && (n.VC == "" && shared || n.VC != "" && n.VC == j.VC) {
			out = append(out, n)
		}
	}
	return out
}

// place finds GPUs on as few nodes as possible, or returns nil.
func (w *twin) place(j *twinJob) map[string]int {
	all := w.usable(j, w.quotaLeft(j.VC) >= j.GPUs)
	if w.rule.lucid {
		return placeLucid(all, j.GPUs)
	}
	if on := placeFew(all, j.GPUs); on != nil {
		return on
	}
	return placeFew(w.usable(j, false), j.GPUs)
}

func placeFew(nodes []*twinNode, gang int) map[string]int {
	bySize := slices.Clone(nodes)
	slices.SortStableFunc(bySize, func(a, b *twinNode) int { return b.GPUs - a.GPUs })
	few, sum := 0, 0
	for _, n := range bySize {
		if sum < gang {
			few, sum = few+1, sum+n.GPUs
		}
	}
	if sum < gang {
		return nil
	}
	byFree := slices.Clone(nodes)
	slices.SortStableFunc(byFree, func(a, b *twinNode) int { return b.free - a.free })
	on := map[string]int{}
	for _, n := range byFree[:few-1] {
		on[n.ID] = n.free
		gang -= n.free
	}
	var last *twinNode
	for _, n := range nodes { // in the order of their IDs
		if on[n.ID] == 0 && n.free >= gang && (last == nil || n.free < last.free) && !slices.Contains(byFree[:few-1], n) {
			last = n
		}
	}
	if last == nil || slices.Contains(mapValues(on), 0) {
		return nil
	}
	on[last.ID] = gang
	return on
}

func mapValues(m map[string]int) []int {
	var out []int
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// placeLucid: up to the size of a node, the tightest node; above, wholly free
// nodes, and the rest on the next one in descending order of free GPUs.
func placeLucid(nodes []*twinNode, gang int) map[string]int {
	size, free := 0, 0
	for _, n := range nodes {
		size = max(size, n.GPUs)
		free += n.free
	}
	if size == 0 || free < gang {
		return nil
	}
	on := map[string]int{}
	if gang <= size {
		var best *twinNode
		for _, n := range nodes {
			if n.free >= gang && (best == nil || n.free < best.free) {
				best = n
			}
		}
		if best == nil {
			return nil
		}
		on[best.ID] = gang
		return on
	}
	byFree := slices.Clone(nodes)
	slices.SortStableFunc(byFree, func(a, b *twinNode) int { return b.free - a.free })
	for _, n := range byFree {
		k := min(size, gang)
		if k == 0 {
			break
		}
		if n.free < k {
			return nil
		}
		on[n.ID] = k
		gang -= k
	}
	if gang > 0 {
		return nil
	}
	return on
}
