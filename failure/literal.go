package failure

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// analysis is what a pattern shows before it is compiled.
type analysis struct {
	// Texts of which every match of the pattern holds at least one, and further such
	// lists: lower case, without digits, as a line's template says nothing about its
	// digits. The first list is the one to search for; it is nil when no list has texts
	// of three bytes or more only.
	first   []string
	further [][]string
	valued  bool  // it tells some digits from others
	needs   needs // what a matching line holds, digits and all
}

func analyse(pattern string) analysis {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return analysis{}
	}
	re := parsed.Simplify()
	out := analysis{valued: valued(parsed), needs: needsOf(re)}
	lists := slices.DeleteFunc(literalsOf(re), func(l []string) bool { return shortest(l) < 3 })
	slices.SortStableFunc(lists, func(a, b []string) int { return shortest(b) - shortest(a) })
	for i, l := range lists {
		slices.Sort(l)
		lists[i] = slices.Compact(l)
	}
	if len(lists) > 0 {
		out.first, out.further = lists[0], lists[1:]
	}
	return out
}

// literalsOf returns lists of texts: a match holds one of each list.
func literalsOf(re *syntax.Regexp) [][]string {
	switch re.Op {
	case syntax.OpLiteral:
		if l := longestText(string(re.Rune)); l != "" {
			return [][]string{{l}}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literalsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var all [][]string
		for _, sub := range re.Sub {
			all = append(all, literalsOf(sub)...)
		}
		return all
	case syntax.OpAlternate: // one of the best of each
		var all []string
		for _, sub := range re.Sub {
			var best []string
			for _, l := range literalsOf(sub) {
				if shortest(l) > shortest(best) {
					best = l
				}
			}
			if len(best) == 0 {
				return nil
			}
			all = append(all, best...)
		}
		return [][]string{all}
	}
	return nil
}

// valued tells whether a pattern tells some digits from others.
func valued(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return strings.ContainsFunc(string(re.Rune), unicode.IsDigit)
	case syntax.OpCharClass:
		digits, _ := classOf(re)
		return digits > 0 && digits < 10
	case syntax.OpRepeat: // \d{4} tells 1234 from 12
		if digits, others := classOf(re.Sub[0]); digits == 10 && !others && (re.Min > 1 || re.Max > 1) {
			return true
		}
	}
	return slices.ContainsFunc(re.Sub, valued)
}

// classOf counts the digits of a character class, and tells whether it has other
// characters; 0 and false for what is no class.
func classOf(re *syntax.Regexp) (digits int, others bool) {
	if re.Op != syntax.OpCharClass {
		return 0, false
	}
	for i := 0; i+1 < len(re.Rune); i += 2 {
		lo, hi := max(re.Rune[i], '0'), min(re.Rune[i+1], '9')
		digits += int(max(0, hi-lo+1))
		others = others || re.Rune[i] < '0' || re.Rune[i+1] > '9'
	}
	return digits, others
}

// longestText is the longest part without digits and blanks at its ends.
func longestText(s string) string {
	best := ""
	for _, part := range strings.FieldsFunc(s, unicode.IsDigit) {
		if part = strings.ToLower(strings.TrimSpace(part)); len(part) > len(best) {
			best = part
		}
	}
	return best
}

func shortest(literals []string) int {
	if len(literals) == 0 {
		return 0
	}
	n := len(literals[0])
	for _, l := range literals[1:] {
		n = min(n, len(l))
	}
	return n
}

// literalIndex finds the rules that a line could match.
type literalIndex struct {
	starts  [1 << 12]bool // by the hash of three bytes: what most of a line is not
	byStart map[[3]byte][]literal
	further [][][]string // of each rule
}

type literal struct {
	text []byte
	rule int
}

func indexLiterals(rules []*Rule) *literalIndex {
	x := &literalIndex{byStart: map[[3]byte][]literal{}}
	for i, r := range rules {
		x.further = append(x.further, r.further)
		for _, l := range r.literals {
			key := [3]byte([]byte(l[:3]))
			x.starts[hashOf(key)] = true
			x.byStart[key] = append(x.byStart[key], literal{[]byte(l), i})
		}
	}
	return x
}

func hashOf(b [3]byte) uint16 {
	return (uint16(b[0]) ^ uint16(b[1])<<3 ^ uint16(b[2])<<6) & (1<<12 - 1)
}

// rules appends to dst the numbers of the rules whose literals stand in the line, in rising order without repeats. The line is in lower case.
func (x *literalIndex) rules(dst []int, line []byte) []int {
	for i := 0; i+3 <= len(line); i++ {
		key := [3]byte(line[i : i+3])
		if !x.starts[hashOf(key)] {
			continue
		}
		for _, l := range x.byStart[key] {
			if bytes.HasPrefix(line[i:], l.text) {
				dst = append(dst, l.rule)
			}
		}
	}
	slices.Sort(dst)
	return slices.DeleteFunc(slices.Compact(dst), func(rule int) bool {
		return slices.ContainsFunc(x.further[rule], func(list []string) bool { return !holdsOne(line, list) })
	})
}

func holdsOne(line []byte, list []string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return bytes.Contains(line, []byte(l)) })
}
