package chronus_test

import (
	"math"
	"slices"
	"sort"
)

// twin is the simulator of the CHRONUS artifact told minute by minute, with its
// greedy selector, in lists and loops as the artifact has them: nothing is skipped,
// plans are lists of zeros and ones, and times are minutes. GPUs are counted and
// not placed, as the artifact finds a place for whatever there are enough GPUs for.
type twin struct {
	gpus             int
	pending, running []*tjob
	future, over     []*tjob
	lease            int // number of the lease that begins next
	guaranteed       int
}

type tjob struct {
	id                int
	gpu               int
	submit, work      int
	tiers, values     []int // minutes after the submission
	best              bool
	due               int // minutes after the submission
	progress, last    int
	resumes, preempts int
	waited            int
	occupies          bool // a lease
	forced, outran    bool
	plans             bool // takes part in planning
	plan              []int
	need, estimate    int
	state, emergence  int
	end               float64
}

func overhead(gpu int) float64 { return 0.5 * (1 + math.Log2(float64(gpu))) }

func ceil(a, b int) int { return int(math.Ceil(float64(a) / float64(b))) }

func ones(plan []int) (n int) {
	for _, x := range plan {
		n += x
	}
	return n
}

func (w *twin) run() {
	for t := 0; len(w.pending)+len(w.running)+len(w.future) > 0; t++ {
		w.flushRunning(t)
		if t%20 == 0 {
			w.flushLease(t)
		}
		if t%5 == 0 {
			w.flushEvents(t)
			w.flushPending(t)
		}
		if t%2 != 0 {
			w.filling()
		}
	}
}

func (w *twin) free() int {
	n := w.gpus
	for _, j := range w.running {
		n -= j.gpu
	}
	return n
}

func remove(list []*tjob, j *tjob) []*tjob {
	i := slices.Index(list, j)
	return append(append([]*tjob{}, list[:i]...), list[i+1:]...)
}

func (w *twin) flushRunning(t int) {
	for _, j := range slices.Clone(w.running) {
		passed := t - j.last
		total := float64(j.work) + float64(j.resumes)*overhead(j.gpu)
		if float64(passed+j.progress) >= total {
			j.end = float64(j.last) + total - float64(j.progress)
			w.running = remove(w.running, j)
			w.over = append(w.over, j)
			if j.occupies || j.forced {
				w.guaranteed -= j.gpu
			}
			continue
		}
		outruns := passed+j.progress >= j.estimate && (t%20 == 0 || !j.occupies)
		j.progress += passed
		j.last = t
		if outruns {
			j.state, j.plan, j.outran, j.plans = 1, nil, true, false
		}
		if !j.occupies && !j.forced && j.state == 0 {
			if n := ceil(j.estimate-j.progress, 20); n != j.need {
				j.need = n
				if i := slices.Index(j.plan, 1); i >= 0 {
					j.plan[i] = 0
				}
			}
		}
	}
}

func rounded(gpu int) int {
	switch gpu {
	case 3:
		return 4
	case 5, 6, 7:
		return 8
	}
	return gpu
}

// trow is one tier of a job: gpu, need and horizon as the artifact lists them.
type trow struct {
	job                *tjob
	gpu, need, horizon int
	value              int
}

func (w *twin) rowsOf(j *tjob) []trow {
	var rows []trow
	for i, tier := range j.tiers {
		rows = append(rows, trow{j, rounded(j.gpu), j.need, (j.submit+tier)/20 - w.lease, j.values[i]})
	}
	return rows
}

// residual lists the rows of jobs without a plan, and what plans leave over.
func (w *twin) residual(jobs []*tjob) (rows []trow, room []int) {
	for _, j := range jobs {
		if j.state != 0 || !j.plans || j.need <= 0 {
			continue
		}
		for _, r := range w.rowsOf(j) {
			for len(room) < r.horizon {
				room = append(room, w.gpus)
			}
		}
		if j.plan == nil {
			rows = append(rows, w.rowsOf(j)...)
		}
	}
	for _, j := range jobs {
		if j.state == 0 && j.plans && j.need > 0 {
			for i, x := range j.plan {
				room[i] -= x * j.gpu
			}
		}
	}
	return rows, room
}

