package pyeval

import "schedmate/advisor/conf"

// The functions of OmegaConf.
func init() {
	constants["omegaconf.MISSING"] = func(*Interp) Value { return str("???") }
	native(func(in *Interp, c *Call) Value { // short for "an interpolation"
		if v := c.first(); v.Kind == Str {
			return str("${" + v.Text + "}")
		}
		return unknown("an interpolation")
	}, "omegaconf.II")
	native(func(in *Interp, c *Call) Value { return c.first() }, "omegaconf.SI")
	o := func(run func(in *Interp, c *Call) Value, names ...string) {
		for _, n := range names {
			native(run, "omegaconf.OmegaConf."+n)
		}
	}
	o(func(in *Interp, c *Call) Value {
		if f := c.first().Object(); f != nil {
			v := in.parseText(c, func(name string, text []byte) (*conf.Node, error) { return conf.ParseYAML(name, text, conf.OmegaConf) })
			return in.config(in.omega(v))
		}
		n, ok := in.loadConf(c.first(), conf.OmegaConf)
		if !ok {
			return unknown("the configuration %s", c.first().String())
		}
		if n.Kind == conf.Null {
			n = conf.NewMap(n.Origin)
		}
		return in.config(in.omega(in.fromNode(n, true)))
	}, "load")
	create := func(in *Interp, c *Call) Value {
		if len(c.Args)+len(c.Kw) == 0 {
			return in.omega(dict())
		}
		v := c.first()
		switch v.Kind {
		case Str:
			n, err := conf.ParseYAML("", []byte(v.Text), conf.OmegaConf)
			if err != nil {
				return unknown("%v", err)
			}
			return in.omega(in.fromNode(n, true))
		case ListKind, TupleKind, DictKind, ObjectKind, ClassKind:
			return in.omega(in.rawCopy(plainConfig(in, v), 60)).by(v.Origin)
		case None:
			return in.omega(dict())
		}
		return v
	}
	o(create, "create", "structured")
	native(create, "omegaconf.DictConfig", "omegaconf.ListConfig")
	o(func(in *Interp, c *Call) Value { return in.omegaMerge(c.Args) }, "merge", "unsafe_merge")
	plain := func(in *Interp, c *Call) Value {
		v := c.first()
		if v.Dict() == nil && v.Kind != ListKind {
			return plainConfig(in, v)
		}
		return in.unmarked(v, 60)
	}
	o(plain, "to_container")
	o(func(in *Interp, c *Call) Value {
		v := c.first()
		if v.Dict() == nil && v.Kind != ListKind {
			return plainConfig(in, v)
		}
		return in.config(in.instance(v, 60))
	}, "to_object")
	native(plain, "hydra.utils.to_container")
	o(func(in *Interp, c *Call) Value {
		words := in.commandWords()
		if given, ok := c.Arg("args_list", 0); ok && given.Kind != None {
			words, _ = in.iterate(given, listItems)
		}
		return in.dotlist(words)
	}, "from_cli")
	o(func(in *Interp, c *Call) Value {
		words, whole := in.iterate(c.first(), listItems)
		v := in.dotlist(words)
		if d := v.Dict(); d != nil && !whole {
			d.Open = true
		}
		return v
	}, "from_dotlist")
	o(func(in *Interp, c *Call) Value {
		key, ok := c.text("key", 1)
		v, found := in.pathValue(c.first(), key)
		if ok && found && v.Kind != None {
			return v
		}
		if d, given := c.Arg("default", 2); given {
			return d
		}
		return none()
	}, "select")
	o(func(in *Interp, c *Call) Value {
		key, ok := c.text("key", 1)
		v, _ := c.Arg("value", 2)
		if ok {
			in.setPath(c.first(), key, v)
		}
		return none()
	}, "update")
	o(func(in *Interp, c *Call) Value {
		name, ok := c.text("name", 0)
		fn, given := c.Arg("resolver", 1)
		if ok && given {
			if in.resolvers == nil {
				in.resolvers = map[string]Value{}
			}
			in.resolvers[name] = fn
		}
		return none()
	}, "register_new_resolver", "register_resolver", "legacy_register_resolver")
	o(func(in *Interp, c *Call) Value { _, has := in.resolvers[c.first().Text]; return boolean(has) }, "has_resolver")
	o(func(in *Interp, c *Call) Value { return none() }, "set_struct", "set_readonly", "resolve", "save", "clear_resolvers", "clear_resolver", "set_cache", "get_cache", "set_type")
	o(func(in *Interp, c *Call) Value { return str("") }, "to_yaml")
	o(func(in *Interp, c *Call) Value {
		key, _ := c.Arg("key", 1)
		switch r := c.first().Ref.(type) {
		case *Dict:
			if _, ok := r.get(key); !ok {
				return boolean(false)
			}
			if r.tree != nil {
				for _, s := range r.tree.slots {
					if s.in == any(r) && same(s.key, key) {
						return boolean(s.raw.Text == "???")
					}
				}
			}
			return boolean(false)
		}
		return unknown("whether a value is missing")
	}, "is_missing")
	o(func(in *Interp, c *Call) Value { return boolean(c.first().Dict() != nil && c.first().Dict().attrs) }, "is_dict")
	o(func(in *Interp, c *Call) Value { return boolean(c.first().Kind == ListKind) }, "is_list")
	o(func(in *Interp, c *Call) Value {
		d := c.first().Dict()
		l, isList := c.first().Ref.(*List)
		return boolean(d != nil && d.attrs || isList && l.tree != nil)
	}, "is_config")
	o(func(in *Interp, c *Call) Value { return boolean(false) }, "is_interpolation", "is_readonly", "is_struct")
	same := func(in *Interp, c *Call) Value { return c.first() }
	native(same, "omegaconf.open_dict", "omegaconf.read_write", "omegaconf.flag_override")
	m := map[string]func(in *Interp, c *Call) Value{}
	methods["omegaconf"] = m
	m["copy"] = func(in *Interp, c *Call) Value { return in.omega(in.rawCopy(c.Self, 60)) }
	m["merge_with"] = func(in *Interp, c *Call) Value {
		for _, over := range c.Args {
			in.mergeDict(c.Self.Dict(), in.rawCopy(plainConfig(in, over), 60), mergeRules{attrs: true})
		}
		return none()
	}
	m["update"] = func(in *Interp, c *Call) Value {
		for _, over := range c.Args {
			in.mergeDict(c.Self.Dict(), in.rawCopy(plainConfig(in, over), 60), mergeRules{attrs: true})
		}
		for _, k := range c.Kw {
			in.write(c.Self.Dict(), str(k.Name), k.Value)
		}
		return none()
	}
	builtin("eval", func(in *Interp, c *Call) Value { // given away as a function: no scope is known
		v := c.first()
		if n := conf.Arithmetic(v.Text, v.Origin); v.Kind == Str && n != nil {
			return in.fromNode(n, false)
		}
		if got, ok := in.literal(v.Text); ok && v.Kind == Str {
			return got.by(v.Origin)
		}
		if v.Kind == Str {
			m := &Module{Name: "eval", globals: newDict(), state: 2}
			return in.evalText(m.scope(), &Call{Args: []Value{v}})
		}
		return v
	})
}

