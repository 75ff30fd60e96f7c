package failure

import (
	"bytes"
	"cmp"
	"regexp/syntax"
	"slices"
	"unicode"
)

// needs is what a text must hold for a pattern to match it: a text in lower
// case, or all of several needs, or one of them. A text without it is refused at a
// hundredth of what the pattern costs, which decides how long a log takes in which
// every line is another error.
type needs struct {
	text []byte
	of   []needs
	all  bool // of them, else one
}

// anyText is the need of a pattern of which nothing is known.
func (n *needs) anyText() bool { return len(n.text) == 0 && len(n.of) == 0 }

// tells is how soon the need is worth a look: a long text is rare and found fast.
func (n *needs) tells() int { return len(n.text) }

// heldBy tells whether a text in lower case holds what is needed.
func (n *needs) heldBy(lower []byte) bool {
	if len(n.text) > 0 {
		return bytes.Contains(lower, n.text)
	}
	for i := range n.of {
		if held := n.of[i].heldBy(lower); held != n.all {
			return held
		}
	}
	return n.all || len(n.of) == 0
}

// needsOf works out what a simplified pattern needs.
func needsOf(re *syntax.Regexp) needs {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 && foldsBeyondASCII(re.Rune) {
			return needs{}
		}
		return needs{text: appendLower(nil, []byte(string(re.Rune)))}
	case syntax.OpCapture, syntax.OpPlus:
		return needsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		out := needs{all: true}
		for _, sub := range re.Sub {
			if n := needsOf(sub); !n.anyText() {
				out.of = append(out.of, n)
			}
		}
		slices.SortStableFunc(out.of, func(a, b needs) int { return cmp.Compare(b.tells(), a.tells()) })
		return out
	case syntax.OpAlternate:
		var out needs
		for _, sub := range re.Sub {
			n := needsOf(sub)
			if n.anyText() {
				return needs{}
			}
			out.of = append(out.of, n)
		}
		return out
	}
	return needs{}
}

// foldsBeyondASCII tells whether a letter has another case that is not ASCII's: the
// lower case of a line is that of ASCII.
func foldsBeyondASCII(runes []rune) bool {
	for _, r := range runes {
		if r > unicode.MaxASCII && unicode.SimpleFold(r) != r {
			return true
		}
	}
	return false
}
