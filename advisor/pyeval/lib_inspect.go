package pyeval

// inspect.signature: programs choose arguments by the names that a function
// takes.
func init() {
	for _, k := range []string{"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD"} {
		kind := str(k)
		constants["inspect.Parameter."+k] = func(*Interp) Value { return kind }
	}
	constants["inspect.Parameter.empty"] = func(*Interp) Value { return external("inspect.Parameter.empty") }
	constants["inspect._empty"] = constants["inspect.Parameter.empty"]
	native(func(in *Interp, c *Call) Value {
		fn := functionOf(c.first())
		if fn == nil {
			return unknown("the signature of %s", c.first().String())
		}
		o := in.object(plainClass)
		params := in.signature(fn)
		if d := params.Dict(); (c.first().Kind == MethodKind || c.first().Kind == ClassKind) && d.Len() > 0 {
			d.remove(d.keys[0]) // what a method is bound to is no parameter of it
		}
		o.Attrs.set(str("parameters"), params)
		o.Attrs.Open = true
		return Value{Kind: ObjectKind, Ref: o}
	}, "inspect.signature")
	native(func(in *Interp, c *Call) Value {
		if k, ok := c.first().Ref.(*Class); ok {
			return in.order(k)
		}
		return unknown("the bases of %s", c.first().String())
	}, "inspect.getmro")
	native(func(in *Interp, c *Call) Value {
		fn := functionOf(c.first())
		if fn == nil {
			return unknown("the arguments of %s", c.first().String())
		}
		o := in.object(plainClass)
		names := list()
		in.signature(fn).Dict().Each(func(k, _ Value) { l := names.Ref.(*List); l.Items = append(l.Items, k) })
		o.Attrs.set(str("args"), names)
		o.Attrs.Open = true
		return Value{Kind: ObjectKind, Ref: o}
	}, "inspect.getfullargspec", "inspect.getargspec")
}

// order is the tuple of a class and its bases, in which attributes are looked
// for. What stands above a class of another package is not known.
func (in *Interp) order(c *Class) Value {
	var all, foreign []Value
	for _, k := range c.mro() {
		all = append(all, Value{Kind: ClassKind, Ref: k})
		for _, b := range k.bases {
			if e := b.External(); e != nil {
				foreign = append(foreign, b)
			}
		}
	}
	return tuple(append(all, foreign...)...)
}

// functionOf is the function of the repository behind a value: of a class its
// constructor.
func functionOf(v Value) *Function {
	switch r := v.Ref.(type) {
	case *Function:
		return r
	case *Method:
		return functionOf(r.Func)
	case *Class:
		if init, _, ok := r.lookup("__init__"); ok {
			return functionOf(init)
		}
	}
	return nil
}

func (in *Interp) signature(fn *Function) Value {
	d := dict()
	d.Dict().born = in.born()
	params := fn.node.get("parameters")
	if params == nil {
		return d
	}
	star := false
	add := func(name, kind string) {
		o := in.object(plainClass)
		o.Attrs.set(str("name"), str(name))
		o.Attrs.set(str("kind"), str(kind))
		def, ok := fn.defaults[name]
		if !ok {
			def = external("inspect.Parameter.empty")
		}
		o.Attrs.set(str("default"), def)
		for _, k := range []string{"VAR_POSITIONAL", "VAR_KEYWORD", "KEYWORD_ONLY", "POSITIONAL_OR_KEYWORD"} {
			o.Attrs.set(str(k), str(k))
		}
		o.Attrs.set(str("empty"), external("inspect.Parameter.empty"))
		o.Attrs.Open = true
		d.Dict().set(str(name), Value{Kind: ObjectKind, Ref: o})
	}
	for _, p := range params.kids {
		if p.kind == "typed_parameter" && len(p.kids) > 0 && p.kids[0].kind != "identifier" {
			p = p.kids[0]
		}
		kind := "POSITIONAL_OR_KEYWORD"
		if star {
			kind = "KEYWORD_ONLY"
		}
		switch p.kind {
		case "identifier":
			add(p.text, kind)
		case "default_parameter", "typed_default_parameter":
			add(p.get("name").text, kind)
		case "typed_parameter":
			add(p.kids[0].text, kind)
		case "list_splat_pattern":
			star = true
			add(leafName(p), "VAR_POSITIONAL")
		case "dictionary_splat_pattern":
			add(leafName(p), "VAR_KEYWORD")
		case "keyword_separator":
			star = true
		}
	}
	return d
}
