package fit

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"schedmate"
)

// Change is one thing to ask for differently. Fields that are zero stay as they
// are. With it, and everything else unchanged, the job starts now: it has been
// placed, and delays nobody who goes first.
type Change struct {
	Do   string `json:"do"`               // for a person
	Loss int    `json:"loss_thousandths"` // of what was asked for; 0: nothing that can be counted

	GPUs          int               `json:"gpus,omitempty"` // in all
	GPUsPerNode   int               `json:"gpus_per_node,omitempty"`
	GPUsPerTask   int               `json:"gpus_per_task,omitempty"`
	ShardsPerNode int               `json:"shards_per_node,omitempty"`
	Nodes         int               `json:"nodes,omitempty"`
	CPUsPerTask   int               `json:"cpus_per_task,omitempty"`
	MemoryMiB     int64             `json:"memory_mib,omitempty"` // of a node
	MemoryPerCPU  int64             `json:"memory_per_cpu_mib,omitempty"`
	TimeLimit     schedmate.Seconds `json:"time_limit_s,omitempty"`
	Partition     string            `json:"partition,omitempty"`
	Drop          []string          `json:"drop,omitempty"` // gpu_type, nodes, exclude, exclusive, features, reservation
}

// changesAtMost is how many changes an answer offers.
const changesAtMost = 4

// shortestLimit is the shortest time limit that is worth to be proposed.
const shortestLimit = 5 * schedmate.Seconds(60)

// Apply returns the job as it would be submitted with the change.
func (ch *Change) Apply(job *schedmate.ObservedJob) *schedmate.ObservedJob {
	j := *job
	j.Request = bounded(j.Request)
	r := &j.Request
	if ch.Nodes > 0 {
		was := max(1, r.MinNodes)
		scale := func(n int) int { return (n*ch.Nodes + was - 1) / was }
		r.Tasks, r.CPUs, r.GPUs, r.Shards = scale(r.Tasks), scale(r.CPUs), scale(r.GPUs), scale(r.Shards)
		r.MemoryMiB = (r.MemoryMiB*int64(ch.Nodes) + int64(was) - 1) / int64(was)
		r.MinNodes, r.MaxNodes = ch.Nodes, ch.Nodes
	}
	if ch.GPUs > 0 {
		r.GPUs = ch.GPUs
	}
	if ch.GPUsPerNode > 0 {
		r.GPUsPerNode, r.GPUs = ch.GPUsPerNode, ch.GPUsPerNode*max(1, r.MinNodes)
	}
	if ch.GPUsPerTask > 0 {
		r.GPUsPerTask, r.GPUs = ch.GPUsPerTask, ch.GPUsPerTask*max(1, r.Tasks)
	}
	if ch.ShardsPerNode > 0 {
		r.ShardsPerNode, r.Shards = ch.ShardsPerNode, ch.ShardsPerNode*max(1, r.MinNodes)
	}
	if ch.CPUsPerTask > 0 {
		r.CPUsPerTask, r.CPUs, r.MinCPUs = ch.CPUsPerTask, ch.CPUsPerTask*max(1, r.Tasks), min(r.MinCPUs, ch.CPUsPerTask*max(1, r.TasksPerNode))
	}
	if ch.MemoryMiB > 0 {
		r.MinMemoryMiB, r.MemoryMiB = ch.MemoryMiB, ch.MemoryMiB*int64(max(1, r.MinNodes))
	}
	if ch.MemoryPerCPU > 0 {
		r.MemoryPerCPU = ch.MemoryPerCPU
	}
	if ch.TimeLimit > 0 {
		j.TimeLimit = ch.TimeLimit
	}
	if ch.Partition != "" {
		j.Partitions = []string{ch.Partition}
	}
	for _, what := range ch.Drop {
		switch what {
		case "gpu_type":
			r.GPUType = ""
		case "nodes":
			r.Nodes = nil
		case "exclude":
			r.Exclude = nil
		case "exclusive":
			r.Exclusive = false
		case "features":
			r.Features = ""
		case "reservation":
			j.Reservation = ""
		}
	}
	return &j
}

// starts reports whether a job would start now and delay nobody ahead of it.
func (c *Cluster) starts(j *schedmate.ObservedJob) bool {
	a := c.ask(j)
	if len(a.fields) == 0 || a.held() || a.begins() || a.depends() || a.policyLimit() || a.ownReservation() || a.unread() || j.Het != "" {
		return false
	}
	if a.unplanned() || !a.fits(scene{at: c.now, rank: a.rank}) {
		return false
	}
	if a.self >= 0 && a.self < a.rank {
		// It falls behind jobs that were planned behind it: they are planned anew.
		o := *c.o
		o.Jobs = slices.Clone(o.Jobs)
		o.Jobs[c.byJob[j.ID]] = *j
		return c.work.lend(len(o.Jobs), New(&o, c.better), j)
	}
	return true
}

