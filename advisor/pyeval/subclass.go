package pyeval

import "strings"

// subclass makes an object that a configuration names by class_path, or by the
// class's own name, with its arguments below init_args or beside.
func (in *Interp) subclass(t annotated, v Value, below *given, depth int) Value {
	args := &given{}
	path := Value{}
	if v.Kind == Str {
		path = v
	}
	for _, p := range below.paths {
		switch {
		case p == "class_path":
			path = below.values[p]
		case strings.HasPrefix(p, "init_args."), strings.HasPrefix(p, "dict_kwargs."):
			_, rest, _ := strings.Cut(p, ".")
			args.set(rest, below.values[p])
		case p != "init_args":
			args.set(p, below.values[p])
		}
	}
	if path.Kind != Str || path.Text == "" {
		return unknown("an object without a class")
	}
	class := in.classNamed(path, t)
	return in.makeWith(class, args, depth)
}

// makeWith calls a class or function with what is given for its parameters.
func (in *Interp) makeWith(class Value, g *given, depth int) Value {
	line := in.line
	defer func() { in.line = line }()
	if class.Origin != nil {
		in.line = class.Origin
	}
	if depth <= 0 {
		return unknown("configured too deeply")
	}
	switch r := class.Ref.(type) {
	case *Class:
		if r.isData() {
			return in.build(r, g, depth)
		}
		var fields []field
		if init, _, ok := r.lookup("__init__"); ok && init.Kind == FunctionKind {
			fields, _ = in.parameters(init.Ref.(*Function))
		}
		return in.construct(class, &Call{Name: r.Name, Kw: in.buildArgs(fields, g, depth)})
	case *Function:
		fields, _ := in.parameters(r)
		return in.call(class, &Call{Name: r.Name, Kw: in.buildArgs(fields, g, depth)}, nil)
	}
	tree := dict()
	tree.Dict().born = in.born()
	for _, p := range g.paths {
		in.setPath(tree, p, g.values[p])
	}
	c := &Call{Name: "class_path"}
	tree.Dict().Each(func(k, v Value) { c.Kw = append(c.Kw, Keyword{k.String(), in.classPaths(v, depth)}) })
	return in.call(class, c, nil)
}

// classPaths makes the objects that stand in a configuration with class_path.
func (in *Interp) classPaths(v Value, depth int) Value {
	if depth == 0 {
		return v
	}
	switch r := v.Ref.(type) {
	case *List:
		out := &List{Open: r.Open, born: in.born()}
		for _, item := range r.Items {
			out.Items = append(out.Items, in.classPaths(item, depth-1))
		}
		v.Ref = out
	case *Dict:
		if p, ok := r.Get("class_path"); ok && p.Kind == Str {
			g := &given{}
			flatten(g, "", v, 12)
			return in.subclass(annotated{name: "any"}, p, g, depth-1).by(v.Origin)
		}
	}
	return v
}

// classNamed finds a class by its path, or by its own name among the heirs of
// the class that is asked for.
func (in *Interp) classNamed(path Value, t annotated) Value {
	if strings.Contains(path.Text, ".") {
		return in.target(path).by(path.Origin)
	}
	var base *Class
	bases := append([]annotated{t}, t.of...)
	for _, b := range bases {
		if b.class != nil && !b.class.isData() {
			base = b.class
		}
	}
	fits := func(v Value) bool {
		c, ok := v.Ref.(*Class)
		return ok && (base == nil || c.derives(base))
	}
	if base != nil {
		if base.Name == path.Text {
			return Value{Kind: ClassKind, Ref: base, Origin: path.Origin}
		}
		for pkg := base.module.Name; pkg != ""; pkg = pkg[:max(strings.LastIndex(pkg, "."), 0)] {
			if m := in.locate(pkg); m != nil {
				if v, ok := in.lookModule(m, path.Text); ok && fits(v) {
					return v.with(path.Origin)
				}
			}
		}
	}
	in.searchPending(path.Text)
	for _, name := range sortedKeys(in.modules) {
		if m := in.modules[name]; m != nil && m.state == 2 {
			if v, ok := m.globals.Get(path.Text); ok && fits(v) {
				return v.with(path.Origin)
			}
		}
	}
	for _, b := range bases {
		if b.foreign != "" { // the package that the base stands in has it, most likely
			return external(parentName(b.foreign) + "." + path.Text).with(path.Origin)
		}
	}
	return external(path.Text).with(path.Origin)
}
