package pyeval

func (in *Interp) sequence(s *scope, n *node) Value {
	l := &List{born: in.born()}
	for _, k := range n.kids {
		if k.kind == "list_splat" {
			items, whole := in.iterate(in.eval(s, k.kids[0]), listItems)
			l.Items = append(l.Items, items...)
			l.Open = l.Open || !whole
			continue
		}
		l.Items = append(l.Items, in.eval(s, k))
	}
	kind := ListKind
	switch n.kind {
	case "tuple", "expression_list", "pattern_list":
		kind = TupleKind
	case "set":
		kind = SetKind
		l.distinct()
	}
	return Value{Kind: kind, Ref: l, Origin: in.at(s, n, n.kind)}
}

// distinct drops what a set has already. How many there are is open while one
// of them is not known: it may equal another.
func (l *List) distinct() {
	seen := map[string]bool{}
	var kept []Value
	for _, v := range l.Items {
		k, ok := v.key()
		if ok && seen[k] {
			continue
		}
		if ok {
			seen[k] = true
		} else if len(l.Items) > 1 {
			l.Open = true
		}
		kept = append(kept, v)
	}
	l.Items = kept
}

func (in *Interp) dictionary(s *scope, n *node) Value {
	d := newDict()
	d.born = in.born()
	if s.vars == s.module.globals || s.class != nil && s.vars == s.class.attrs {
		d.module, d.filled = s.module, len(n.kids) == 0
	} else if len(n.kids) == 0 && in.loadingBeside() && in.doubt == 0 { // a registry that a function makes for a module
		d.module = s.module
	}
	for _, k := range n.kids {
		if k.kind == "dictionary_splat" {
			from := in.eval(s, k.kids[0])
			e := from.Dict()
			if o := from.Object(); o != nil && o.Class.native() == "dict" {
				e = o.Attrs
			}
			if e != nil {
				e.Each(d.set)
				d.Open = d.Open || e.Open
			} else {
				d.Open = true
			}
			continue
		}
		key := in.eval(s, k.get("key"))
		d.set(key, in.eval(s, k.get("value")))
	}
	return Value{Kind: DictKind, Ref: d, Origin: in.at(s, n, "dict")}
}

// comprehension runs its loops over known items. Its names live in a scope of
// their own.
func (in *Interp) comprehension(s *scope, n *node) Value {
	inner := &scope{vars: newDict(), parent: s, module: s.module, fn: s.fn}
	if s.vars == s.module.globals {
		inner.parent = nil
	}
	if s.class != nil { // the outermost iterable sees the class body; the rest seldom matters
		inner.parent = s
	}
	out := &List{born: in.born()}
	d := newDict()
	d.born = out.born
	var clauses []*node
	for _, k := range n.kids {
		if k.kind == "if_clause" || k.get("left") != nil {
			clauses = append(clauses, k)
		}
	}
	body := n.get("body")
	start := in.steps
	var walk func(i int) bool
	walk = func(i int) bool {
		if in.steps-start > loopSteps {
			out.Open, d.Open = true, true
			return false
		}
		if i == len(clauses) {
			if n.kind == "dictionary_comprehension" {
				d.set(in.eval(inner, body.get("key")), in.eval(inner, body.get("value")))
			} else {
				out.Items = append(out.Items, in.eval(inner, body))
			}
			if len(out.Items) >= listItems || in.steps-start > listSteps {
				out.Open, d.Open = true, true
				return false
			}
			return true
		}
		c := clauses[i]
		if c.kind == "if_clause" {
			yes, known := in.condition(inner, c.kids[0])
			if !known {
				out.Open, d.Open = true, true
				return walk(i + 1)
			}
			return !yes || walk(i+1)
		}
		over := in.eval(inner, c.get("right"))
		items, whole := in.iterate(over, listItems)
		if !whole && len(items) == 0 && i+1 < len(clauses) {
			items = in.askedFor(inner, c.get("left"), clauses[i+1])
		}
		if !whole {
			out.Open, d.Open = true, true
			if len(items) == 0 {
				in.assign(inner, c.get("left"), in.sample(over, nil))
				in.doubtful(func() { walk(i + 1) })
				out.Items = nil
				d.clear()
				return true
			}
		}
		for _, item := range items {
			in.assign(inner, c.get("left"), item.by(over.Origin))
			if !walk(i + 1) {
				return false
			}
		}
		return true
	}
	walk(0)
	o := in.at(s, n, "comprehension")
	switch n.kind {
	case "dictionary_comprehension":
		return Value{Kind: DictKind, Ref: d, Origin: o}
	case "set_comprehension":
		return Value{Kind: SetKind, Ref: out, Origin: o}
	}
	return Value{Kind: ListKind, Ref: out, Origin: o}
}

// askedFor are the keys of a known dict when what is gone over is not known but
// only those of its items count that are in the dict: arguments are chosen so
// by the names that a function of another package takes.
func (in *Interp) askedFor(s *scope, target, filter *node) []Value {
	if filter.kind != "if_clause" || len(filter.kids) != 1 || target.kind != "identifier" {
		return nil
	}
	test := filter.kids[0]
	if test.kind != "comparison_operator" || len(test.kids) < 2 || leafText(test.get("operators")) != "in" || leafText(test.kids[0]) != target.text {
		return nil
	}
	d := in.eval(s, test.kids[len(test.kids)-1]).Dict()
	if d == nil || d.Len() > listItems {
		return nil
	}
	return append([]Value(nil), d.keys...)
}

// ofClassAlone reports whether an annotation says that a name is no field of
// the objects.
func ofClassAlone(t *node) bool {
	for len(t.kids) > 0 {
		t = t.kids[0]
	}
	return t.text == "ClassVar" || t.text == "KW_ONLY"
}