// omegaMerge lays configurations over one another, the last one strongest.
func (in *Interp) omegaMerge(parts []Value) Value {
	if len(parts) == 1 && parts[0].Kind == ListKind {
		parts, _ = in.iterate(parts[0], listItems)
	}
	var out Value
	for i, p := range parts {
		p = in.rawCopy(plainConfig(in, p), 60)
		switch {
		case i == 0 || (out.Dict() == nil && p.Dict() != nil):
			out = p
			if p.Dict() == nil && p.Kind != ListKind {
				out = dict()
				out.Dict().Open = p.Kind != None
			}
		case out.Dict() != nil:
			in.mergeDict(out.Dict(), p, mergeRules{attrs: true})
		default:
			out = p
		}
	}
	if out.Ref == nil {
		return in.omega(dict())
	}
	in.conform(out.Dict(), 40)
	return in.config(in.omega(out).by(in.line))
}

// dotlist makes a configuration of words "a.b=c".
func (in *Interp) dotlist(words []Value) Value {
	n, rest, err := conf.ParseDotlist(confWords(words))
	if err != nil {
		in.note("%v", err)
		return unknown("%v", err)
	}
	v := in.fromNode(n, true)
	if d := v.Dict(); d != nil && len(rest) > 0 {
		d.Open = true
	}
	return in.omega(v)
}

// unmarked is a plain copy of a configuration.
func (in *Interp) unmarked(v Value, depth int) Value {
	if depth == 0 {
		return v
	}
	in.step()
	switch r := v.Ref.(type) {
	case *Dict:
		out := newDict()
		out.Open, out.born = r.Open, in.born()
		r.Each(func(k, item Value) { out.set(k, in.unmarked(item, depth-1)) })
		v.Ref = out
	case *List:
		out := &List{Open: r.Open, born: in.born()}
		for _, item := range r.Items {
			out.Items = append(out.Items, in.unmarked(item, depth-1))
		}
		v.Ref = out
	}
	return v
}
