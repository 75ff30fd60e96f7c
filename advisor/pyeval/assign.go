package pyeval

import (
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

func (in *Interp) execAssign(s *scope, n *node) Value {
	right := n.get("right")
	left := n.get("left")
	if t := n.get("type"); t != nil && s.class != nil && left.kind == "identifier" && !ofClassAlone(t) {
		if _, had := s.class.notes[left.text]; !had {
			s.class.fields = append(s.class.fields, left.text)
		}
		s.class.notes[left.text] = t
	}
	if right == nil {
		return none()
	}
	in.keepFlag(left, right)
	v := in.eval(s, right)
	if v.Origin == nil {
		v.Origin = in.at(s, n, leafText(left))
	} else if v.Origin.Kind == origin.Python && v.Origin.Line == n.line && len(v.Origin.From) == 0 && left.kind != "pattern_list" {
		o := *v.Origin
		o.Key = leafText(left)
		v.Origin = &o
	}
	in.assign(s, left, v)
	return v
}

// assign binds a target: a name, an attribute, an item, or several.
func (in *Interp) assign(s *scope, target *node, v Value) {
	if target == nil {
		return
	}
	switch target.kind {
	case "identifier":
		in.bind(s, target.text, v)
	case "attribute":
		in.setAttribute(in.eval(s, target.get("object")), target.get("attribute").text, v)
	case "subscript":
		base := in.eval(s, target.get("value"))
		subs := target.all("subscript")
		if len(subs) == 1 {
			in.setItem(base, in.eval(s, subs[0]), v)
		}
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		in.unpack(s, target.kids, v)
	case "list_splat_pattern", "list_splat", "parenthesized_expression", "as_pattern_target":
		if len(target.kids) > 0 {
			in.assign(s, target.kids[0], v)
		}
	}
}

func (in *Interp) unpack(s *scope, targets []*node, v Value) {
	items, whole := in.iterate(v, listItems)
	star := -1
	for i, t := range targets {
		if t.kind == "list_splat_pattern" || t.kind == "list_splat" {
			star = i
		}
	}
	if !whole || (star < 0 && len(items) != len(targets)) || (star >= 0 && len(items) < len(targets)-1) {
		for i, t := range targets {
			part := unknown("part %d of %s", i, v.String())
			if e := v.External(); e != nil {
				part = Value{Kind: ExternalKind, Ref: &External{Name: e.Name + "[" + strconv.Itoa(i) + "]", Call: e.Call}, Origin: v.Origin}
			}
			in.assign(s, t, part)
		}
		return
	}
	for i, t := range targets {
		switch {
		case star < 0 || i < star:
			in.assign(s, t, items[i].by(v.Origin))
		case i == star:
			in.assign(s, t, list(items[i:len(items)-(len(targets)-1-i)]...))
		default:
			in.assign(s, t, items[len(items)-(len(targets)-i)].by(v.Origin))
		}
	}
}

func (in *Interp) augmented(s *scope, n *node) Value {
	left := n.get("left")
	old := in.eval(s, left)
	v := in.eval(s, n.get("right"))
	op := strings.TrimSuffix(n.get("operator").text, "=")
	if l, ok := old.Ref.(*List); ok && op == "+" && old.Kind == ListKind {
		items, whole := in.iterate(v, listItems)
		if in.weakly(l.born) {
			l.Open = true
		}
		if len(l.Items) > listItems {
			items, whole = nil, false
		}
		l.Items = append(l.Items, items...)
		l.Open = l.Open || !whole
		return old
	}
	if d := old.Dict(); d != nil && op == "|" {
		if e := v.Dict(); e != nil {
			e.Each(d.set)
		}
		return old
	}
	out := in.binary(op, old, v)
	in.assign(s, left, out)
	return out
}
