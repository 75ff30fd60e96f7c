package pyeval

// ml_collections.ConfigDict: a mapping whose items are attributes too.
func init() {
	build := func(in *Interp, c *Call) Value {
		d := newDict()
		d.born, d.attrs, d.style = in.born(), true, "mlc"
		v := Value{Kind: DictKind, Ref: d, Origin: in.line}
		if len(c.Args) > 0 {
			if from := c.Args[0].Dict(); from != nil {
				d.Open = from.Open
				from.Each(func(k, item Value) { d.set(k, in.styled(in.copyOf(item, 40), "mlc")) })
			} else if c.Args[0].Kind != None {
				d.Open = true
			}
		}
		for _, k := range c.Kw {
			if k.Name == "initial_dictionary" && k.Value.Dict() != nil {
				k.Value.Dict().Each(func(key, item Value) { d.set(key, in.styled(in.copyOf(item, 40), "mlc")) })
			}
		}
		return v
	}
	for _, home := range []string{"ml_collections.", "ml_collections.config_dict.", "ml_collections.config_dict.config_dict."} {
		native(build, home+"ConfigDict", home+"FrozenConfigDict")
		native(func(in *Interp, c *Call) Value { return none() }, home+"placeholder", home+"required_placeholder")
		native(func(in *Interp, c *Call) Value { return c.first() }, home+"FieldReference")
		native(func(in *Interp, c *Call) Value {
			v := build(in, &Call{})
			for _, k := range c.Kw {
				v.Dict().set(str(k.Name), in.styled(k.Value, "mlc"))
			}
			return v
		}, home+"create")
	}
	m := map[string]func(in *Interp, c *Call) Value{}
	methods["mlc"] = m
	self := func(in *Interp, c *Call) Value { return c.Self }
	for _, n := range []string{"lock", "unlock", "unlocked", "ignore_type", "as_configdict"} {
		m[n] = self
	}
	m["is_locked"] = func(in *Interp, c *Call) Value { return boolean(false) }
	m["is_type_safe"] = func(in *Interp, c *Call) Value { return boolean(true) }
	m["copy_and_resolve_references"] = func(in *Interp, c *Call) Value { return in.copyOf(c.Self, 40) }
	m["to_dict"] = func(in *Interp, c *Call) Value { return in.unmarked(c.Self, 40) }
	m["as_dict"] = m["to_dict"]
	ref := func(in *Interp, c *Call) Value {
		v, _ := c.Self.Dict().get(c.first())
		return v
	}
	m["get_ref"], m["get_oneway_ref"] = ref, ref
	m["update"] = func(in *Interp, c *Call) Value {
		for _, over := range c.Args {
			in.mergeDict(c.Self.Dict(), over, mergeRules{attrs: true})
		}
		for _, k := range c.Kw {
			in.write(c.Self.Dict(), str(k.Name), k.Value)
		}
		return none()
	}
	m["update_from_flattened_dict"] = func(in *Interp, c *Call) Value {
		if d := c.first().Dict(); d != nil {
			d.Each(func(k, v Value) { in.setPath(c.Self, k.Text, v) })
		}
		return none()
	}
}

// styled marks the mappings of a value as configuration nodes of a library.
func (in *Interp) styled(v Value, style string) Value {
	in.restyle(v, style, 60)
	return v
}

func (in *Interp) restyle(v Value, style string, depth int) {
	if depth == 0 {
		return
	}
	in.step()
	switch r := v.Ref.(type) {
	case *Dict:
		if r.attrs && r.style == style {
			return
		}
		r.attrs, r.style = true, style
		for _, item := range r.values {
			in.restyle(item, style, depth-1)
		}
	case *List:
		for _, item := range r.Items {
			in.restyle(item, style, depth-1)
		}
	}
}
