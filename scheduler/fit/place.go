package fit

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"schedmate"
)

// share is what a job would take of a node.
type share struct {
	node    int
	tasks   int
	cpus    int
	memory  int64
	gpus    int
	gpuType string
	shards  int
	whole   bool // nobody else gets a part of the node
}

// offer is the most that a node could give a job.
type offer struct {
	node   int
	tasks  int
	gpus   int
	named  bool
	weight int
}

// offers returns the most tasks and GPUs of a job that a room can hold; tasks is 0
// when it cannot hold one.
func (q *request) offers(m *machine, r *room) (tasks, gpus int) {
	gpus = m.gpusOf(r, q.gpuType)
	switch {
	case q.exclusive && !r.idle, gpus < q.gpusPerNode, r.shards < q.shardsPerNode, q.gpus > 0 && gpus == 0:
		return 0, 0
	}
	tasks = r.cpus / q.cpusPerTask
	if q.memoryPerCPU > 0 {
		tasks = min(tasks, int((r.memory-q.memoryPerNode)/q.memoryPerCPU)/q.cpusPerTask)
	}
	if q.gpusPerTask > 0 {
		tasks = min(tasks, gpus/q.gpusPerTask)
	}
	if q.tasksPerNode > 0 {
		tasks = min(tasks, q.tasksPerNode)
	}
	if least := q.cpusFor(1); tasks < 1 || r.cpus < least || r.memory < q.memoryFor(least) {
		return 0, 0
	}
	return tasks, gpus
}

// choose picks nodes for a job from what they offer: as few as do, those of low
// weight first where all do alike. Whether there is a choice at all it decides
// exactly; see enough.
func (q *request) choose(offers []offer, w *work) ([]share, bool) {
	named := 0
	for _, o := range offers {
		if o.named {
			named++
		}
	}
	if named < len(q.named) || len(offers) < q.minNodes {
		return nil, false
	}
	most := min(q.mostNodes(), len(offers))
	tasks := max(1, q.tasks)
	// Where enough nodes can each bear an equal part, those of the lowest weight do.
	partTasks, partGPUs := perNode(tasks, q.minNodes), perNode(q.gpus, q.minNodes)
	equal := make([]offer, 0, q.minNodes)
	alike := !slices.ContainsFunc(offers, func(o offer) bool { return o.named || o.weight != offers[0].weight })
	for _, o := range offers {
		if o.tasks >= partTasks && o.gpus >= partGPUs {
			if equal = append(equal, o); alike && len(equal) == q.minNodes {
				break // the others are not better
			}
		} else if o.named {
			equal = nil
			break
		}
	}
	if len(equal) >= q.minNodes {
		if !alike {
			slices.SortStableFunc(equal, func(a, b offer) int { return cmp.Or(namedFirst(a, b), cmp.Compare(a.weight, b.weight)) })
		}
		return q.divide(equal[:q.minNodes]), true
	}
	if most < q.minNodes {
		return nil, false
	}
	if !w.couldBear(offers, most, tasks, func(o *offer) int { return o.tasks }) || !w.couldBear(offers, most, q.gpus, func(o *offer) int { return o.gpus }) {
		return nil, false // mostly; and it takes no sorting
	}
	// Every node bears something, so that more of them bear more.
	o := order(offers)
	o.work = w
	count := q.minNodes + sort.Search(most-q.minNodes, func(k int) bool {
		_, ok := o.enough(q.minNodes+k, tasks, q.gpus)
		return ok
	})
	chosen, ok := o.enough(count, tasks, q.gpus)
	if !ok {
		return nil, false
	}
	return q.divide(chosen), true
}

// couldBear reports whether the most that offers have of one thing are together as
// much as is needed. It is not exact for very large needs: then it says yes.
func (w *work) couldBear(offers []offer, most, need int, of func(*offer) int) bool {
	if need <= most {
		return true // each has one
	}
	if need > 1<<12 {
		return true
	}
	if len(w.counts) <= need {
		w.counts = make([]int, need+1)
	}
	counts, largest := w.counts, 0
	clear(counts[:need+1])
	for k := range offers {
		n := min(need, of(&offers[k]))
		counts[n]++
		largest = max(largest, n)
	}
	sum := 0
	for n := largest; n > 0 && most > 0 && sum < need; n-- {
		taken := min(most, counts[n])
		sum += taken * n
		most -= taken
	}
	return sum >= need
}

