package pyeval

// mergeRules are the differences between configuration systems.
type mergeRules struct {
	deleteKey bool // a map that holds "_delete_: True" replaces the weaker one (mmengine)
	cast      bool // a tuple stays a tuple, a float a float (yacs)
	attrs     bool // new maps are configuration nodes
}

// mergeDict lays a stronger mapping over a weaker one in place: mappings join
// key by key, anything else replaces what was there and remembers it.
func (in *Interp) mergeDict(base *Dict, over Value, rules mergeRules) {
	in.mergeDeep(base, over, rules, 60)
}

func (in *Interp) mergeDeep(base *Dict, over Value, rules mergeRules, depth int) {
	from := confDict(over)
	if o := over.Object(); from == nil && o != nil {
		from = o.Attrs
	}
	if from == nil || depth == 0 {
		if over.Kind == Unknown || over.Kind == ExternalKind {
			base.Open = true
		}
		return
	}
	base.Open = base.Open || from.Open
	from.Each(func(k, v Value) {
		in.step()
		old, had := base.get(k)
		if rules.deleteKey && k.Kind == Str && k.Text == "_delete_" {
			return
		}
		if d, e := confDict(old), confDict(v); had && d != nil && e != nil {
			if del, ok := e.Get("_delete_"); rules.deleteKey && ok {
				if yes, _ := del.truth(); yes {
					fresh := newDict()
					fresh.born, fresh.attrs = in.born(), d.attrs
					in.mergeDeep(fresh, v, rules, depth-1)
					base.set(k, Value{Kind: DictKind, Ref: fresh, Origin: v.Origin})
					return
				}
			}
			in.mergeDeep(d, v, rules, depth-1)
			return
		}
		if had && rules.cast {
			v = castLike(old, v)
		}
		in.write(base, k, in.owned(v, rules.attrs))
	})
}

// owned is a copy of a value for a configuration: its mappings are nodes when
// attrs is set.
func (in *Interp) owned(v Value, attrs bool) Value {
	v = in.copyOf(v, 40)
	if attrs {
		in.markAttrs(v, 40)
	}
	return v
}

func (in *Interp) markAttrs(v Value, depth int) {
	if depth == 0 {
		return
	}
	in.step()
	switch r := v.Ref.(type) {
	case *Dict:
		r.attrs = true
		for _, item := range r.values {
			in.markAttrs(item, depth-1)
		}
	case *List:
		for _, item := range r.Items {
			in.markAttrs(item, depth-1)
		}
	}
}
