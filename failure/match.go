package failure

import (
	"bytes"
	"slices"
)

// finding is what the rules say about one line.
type finding struct {
	rule      *Rule
	tentative bool // of a try that is not the last
	from      int  // the matched part of the text
	to        int
	view      [2]int // the part of the text that was looked at
}

// among returns what rules say about a text that holds a literal of each: the
// finding of the lowest tier; among equals that of the longest match. Rules that
// look at the stack come first, and generic rules last. A rule of noise that matches
// silences all others.
func (s *RuleSet) among(rules []int, text []byte, stack *exception) (finding, bool) {
	if len(rules) == 0 {
		return finding{}, false
	}
	lower := appendLower(make([]byte, 0, len(text)), text)
	var best finding
	tentative := false
	for _, v := range s.views(rules, lower) {
		for _, n := range v.rules {
			r := s.Rules[n]
			if r.Exception && stack == nil || r.frame != nil && !stack.hasFrame(r.frame) || r.inmost != nil && !stack.endsIn(r.inmost) {
				continue
			}
			f, ok := r.find(text, lower, v)
			if !ok {
				continue
			}
			switch {
			case r.Tries:
				tentative = true
			case r.Tier == TierNoise:
				return f, true
			case best.rule == nil || f.before(best):
				best = f
			}
		}
	}
	best.tentative = tentative
	return best, best.rule != nil
}

// A line longer than wholeLine is looked at in views of viewBytes, of which each
// begins in the middle of the one before: in no more than maxViews of those that hold
// literals, half of them the first and half the last. Some records hold a book, and
// no message is that long.
const (
	wholeLine = 8 << 10
	viewBytes = 4 << 10
	maxViews  = 8
)

// view is a part of a text, and the rules that it may match.
type view struct {
	from, to int
	rules    []int
}

// views are the parts of a text, given in lower case, in which to look for rules.
func (s *RuleSet) views(rules []int, lower []byte) []view {
	if len(lower) <= wholeLine {
		return []view{{0, len(lower), rules}}
	}
	var out []view
	for from := 0; from+viewBytes/2 < len(lower); from += viewBytes / 2 {
		v := view{from: from, to: min(from+viewBytes, len(lower))}
		for _, n := range s.index.rules(nil, lower[v.from:v.to]) {
			if _, ok := slices.BinarySearch(rules, n); ok {
				v.rules = append(v.rules, n)
			}
		}
		if v.rules == nil {
			continue
		}
		if len(out) == maxViews { // the oldest of the last ones gives way
			copy(out[maxViews/2:], out[maxViews/2+1:])
			out = out[:maxViews-1]
		}
		out = append(out, v)
	}
	return out
}

// find looks for the rule's pattern in a view of a text, which is given in lower
// case, too. What begins or ends where the view was cut is not taken for the beginning
// or end of the text.
func (r *Rule) find(text, lower []byte, v view) (finding, bool) {
	from, to := v.from, v.to
	if !r.needs.heldBy(lower[from:to]) {
		return finding{}, false
	}
	at := r.regexp().FindIndex(text[from:to])
	if at == nil || from > 0 && at[0] == 0 || to < len(text) && at[1] == to-from {
		return finding{}, false
	}
	f := finding{rule: r, from: from + at[0], to: from + at[1], view: [2]int{from, to}}
	if r.Differ != nil {
		if c := f.captures(text); c[r.Differ[0]] == c[r.Differ[1]] {
			return finding{}, false
		}
	}
	return f, true
}

// before tells whether f says more about a line than g.
func (f finding) before(g finding) bool {
	switch {
	case f.rule.Generic != g.rule.Generic:
		return g.rule.Generic
	case f.rule.looksAtStack() != g.rule.looksAtStack(): // it tells more than the text
		return f.rule.looksAtStack()
	case f.rule.Tier != g.rule.Tier:
		return f.rule.Tier < g.rule.Tier
	}
	return f.to-f.from > g.to-g.from
}

func (r *Rule) looksAtStack() bool { return r.frame != nil || r.inmost != nil }

// captures are the named groups of the finding's pattern that matched.
func (f finding) captures(text []byte) map[string]string {
	var out map[string]string
	if f.view[1] == 0 { // nothing was looked at
		return nil
	}
	m := f.rule.regexp().FindSubmatch(text[f.view[0]:f.view[1]])
	for i, name := range f.rule.regexp().SubexpNames() {
		if name == "" || i >= len(m) || len(m[i]) == 0 {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = string(bytes.Clone(m[i]))
	}
	return out
}

// matchScratch is memory that matching reuses.
type matchScratch struct {
	lower []byte
	rules []int
}

func appendLower(dst, text []byte) []byte {
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