func (w *twin) flushLease(t int) {
	var before []*tjob
	before = append(before, w.running...)
	for _, j := range w.running {
		j.occupies, j.last = false, t
		if j.state == 0 {
			if n := ceil(j.estimate-j.progress, 20); n < j.need {
				for strike := j.need - n; strike > 0; strike-- {
					if i := slices.Index(j.plan, 1); i >= 0 {
						j.plan[i] = 0
					}
				}
				j.need = n
			}
		}
		j.forced = false
	}
	w.pending = append(w.pending, w.running...)
	w.running = nil
	any := false
	for _, j := range w.pending {
		any = any || j.state == 0 && j.plans && j.need > 0
	}
	var chosen []*tjob
	if any {
		rows, room := w.residual(w.pending)
		sort.SliceStable(rows, func(a, b int) bool {
			x, y := rows[a], rows[b]
			if x.value != y.value {
				return x.value > y.value
			}
			if x.gpu != y.gpu {
				return x.gpu > y.gpu
			}
			if x.horizon-x.need != y.horizon-y.need {
				return x.horizon-x.need < y.horizon-y.need
			}
			return x.horizon > y.horizon
		})
		for _, r := range rows {
			if r.job.plan != nil || r.horizon < 0 {
				continue
			}
			plan := make([]int, r.horizon)
			for i := r.horizon - 1; i >= 0 && ones(plan) < r.need; i-- {
				if room[i] >= r.gpu {
					plan[i] = 1
				}
			}
			if ones(plan) < r.need {
				continue
			}
			for i, x := range plan {
				room[i] -= x * r.gpu
			}
			r.job.plan = plan
		}
		for _, j := range w.pending {
			if j.state != 0 {
				continue
			}
			if j.plan == nil {
				j.state = 1
				continue
			}
			if len(j.plan) == 0 {
				continue // the artifact would fail here; nothing is left of the plan
			}
			if j.plan[0] == 1 {
				chosen = append(chosen, j)
			}
			j.plan = j.plan[1:]
		}
	}
	w.guaranteed = 0
	for _, j := range chosen {
		w.guaranteed += j.gpu
		j.occupies = true
		j.need--
		w.running = append(w.running, j)
		w.pending = remove(w.pending, j)
	}
	w.lease++
	w.count(before)
}

// count counts resumptions and preemptions against those who ran before.
func (w *twin) count(before []*tjob) {
	for _, j := range w.running {
		if !slices.Contains(before, j) {
			j.resumes++
		}
	}
	for _, j := range w.pending {
		if slices.Contains(before, j) {
			j.preempts++
		}
	}
}

func (w *twin) packable(rows []trow, room []int) bool {
	most := 0
	for _, r := range rows {
		most = max(most, r.horizon)
	}
	left := slices.Clone(room)
	for len(left) < most {
		left = append(left, w.gpus)
	}
	rows = slices.Clone(rows)
	sort.SliceStable(rows, func(a, b int) bool {
		x, y := rows[a], rows[b]
		if x.gpu != y.gpu {
			return x.gpu > y.gpu
		}
		if x.horizon-x.need != y.horizon-y.need {
			return x.horizon-x.need < y.horizon-y.need
		}
		return x.horizon > y.horizon
	})
	seen := map[*tjob]bool{}
	for _, r := range rows {
		if seen[r.job] {
			continue
		}
		seen[r.job] = true
		n := 0
		for i := r.horizon - 1; i >= 0 && n < r.need; i-- {
			if left[i] >= r.gpu {
				left[i] -= r.gpu
				n++
			}
		}
		if n < r.need {
			return false
		}
	}
	return true
}

func (w *twin) flushEvents(t int) {
	var come []*tjob
	for len(w.future) > 0 && w.future[0].submit <= t {
		come = append(come, w.future[0])
		w.future = w.future[1:]
	}
	if len(come) == 0 {
		return
	}
	rows, room := w.residual(append(slices.Clone(w.pending), w.running...))
	for _, j := range come {
		j.estimate = int(float64(j.work) * (1 + (1+math.Log2(float64(j.gpu)))*0.5/20) * 1.1)
		j.need = ceil(j.estimate, 20)
		j.state, j.plans = 0, true
		if j.best {
			j.state, j.plans = 2, false
		} else {
			rows = append(rows, w.rowsOf(j)...)
			last := &rows[len(rows)-1]
			if last.need <= last.horizon && w.packable(rows, room) {
				j.due = 20*(last.horizon+w.lease) - j.submit
			} else {
				j.state = 1
				lo := max(last.horizon, last.need)
				last.horizon = lo
				hi := len(room)
				for _, r := range rows {
					hi = max(hi, r.horizon)
				}
				hi += j.need + 1
				for lo < hi {
					last.horizon = lo + (hi-lo)/2
					if w.packable(rows, room) {
						hi = last.horizon
					} else {
						lo = last.horizon + 1
					}
				}
				last.horizon = hi
			}
		}
		j.last, j.waited = t, t-j.submit
		w.pending = append(w.pending, j)
	}
}

