package pyeval

import (
	"strings"

	"schedmate/advisor/conf"
)

// gin: parameters of decorated functions and classes are bound by files.

// ginState is what the program has read of gin.
type ginState struct {
	read  *conf.Gin
	files []string
	words []conf.Word
	paths []string
	names map[any]string // selector of a function or class
}

func (in *Interp) ginState() *ginState {
	if in.gin == nil {
		in.gin = &ginState{names: map[any]string{}}
	}
	return in.gin
}

func init() {
	mark := func(in *Interp, c *Call, v Value) Value {
		g := in.ginState()
		name, given := c.text("name_or_fn", 0)
		if module, ok := c.text("module", 1); ok && given {
			name = module + "." + name
		}
		switch r := v.Ref.(type) {
		case *Function:
			if !given {
				name = r.module.Name + "." + r.Name
			}
			g.names[r] = name
			return v
		case *Class:
			if !given {
				name = r.module.Name + "." + r.Name
			}
			if init, _, ok := r.lookup("__init__"); ok {
				if fn, is := init.Ref.(*Function); is && g.names[fn] == "" {
					g.names[fn] = name
				}
			}
			g.names[r] = name
		}
		return v
	}
	for _, n := range []string{"gin.configurable", "gin.config.configurable", "gin.register", "gin.torch.external_configurable"} {
		decorators[n] = mark
	}
	external := func(in *Interp, c *Call) Value {
		v := c.first()
		d := &Call{}
		if name, ok := c.text("name", 1); ok {
			d.Args = []Value{str(name)}
		}
		return mark(in, d, v)
	}
	native(external, "gin.external_configurable", "gin.config.external_configurable")
	native(func(in *Interp, c *Call) Value {
		files, _ := c.Arg("config_files", 0)
		bindings, _ := c.Arg("bindings", 1)
		in.ginRead(files, bindings)
		return none()
	}, "gin.parse_config_files_and_bindings", "gin.config.parse_config_files_and_bindings")
	native(func(in *Interp, c *Call) Value { in.ginRead(c.first(), none()); return none() }, "gin.parse_config_file", "gin.config.parse_config_file", "gin.parse_config_files")
	native(func(in *Interp, c *Call) Value { in.ginRead(none(), c.first()); return none() }, "gin.parse_config", "gin.config.parse_config", "gin.bind_parameter_text")
	native(func(in *Interp, c *Call) Value {
		if p, ok := c.text("location_prefix", 0); ok {
			if full, in2 := in.resolvePath(p); in2 {
				in.ginState().paths = append(in.ginState().paths, full)
			}
		}
		return none()
	}, "gin.add_config_file_search_path")
	native(func(in *Interp, c *Call) Value {
		name, ok := c.text("binding_key", 0)
		i := strings.LastIndex(name, ".")
		if g := in.gin; ok && g != nil && g.read != nil && i > 0 {
			if n := g.read.Lookup("", strings.TrimPrefix(name[:i], "%"), name[i+1:]); n != nil {
				return in.ginValue(n)
			}
		}
		return unknown("the binding of %s", name)
	}, "gin.query_parameter")
	native(func(in *Interp, c *Call) Value { return none() }, "gin.clear_config", "gin.finalize", "gin.enter_interactive_mode", "gin.constant")
	constants["gin.REQUIRED"] = func(*Interp) Value { return unknown("bound by gin") }
}

// ginRead reads further files and bindings.
func (in *Interp) ginRead(files, bindings Value) {
	g := in.ginState()
	list := func(v Value) []Value {
		if items, ok := v.Items(); ok || v.Kind == ListKind || v.Kind == TupleKind {
			return items
		}
		if v.Kind == None {
			return nil
		}
		return []Value{v}
	}
	for _, f := range list(files) {
		if full, ok := in.confPath(f); ok {
			g.files = append(g.files, full)
		}
	}
	for _, w := range list(bindings) {
		for _, line := range strings.Split(w.Text, "\n") {
			if strings.TrimSpace(line) != "" || w.Kind != Str {
				g.words = append(g.words, conf.Word{Text: line, Known: w.Kind == Str, Origin: w.Origin})
			}
		}
	}
	read, err := conf.ReadGin(in.root, g.files, g.words, append([]string{in.program.Dir}, g.paths...))
	if err != nil {
		in.note("%v", err)
		return
	}
	for _, m := range read.Missing {
		in.saw.Missing = append(in.saw.Missing, Missing{Path: m.Text, Site: m.Origin})
	}
	for _, m := range read.Imports {
		if found := in.locate(m.Text); found != nil {
			in.runModule(found)
		}
	}
	g.read = read
}

// ginBind gives a function's parameters that the caller left out their
// bindings.
func (in *Interp) ginBind(fn *Function, c *Call) {
	g := in.gin
	if g == nil || g.read == nil || g.names[fn] == "" {
		return
	}
	if in.depth >= in.budget.Depth-10 {
		return
	}
	in.depth++ // a binding may call the function itself
	defer func() { in.depth-- }()
	selector := g.names[fn]
	fields, _ := in.parameters(fn)
	skip := len(c.Args)
	if fn.class != nil && !fn.static {
		skip--
	}
	for i, f := range fields {
		if i < skip {
			continue
		}
		if _, given := c.Arg(f.name, -1); given {
			continue
		}
		if n := g.read.Lookup("", selector, f.name); n != nil {
			v := in.ginValue(n)
			if f.hasDefault {
				v = setting(v, v.Origin, f.def)
			}
			c.Kw = append(c.Kw, Keyword{f.name, v})
		}
	}
}

// ginValue is a bound value: references are the functions and their results.
func (in *Interp) ginValue(n *conf.Node) Value {
	if n.Tag == "@" || n.Tag == "@()" {
		name := n.Text[strings.LastIndex(n.Text, "/")+1:]
		var hit Value
		count := 0
		for ref, selector := range in.gin.names {
			if selector != name && !strings.HasSuffix(selector, "."+name) {
				continue
			}
			switch r := ref.(type) {
			case *Function:
				if r.class == nil {
					hit, count = Value{Kind: FunctionKind, Ref: r, Origin: n.Origin}, count+1
				}
			case *Class:
				hit, count = Value{Kind: ClassKind, Ref: r, Origin: n.Origin}, count+1
			}
		}
		if count != 1 {
			hit = external(name).with(n.Origin)
		}
		if n.Tag == "@()" && in.depth < in.budget.Depth-10 {
			return in.call(hit, &Call{Name: name}, nil)
		}
		return hit
	}
	if n.Kind == conf.List {
		l := &List{born: in.born()}
		for _, item := range n.Items {
			l.Items = append(l.Items, in.ginValue(item))
		}
		return Value{Kind: ListKind, Ref: l, Origin: n.Origin}
	}
	return in.fromNode(n, false)
}
