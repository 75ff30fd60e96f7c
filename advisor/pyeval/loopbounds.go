package pyeval

import "strings"

// bounds records the comparisons of a condition that ends the loop around it.
func (in *Interp) bounds(s *scope, cond, body *node) {
	if in.loop == nil || cond == nil || body == nil || !(body.holds("break_statement") || (in.loop.Func == in.funcName && body.holds("return_statement")) || calls(body, "exit")) {
		return
	}
	in.comparisons(s, cond)
}

// calls reports whether a call of a function with a last name stands below n.
func calls(n *node, name string) bool {
	for _, k := range n.kids {
		if k.kind == "call" {
			text := leafText(k.get("function"))
			if text == name || strings.HasSuffix(text, "."+name) {
				return true
			}
		}
		if calls(k, name) {
			return true
		}
	}
	return false
}

func (in *Interp) comparisons(s *scope, cond *node) {
	switch cond.kind {
	case "boolean_operator", "parenthesized_expression", "not_operator":
		for _, k := range cond.kids {
			if k.field != "operator" {
				in.comparisons(s, k)
			}
		}
	case "identifier": // "done = step >= most" and later "if done: break"
		if kept := in.loop.flags[cond.text]; kept != nil {
			delete(in.loop.flags, cond.text)
			in.comparisons(s, kept)
		}
	case "comparison_operator":
		if len(cond.kids) != 3 || len(in.loop.Bounds) >= 16 {
			return
		}
		left, op, right := cond.kids[0], cond.kids[1], cond.kids[2]
		if strings.HasPrefix(op.text, "<") && cond.kids[0].kind == "integer" {
			return
		}
		in.loop.Bounds = append(in.loop.Bounds, Bound{Left: leafText(left), From: in.eval(s, left), Op: op.text, Right: in.eval(s, right), RightText: leafText(right), Site: in.at(s, cond, leafText(right))})
	}
}

// keepFlag remembers a comparison that the body of a loop binds to a name.
func (in *Interp) keepFlag(left, right *node) {
	l := in.loop
	if l == nil || l.Func != in.funcName || left.kind != "identifier" || len(l.flags) >= 16 {
		return
	}
	switch right.kind {
	case "comparison_operator", "boolean_operator", "parenthesized_expression", "not_operator":
		if l.flags == nil {
			l.flags = map[string]*node{}
		}
		l.flags[left.text] = right
	}
}

func (in *Interp) newLoop(s *scope, n *node, over Value, while bool) *Loop {
	if o := over.Object(); o != nil { // enumerate and zip go over something
		if p, ok := o.data.(pairs); ok {
			over = p.over
		}
	}
	l := &Loop{Parent: in.loop, Site: in.at(s, n, ""), Over: over, While: while, Func: in.funcName, Doubt: in.doubt > 0}
	if len(in.saw.Loops) < 4000 {
		in.saw.Loops = append(in.saw.Loops, l)
	}
	return l
}