// bestFunc is the artifact's sort key of the same name.
func bestFunc(j *tjob) [4]int {
	outran := 0
	if j.outran {
		outran = 1
	}
	return [4]int{outran, min(j.state, 1), j.emergence, -j.submit}
}

func judge(j *tjob, t int) {
	if j.state == 1 || j.state == 2 {
		j.emergence = -(j.estimate - j.progress) * j.gpu
	} else {
		j.emergence = -(j.due + j.submit - t - j.estimate + j.progress) * j.gpu
	}
}

func (w *twin) flushPending(t int) {
	before := slices.Clone(w.running)
	until := 20*w.lease - t
	var short []*tjob
	room := w.gpus - w.guaranteed
	for _, j := range w.pending {
		if left := j.work - j.progress; j.state == 1 && left <= until {
			short = append(short, j)
			j.emergence = -left * j.gpu
		}
	}
	sort.SliceStable(short, func(a, b int) bool { return short[a].emergence > short[b].emergence })
	for _, j := range short {
		if j.gpu <= room {
			room -= j.gpu
			j.forced, j.plans = true, false
			if j.submit >= 20*(w.lease-1) {
				j.state = 0
			}
		}
	}
	var force []*tjob
	wanted := 0
	for _, j := range w.pending {
		j.waited += t - j.last
		j.last = t
		if (j.state == 0 || j.state == 1) && j.due+j.submit < t+j.work-j.progress {
			j.state = -1
		}
		judge(j, t)
		if j.forced {
			force = append(force, j)
			wanted += j.gpu
		}
	}
	if free := w.free(); wanted > free {
		var victims []*tjob
		for _, j := range w.running {
			if !j.occupies && !j.forced {
				if j.state != 2 && j.due+j.submit < t+j.work-j.progress {
					j.state = -1
				}
				judge(j, t)
				victims = append(victims, j)
			}
		}
		sort.SliceStable(victims, func(a, b int) bool {
			x, y := bestFunc(victims[a]), bestFunc(victims[b])
			return slices.Compare(x[:], y[:]) < 0
		})
		for _, j := range victims {
			if wanted <= free {
				break
			}
			free += j.gpu
			j.last = t
			if n := ceil(j.estimate-j.progress, 20); n != j.need {
				for strike := j.need - n; strike > 0; strike-- {
					if i := slices.Index(j.plan, 1); i >= 0 {
						j.plan[i] = 0
					}
				}
				j.need = n
			}
			w.running = remove(w.running, j)
			w.pending = append(w.pending, j)
		}
	}
	for _, j := range force {
		j.last = t
		w.pending = remove(w.pending, j)
		w.running = append(w.running, j)
		w.guaranteed += j.gpu
	}
	sort.SliceStable(w.pending, func(a, b int) bool {
		x, y := w.pending[a], w.pending[b]
		return slices.Compare([]int{x.state, x.emergence, x.submit}, []int{y.state, y.emergence, y.submit}) > 0
	})
	if free := w.free(); free > 0 {
		sort.SliceStable(w.pending, func(a, b int) bool {
			x, y := bestFunc(w.pending[a]), bestFunc(w.pending[b])
			return slices.Compare(x[:], y[:]) > 0
		})
		for _, j := range slices.Clone(w.pending) {
			if j.gpu <= free {
				free -= j.gpu
				j.last = t
				w.pending = remove(w.pending, j)
				w.running = append(w.running, j)
			}
		}
	}
	w.count(before)
}

func (w *twin) filling() {
	free := w.free()
	if free == 0 {
		return
	}
	sort.SliceStable(w.pending, func(a, b int) bool {
		x, y := w.pending[a], w.pending[b]
		return slices.Compare([]int{x.state, x.emergence}, []int{y.state, y.emergence}) < 0
	})
	for _, j := range slices.Clone(w.pending) {
		if j.gpu <= free {
			free -= j.gpu
			w.pending = remove(w.pending, j)
			w.running = append(w.running, j)
		}
	}
}
