package failure

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// requiredLiterals returns texts of which every match of the pattern holds at
// least one, and further such lists: lower case, without digits, as a line's
// template says nothing about its digits. The first list is the one to search
// for; it is nil when no list has texts of three bytes or more only.
func requiredLiterals(pattern string) (first []string, further [][]string) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, nil
	}
	lists := slices.DeleteFunc(literalsOf(re.Simplify()), func(l []string) bool { return shortest(l) < 3 })
	slices.SortStableFunc(lists, func(a, b []string) int { return shortest(b) - shortest(a) })
	for i, l := range lists {
		slices.Sort(l)
		lists[i] = slices.Compact(l)
	}
	if len(lists) == 0 {
		return nil, nil
	}
	return lists[0], lists[1:]
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

// looksAtDigits tells whether a pattern tells some digits from others.
func looksAtDigits(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && valued(re)
}

func valued(re *syntax.Regexp) bool {
	digits := 0
	switch re.Op {
	case syntax.OpLiteral:
		return strings.ContainsFunc(string(re.Rune), unicode.IsDigit)
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			lo, hi := max(re.Rune[i], '0'), min(re.Rune[i+1], '9')
			digits += int(max(0, hi-lo+1))
		}
		return digits > 0 && digits < 10
	case syntax.OpRepeat: // \d{4} is no value, but tells 12 from 1234
		return re.Min > 1 || re.Max > 1 || valued(re.Sub[0])
	}
	return slices.ContainsFunc(re.Sub, valued)
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
	byStart map[[3]byte][]literal
	further [][][]string // of each rule
}

type literal struct {
	text []byte
	rule int
}

func indexLiterals(rules []*Rule) literalIndex {
	x := literalIndex{byStart: map[[3]byte][]literal{}}
	for i, r := range rules {
		x.further = append(x.further, r.further)
		for _, l := range r.literals {
			key := [3]byte([]byte(l[:3]))
			x.byStart[key] = append(x.byStart[key], literal{[]byte(l), i})
		}
	}
	return x
}

// rules appends to dst the numbers of the rules whose literals stand in the line, in rising order without repeats. The line is in lower case.
func (x *literalIndex) rules(dst []int, line []byte) []int {
	for i := 0; i+3 <= len(line); i++ {
		for _, l := range x.byStart[[3]byte(line[i:i+3])] {
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
