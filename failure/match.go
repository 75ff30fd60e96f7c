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
}

// among returns what rules say about a text that holds a literal of each: the
// finding of the lowest tier; among equals that of the longest match. Rules that
// look at the stack come first, and generic rules last. A rule of noise that matches
// silences all others.
func (s *RuleSet) among(rules []int, text []byte, stack *exception) (finding, bool) {
	var best finding
	var lower []byte
	tentative := false
	for _, n := range rules {
		r := s.Rules[n]
		if len(r.exact) > 0 {
			if lower == nil {
				lower = appendLower(make([]byte, 0, len(text)), text)
			}
			if slices.ContainsFunc(r.exact, func(list []string) bool { return !holdsOne(lower, list) }) {
				continue
			}
		}
		if r.Exception && stack == nil || r.frame != nil && !stack.hasFrame(r.frame) || r.inmost != nil && !stack.endsIn(r.inmost) {
			continue
		}
		at := r.regexp().FindIndex(text)
		if at == nil {
			continue
		}
		f := finding{rule: r, from: at[0], to: at[1]}
		switch {
		case r.Tries:
			tentative = true
		case r.Tier == TierNoise:
			return f, true
		case best.rule == nil || f.before(best):
			best = f
		}
	}
	best.tentative = tentative
	return best, best.rule != nil
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
	m := f.rule.regexp().FindSubmatch(text)
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
