package failure

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"

	"schedmate/logs"
)

// unknownException is the rule for exceptions that no rule of the set knows.
func (s *RuleSet) unknownException() *Rule { return s.exception }

// looseException finds an exception that is told in a line of its own, without
// its stack: from its name.
var looseException = regexp.MustCompile(`(?:^|[\s\]>|:,"'(])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Fault|Killed))(?::\s|$)`)

// found makes events of what the rules say about a line. It is the line of the
// block's exception or of its message when there is a block.
func (s *Scanner) found(st *stream, sh *shape, text []byte, at place, block *exception) {
	if block != nil && block.ignore && !(block.interrupted() && !s.endedWell()) {
		return
	}
	if block != nil && at == block.last {
		f, ok := s.rules.among(sh.rules, []byte(block.text), block)
		if !ok || f.rule.Tier <= TierSurfaced && repeated([]byte(block.text), f.from, f.to, block) {
			f = finding{rule: s.rules.unknownException()}
		}
		if f.rule.Tier == TierNoise {
			return
		}
		f.tentative = f.tentative || block.ignore
		if block.wraps != nil {
			s.unwrap(block.wraps)
			block.wraps = nil
		}
		block.event = s.event(st, f, []byte(block.text), at, block)
		if c := block.cause; c != nil && c.event != nil && block.event != nil && (c.event.rule.Generic || c.event.rule.Alone || c.event.tier() >= TierReaper) && !f.rule.Generic && f.rule.Tier <= TierException {
			c.event.rule, c.event.captures = f.rule, f.captures([]byte(block.text)) // what came of it says what it was
		}
		return
	}
	if sh.tried++; sh.tried == triedOften || sh.tried == triedEnough && !sh.matched {
		sh.rules = s.rules.undecided(sh.rules, text, sh)
	}
	if len(sh.rules) == 0 {
		s.unknown(st, sh, text, at)
		return
	}
	f, ok := s.rules.among(sh.rules, text, nil)
	var m []int
	if sh.loose {
		m = looseAt(text)
	}
	if m != nil && !(ok && f.rule.Tier == TierNoise) {
		told := text[m[2]:]
		if g, found := s.rules.among(sh.rules, told, &exception{}); found && (!ok || g.rule.Tier == TierNoise || g.before(f)) {
			f, ok = g, true
			f.from, f.to, f.view = f.from+m[2], f.to+m[2], [2]int{f.view[0] + m[2], f.view[1] + m[2]}
		}
	}
	if ok && f.rule.Tier <= TierSurfaced {
		if m != nil && f.from >= m[3] && valueError.Match(text[m[2]:m[3]]) {
			f = finding{rule: s.rules.unknownException()}
		} else if repeated(text, f.from, f.to, block) {
			return
		}
	}
	sh.matched = sh.matched || ok
	if !ok {
		s.unknown(st, sh, text, at)
	}
	if !ok || f.rule.Tier == TierNoise || st.surroundings.quotes(text, f.from, f.to) {
		return
	}
	if block != nil && block.event != nil && block.event.rule.Generic && !f.rule.Generic && f.rule.Tier <= TierException {
		block.event.rule, block.event.captures = f.rule, f.captures(text)
		return
	}
	if block != nil && block.before.group { // a list of what its tasks raised
		return
	}
	s.event(st, f, text, at, block)
}

// unwrap takes back an event that only told of another exception, unless more lines
// than this one said so.
func (s *Scanner) unwrap(e *event) {
	i := slices.Index(s.events, e)
	if i < 0 || e.times > 1 {
		return
	}
	s.events = slices.Delete(s.events, i, i+1)
	s.alike[e.rule]--
	for key, last := range s.recent {
		if last == e {
			delete(s.recent, key)
		}
	}
}

// looseWords end the names of exceptions: a text without them tells of none.
var looseWords = [][]byte{[]byte("Error"), []byte("Exception"), []byte("Interrupt"), []byte("Fault"), []byte("Killed")}

// looseAt finds an exception in a line.
func looseAt(text []byte) []int {
	text = text[:min(len(text), wholeLine)]
	if !containsAny(text, looseWords) {
		return nil
	}
	return looseException.FindSubmatchIndex(text)
}

