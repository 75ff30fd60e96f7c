package failure

import (
	"cmp"
	"slices"
	"time"

	"schedmate"
)

// link says that failures of one kind bring about those of another.
type link struct {
	Because []string `yaml:"because"` // kinds
	Then    []string `yaml:"then"`    // kinds
	// Anytime: the effect may be told before its cause, as a killed worker is
	// before the kernel's line.
	Anytime bool `yaml:"anytime,omitempty"`
	Why     Text `yaml:"why"`
}

// links tells which kinds explain which.
type links map[[2]string]link

// causes is the reasoning about the events of one incident.
type causes struct {
	scanner   *Scanner
	events    []*event // all of them
	alive     []*event // what the job did not get over, in order
	recovered []*event
	why       map[*event]*event      // effect: what explains it
	reasons   map[*event]explanation // effect: the same, and why
	roots     []*event               // what nothing explains, the root first
}

// reason works out which events are roots. Where they do not say why the job ended, the
// last line that reads like an error is one more.
func (s *Scanner) reason() *causes {
	c := s.reasonOver(s.events)
	if e := s.lastWord(c); e != nil {
		return s.reasonOver(append(slices.Clone(s.events), e))
	}
	return c
}

func (s *Scanner) reasonOver(events []*event) *causes {
	c := &causes{scanner: s, events: events, why: map[*event]*event{}, reasons: map[*event]explanation{}}
	for _, e := range events {
		if s.overcome(e) {
			c.recovered = append(c.recovered, e)
		} else {
			c.alive = append(c.alive, e)
		}
	}
	slices.SortStableFunc(c.alive, func(a, b *event) int { return cmp.Compare(a.sequence, b.sequence) })
	for _, b := range c.alive {
		for _, a := range c.alive {
			if a == b {
				continue
			}
			if x, ok := c.explains(a, b); ok && !c.dependsOn(a, b) {
				if old := c.why[b]; old == nil || a.tier() < old.tier() {
					c.why[b], c.reasons[b] = a, x
				}
			}
		}
	}
	for _, e := range c.alive {
		if c.why[e] == nil && e.mayBeRoot() {
			c.roots = append(c.roots, e)
		}
	}
	slices.SortStableFunc(c.roots, func(a, b *event) int {
		return cmp.Or(cmp.Compare(a.weight(), b.weight()), cmp.Compare(a.sequence, b.sequence))
	})
	if len(c.roots) > 0 {
		c.lead()
		c.roots[0] = c.firstTry(c.firstSign(c.roots[0]))
	}
	return c
}

// oneDeath is how far apart two files may tell of one death when one of the lines
// has no clock of its own: its moment is that of the record before it.
const oneDeath = 10 * time.Minute

// lead puts first, of the first roots of each file, the one that came first by the
// clock; where the clocks do not tell, the one nearest to the hardware: files are
// read in any order.
func (c *causes) lead() {
	best, seen := 0, map[int]bool{c.roots[0].source: true}
	for i, e := range c.roots {
		if e.weight() != c.roots[0].weight() {
			break
		}
		if seen[e.source] {
			continue
		}
		seen[e.source] = true
		if c.leads(e, c.roots[best]) {
			best = i
		}
	}
	first := c.roots[best]
	copy(c.roots[1:best+1], c.roots[:best])
	c.roots[0] = first
}

// leads tells whether a, of another file, is put before b.
func (c *causes) leads(a, b *event) bool {
	switch {
	case a.stamp != 0 && b.stamp != 0:
		return a.before(b.place)
	case a.tier() == TierScheduler && c.endedLater(b):
		return false
	case b.tier() == TierScheduler && c.endedLater(a):
		return true
	}
	gap, known := c.scanner.gap(a, b)
	return known && gap < -oneDeath || (!known || gap <= oneDeath) && a.tier() < b.tier()
}

// gap is how much later a happened than b, as far as the clocks of their files tell.
func (s *Scanner) gap(a, b *event) (time.Duration, bool) {
	x, y := s.moment(a), s.moment(b)
	if x == 0 || y == 0 {
		return 0, false
	}
	return time.Duration(sameYear(x, y) - sameYear(y, x)), true
}

// moment is when an event happened: what its line says, or the record of progress
// before it.
func (s *Scanner) moment(e *event) int64 {
	if e.stamp != 0 {
		return e.stamp
	}
	return s.sources[e.source].newest()
}