// lend lets a cluster that was prepared anew for one job work on the account of an
// answer, and reports whether the job starts there.
func (w *work) lend(jobs int, anew *Cluster, j *schedmate.ObservedJob) bool {
	left := w.limit - w.done - 50*jobs // to prepare it is work, too
	if left <= 0 {
		w.done, w.cut = w.limit, true
		return false
	}
	anew.work = work{limit: left, plans: max(0, workOfPlans-left)}
	starts := anew.starts(j)
	w.done += anew.work.done + 50*jobs
	w.cut = w.cut || anew.work.cut || anew.work.plans >= workOfPlans
	return starts
}

// changes tries what could be asked for differently.
func (a *question) changes() []Change {
	if len(a.q.unread) > 0 || a.j.Het != "" || a.a.Ahead.Backfill {
		return nil // nothing can be told, or need be changed
	}
	var found []Change
	starts := func(ch Change) bool { return !a.c.work.spent() && a.c.starts(ch.Apply(a.j)) }
	for _, ch := range a.qualities() {
		if starts(ch) {
			found = append(found, ch)
		}
	}
	for _, q := range a.quantities() {
		if ch, ok := q.most(starts); ok {
			found = append(found, ch)
		}
	}
	slices.SortStableFunc(found, func(x, y Change) int { return cmp.Compare(x.Loss, y.Loss) })
	return found[:min(len(found), changesAtMost)]
}

// qualities are changes that ask for as much in another way.
func (a *question) qualities() []Change {
	r := &a.j.Request
	var list []Change
	drop := func(asked bool, what, do string) {
		if asked {
			list = append(list, Change{Do: do, Drop: []string{what}})
		}
	}
	drop(r.GPUType != "", "gpu_type", "ask for GPUs of any type, not "+r.GPUType)
	drop(len(r.Nodes) > 0, "nodes", "do not name nodes ("+names(r.Nodes)+")")
	drop(len(r.Exclude) > 0, "exclude", "do not exclude nodes ("+names(r.Exclude)+")")
	drop(r.Exclusive, "exclusive", "do not ask for whole nodes")
	drop(r.Features != "", "features", "do not ask for the features "+r.Features)
	drop(a.j.Reservation != "", "reservation", "submit it without the reservation "+a.j.Reservation)
	for parts := 2; parts <= a.q.gpusPerNode && parts <= 8; parts *= 2 {
		if a.q.gpusPerNode%parts == 0 && len(r.Nodes) == 0 {
			nodes, each := a.q.minNodes*parts, a.q.gpusPerNode/parts
			ch := Change{Nodes: nodes, GPUsPerNode: each, Do: fmt.Sprintf("spread the %d GPUs over %d nodes, %d on each", a.q.totalGPUs(), nodes, each)}
			list = append(list, ch)
		}
	}
	for p := range a.c.o.Partitions {
		part := &a.c.o.Partitions[p]
		if !slices.Contains(a.j.Partitions, part.Name) && part.Up() && len(part.Restrictions)+len(part.AllowGroups) == 0 &&
			(len(part.AllowAccounts) == 0 || a.j.Account != "") && (len(part.AllowQOS) == 0 || a.j.QOS != "") { // known to let it in
			list = append(list, Change{Partition: part.Name, Do: "submit it to the partition " + part.Name})
		}
	}
	return list
}

// quantity is something of which a job can ask for less.
type quantity struct {
	now, least, step int64
	change           func(n int64) Change
	leave            func(n int64) int64 // less than the most, so that it lasts; 0: nothing would; nil: it lasts
}

// most returns the change that leaves as much as will do; the less is asked for,
// the easier it is.
func (q *quantity) most(ok func(Change) bool) (Change, bool) {
	steps := int((q.now - 1) / q.step) // the largest below now
	least := int((q.least + q.step - 1) / q.step)
	if steps < least || !ok(q.at(int64(least))) {
		return Change{}, false
	}
	n := int64(least + sort.Search(steps-least, func(k int) bool { return !ok(q.at(int64(least + k + 1))) }))
	if q.leave != nil {
		if n = q.leave(n*q.step) / q.step; n == 0 {
			return Change{}, false
		}
	}
	ch := q.at(n)
	return ch, ok(ch)
}

func (q *quantity) at(steps int64) Change {
	n := steps * q.step
	ch := q.change(n)
	ch.Loss = int(1000 - 1000*n/q.now)
	return ch
}