// undecided are the rules that lines of one shape may match still: those that
// match this line, and for a while those that look at the value of a number.
func (s *RuleSet) undecided(rules []int, text []byte, sh *shape) []int {
	lower := appendLower(make([]byte, 0, len(text)), text)
	matched := map[int]bool{}
	for _, v := range s.views(rules, lower) {
		for _, n := range v.rules {
			r := s.Rules[n]
			if r.valued && sh.tried < triedEnough || r.Exception && sh.loose {
				continue // it stays anyway
			}
			if !matched[n] {
				_, matched[n] = r.find(text, lower, v)
			}
		}
	}
	return slices.DeleteFunc(rules, func(n int) bool {
		r := s.Rules[n]
		return !matched[n] && !(r.valued && sh.tried < triedEnough || r.Exception && sh.loose)
	})
}

// event adds a finding to the events, or to the last alike.
func (s *Scanner) event(st *stream, f finding, text []byte, at place, block *exception) *event {
	key, records := recentKey{stream: st, rule: f.rule, block: block != nil}, s.sources[at.source].records
	if f.rule.Tier <= TierSurfaced { // one kernel's log may tell of many nodes
		key.node = cmp.Or(f.captures(text)["node"], writer(text))
	}
	if block != nil && f.rule.Generic {
		key.exception = block.name
	}
	if e := s.recent[key]; e != nil && records-e.lastRecords < recoveredAfter {
		e.again(at, st, records)
		return e
	}
	if e := s.recent[recentKey{rule: f.rule}]; s.alike[f.rule] >= maxAlike && e != nil && (e.source != at.source || records-e.lastRecords < recoveredAfter) {
		e.again(at, st, records)
		return e
	}
	if len(s.events) >= maxEvents && !s.forget() {
		s.dropped++
		return nil
	}
	e := &event{
		place: at, stream: st, rule: f.rule, text: clipped(text, maxText), captures: f.captures(text),
		exception: block, ticks: st.ticks, records: records, step: s.sources[at.source].step(st), times: 1, latest: at, lines: []place{at},
		lastTicks: st.ticks, lastRecords: records, tentative: f.tentative || debugLevel(text),
	}
	s.events = append(s.events, e)
	s.recent[key], s.recent[recentKey{rule: f.rule}] = e, e
	s.alike[f.rule]++
	return e
}

// again counts one more line of the same.
func (e *event) again(at place, st *stream, records int64) {
	e.times++
	if at.source == e.source {
		e.latest, e.lastRecords = at, records
	}
	if st == e.stream {
		e.lastTicks = st.ticks
	}
	if len(e.lines) < maxLines {
		e.lines = append(e.lines, at)
	}
}

// forget drops the events that the job got over, and tells whether there are
// any.
func (s *Scanner) forget() bool {
	kept := s.events[:0]
	for _, e := range s.events {
		if e.tier() == TierDevice || s.sources[e.source].records-e.lastRecords < recoveredAfter {
			kept = append(kept, e)
		}
	}
	dropped := len(s.events) - len(kept)
	clear(s.events[len(kept):])
	s.events = kept
	return dropped > 0
}

// closeBlock ends the open block of a stream.
func (s *Scanner) closeBlock(st *stream) {
	b := st.block
	st.block = nil
	if b == nil {
		return
	}
	if b.name == "" { // a stack without its exception says nothing
		return
	}
	st.done = b
}

func (s *Scanner) closeBlocks() {
	for _, st := range s.ordered {
		s.closeBlock(st)
	}
}

// startsRecord tells whether a line within a message is a record of its own: it
// begins with a stamp, or as the lines of launchers and services do.
func startsRecord(text []byte) bool {
	if stamp, ok := logs.FindStamp(text); ok && stamp.Start < 12 {
		return true
	}
	return bytes.HasPrefix(text, []byte("srun:")) || bytes.HasPrefix(text, []byte("slurmstepd:")) || bytes.HasPrefix(text, []byte("wandb:"))
}
