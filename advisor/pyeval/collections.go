package pyeval

import (
	"sort"
	"strings"
)

func (in *Interp) length(v Value) Value {
	switch v.Kind {
	case Str:
		return integer(int64(len([]rune(v.Text)))).with(v.Origin)
	case ListKind, TupleKind, SetKind:
		if l := v.Ref.(*List); !l.Open {
			return integer(int64(len(l.Items))).with(v.Origin)
		}
	case DictKind:
		if d := v.Dict(); !d.Open {
			return integer(int64(d.Len())).with(v.Origin)
		}
	case ExternalKind:
		e := v.External()
		if e.Name == "builtins.range" && e.Call != nil {
			if items, whole := rangeItems(e.Call, v, 1<<20); whole {
				return integer(int64(len(items))).with(v.Origin)
			}
			return unknown("the length of a long range")
		}
		if strings.HasPrefix(e.Name, "torch.nn.") {
			if items, whole := in.iterate(v, listItems); whole {
				return integer(int64(len(items))).with(v.Origin)
			}
		}
		return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + ".__len__", Call: e.Call}, Origin: v.Origin}
	case ObjectKind:
		if n, ok := in.tryCall(v, "__len__"); ok {
			return n
		}
		if v.Object().Class.native() == "dict" {
			return in.length(Value{Kind: DictKind, Ref: v.Object().Attrs, Origin: v.Origin})
		}
	}
	return unknown("the length of %s", v.String())
}

func (in *Interp) collect(kind string, c *Call) Value {
	out := &List{born: in.born()}
	result := Value{Kind: ListKind, Ref: out}
	switch kind {
	case "tuple":
		result.Kind = TupleKind
	case "set", "frozenset":
		result.Kind = SetKind
	}
	if len(c.Args) == 0 {
		return result
	}
	from := c.first()
	items, whole := in.iterate(from, listItems)
	if !whole && len(items) == 0 {
		if from.Kind == ExternalKind && kind != "set" {
			return from
		}
	}
	out.Items, out.Open, result.Origin = items, !whole, from.Origin
	switch kind {
	case "set", "frozenset":
		out.distinct()
	case "reversed":
		for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
			items[i], items[j] = items[j], items[i]
		}
	case "sorted":
		if !in.sortItems(out.Items, c) {
			out.Open = true
		}
	}
	return result
}

// sortItems sorts plain values in place; false when their order is unknown.
func (in *Interp) sortItems(items []Value, c *Call) bool {
	keys := make([]Value, len(items))
	by, has := c.Arg("key", -1)
	for i, v := range items {
		keys[i] = v
		if has && by.Kind != None {
			keys[i] = in.call(by, &Call{Name: "key", Args: []Value{v}}, nil)
		}
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	sure := true
	sort.SliceStable(order, func(a, b int) bool {
		yes, known := in.compare("<", keys[order[a]], keys[order[b]]).truth()
		sure = sure && known
		return known && yes
	})
	if !sure {
		return false
	}
	if r, ok := c.Arg("reverse", -1); ok {
		if yes, _ := r.truth(); yes {
			for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
				order[i], order[j] = order[j], order[i]
			}
		}
	}
	sorted := make([]Value, len(items))
	for i, o := range order {
		sorted[i] = items[o]
	}
	copy(items, sorted)
	return true
}

func (in *Interp) makeDict(c *Call) Value {
	d := newDict()
	d.born = in.born()
	d.Open = c.Open
	if in.funcName == "" && in.line != nil {
		if m := in.saw.Entry; m != nil {
			d.module = m
		}
	} else if len(c.Args)+len(c.Kw) == 0 && in.loadingBeside() && in.doubt == 0 { // a registry that a constructor makes for a module
		d.module = in.saw.Entry
	}
	if len(c.Args) > 0 {
		from := c.Args[0]
		if e := from.Dict(); e != nil {
			e.Each(d.set)
			d.Open = d.Open || e.Open
		} else if o := from.Object(); o != nil {
			o.Attrs.Each(d.set)
		} else {
			items, whole := in.iterate(from, listItems)
			d.Open = d.Open || !whole
			for _, row := range items {
				if pair, ok := row.Items(); ok && len(pair) == 2 {
					d.set(pair[0], pair[1])
				}
			}
		}
	}
	for _, k := range c.Kw {
		d.set(str(k.Name), k.Value)
	}
	return Value{Kind: DictKind, Ref: d}
}

// isLength reports an unknown number of items of data. There is more data than
// the numbers it is compared with, such as a batch.
func isLength(v Value) bool {
	e := v.External()
	return e != nil && strings.HasSuffix(e.Name, "__len__") || v.Kind == Unknown && strings.HasPrefix(v.Text, "the length of")
}

func (in *Interp) extreme(c *Call, sign int) Value {
	items := c.Args
	whole := true
	if len(items) == 1 {
		items, whole = in.iterate(items[0], listItems)
	}
	if !whole || len(items) == 0 {
		if d, ok := c.Arg("default", -1); ok && whole {
			return d
		}
		return unknown("an extreme of unknown values")
	}
	best := items[0]
	for _, v := range items[1:] {
		best = each2(best, v, func(x, y Value) Value {
			more, known := in.compare(">", x, y).truth()
			if !known {
				if _, is := x.Number(); is && sign < 0 && isLength(y) {
					return x
				} else if _, is := y.Number(); is && sign < 0 && isLength(x) {
					return y
				}
				return join(x, y)
			}
			if more == (sign > 0) {
				return x
			}
			return y
		})
		if !best.Known() && best.Kind != CandidatesKind {
			return best
		}
	}
	return best
}

func (in *Interp) anyAll(v Value, any bool) Value {
	items, whole := in.iterate(v, listItems)
	sure := whole
	for _, item := range items {
		yes, known := item.truth()
		if known && yes == any {
			return boolean(any)
		}
		sure = sure && known
	}
	if !sure {
		return unknown("whether any or all hold")
	}
	return boolean(!any)
}
