package fit

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"schedmate"
)

// plenty stands for a count that nobody tells: it never binds.
const plenty = math.MaxInt32

// room is what of a node is free.
type room struct {
	cpus   int
	memory int64
	gpus   []int // of each of the node's devices
	shards int   // the most on one GPU
	idle   bool  // nothing of it is taken
	used   []int // of each GPU of a node with shards: how many are in use, all if the GPU is
}

// held is what a running job holds of a node.
type held struct {
	job     int // index among the observed jobs
	end     schedmate.Seconds
	holding *schedmate.NodeHolding
}

// claim keeps a whole node from jobs for a time.
type claim struct {
	from, to    schedmate.Seconds
	reservation int  // index among the reservations; -1: it is planned for a job
	rank        int  // of that job
	blurred     bool // it might be another node
}

// kept is a time in which some reservation claims a node.
type kept struct{ from, to schedmate.Seconds }

// keep sorts out when the node is claimed at all: the times do not touch each other
// and are in order.
func (m *machine) keep() {
	times := make([]kept, 0, len(m.claims))
	for k := range m.claims {
		if cl := &m.claims[k]; cl.from < cl.to {
			times = append(times, kept{cl.from, cl.to})
		}
	}
	slices.SortFunc(times, func(a, b kept) int { return cmp.Compare(a.from, b.from) })
	for _, t := range times {
		if last := len(m.kept) - 1; last >= 0 && t.from <= m.kept[last].to {
			m.kept[last].to = max(m.kept[last].to, t.to)
		} else {
			m.kept = append(m.kept, t)
		}
	}
}

// keptIn reports whether some reservation claims the node at an instant or later,
// before another.
func (m *machine) keptIn(from, until schedmate.Seconds) bool {
	if len(m.kept) == 0 {
		return false
	}
	k := m.firstKept(from)
	return k < len(m.kept) && m.kept[k].from < until
}

// firstKept returns the first of the kept times that is not over at an instant.
func (m *machine) firstKept(at schedmate.Seconds) int {
	return sort.Search(len(m.kept), func(k int) bool { return m.kept[k].to > at })
}

// taken is what a job that is planned to start at once takes.
type taken struct {
	rank  int
	until schedmate.Seconds
	share share
}

// machine is a node with all that is known of its use.
//
// Invariant: held is sorted by end. What the scheduler counts as used and no
// running job accounts for is never released.
type machine struct {
	node    *schedmate.ObservedNode
	weight  int
	healthy bool // it takes new work
	covered bool // by an active maintenance, so that its state MAINT says no more
	held    []held
	claims  []claim
	kept    []kept // the claims of all reservations together
	planned []claim
	taken   []taken

	whole   room // of the empty node
	unowned room // its counts: what is used and nobody's
	levels  []level
}

// level is the room from an instant on.
type level struct {
	from schedmate.Seconds
	room room
}

// takesWork reports whether the node's states let new work in.
func (m *machine) takesWork() bool {
	if !m.covered {
		return m.node.Health() == schedmate.Healthy
	}
	n := *m.node
	n.States = slices.DeleteFunc(slices.Clone(n.States), func(s string) bool { return s == "MAINT" })
	return len(n.States) == 0 || n.Health() == schedmate.Healthy
}

// account works out what nobody's job holds. It comes once all holdings are known.
func (m *machine) account() {
	n := m.node
	slices.SortStableFunc(m.held, func(a, b held) int { return cmp.Compare(a.end, b.end) })
	m.unowned = room{cpus: n.CPUsUsed, memory: n.MemoryUsedMiB, shards: n.ShardsUsed, gpus: make([]int, len(n.GPUs))}
	for d := range n.GPUs {
		m.unowned.gpus[d] = n.GPUs[d].Used
	}
	for _, h := range m.held {
		m.unowned.cpus -= h.holding.CPUs
		m.unowned.memory -= h.holding.MemoryMiB
		m.unowned.shards -= h.holding.Shards
		m.eachDevice(h.holding, func(d, count int) { m.unowned.gpus[d] -= count })
	}
	m.unowned.cpus, m.unowned.memory, m.unowned.shards = max(0, m.unowned.cpus), max(0, m.unowned.memory), max(0, m.unowned.shards)
	for d := range m.unowned.gpus {
		m.unowned.gpus[d] = max(0, m.unowned.gpus[d])
	}
	own := m.unowned
	m.unowned = room{gpus: make([]int, len(n.GPUs))}
	m.whole = m.without(func(int) bool { return true })
	m.unowned = own
}

