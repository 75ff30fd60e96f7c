package pyeval

import "strings"

// comparison evaluates a chain of comparisons.
func (in *Interp) comparison(s *scope, n *node) Value {
	if len(n.kids) < 3 {
		return unknown("a comparison is not complete")
	}
	left := in.eval(s, n.kids[0])
	out := boolean(true)
	for i := 1; i+1 < len(n.kids); i += 2 {
		right := in.eval(s, n.kids[i+1])
		out = in.compare(n.kids[i].text, left, right)
		if yes, known := out.truth(); !known || !yes {
			return out
		}
		left = right
	}
	return out
}

func (in *Interp) compare(op string, a, b Value) Value {
	if (a.Kind == CandidatesKind || b.Kind == CandidatesKind) && op != "in" && op != "not in" {
		return each2(a, b, func(x, y Value) Value { return in.compare(op, x, y) })
	}
	doubt := unknown("%s %s %s", a.String(), op, b.String())
	switch op {
	case "in", "not in":
		yes, known := in.contains(b, a)
		if !known {
			return doubt
		}
		return boolean(yes == (op == "in")).by(a.Origin)
	case "is", "is not", "==", "!=", "<>":
		yes, known := in.equal(a, b, strings.HasPrefix(op, "is"))
		if !known {
			return doubt
		}
		return boolean(yes == (op == "is" || op == "==")).by(a.Origin).by(b.Origin)
	}
	x, okA := a.Number()
	y, okB := b.Number()
	c := 0
	switch {
	case okA && okB:
		c = int(b2i(x > y) - b2i(x < y))
	case a.Kind == Str && b.Kind == Str:
		c = strings.Compare(a.Text, b.Text)
	default:
		if ta, ok := a.Ref.(*List); ok && a.Kind == TupleKind {
			if tb, ok := b.Ref.(*List); ok && len(ta.Items) > 0 && len(tb.Items) > 0 {
				for i := range min(len(ta.Items), len(tb.Items)) {
					if e, k := in.equal(ta.Items[i], tb.Items[i], false); k && e {
						continue
					}
					return in.compare(op, ta.Items[i], tb.Items[i])
				}
			}
		}
		return doubt
	}
	out := false
	switch op {
	case "<":
		out = c < 0
	case "<=":
		out = c <= 0
	case ">":
		out = c > 0
	case ">=":
		out = c >= 0
	default:
		return doubt
	}
	return boolean(out).by(a.Origin).by(b.Origin)
}

// equal compares two values; identity is asked for with "is".
func (in *Interp) equal(a, b Value, identity bool) (yes, known bool) {
	return in.equalTo(a, b, identity, 6)
}

func (in *Interp) equalTo(a, b Value, identity bool, depth int) (yes, known bool) {
	if depth == 0 {
		return false, false
	}
	if !a.Known() || !b.Known() {
		return false, false
	}
	ea, eb := a.External(), b.External()
	switch {
	case ea != nil && eb != nil:
		if ea.Call == nil && eb.Call == nil {
			return ea.Name == eb.Name, true
		}
		return ea == eb, ea == eb
	case ea != nil || eb != nil:
		e, other := ea, b
		if e == nil {
			e, other = eb, a
		}
		if other.Kind == None { // a name or a constructed object is not None; what a call gave may be
			return false, e.Call == nil || e.solid
		}
		switch other.Kind {
		case NativeKind, ClassKind, FunctionKind: // definitions of the repository and of the language
			return false, e.Call == nil
		case ObjectKind:
			if _, generic := other.Object().data.(*genericAlias); generic {
				return false, e.Call == nil
			}
		}
		return false, e.Call == nil && identity
	}
	x, okA := a.Number()
	y, okB := b.Number()
	if okA && okB {
		return x == y, true
	}
	if a.Kind != b.Kind {
		return false, true
	}
	if a.Kind == ListKind || a.Kind == TupleKind {
		la, lb := a.Ref.(*List), b.Ref.(*List)
		if la == lb {
			return true, true
		}
		if la.Open || lb.Open {
			return false, false
		}
		if len(la.Items) != len(lb.Items) {
			return false, true
		}
		if len(la.Items) > 64 {
			return false, false
		}
		for i := range la.Items {
			if e, k := in.equalTo(la.Items[i], lb.Items[i], false, depth-1); !k || !e {
				return e, k
			}
		}
		return true, true
	}
	if a.Kind == DictKind && a.Ref != b.Ref {
		return false, a.Dict().Len() != b.Dict().Len()
	}
	return same(a, b), true
}

// contains answers "item in container".
func (in *Interp) contains(container, item Value) (yes, known bool) {
	if container.Kind == CandidatesKind || item.Kind == CandidatesKind {
		first := true
		for _, c := range container.Alternatives() {
			for _, i := range item.Alternatives() {
				if c.Kind == CandidatesKind || i.Kind == CandidatesKind {
					return false, false
				}
				y, k := in.contains(c, i)
				if !k || (!first && y != yes) {
					return false, false
				}
				yes, first = y, false
			}
		}
		return yes, !first
	}
	if container.Kind == Unknown || item.Kind == Unknown {
		return false, false
	}
	switch container.Kind {
	case Str:
		if item.Kind == Str {
			return strings.Contains(container.Text, item.Text), true
		}
	case DictKind:
		d := container.Dict()
		if _, ok := d.get(item); ok {
			return true, true
		}
		if item.Kind == Str && d.module != nil && in.searchPending(item.Text) {
			if _, ok := d.get(item); ok {
				return true, true
			}
		}
		return false, !d.Open && !item.result()
	case ListKind, TupleKind, SetKind:
		l := container.Ref.(*List)
		sure := !l.Open
		if len(l.Items) > 2000 {
			return false, false
		}
		for _, v := range l.Items {
			if e, k := in.equal(v, item, false); k && e {
				return true, true
			} else if !k {
				sure = false
			}
		}
		return false, sure
	case ObjectKind:
		o := container.Object()
		if o.Class.native() == "dict" {
			return in.contains(Value{Kind: DictKind, Ref: o.Attrs}, item)
		}
		if isYacs(container) {
			_, has := o.Attrs.get(item)
			return has, has || !o.Attrs.Open
		}
		if m, ok := o.data.(interface {
			contains(in *Interp, key Value) (yes, known bool)
		}); ok {
			return m.contains(in, item)
		}
		if f, _, ok := o.Class.lookup("__contains__"); ok {
			return in.call(Value{Kind: MethodKind, Ref: &Method{Self: container, Func: f}}, &Call{Name: "__contains__", Args: []Value{item}}, nil).truth()
		}
		if item.Kind == Str && o.Class.attrs.Len() == 0 && o.ext == nil {
			_, has := o.Attrs.Get(item.Text)
			return has, has || !o.Attrs.Open
		}
	case ClassKind:
		if e := item.Object(); e != nil {
			return e.Class == container.Ref, true
		}
	case ExternalKind:
		if e := container.External(); e.Name == "builtins.range" && e.Call != nil {
			items, whole := rangeItems(e.Call, container, 100000)
			if whole && item.Kind == Int {
				return len(items) > 0 && item.Int >= items[0].Int && item.Int <= items[len(items)-1].Int, true
			}
		}
	}
	return false, false
}
