package sim

import (
	"cmp"

	"schedmate"
)

// end is when an attempt will end if nothing interrupts it or changes its speed.
type end struct {
	at     schedmate.Seconds
	due    schedmate.Seconds // what is reported: before at if the attempt began with all its work done
	seq    int64
	turn   int // of the record; another one: the end is out of date
	record *record
	stop   *Stop // it is no end, but a failure; else nil
}

// endQueue is a binary heap of ends, the earliest first; attempts that end in
// one second come in the order in which they started.
type endQueue []end

func (q endQueue) less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].at, q[j].at), cmp.Compare(q[i].seq, q[j].seq)) < 0
}

func (q endQueue) peek() (end, bool) {
	if len(q) == 0 {
		return end{}, false
	}
	return q[0], true
}

func (q *endQueue) push(e end) {
	*q = append(*q, e)
	h := *q
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.less(i, parent) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (q *endQueue) pop() {
	h := *q
	last := len(h) - 1
	h[0] = h[last]
	h[last] = end{}
	h = h[:last]
	*q = h
	for i := 0; ; {
		small := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < last && h.less(child, small) {
				small = child
			}
		}
		if small == i {
			return
		}
		h[i], h[small] = h[small], h[i]
		i = small
	}
}