// eachDevice tells of which of the node's devices a holding's GPUs are: by their
// type, else by their indices, else the first that the node has.
func (m *machine) eachDevice(h *schedmate.NodeHolding, f func(device, count int)) {
	if h.GPUs == 0 || len(m.node.GPUs) == 0 {
		return
	}
	for d := range m.node.GPUs {
		if h.GPUType != "" && m.node.GPUs[d].Type == h.GPUType || len(m.node.GPUs) == 1 {
			f(d, h.GPUs)
			return
		}
	}
	if len(h.GPUIndices) == h.GPUs {
		for _, index := range h.GPUIndices {
			f(m.deviceOf(index), 1)
		}
		return
	}
	f(0, h.GPUs)
}

// deviceOf returns the device to which a GPU's index belongs.
func (m *machine) deviceOf(index int) int {
	for d := range m.node.GPUs {
		if index < m.node.GPUs[d].Count {
			return d
		}
		index -= m.node.GPUs[d].Count
	}
	return len(m.node.GPUs) - 1
}

// without returns the room of the node if the jobs that are gone held nothing.
func (m *machine) without(gone func(job int) bool) room {
	n := m.node
	r := room{cpus: n.CPUs - m.unowned.cpus, memory: n.MemoryMiB - m.unowned.memory, gpus: make([]int, len(n.GPUs)), idle: true}
	if m.unowned.cpus > 0 || m.unowned.memory > 0 || m.unowned.shards > 0 {
		r.idle = false
	}
	for d := range n.GPUs {
		r.gpus[d] = n.GPUs[d].Count - m.unowned.gpus[d]
		r.idle = r.idle && m.unowned.gpus[d] == 0
	}
	var left []*schedmate.NodeHolding
	for _, h := range m.held {
		if gone(h.job) {
			continue
		}
		r.idle = false
		left = append(left, h.holding)
		r.cpus -= h.holding.CPUs
		r.memory -= h.holding.MemoryMiB
		m.eachDevice(h.holding, func(d, count int) { r.gpus[d] -= count })
	}
	r.cpus, r.memory = max(0, r.cpus), max(0, r.memory)
	if n.CPUs == 0 {
		r.cpus = plenty
	}
	if n.MemoryMiB == 0 {
		r.memory = plenty
	}
	if n.Shards > 0 {
		m.shard(&r, left)
	}
	for d := range r.gpus {
		r.gpus[d] = max(0, r.gpus[d])
	}
	return r
}

// shard finds the GPU with the most shards free, and takes the GPUs of which
// shards are used from those that are free as a whole. Shards of which it is not
// told where they are lie, as Slurm packs them, on the fullest GPU that can hold them.
func (m *machine) shard(r *room, left []*schedmate.NodeHolding) {
	gpus, _ := m.node.GPUCount("")
	if gpus == 0 {
		r.shards = m.node.Shards - m.unowned.shards
		for _, h := range left {
			r.shards -= h.Shards
		}
		r.shards = max(0, r.shards)
		return
	}
	each := m.node.Shards / gpus
	used, whole := make([]int, gpus), make([]bool, gpus)
	var somewhere []int                    // counts of shards
	wholes := slices.Clone(m.unowned.gpus) // GPUs of each device of which it is not told which they are
	for _, h := range left {
		known := len(h.GPUIndices) > 0 && slices.Max(h.GPUIndices) < gpus && slices.Min(h.GPUIndices) >= 0
		switch {
		case h.GPUs > 0 && known && len(h.GPUIndices) == h.GPUs:
			for _, index := range h.GPUIndices {
				whole[index] = true
			}
		case h.GPUs > 0:
			m.eachDevice(h, func(d, count int) { wholes[d] += count })
		case h.Shards > 0 && known:
			for k, index := range h.GPUIndices { // mostly one
				used[index] += h.Shards/len(h.GPUIndices) + min(1, max(0, h.Shards%len(h.GPUIndices)-k))
			}
		case h.Shards > 0:
			somewhere = append(somewhere, h.Shards)
		}
	}
	if m.unowned.shards > 0 {
		somewhere = append(somewhere, m.unowned.shards)
	}
	for index := gpus - 1; index >= 0; index-- {
		if d := m.deviceOf(index); wholes[d] > 0 && !whole[index] && used[index] == 0 {
			whole[index] = true
			wholes[d]--
		}
	}
	for index := range used {
		if whole[index] {
			used[index] = each
		}
	}
	for _, shards := range somewhere {
		for shards > 0 {
			best := fullest(used, each, shards)
			if best < 0 {
				break
			}
			part := min(shards, each-used[best])
			used[best] += part
			shards -= part
		}
	}
	for index := range used {
		used[index] = min(each, used[index])
		if used[index] > 0 && !whole[index] {
			r.gpus[m.deviceOf(index)]--
		}
	}
	r.used, r.shards = used, each-slices.Min(used)
}

