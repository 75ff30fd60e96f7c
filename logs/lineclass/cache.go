package lineclass

import "sync/atomic"

// cache keeps the answers of up to 65,536 templates, which is what a busy node
// prints in months. It is a table of sets of eight entries, one set a cache line of the
// processor; a template has its place in one set, and in a full set takes the
// place of another. An entry is one word, read and written at once, so readers
// and writers need no lock.
//
// An entry says more than its place: 48 bits of the template's hash, which with
// the 13 bits that choose the set leave two of a million templates alike with a
// probability under one in a million.
type cache struct {
	entries [cacheEntries]atomic.Uint64
}

const (
	cacheEntries = 1 << 16
	cacheWays    = 8
	cacheSets    = cacheEntries / cacheWays
)

// Entry, from the low bits on: the class (4 bits, 0 in an empty entry), the
// confidence in thousandths (10), whether it is settled (1), one bit that is
// free, and the high 48 bits of the hash.
const (
	classMask       = 0xF
	confidenceShift = 4
	confidenceMask  = 0x3FF
	settledBit      = 1 << 14
	tagMask         = ^uint64(0xFFFF)
)

func (c *cache) set(template uint64) []atomic.Uint64 {
	first := int(template%cacheSets) * cacheWays
	return c.entries[first : first+cacheWays : first+cacheWays]
}

func (c *cache) get(template uint64) (answer, bool) {
	set := c.set(template)
	for i := range set {
		e := set[i].Load()
		if e == 0 {
			break
		}
		if (e^template)&tagMask == 0 {
			return answer{
				class:      Class(e & classMask),
				confidence: Confidence(e>>confidenceShift&confidenceMask) / 1000,
				settled:    e&settledBit != 0,
			}, true
		}
	}
	return answer{}, false
}

// put keeps an answer. One that is not settled does not replace one that is.
func (c *cache) put(template uint64, a answer) {
	e := template&tagMask | uint64(a.class) | uint64(a.confidence*1000+0.5)<<confidenceShift
	if a.settled {
		e |= settledBit
	}
	set := c.set(template)
	place := int(template / cacheSets % cacheWays) // of the one to go, should the set be full
	for i := range set {
		old := set[i].Load()
		if old == 0 || (old^template)&tagMask == 0 {
			if old&settledBit != 0 && !a.settled {
				return
			}
			place = i
			break
		}
	}
	set[place].Store(e)
}

// answer is what is known of a template.
type answer struct {
	class      Class
	confidence Confidence
	settled    bool // by the operator or an oracle, not by the model
}
