package failure

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"schedmate/logs"
)

// watch is what a rank's watchdog said when it waited too long for a collective.
type watch struct {
	place
	rank      int64
	group     string // of processes, empty when not told: each counts its own collectives
	sequence  int64  // number of the collective, SeqNum
	operation string
	elements  string // NumelIn
}

// watchdogs collects what watchdogs said of all ranks.
type watchdogs struct {
	seen  []watch
	world int64 // ranks of the job, 0 when not told
}

// maxWatches is how many are kept.
const maxWatches = 4096

var (
	watchLine = regexp.MustCompile(`(?:\[Rank (\d+)\]|Rank (\d+)\b).*?WorkNCCL\((?:SeqNum|OpId)=(\d+), OpType=(\w+)(?:, NumelIn=(\d+))?`)
	groupName = regexp.MustCompile(`\bPG (?:ID \S+ PG )?GUID ([\w.-]+)|\bPG ID ([\w.-]+)`)
	pairwise  = regexp.MustCompile(`SEND|RECV|COALESCED|UNKNOWN`)
	uneven    = regexp.MustCompile(`ALLTOALL|^_?GATHER|^_?SCATTER`)
	worldLine = regexp.MustCompile(`(?i)\b(?:world[ _]size|nranks)\D{0,3}(\d+)\b`)
)

// read takes what a line says of waiting.
func (w *watchdogs) read(text []byte, at place, st *stream) {
	if m := worldLine.FindSubmatch(text); m != nil {
		if n, err := strconv.ParseInt(string(m[1]), 10, 32); err == nil {
			w.world = max(w.world, n)
		}
	}
	m := watchLine.FindSubmatch(text)
	if m == nil || len(w.seen) >= maxWatches {
		return
	}
	one := watch{place: at, rank: -1, operation: string(m[4]), elements: string(m[5])}
	if g := groupName.FindSubmatch(text); g != nil {
		one.group = cmp.Or(string(g[1]), string(g[2]))
	}
	if st.rank != logs.NoRank {
		one.rank = int64(st.rank) // the label is the rank in the job; a group has its own count
	} else if n, err := strconv.ParseInt(string(cmp.Or(string(m[1]), string(m[2]))), 10, 32); err == nil {
		one.rank = n
	}
	one.sequence, _ = strconv.ParseInt(string(m[3]), 10, 64)
	for i := range w.seen {
		if w.seen[i].rank == one.rank && w.seen[i].group == one.group && w.seen[i].sequence == one.sequence {
			return // told again
		}
	}
	w.seen = append(w.seen, one)
}

// tellsWatch tells whether a line, in lower case, may be read.
func tellsWatch(lower []byte) bool {
	return bytes.Contains(lower, []byte("worknccl(")) || bytes.Contains(lower, []byte("world size")) || bytes.Contains(lower, []byte("world_size")) || bytes.Contains(lower, []byte("nranks"))
}

// verdict is what the watchdogs of all ranks say together.
type watchVerdict struct {
	desync  bool  // the ranks called different collectives: a fault of the program
	culprit int64 // the rank that is behind or silent, -1 when none stands out
	why     string
}

// verdict compares the ranks: the odd one out names the culprit. All equal means
// a hang in the network or a kernel; different operations of one number are a
// program whose ranks do not agree.
func (w *watchdogs) verdict() watchVerdict {
	v := watchVerdict{culprit: -1}
	if len(w.seen) == 0 {
		return v
	}
	groups := map[string][]watch{}
	ranks := map[int64]bool{}
	for _, x := range w.seen {
		groups[x.group] = append(groups[x.group], x)
		ranks[x.rank] = true
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if v := compare(groups[name]); v.desync || v.culprit >= 0 {
			return v
		}
	}
	if missing := w.world - int64(len(ranks)); missing == 1 && w.world > 2 {
		for r := range w.world {
			if !ranks[r] {
				v.culprit = r
				v.why = fmt.Sprintf("rank %d is the only one that did not wait", r)
			}
		}
	}
	return v
}

// compare compares the ranks of one group.
func compare(seen []watch) watchVerdict {
	v := watchVerdict{culprit: -1}
	bySequence := map[int64][]watch{}
	for _, x := range seen {
		bySequence[x.sequence] = append(bySequence[x.sequence], x)
	}
	numbers := slices.Sorted(maps.Keys(bySequence))
	for _, n := range numbers {
		first := bySequence[n][0]
		for _, x := range bySequence[n][1:] {
			if x.disagrees(first) {
				v.desync = true
				v.why = fmt.Sprintf("collective %d is %s of %s on rank %d and %s of %s on rank %d", n, first.operation, cmp.Or(first.elements, "?"), first.rank, x.operation, cmp.Or(x.elements, "?"), x.rank)
				return v
			}
		}
	}
	if len(numbers) != 2 || len(seen) < 3 {
		return v
	}
	for _, n := range numbers { // one rank waits for another collective than all others
		if odd := bySequence[n]; len(odd) == 1 {
			v.culprit = odd[0].rank
			v.why = fmt.Sprintf("rank %d waits in collective %d, the others in %d", v.culprit, n, numbers[0]+numbers[1]-n)
			return v
		}
	}
	return v
}

// disagrees tells whether two ranks cannot have meant the same collective: what
// goes from one rank to another has two names, and some operations take other
// sizes from each rank.
func (x watch) disagrees(y watch) bool {
	if pairwise.MatchString(x.operation) || pairwise.MatchString(y.operation) {
		return false
	}
	return x.operation != y.operation || x.elements != y.elements && !uneven.MatchString(x.operation)
}

// earliest is the smallest number of a collective that a rank waited for.
func (w *watchdogs) earliest() (int64, bool) {
	if len(w.seen) == 0 {
		return 0, false
	}
	n := w.seen[0].sequence
	for _, x := range w.seen {
		n = min(n, x.sequence)
	}
	return n, true
}

// severalGroups tells whether ranks of several groups wait: each group counts its
// own collectives, so that a small number is no sign of an early one.
func (w *watchdogs) severalGroups() bool {
	named := ""
	for _, x := range w.seen {
		if named != "" && x.group != "" && x.group != named {
			return true
		}
		named = cmp.Or(named, x.group)
	}
	return false
}
