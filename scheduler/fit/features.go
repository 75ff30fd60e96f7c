package fit

import "strings"

// features is what a job's constraint asks of each of its nodes: alternatives, of
// which a node must satisfy one.
//
//	a100&ib        a node with both
//	a100|h100      a node with either
//	[r1|r2]        all nodes alike: of r1, or of r2
//	(a100|h100)&ib brackets of either kind around a part
//
// Counts (a100*2), exclusive-or in several groups, prefer and anything else are
// not understood.
type features struct {
	text  string
	tests []conjunction
	alike bool // all nodes satisfy the same alternative
}

// conjunction is features that a node must have all.
type conjunction struct {
	has []string
}

// none asks for nothing.
func (f *features) none() bool { return len(f.tests) == 0 }

// readFeatures reads a constraint; ok is false when it is not understood.
func readFeatures(text string) (f features, ok bool) {
	text = strings.TrimSpace(text)
	f.text = text
	if text == "" || text == "(null)" {
		return features{}, true
	}
	if inner, whole := strings.CutPrefix(text, "["); whole {
		inner, closed := strings.CutSuffix(inner, "]")
		if !closed || strings.ContainsAny(inner, "[]()&") {
			return f, false
		}
		f.alike = true
		text = inner
	}
	p := featureParser{rest: text}
	f.tests, ok = p.either()
	if !ok || p.rest != "" || len(f.tests) > maxAlternatives {
		return f, false
	}
	return f, true
}

// maxAlternatives bounds what brackets can multiply to.
const maxAlternatives = 256

type featureParser struct{ rest string }

// either reads a|b, as alternatives.
func (p *featureParser) either() ([]conjunction, bool) {
	var all []conjunction
	for {
		more, ok := p.both()
		if !ok || len(all)+len(more) > maxAlternatives {
			return nil, false
		}
		all = append(all, more...)
		if !p.take("|") {
			return all, true
		}
	}
}

// both reads a&b or a,b: every pair of their alternatives.
func (p *featureParser) both() ([]conjunction, bool) {
	all := []conjunction{{}}
	for {
		more, ok := p.one()
		if !ok || len(all)*len(more) > maxAlternatives {
			return nil, false
		}
		var product []conjunction
		for _, a := range all {
			for _, b := range more {
				product = append(product, conjunction{append(a.has[:len(a.has):len(a.has)], b.has...)})
			}
		}
		all = product
		if !p.take("&") && !p.take(",") {
			return all, true
		}
	}
}

// one reads a name or a part in brackets.
func (p *featureParser) one() ([]conjunction, bool) {
	if p.take("(") {
		inner, ok := p.either()
		return inner, ok && p.take(")")
	}
	end := strings.IndexAny(p.rest, "&|,()[]*! \t")
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	if name == "" {
		return nil, false
	}
	p.rest = p.rest[end:]
	return []conjunction{{[]string{name}}}, true
}

func (p *featureParser) take(sign string) bool {
	rest, ok := strings.CutPrefix(p.rest, sign)
	if ok {
		p.rest = rest
	}
	return ok
}
