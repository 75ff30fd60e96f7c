package traces

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedmate"
)

// Usage is what the jobs of a trace used at once, those that are still running
// included: the least that the cluster can have been.
type Usage struct {
	GPUs        int `json:"gpus"`                    // at the busiest moment
	Nodes       int `json:"nodes,omitempty"`         // that a job with GPUs ran on; 0: not told
	GPUsPerNode int `json:"gpus_per_node,omitempty"` // on one node at once; 0: not told
}

// Cluster proposes a cluster as NODESxGPUS that the jobs fit on.
func (u Usage) Cluster() string {
	perNode := max(1, u.GPUsPerNode)
	if u.Nodes == 0 && u.GPUsPerNode == 0 {
		perNode = min(8, max(1, u.GPUs))
	}
	return fmt.Sprintf("%dx%d", max(1, u.Nodes, (u.GPUs+perNode-1)/perNode), perNode)
}

func (u Usage) String() string {
	text := fmt.Sprintf("up to %d GPUs at once", u.GPUs)
	if u.Nodes > 0 {
		text += fmt.Sprintf(", on %d nodes with up to %d each", u.Nodes, u.GPUsPerNode)
	}
	return text
}

// hold is GPUs held from one instant to another.
type hold struct {
	from, to schedmate.Seconds
	gpus     int
}

// usageOf looks at every run that held GPUs.
func usageOf(jobs []sacctJob) Usage {
	var all []hold
	nodes := make(map[string][]hold)
	room, alone := maxListedNodes, 0
	for i := range jobs {
		for k := range jobs[i].runs {
			r := &jobs[i].runs[k]
			h := hold{r.start, r.end, r.gpus}
			if r.end == unknown {
				h.to = r.start + max(1, r.elapsed)
			}
			if !r.started() || r.gpus == 0 || h.to <= h.from {
				continue
			}
			all = append(all, h)
			names := nodesOf(r.nodes)
			if room -= len(names); room < 0 || len(names) == 0 {
				continue
			}
			// Which nodes hold more of what cannot be divided is not told: only that one does.
			alone = max(alone, (r.gpus+len(names)-1)/len(names))
			h.gpus = r.gpus / len(names)
			for _, name := range names {
				nodes[name] = append(nodes[name], h)
			}
		}
	}
	u := Usage{GPUs: most(all)}
	if room < 0 {
		return u
	}
	u.Nodes, u.GPUsPerNode = len(nodes), alone
	for _, holds := range nodes { //schedmate:ordered a maximum has no order
		u.GPUsPerNode = max(u.GPUsPerNode, most(holds))
	}
	return u
}

// most is the largest number of GPUs held at once. What ends in a second is
// free for what starts in it.
func most(holds []hold) int {
	type change struct {
		at schedmate.Seconds
		by int
	}
	changes := make([]change, 0, 2*len(holds))
	for _, h := range holds {
		changes = append(changes, change{h.from, h.gpus}, change{h.to, -h.gpus})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now, peak := 0, 0
	for _, c := range changes {
		now += c.by
		peak = max(peak, now)
	}
	return peak
}

// maxListedNodes bounds the names that node lists are expanded to, over a
// whole trace.
const maxListedNodes = 4 << 20

// nodesOf expands a list of nodes as Slurm writes it: n1,gpu[01-03,7]-ib. A
// list that it cannot read gives none.
func nodesOf(list string) []string {
	var names []string
	for list != "" {
		depth, to := 0, len(list)
		for i := range len(list) {
			switch c := list[i]; {
			case c == '[':
				depth++
			case c == ']':
				depth--
			case c == ',' && depth == 0:
				to = i
			}
			if to < len(list) {
				break
			}
		}
		more := expanded(list[:to], 4)
		if more == nil || len(names)+len(more) > 1<<16 {
			return nil
		}
		names = append(names, more...)
		list = strings.TrimPrefix(list[to:], ",")
	}
	return names
}

// expanded expands one entry with at most so many brackets; nil where it
// cannot.
func expanded(entry string, brackets int) []string {
	head, rest, found := strings.Cut(entry, "[")
	if !found {
		return []string{entry}
	}
	ranges, tail, closed := strings.Cut(rest, "]")
	if !closed || brackets == 0 {
		return nil
	}
	tails := expanded(tail, brackets-1)
	var names []string
	for part := range strings.SplitSeq(ranges, ",") {
		lo, hi, dashed := strings.Cut(part, "-")
		if !dashed {
			hi = lo
		}
		from, err1 := strconv.ParseUint(lo, 10, 31)
		to, err2 := strconv.ParseUint(hi, 10, 31)
		if err1 != nil || err2 != nil || to < from || tails == nil || uint64(len(names))+(to-from+1)*uint64(len(tails)) > 1<<16 {
			return nil
		}
		for n := from; n <= to; n++ {
			for _, tail := range tails {
				names = append(names, fmt.Sprintf("%s%0*d%s", head, len(lo), n, tail))
			}
		}
	}
	return names
}