func namedFirst(a, b offer) int {
	if a.named != b.named {
		if a.named {
			return -1
		}
		return 1
	}
	return 0
}

// ordered is offers in the two orders in which a choice begins, named ones first,
// with what the first of each have together.
type ordered struct {
	byTasks, byGPUs []offer
	tasks, gpus     [2][]int // of the first k, in either order
	work            *work
}

func order(offers []offer) *ordered {
	o := &ordered{
		byTasks: arranged(offers, func(o *offer) (int, int) { return o.tasks, o.gpus }),
		byGPUs:  arranged(offers, func(o *offer) (int, int) { return o.gpus, o.tasks }),
	}
	for i, list := range [2][]offer{o.byTasks, o.byGPUs} {
		o.tasks[i], o.gpus[i] = make([]int, len(list)+1), make([]int, len(list)+1)
		for k, of := range list {
			o.tasks[i][k+1], o.gpus[i][k+1] = o.tasks[i][k]+of.tasks, o.gpus[i][k]+of.gpus
		}
	}
	return o
}

// arranged puts offers in an order: named ones first, then those with more of a first
// thing, then of a second, then as they stand.
func arranged(offers []offer, of func(*offer) (first, second int)) []offer {
	const bits = 21 // more than a million of a thing on one node is as good as a million
	least := func(n int) uint64 { return 1<<bits - 1 - uint64(min(n, 1<<bits-1)) }
	keys := make([]uint64, len(offers))
	for k := range offers {
		first, second := of(&offers[k])
		keys[k] = least(first)<<(2*bits) | least(second)<<bits | uint64(k)
		if !offers[k].named {
			keys[k] |= 1 << 63
		}
	}
	slices.Sort(keys)
	list := make([]offer, len(offers))
	for k := range keys {
		list[k] = offers[keys[k]&(1<<bits-1)]
	}
	return list
}

// enough picks that many of the offers, the named ones among them, that together
// have as many tasks and GPUs. Each of the two alone is decided by the largest;
// both together by the largest of either, or of a weighted sum of the two, else by
// trying every sum of GPUs.
func (o *ordered) enough(count, tasks, gpus int) ([]offer, bool) {
	if o.tasks[0][count] < tasks || o.gpus[0][count] >= gpus {
		return o.byTasks[:count], o.tasks[0][count] >= tasks
	}
	if o.gpus[1][count] < gpus || o.tasks[1][count] >= tasks {
		return o.byGPUs[:count], o.gpus[1][count] >= gpus
	}
	few := undominated(o.byTasks, count)
	sums := (len(few) + 1) * (count + 1) * (gpus + 1)
	if sums > sumsAtMost/64 {
		if chosen, ok, sure := o.weighed(few, count, tasks, gpus); sure {
			return chosen, ok
		}
	}
	if sums > sumsAtMost {
		o.work.unsettled = true // larger than any request seen; said not to fit, as it may
		return nil, false
	}
	o.work.done += sums / 8
	return bySum(few, count, tasks, gpus)
}

// weighed picks the offers with the largest sums of weighted tasks and GPUs, for
// weights that come ever closer. If those are less together than is needed of such a
// sum, no choice is enough. It is not sure in between.
func (o *ordered) weighed(offers []offer, count, tasks, gpus int) (chosen []offer, ok, sure bool) {
	low, weight, high := 0.0, 1.0, math.Inf(1) // of a task; that of a GPU is 1
	list := slices.Clone(offers)
	for range 24 {
		o.work.done += 2 * len(list)
		value := func(a *offer) float64 { return weight*float64(a.tasks) + float64(a.gpus) }
		slices.SortStableFunc(list, func(a, b offer) int { return cmp.Or(namedFirst(a, b), cmp.Compare(value(&b), value(&a))) })
		sumTasks, sumGPUs := 0, 0
		for _, of := range list[:count] {
			sumTasks, sumGPUs = sumTasks+of.tasks, sumGPUs+of.gpus
		}
		switch {
		case sumTasks >= tasks && sumGPUs >= gpus:
			return list[:count], true, true
		case weight*float64(sumTasks)+float64(sumGPUs) < (weight*float64(tasks)+float64(gpus))*(1-1e-9):
			return nil, false, true
		case sumTasks < tasks:
			low = weight
		default:
			high = weight
		}
		if weight = 2 * low; !math.IsInf(high, 1) {
			weight = (low + high) / 2
		}
	}
	return nil, false, false
}