// lasting are the roots that the job got over only so far: what is full stays full.
func (c *causes) lasting() []*event {
	var out []*event
	for _, e := range c.recovered {
		if e.rule.kind != nil && e.rule.kind.Lasts && !slices.ContainsFunc(out, func(o *event) bool { return o.rule.Kind == e.rule.Kind }) {
			out = append(out, e)
		}
	}
	return out
}

// firstTry is the first of the tries that failed of what the root is.
func (c *causes) firstTry(root *event) *event {
	for _, e := range c.alive {
		if e.tentative && e.rule.Kind == root.rule.Kind && e.before(root.place) && c.together(e, root) {
			return e
		}
	}
	return root
}

// firstSignRecords is how many records of progress may lie between the first
// sign of what later kills a job and its death.
const firstSignRecords = 60

// firstSign is the first of several like the root that the job got over: a link
// that flaps shortly before it is gone, a device that ended earlier attempts, too.
func (c *causes) firstSign(root *event) *event {
	if root.tier() > TierTransport {
		return root
	}
	for _, e := range c.recovered {
		device := root.tier() <= TierSurfaced && local(root.rule) && root.rule.Component != schedmate.ComponentNetwork
		if e.rule == root.rule && c.scanner.nodeOf(e) == c.scanner.nodeOf(root) && (device || root.source == e.source && root.records-e.records <= firstSignRecords) {
			return e
		}
	}
	return root
}

// recoveredOf tells whether the job got over an event.
func (c *causes) recoveredOf(e *event) bool { return slices.Contains(c.recovered, e) }

// dependsOn tells whether a is explained by b, so that b is not by a.
func (c *causes) dependsOn(a, b *event) bool {
	for range len(c.alive) {
		a = c.why[a]
		if a == nil {
			return false
		}
		if a == b {
			return true
		}
	}
	return false
}

// mayBeRoot tells whether a job can have died of an event. A try that is not the last
// is none: had the last one failed, the program would have said so.
func (e *event) mayBeRoot() bool { return !e.tentative || e.exception.interrupted() }

// weight orders roots: what ends without a reason counts only when nothing else
// is there.
func (e *event) weight() int {
	switch {
	case e.tier() >= TierReaper:
		return 3
	case e.tier() == TierPeer, e.rule.Alone, e.tentative:
		return 2
	case e.rule.guessed():
		return 1
	}
	return 0
}

// overcome tells whether the job got over an event: it went on for long after
// it, or ended well.
func (s *Scanner) overcome(e *event) bool {
	from := s.sources[e.source]
	if e.rule.last { // it was looked at when it was taken
		return false
	}
	if s.recorded.ranAgain(e.place) {
		return true
	}
	went := from.records - e.lastRecords
	if e.stream.ticks*2 > from.records { // a process that reports itself knows best
		went = e.stream.ticks - e.lastTicks
	}
	if went >= recoveredAfter || e.rule.guessed() && went >= guessedAfter || s.wentOnElsewhere(e) {
		return true
	}
	if went <= 0 && e.ends() && !e.latest.before(s.ended.sure) { // a script goes on after what it ran has died
		return false
	}
	return s.endedWell() && e.latest.before(s.ended.well) && !s.diedAfter(s.ended.well)
}

// ends tells whether an event is of the kind that ends a process: what comes after it
// in words alone does not undo it.
func (e *event) ends() bool {
	if e.tier() <= TierSurfaced {
		return true
	}
	return e.exception != nil && !e.tentative && e.tier() <= TierException && e.rule.Restart == RestartNo && !e.rule.Alone
}

// guessedAfter is the same for what is only guessed to be an error: no job is failed by
// a guess when it went on.
const guessedAfter = 2

// wentOnElsewhere tells whether another file records, by the clock, that the job
// went on after an event. Without clocks nobody knows.
func (s *Scanner) wentOnElsewhere(e *event) bool {
	if e.latest.stamp == 0 {
		return false
	}
	for i, other := range s.sources {
		if i != e.source && other.records >= recoveredAfter && e.latest.before(place{source: i, stamp: other.lately()}) {
			return true
		}
	}
	return false
}

// diedAfter tells whether something was found after a place that is more than a
// launcher's word.
func (s *Scanner) diedAfter(at place) bool {
	for _, e := range s.events {
		if at.before(e.latest) && e.tier() < TierReaper {
			return true
		}
	}
	return false
}

// together tells whether no progress lies between two events: they are of one
// death. Of two files it is not known.
func (c *causes) together(a, b *event) bool {
	return a.source != b.source || max(a.records, b.records)-min(a.lastRecords, b.lastRecords) < recoveredAfter
}
