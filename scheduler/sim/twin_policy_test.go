package sim_test

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

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
	case "threesigma":
		h := w.outlook[j]
		if h == nil {
			return 0, 0 // nobody's turn
		}
		return schedmate.Seconds(h.class), h.sort
	case "fifo", "yarncs":
		return j.Submit, 0
	case "tiresias":
		queue := schedmate.Seconds(0)
		served := j.held
		if w.rule.workOnly {
			served = j.done
		}
		for _, t := range w.rule.thresholds {
			if int64(j.GPUs)*int64(served) > t {
				queue++
			}
		}
		return queue, j.Submit
	case "edf":
		if w.rule.selection == "batch" {
			due := w.deadline(j)
			switch {
			case due == never: // best effort
				return never + j.Submit, j.Submit
			case w.now > due: // has become it
				return never + due, j.Submit
			}
			return due, j.Submit
		}
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
	case "genie":
		for _, tier := range j.SLO.Tiers {
			if end := w.now + j.owed + max(0, est-j.done); end <= tier.Deadline {
				return tier.Deadline - end, j.Submit
			}
		}
		return never, j.Submit
	case "sjf":
		return est, 0
	case "qssf":
		return est * schedmate.Seconds(j.GPUs), schedmate.Seconds(j.GPUs)
	}
	return j.owed + max(0, est-j.done), 0 // srtf
}

// deadline is a job's first deadline.
func (w *twin) deadline(j *twinJob) schedmate.Seconds {
	if len(j.SLO.Tiers) == 0 {
		return never
	}
	return j.SLO.Tiers[0].Deadline
}

// idNumber is the number at the end of a job's ID if the rule orders by it.
func (w *twin) idNumber(j *twinJob) int {
	if !w.rule.byNumber {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimLeft(j.ID, "j"))
	if err != nil {
		panic(err)
	}
	return n
}

func (w *twin) order(jobs []*twinJob) []*twinJob {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b *twinJob) int {
		a1, a2 := w.key(a)
		b1, b2 := w.key(b)
		return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2), cmp.Compare(w.idNumber(a), w.idNumber(b)))
	})
	return jobs
}

func (w *twin) decide(part []*twinJob) {
	waiting := in(part, "waiting")
	if w.rule.order == "threesigma" {
		if len(waiting) == 0 {
			return
		}
		if w.rule.selection == "reserve" {
			w.byReserve(part)
		} else {
			w.byOutlook(part)
		}
		return
	}
	if w.rule.selection == "batch" {
		w.byBatch(part)
		return
	}
	if len(waiting) == 0 {
		return
	}
	queue := w.order(waiting)
	switch w.rule.order {
	case "srtf", "tiresias", "edf":
		if w.rule.selection == "counted" {
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
	if w.rule.byShare {
		w.byTurns(queue)
		return
	}
	w.inOrder(queue)
}

// byTurns tries one job after the other: the first of the VC that has least of
// what is its own.
func (w *twin) byTurns(queue []*twinJob) {
	for len(queue) > 0 {
		next := queue[0]
		for _, j := range queue {
			if w.share(j.VC) < w.share(next.VC) {
				next = j
			}
		}
		gone := func(j *twinJob) bool { return j == next }
		if on := w.place(next); on != nil {
			w.start(next, on)
		} else if most := w.most(next); w.rule.headOfLine && most >= next.GPUs {
			gone = func(j *twinJob) bool { return j.VC == next.VC }
		}
		queue = slices.DeleteFunc(queue, gone)
	}
}

// share is the part of its own GPUs that a VC holds: those of its nodes and its
// quota, or an equal part of all.
func (w *twin) share(vc string) float64 {
	held, own, all := 0.0, 0.0, 0.0
	for _, j := range w.jobs {
		if j.VC == vc && j.state == "running" {
			held += float64(j.GPUs)
		}
	}
	vcs := len(w.vcs)
	for _, n := range w.nodes {
		if w.common() || n.VC == vc {
			all += float64(n.GPUs)
		}
		if vc != "" && n.VC == vc {
			own += float64(n.GPUs)
		}
	}
	if q := w.quota(vc); q < 1<<30 {
		own += float64(q)
	}
	if own == 0 {
		own = math.Floor(all / math.Max(1, float64(vcs)))
	}
	return held / math.Max(1, own)
}

// most is how many GPUs a job could have if nothing else ran.
func (w *twin) most(j *twinJob) int {
	most := 0
	for _, n := range w.usable(j, w.quota(j.VC) >= j.GPUs) {
		most += n.GPUs
	}
	return most
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
		if !w.rule.headOfLine || w.most(j) < j.GPUs {
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
	j.on, j.state, j.seq, j.lost, j.began = on, "running", w.moves, j.done, w.now
	w.moves++
	if j.out.Start == sim.NoTime {
		j.out.Start = w.now
	} else {
		j.out.Restarts++
	}
}

func (w *twin) preempt(j *twinJob) {
	w.leave(j)
	if w.world.ForgiveUnpaid {
		j.owed = 0
	}
	j.owed += w.world.Restart(j.GPUs)
	j.out.Preemptions++
	j.out.Queue += w.world.PreemptionWait
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
		if w.rule.byNumber {
			return w.idNumber(a) - w.idNumber(b)
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
	if w.rule.widest {
		slices.SortStableFunc(chosen, func(a, b *twinJob) int { return b.GPUs - a.GPUs })
	}
	for _, j := range chosen {
		if on := w.place(j); on != nil {
			w.start(j, on)
		}
	}
}

// byBatch takes the GPUs away from jobs whose deadline has passed since they
// started, chooses in order as long as the number of free GPUs lasts, and then
// looks for places, for the widest first.
func (w *twin) byBatch(part []*twinJob) {
	var gone []*twinJob
	for _, j := range in(part, "running") {
		if w.rule.order == "edf" && w.deadline(j) < w.now && j.began <= w.deadline(j) && !w.stuck(j) {
			gone = append(gone, j)
		}
	}
	queue := append(in(part, "waiting"), gone...)
	slices.SortFunc(queue, func(a, b *twinJob) int { return a.seq - b.seq })
	queue = w.order(queue)
	for _, j := range gone {
		w.preempt(j)
	}
	count := 0
	for _, n := range w.nodes {
		if n.Takes() && (w.common() || n.VC == part[0].VC) {
			count += n.free
		}
	}
	var chosen []*twinJob
	for _, j := range queue {
		if j.GPUs <= count {
			count -= j.GPUs
			chosen = append(chosen, j)
		}
	}
	slices.SortStableFunc(chosen, func(a, b *twinJob) int { return b.GPUs - a.GPUs })
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
	w.kept = map[string]int{}
	defer func() {
		w.kept = nil
		for id, k := range kept {
			w.node(id).free += k
		}
	}()
	rank := map[*twinJob][4]schedmate.Seconds{}
	for _, j := range part {
		a, b := w.key(j)
		rank[j] = [4]schedmate.Seconds{a, b, schedmate.Seconds(w.idNumber(j)), schedmate.Seconds(j.seq)}
	}
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		if slices.Contains(gone, j) {
			for id, k := range w.place(j) {
				w.node(id).free -= k
				kept[id] += k
				if w.node(id).VC == "" {
					w.kept[j.VC] += k
				}
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
	if w.rule.order == "threesigma" {
		return mine <= 1 && his > 1
	}
	if w.rule.order == "edf" {
		return mine < never && his == never
	}
	_, known := w.estimate(j)
	_, ok := w.estimate(v)
	return known && ok && his > mine+w.rule.margin
}