// quantities are what the job can ask less of: always of time and GPUs, of CPUs and
// memory if they are short.
func (a *question) quantities() []quantity {
	q := &a.q
	var list []quantity
	if q.limit > shortestLimit {
		now := min(q.limit, 366*86400)
		for _, p := range a.c.partitionsOf(a.j) {
			if p.MaxTime > 0 && q.limit >= schedmate.Forever {
				now = min(now, p.MaxTime+60)
			}
		}
		list = append(list, quantity{now: int64(now), least: int64(shortestLimit), step: 60, change: func(n int64) Change {
			return Change{TimeLimit: schedmate.Seconds(n), Do: "ask for a time limit of " + span(schedmate.Seconds(n)) + ", not " + span(q.limit)}
		}, leave: a.lasting})
	}
	short := func(resource string) bool {
		return slices.ContainsFunc(a.a.Short, func(s Shortage) bool { return s.Resource == resource })
	}
	if short("cpus") && q.cpusPerTask > 1 {
		list = append(list, quantity{now: int64(q.cpusPerTask), least: 1, step: 1, change: func(n int64) Change {
			return Change{CPUsPerTask: int(n), Do: fmt.Sprintf("ask for %s for each task, not %d", count(n, "CPU"), q.cpusPerTask)}
		}})
	}
	if short("memory_mib") {
		if q.memoryPerNode > 1 {
			list = append(list, quantity{now: q.memoryPerNode, least: 1, step: stepOf(q.memoryPerNode), change: func(n int64) Change {
				return Change{MemoryMiB: n, Do: fmt.Sprintf("ask for %d MiB of memory on a node, not %d", n, q.memoryPerNode)}
			}})
		} else if q.memoryPerCPU > 1 {
			list = append(list, quantity{now: q.memoryPerCPU, least: 1, step: stepOf(q.memoryPerCPU), change: func(n int64) Change {
				return Change{MemoryPerCPU: n, Do: fmt.Sprintf("ask for %d MiB of memory for each CPU, not %d", n, q.memoryPerCPU)}
			}})
		}
	}
	return append(list, a.fewer()...)
}

// fewer are the quantities of devices and nodes.
func (a *question) fewer() []quantity {
	q := &a.q
	var list []quantity
	each := ""
	if q.minNodes > 1 {
		each = " on each node"
	}
	switch {
	case q.gpusPerNode > 1:
		list = append(list, quantity{now: int64(q.gpusPerNode), least: 1, step: 1, change: func(n int64) Change {
			return Change{GPUsPerNode: int(n), Do: fmt.Sprintf("ask for %s%s, not %d", count(n, "GPU"), each, q.gpusPerNode)}
		}})
	case q.gpusPerTask > 1:
		list = append(list, quantity{now: int64(q.gpusPerTask), least: 1, step: 1, change: func(n int64) Change {
			return Change{GPUsPerTask: int(n), Do: fmt.Sprintf("ask for %s for each task, not %d", count(n, "GPU"), q.gpusPerTask)}
		}})
	case q.gpus > q.minNodes:
		list = append(list, quantity{now: int64(q.gpus), least: int64(q.minNodes), step: 1, change: func(n int64) Change {
			return Change{GPUs: int(n), Do: fmt.Sprintf("ask for %s in all, not %d", count(n, "GPU"), q.gpus)}
		}})
	}
	if q.shardsPerNode > 1 {
		list = append(list, quantity{now: int64(q.shardsPerNode), least: 1, step: 1, change: func(n int64) Change {
			return Change{ShardsPerNode: int(n), Do: fmt.Sprintf("ask for %s, not %d", count(n, "shard"), q.shardsPerNode)}
		}})
	}
	if q.minNodes > 1 && len(q.named) == 0 {
		list = append(list, quantity{now: int64(q.minNodes), least: 1, step: 1, change: func(n int64) Change {
			return Change{Nodes: int(n), Do: fmt.Sprintf("ask for %s, not %d, with as much on each", count(n, "node"), q.minNodes)}
		}})
	}
	return list
}

// timeToAct is how long a person takes to read an answer and act, and the scheduler to
// look at the job again, in seconds; and how little may do.
const (
	timeToAct  = 3 * 60
	leastToAct = 2 * 60
)

// lasting makes the longest time limit with which a job starts now a limit with which it
// starts some minutes later, too: what it must be over for comes closer all the time. It
// is a round figure, or 0 where too little is left. What a partition allows stays.
func (a *question) lasting(most int64) int64 {
	for _, p := range a.c.partitionsOf(a.j) {
		if p.MaxTime > 0 && most == int64(p.MaxTime)/60*60 {
			return most
		}
	}
	limit := most - max(timeToAct, most/20)
	round := int64(60)
	for _, r := range [...]struct{ from, to int64 }{{15 * 60, 5 * 60}, {2 * 3600, 15 * 60}, {8 * 3600, 3600}} {
		if limit >= r.from {
			round = r.to
		}
	}
	limit = max(limit/round*round, int64(shortestLimit))
	if most-limit < leastToAct {
		return 0
	}
	return limit
}

// stepOf is in what steps an amount of memory is lowered.
func stepOf(mib int64) int64 {
	switch {
	case mib >= 4096:
		return 1024
	case mib >= 256:
		return 64
	}
	return 1
}

// largest finds the most GPUs, or CPUs of a task, that the nodes could ever hold.
func (a *question) largest() (gpus int, change string) {
	ever := func(ch Change) bool {
		b := a.c.ask(ch.Apply(a.j))
		return b.fits(scene{at: a.c.now, empty: true, repaired: true, open: true})
	}
	var words []string
	for _, q := range a.fewer() {
		if ch, ok := q.most(ever); ok {
			b := a.c.ask(ch.Apply(a.j))
			gpus = max(gpus, b.q.totalGPUs())
			words = append(words, ch.Do)
		}
	}
	return gpus, strings.Join(words, ", or ")
}
