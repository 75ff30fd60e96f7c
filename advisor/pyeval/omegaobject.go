package pyeval

// Structured configurations of OmegaConf: mappings that were made of
// dataclasses remember the class, take values of its fields' types, and become
// objects of it again.

// conform brings what was laid over a structured configuration to the types
// of its fields: names of members become members of their enumeration, and a
// mapping under a dataclass has that class and its defaults.
func (in *Interp) conform(d *Dict, depth int) {
	if depth == 0 || d == nil {
		return
	}
	in.step()
	for i, k := range d.keys {
		item := d.values[i]
		if d.schema != nil && k.Kind == Str {
			if got, changed := in.conformed(in.fieldType(d.schema, k.Text), item); changed {
				d.put(i, got)
				item = got
			}
		}
		switch r := item.Ref.(type) {
		case *Dict:
			in.conform(r, depth-1)
		case *List:
			for _, x := range r.Items {
				in.conform(x.Dict(), depth-1)
			}
		}
	}
}

func (in *Interp) conformed(t annotated, v Value) (Value, bool) {
	switch r := v.Ref.(type) {
	case nil:
		if t.name == "enum" && v.Kind == Str && !isInterpolation(v) {
			if _, ok := t.class.attrs.Get(v.Text); ok {
				return in.word(t, v), true
			}
		}
	case *Dict:
		if t.class != nil && t.class.isData() && r.schema == nil {
			whole := in.structured(Value{Kind: ClassKind, Ref: t.class, Origin: v.Origin}, 12)
			in.mergeDict(whole.Dict(), v, mergeRules{attrs: true})
			return whole.with(v.Origin), true
		}
	case *List:
		for i := range r.Items {
			if got, changed := in.conformed(t.item(i), r.Items[i]); changed {
				r.Items[i] = got
			}
		}
	}
	return v, false
}

// instance is a plain copy of a configuration in which mappings that were
// made of dataclasses are objects of them.
func (in *Interp) instance(v Value, depth int) Value {
	if depth == 0 {
		return v
	}
	in.step()
	switch r := v.Ref.(type) {
	case *Dict:
		if r.schema != nil {
			self := Value{Kind: ObjectKind, Ref: in.object(r.schema), Origin: v.Origin}
			o := self.Object()
			o.Attrs.Open = r.Open
			r.Each(func(k, item Value) { o.Attrs.set(k, in.instance(item, depth-1)) })
			in.tryCall(self, "__post_init__")
			return self
		}
		out := newDict()
		out.Open, out.born = r.Open, in.born()
		r.Each(func(k, item Value) { out.set(k, in.instance(item, depth-1)) })
		v.Ref = out
	case *List:
		out := &List{Open: r.Open, born: in.born()}
		for _, item := range r.Items {
			out.Items = append(out.Items, in.instance(item, depth-1))
		}
		v.Ref = out
	}
	return v
}
