package failure

import "schedmate/logs/lineclass"

// chunk is a stretch of lines, and how many of them look like a failure in a way
// that no line before did.
type chunk struct {
	first     place // its first line
	last      place
	lines     int64
	anomalous int64
	at        place // the first of these
}

// chunks is a log in stretches of equal length. When there are too many, two and
// two become one: memory does not grow with the log.
type chunks struct {
	size int64 // lines of a chunk
	list []chunk
}

const (
	chunkLines = 128
	maxChunks  = 4096
)

// add counts one line.
func (c *chunks) add(at place, anomalous bool) {
	if c.size == 0 {
		c.size = chunkLines
	}
	if n := len(c.list); n == 0 || c.list[n-1].lines >= c.size {
		if n >= maxChunks {
			c.halve()
		}
		c.list = append(c.list, chunk{first: at})
	}
	last := &c.list[len(c.list)-1]
	last.lines++
	last.last = at
	if anomalous {
		if last.anomalous == 0 {
			last.at = at
		}
		last.anomalous++
	}
}

func (c *chunks) halve() {
	kept := c.list[:0]
	for i := 0; i+1 < len(c.list); i += 2 {
		a, b := c.list[i], c.list[i+1]
		if a.anomalous == 0 {
			a.at = b.at
		}
		a.last, a.lines, a.anomalous = b.last, a.lines+b.lines, a.anomalous+b.anomalous
		kept = append(kept, a)
	}
	if len(c.list)%2 == 1 {
		kept = append(kept, c.list[len(c.list)-1])
	}
	c.list, c.size = kept, c.size*2
}

// from is the chunk that holds a line, the first when none does.
func (c *chunks) from(at place) int {
	lo, hi := 0, len(c.list)
	for lo < hi {
		mid := (lo + hi) / 2
		if c.list[mid].last.sequence < at.sequence {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return min(lo, max(len(c.list)-1, 0))
}

// locate finds the chunk where a failure begins, by bisection: a log is mostly
// healthy before its first true error and mostly not after, so a chunk in the
// middle tells in which half it is. Chunks, not lines, because healthy lines stand
// among errors, too. It looks at chunks from the healthy side on (the one with the
// last progress), and returns how many it looked at; ok is false when all it saw
// is healthy.
func (c *chunks) locate(healthy int) (index, looked int, ok bool) {
	lo, hi := healthy, len(c.list) // the first anomalous one is in [lo, hi)
	anomalous := func(i int) bool {
		looked++
		return c.list[i].anomalous > 0
	}
	if lo >= hi {
		return 0, 0, false
	}
	found := -1
	for lo < hi {
		mid := (lo + hi) / 2
		if anomalous(mid) {
			found, hi = mid, mid
		} else {
			lo = mid + 1
		}
	}
	if found < 0 { // the half that was given up: errors may be few
		for i := len(c.list) - 1; i >= healthy && looked < maxLooks; i-- {
			if anomalous(i) {
				found = i
				break
			}
		}
	}
	for found > healthy && anomalous(found-1) { // healthy lines in between misled it
		found--
	}
	return max(found, 0), looked, found >= 0
}

// maxLooks bounds the chunks that are looked at one by one.
const maxLooks = 64

// looksBad tells whether lines of a shape look like a failure.
func (sh *shape) looksBad() bool {
	switch sh.class {
	case lineclass.InfraError, lineclass.FrameworkError, lineclass.UserTraceback, lineclass.ShutdownCascade:
		return sh.sure >= 0.5
	}
	return sh.opens
}
