package pyeval

import "strings"

// write sets a key of a container, weakly where the write may not happen, and
// keeps what the new value beats.
func (in *Interp) write(d *Dict, key, to Value) {
	old, had := d.get(key)
	if had && old.Ref != nil {
		if _, lazy := old.Ref.(*lazyName); lazy {
			had = false
		}
	}
	if had && to.Origin != nil && old.Origin != nil && old.Known() && to.Known() && !descends(to.Origin, old.Origin, 6) && !descends(old.Origin, to.Origin, 6) {
		to.Origin = to.Origin.Over(old.Origin)
	}
	if in.weakly(d.born) {
		if had {
			to = join(old, to)
		}
	}
	if d.tree != nil {
		to = in.rawCopy(plainConfig(in, to), 60)
	} else if e := to.Dict(); e != nil && !e.attrs && d.style != "" { // a configuration takes a copy
		to = in.styled(in.copyOf(to, 40), d.style)
	}
	d.set(key, to)
	if d.tree != nil {
		in.omegaChanged(d, key)
	}
}

// item gives the value of a subscript.
func (in *Interp) item(base, key Value) Value {
	switch base.Kind {
	case CandidatesKind:
		return each2(base, none(), func(b, _ Value) Value { return in.item(b, key) })
	case DictKind:
		if key.Kind == CandidatesKind {
			return each2(key, none(), func(k, _ Value) Value { return in.item(base, k) })
		}
		d := base.Dict()
		if got, ok := d.get(key); ok {
			return in.settle(d, key.Text, got)
		}
		if key.Kind == Unknown || key.result() {
			return unknown("an item with an unknown key: %s", key.Text)
		}
		if key.Kind == Str && d.module != nil && in.searchPending(key.Text) {
			if got, ok := d.get(key); ok {
				return got
			}
		}
		if d.Open {
			return unknown("the key %s is not known to be set", key.String())
		}
		if v, ok := in.absentItem(d.style); ok {
			return v
		}
		return in.fail("KeyError", "%s", key.String())
	case ListKind, TupleKind:
		l := base.Ref.(*List)
		if key.Kind == Int {
			i := key.Int
			if i < 0 {
				i += int64(len(l.Items))
			}
			if i >= 0 && i < int64(len(l.Items)) && (key.Int >= 0 || !l.Open) {
				return l.Items[i].by(base.Origin)
			}
			if !l.Open {
				return in.fail("IndexError", "index %d of a list of %d", key.Int, len(l.Items))
			}
		}
		return unknown("an item of %s", base.String())
	case Str:
		runes := []rune(base.Text)
		i := key.Int
		if i < 0 {
			i += int64(len(runes))
		}
		if key.Kind == Int && i >= 0 && i < int64(len(runes)) {
			return str(string(runes[i])).with(base.Origin)
		}
	case ClassKind: // Generic[T], or an enumeration by name
		if f, _, ok := base.Ref.(*Class).lookup("__class_getitem__"); ok {
			return in.call(Value{Kind: MethodKind, Ref: &Method{Self: base, Func: f}}, &Call{Name: "__class_getitem__", Args: []Value{key}}, nil)
		}
		if c := base.Ref.(*Class); in.isEnum(c) && key.Kind == Str {
			return in.classAttr(base, key.Text)
		}
		return base
	case NativeKind, FunctionKind:
		return base
	case ObjectKind:
		o := base.Object()
		if f, _, ok := o.Class.lookup("__getitem__"); ok {
			return in.call(Value{Kind: MethodKind, Ref: &Method{Self: base, Func: f}}, &Call{Name: "__getitem__", Args: []Value{key}}, nil)
		}
		if o.Class.native() == "dict" {
			if _, has := o.Attrs.get(key); !has && !o.Attrs.Open && key.Kind == Str {
				if v, ok := in.absentItem(o.Class.itemStyle()); ok {
					return v
				}
			}
			return in.item(Value{Kind: DictKind, Ref: o.Attrs, Origin: base.Origin}, key)
		}
		if m, ok := o.data.(interface {
			item(in *Interp, self, key Value) Value
		}); ok {
			return m.item(in, base, key)
		}
		if got, ok := o.Attrs.get(key); ok {
			return got
		}
		if e := o.Class.foreign(); e != nil {
			return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + "[]", Call: o.ext, Args: base}}
		}
	case ExternalKind:
		e := base.External()
		if e.Call == nil {
			return base // a generic type
		}
		if e.Name == "builtins.range" && key.Kind == Int {
			if items, _ := rangeItems(e.Call, base, 100000); key.Int >= 0 && key.Int < int64(len(items)) {
				return items[key.Int]
			}
		}
		name := "[]"
		if key.Kind == Int || key.Kind == Str {
			name = "[" + key.String() + "]"
		}
		return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + name, Call: e.Call, Args: e.Args}, Origin: base.Origin}
	}
	return unknown("an item of %s", base.String())
}

func (in *Interp) setItem(base, key, to Value) {
	switch base.Kind {
	case DictKind:
		d := base.Dict()
		if _, ok := key.key(); !ok || !key.Known() {
			for _, k := range key.Alternatives() {
				if _, fine := k.key(); fine && key.Kind == CandidatesKind {
					in.doubtful(func() { in.write(d, k, to) })
				}
			}
			d.Open = true
			return
		}
		in.write(d, key, to)
		if d.style == groupStyle {
			in.observe(&Call{Name: "torch.optim.Optimizer.param_groups.__setitem__", Args: []Value{key, to}})
		}
	case ListKind:
		l := base.Ref.(*List)
		i := key.Int
		if i < 0 {
			i += int64(len(l.Items))
		}
		if key.Kind == Int && i >= 0 && i < int64(len(l.Items)) {
			if in.weakly(l.born) {
				to = join(l.Items[i], to)
			}
			l.Items[i] = to
			return
		}
		l.Open = true
	case ObjectKind:
		o := base.Object()
		if f, _, ok := o.Class.lookup("__setitem__"); ok {
			in.call(Value{Kind: MethodKind, Ref: &Method{Self: base, Func: f}}, &Call{Name: "__setitem__", Args: []Value{key, to}}, nil)
			return
		}
		if key.Kind == Str {
			in.write(o.Attrs, key, to)
		}
	case ExternalKind:
		if e := base.External(); e.Name == "os.environ" && key.Kind == Str {
			in.write(in.environ, key, to)
		} else if key.Kind == Str && strings.Contains(e.Name, "param_groups") {
			in.observe(&Call{Name: e.Name + ".__setitem__", Args: []Value{key, to}})
		}
	}
}