// fullest returns the GPU on which Slurm puts some more shards, or -1.
func fullest(used []int, each, shards int) int {
	best := -1
	for index := range used {
		if used[index] < each && (best < 0 || fuller(used[index], used[best], each, shards)) {
			best = index
		}
	}
	return best
}

// fuller reports whether a GPU with a shards used is a better place for some
// more than one with b used: it can hold them, and is fuller.
func fuller(a, b, each, shards int) bool {
	fitsA, fitsB := each-a >= shards, each-b >= shards
	if fitsA != fitsB {
		return fitsA
	}
	return a > b
}

// at returns the room at an instant, when the jobs that end by then are over.
func (m *machine) at(t schedmate.Seconds) *room {
	if m.levels == nil {
		m.levels = []level{{0, m.without(func(int) bool { return false })}}
		over := make(map[int]bool, len(m.held))
		for k, h := range m.held {
			over[h.job] = true
			if k+1 < len(m.held) && m.held[k+1].end == h.end || h.end == schedmate.Forever {
				continue
			}
			m.levels = append(m.levels, level{h.end, m.without(func(job int) bool { return over[job] })})
		}
	}
	k := len(m.levels) - 1
	for m.levels[k].from > t {
		k--
	}
	return &m.levels[k].room
}

// less is the room after some jobs have taken their shares.
func (r room) less(m *machine, taken []taken, s *scene) room {
	cloned := false
	for _, tk := range taken {
		if tk.rank >= s.rank || tk.rank == s.self || tk.until <= s.at {
			continue
		}
		if tk.share.whole {
			return room{gpus: make([]int, len(r.gpus))}
		}
		if !cloned {
			r.gpus, r.used, cloned = slices.Clone(r.gpus), slices.Clone(r.used), true
		}
		r.take(m, &tk.share)
	}
	return r
}

// take gives a share away. Where it is not told which GPUs a job will get, they are
// the first of its type that are free.
func (r *room) take(m *machine, s *share) {
	r.idle = false
	r.cpus = max(0, r.cpus-s.cpus)
	r.memory = max(0, r.memory-s.memory)
	each := 0
	if len(r.used) > 0 {
		each = m.node.Shards / len(r.used)
	}
	gpus := s.gpus
	for d := range r.gpus {
		if s.gpuType != "" && m.node.GPUs[d].Type != s.gpuType {
			continue
		}
		n := min(gpus, r.gpus[d])
		r.gpus[d] -= n
		gpus -= n
		for index := len(r.used) - 1; index >= 0 && n > 0; index-- {
			if r.used[index] == 0 && m.deviceOf(index) == d {
				r.used[index] = each
				n--
			}
		}
	}
	if len(r.used) == 0 {
		r.shards = max(0, r.shards-s.shards)
		return
	}
	if best := fullest(r.used, each, s.shards); s.shards > 0 && best >= 0 {
		if d := m.deviceOf(best); r.used[best] == 0 {
			r.gpus[d] = max(0, r.gpus[d]-1)
		}
		r.used[best] = min(each, r.used[best]+s.shards)
	}
	r.shards = each - slices.Min(r.used)
}

// gpusOf counts the free GPUs of a type; an empty one is any.
func (m *machine) gpusOf(r *room, gpuType string) int {
	sum := 0
	for d := range r.gpus {
		if gpuType == "" || m.node.GPUs[d].Type == gpuType {
			sum += r.gpus[d]
		}
	}
	return sum
}