// sumsAtMost bounds the memory of one choice, to some 100 MB.
const sumsAtMost = 4 << 20

// undominated leaves out the offers, of those in the order of their tasks, to which as
// many others as are chosen are equal or better: a choice with one of them has a better
// one without.
func undominated(byTasks []offer, count int) []offer {
	var kept []offer
	better := make([]int, 0, 16) // of kept ones that are not named, by their GPUs
	for _, o := range byTasks {
		above := 0
		for gpus := o.gpus; gpus < len(better); gpus++ {
			above += better[gpus] // and have as many tasks, by the order
		}
		if !o.named && above >= count {
			continue
		}
		kept = append(kept, o)
		if !o.named {
			for len(better) <= o.gpus {
				better = append(better, 0)
			}
			better[o.gpus]++
		}
	}
	return kept
}

// bySum finds, for each number of nodes and each sum of GPUs (what is above the
// need counts as the need), the most tasks: a knapsack.
func bySum(offers []offer, count, tasks, gpus int) ([]offer, bool) {
	type cell struct {
		tasks int // 0: no choice
		last  int // the offer taken last, +1
		from  int // its sum of GPUs before
	}
	// best[i][k][g]: of the first i offers, k of them, with g GPUs
	width := gpus + 1
	best := make([][]cell, len(offers)+1)
	best[0] = make([]cell, (count+1)*width)
	best[0][0].tasks = 1 // one more than the tasks, so that 0 means no choice
	for i, o := range offers {
		before := best[i]
		now := make([]cell, len(before))
		if !o.named {
			for at, c := range before {
				now[at] = cell{tasks: c.tasks}
			}
		}
		for k := range count {
			for g := range width {
				c := before[k*width+g]
				if c.tasks == 0 {
					continue
				}
				to := (k+1)*width + min(gpus, g+o.gpus)
				if sum := c.tasks + o.tasks; sum > now[to].tasks {
					now[to] = cell{tasks: sum, last: i + 1, from: g}
				}
			}
		}
		best[i+1] = now
	}
	if best[len(offers)][count*width+gpus].tasks-1 < tasks {
		return nil, false
	}
	var chosen []offer
	k, g := count, gpus
	for i := len(offers); k > 0; i-- {
		if c := best[i][k*width+g]; c.last == i {
			chosen = append(chosen, offers[i-1])
			k, g = k-1, c.from
		}
	}
	return chosen, true
}

// divide gives each node its part of a job: what each must have, then the rest as
// the nodes can bear it.
func (q *request) divide(chosen []offer) []share {
	tasks, gpus := max(1, q.tasks)-len(chosen), q.gpus-len(chosen)
	shares := make([]share, len(chosen))
	for i, o := range chosen {
		s := share{node: o.node, tasks: 1, gpuType: q.gpuType, shards: q.shardsPerNode, whole: q.exclusive}
		more := min(max(0, tasks), o.tasks-1)
		tasks -= more
		s.tasks += more
		s.cpus = q.cpusFor(s.tasks)
		s.memory = q.memoryFor(s.cpus)
		switch {
		case q.gpus > 0:
			more := min(max(0, gpus), o.gpus-1)
			gpus -= more
			s.gpus = 1 + more
		case q.gpusPerTask > 0:
			s.gpus = max(q.gpusPerNode, q.gpusPerTask*s.tasks)
		default:
			s.gpus = q.gpusPerNode
		}
		shares[i] = s
	}
	slices.SortFunc(shares, func(a, b share) int { return cmp.Compare(a.node, b.node) })
	return shares
}

// plus adds to an instant without passing the end of time.
func plus(t, d schedmate.Seconds) schedmate.Seconds {
	if d >= schedmate.Forever-t {
		return schedmate.Forever
	}
	return t + d
}
