package failure

import "regexp"

// guarded is a pattern that is tried only on texts that hold what it needs, which is
// told at a hundredth of what the pattern costs.
type guarded struct {
	*regexp.Regexp
	needs needs
}

func guard(pattern string) guarded {
	return guarded{regexp.MustCompile(pattern), analyse(pattern).needs}
}

// find returns the parts of the first match as FindSubmatch does; the text is given in
// lower case, too.
func (g *guarded) find(text, lower []byte) [][]byte {
	if !g.needs.heldBy(lower) {
		return nil
	}
	return g.FindSubmatch(text)
}

// matches tells whether a text, given in lower case, too, matches.
func (g *guarded) matches(text, lower []byte) bool {
	return g.needs.heldBy(lower) && g.Match(text)
}
