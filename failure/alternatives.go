package failure

import "schedmate"

// aloneSaysThis is why the kind of a root's line is an alternative to what the rest
// of the logs make of it.
var aloneSaysThis = Text{English: "the line alone says this", Chinese: "单看这一行如此"}

// alternatives are other readings of the root.
func (s *Scanner) alternatives(root *event, r *Rule, c *causes) []schedmate.Alternative {
	var out []schedmate.Alternative
	if r.kind != nil {
		for _, o := range r.kind.Otherwise {
			if at := (&situation{scanner: s, causes: c, root: root, culprit: -1}); at.fulfils(o.When) {
				k := s.rules.Kinds[o.Kind]
				out = append(out, schedmate.Alternative{Class: k.Class, Subclass: k.Name, Component: k.Component, Why: o.Why.English})
			}
		}
	}
	if r.Kind != root.rule.Kind { // the context decided
		if k := root.rule.kind; k != nil {
			out = append(out, schedmate.Alternative{Class: root.rule.Class, Subclass: k.Name, Component: root.rule.Component, Why: aloneSaysThis.English})
		}
	}
	return out
}
