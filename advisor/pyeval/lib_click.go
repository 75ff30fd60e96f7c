package pyeval

import "strings"

// click and typer: decorated functions whose parameters are options.

// clickParam is one option or argument of a command.
type clickParam struct {
	call     *Call
	argument bool
}

// clickCommand is a function with its options, or a group of commands.
type clickCommand struct {
	fn     Value
	params []clickParam
	group  bool
	subs   map[string]Value
	typer  bool
}

var clickClass = nativeClass("Command")

func clickOf(v Value) *clickCommand {
	if o := v.Object(); o != nil {
		c, _ := o.data.(*clickCommand)
		return c
	}
	return nil
}

func init() {
	for _, kind := range []string{"click.option", "click.argument", "rich_click.option", "rich_click.argument"} {
		decorators[kind] = func(in *Interp, c *Call, v Value) Value {
			p := clickParam{call: &Call{Args: c.Args, Kw: c.Kw, Site: in.line}, argument: strings.HasSuffix(kind, "argument")}
			if cmd := clickOf(v); cmd != nil { // above the command
				cmd.params = append([]clickParam{p}, cmd.params...)
				return v
			}
			if fn, ok := v.Ref.(*Function); ok {
				fn.click = append([]clickParam{p}, fn.click...)
			}
			return v
		}
	}
	command := func(group bool) func(in *Interp, c *Call, v Value) Value {
		return func(in *Interp, c *Call, v Value) Value { return in.clickCommand(v, group) }
	}
	for _, n := range []string{"click.", "rich_click."} {
		decorators[n+"command"] = command(false)
		decorators[n+"group"] = command(true)
		decorators[n+"pass_context"] = func(in *Interp, c *Call, v Value) Value {
			if fn, ok := v.Ref.(*Function); ok {
				fn.clickContext = true
			}
			return v
		}
	}
	native(func(in *Interp, c *Call) Value {
		o := in.object(clickClass)
		o.data = &clickCommand{group: true, typer: true, subs: map[string]Value{}}
		return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	}, "typer.Typer")
	native(func(in *Interp, c *Call) Value {
		return in.typedCall(c.first(), in.commandWords(), typedCall{})
	}, "typer.run")
	native(func(in *Interp, c *Call) Value {
		if len(c.Args) > 0 && c.Args[0].Kind != None {
			d := c.Args[0]
			return d
		}
		if d, ok := c.Arg("default", -1); ok {
			return d
		}
		return none()
	}, "typer.Option", "typer.Argument")
}

func (in *Interp) clickCommand(v Value, group bool) Value {
	fn, ok := v.Ref.(*Function)
	if !ok {
		return v
	}
	o := in.object(clickClass)
	o.data = &clickCommand{fn: v, params: fn.click, group: group, subs: map[string]Value{}}
	return Value{Kind: ObjectKind, Ref: o, Origin: v.Origin}
}

func (k *clickCommand) attribute(in *Interp, self Value, name string) (Value, bool) {
	switch name {
	case "command", "group":
		return Value{Kind: NativeKind, Ref: &Native{Name: "click.command", Run: func(in *Interp, c *Call) Value {
			title, _ := c.text("name", 0)
			add := func(v Value) Value {
				fn, isFn := v.Ref.(*Function)
				if !isFn {
					return v
				}
				made := v
				if !k.typer {
					made = in.clickCommand(v, name == "group")
				}
				if title == "" {
					title = strings.ReplaceAll(fn.title(), "_", "-")
				}
				k.subs[title] = made
				return made
			}
			if len(c.Args) == 1 && c.Args[0].Kind == FunctionKind {
				title = ""
				return add(c.Args[0])
			}
			return Value{Kind: NativeKind, Ref: &Native{Name: "click.command", Run: func(in *Interp, d *Call) Value { return add(d.first()) }}}
		}}}, true
	case "add_command", "add_typer":
		return bound(self, "click."+name, func(in *Interp, c *Call) Value {
			title, ok := c.text("name", 1)
			if sub := clickOf(c.first()); sub != nil {
				if fn, isFn := sub.fn.Ref.(*Function); !ok && isFn {
					title = strings.ReplaceAll(fn.title(), "_", "-")
				}
				k.subs[title] = c.first()
			}
			return none()
		}), true
	case "callback":
		if k.fn.Kind == FunctionKind && !k.typer {
			return k.fn, true
		}
		return Value{Kind: NativeKind, Ref: &Native{Name: "typer.callback", Run: func(in *Interp, c *Call) Value {
			return Value{Kind: NativeKind, Ref: &Native{Name: "typer.callback", Run: func(in *Interp, d *Call) Value { return d.first() }}}
		}}}, true
	case "main":
		return bound(self, "click.main", func(in *Interp, c *Call) Value {
			return in.runClick(k, in.commandWords(), 6)
		}), true
	}
	return Value{}, false
}

func (k *clickCommand) call(in *Interp, self Value, c *Call) Value {
	words := in.commandWords()
	if given, ok := c.Arg("args", 0); ok && given.Kind != None {
		words, _ = in.iterate(given, listItems)
	}
	return in.runClick(k, words, 6)
}

// runClick reads the words of a command and calls its function.
func (in *Interp) runClick(k *clickCommand, words []Value, depth int) Value {
	if depth == 0 {
		return unknown("commands are nested too deeply")
	}
	if k.typer {
		if len(k.subs) == 1 { // its name may be left out
			name := sortedKeys(k.subs)[0]
			if len(words) > 0 && words[0].Text == name {
				words = words[1:]
			}
			if sub := clickOf(k.subs[name]); sub != nil {
				return in.runClick(sub, words, depth-1)
			}
			return in.typedCall(k.subs[name], words, typedCall{})
		}
		if len(words) > 0 {
			if v, ok := k.subs[words[0].Text]; ok {
				if sub := clickOf(v); sub != nil {
					return in.runClick(sub, words[1:], depth-1)
				}
				return in.typedCall(v, words[1:], typedCall{})
			}
		}
		return none()
	}
	p := &ArgumentParser{defaults: map[string]Value{}, prefix: "-"}
	for _, param := range k.params {
		in.clickOption(p, param)
	}
	own, rest := words, []Value(nil)
	if k.group {
		for i, w := range words {
			if _, ok := k.subs[w.Text]; ok && w.Kind == Str {
				own, rest = words[:i], words[i:]
				break
			}
		}
	}
	ns := in.object(namespaceClass)
	in.fill(p, ns, own)
	in.config(Value{Kind: ObjectKind, Ref: ns, Origin: in.line})
	c := &Call{Name: "click"}
	if fn, ok := k.fn.Ref.(*Function); ok && fn.clickContext {
		c.Args = append(c.Args, in.clickContext(k, own, rest))
	}
	ns.Attrs.Each(func(key, v Value) { c.Kw = append(c.Kw, Keyword{key.Text, v}) })
	out := in.call(k.fn, c, nil)
	if len(rest) > 0 {
		if sub := clickOf(k.subs[rest[0].Text]); sub != nil {
			return in.runClick(sub, rest[1:], depth-1)
		}
	}
	return out
}

// clickContext is what pass_context gives a command: the words behind "--" that
// it leaves to another program, and the command that is called next.
func (in *Interp) clickContext(k *clickCommand, own, rest []Value) Value {
	o := in.object(clickContextClass)
	extra := list()
	for i, w := range own {
		if w.Kind == Str && w.Text == "--" {
			extra = list(own[i+1:]...)
			break
		}
	}
	extra.Ref.(*List).born = in.born()
	o.Attrs.set(str("args"), extra)
	o.Attrs.set(str("command"), k.fn)
	if len(rest) > 0 {
		o.Attrs.set(str("invoked_subcommand"), rest[0])
	} else {
		o.Attrs.set(str("invoked_subcommand"), none())
	}
	o.Attrs.Open = true
	return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
}

var clickContextClass = nativeClass("Context")

// clickTypes are click's own types of values by the type that they give.
var clickTypes = map[string]string{"INT": "int", "IntRange": "int", "types.IntRange": "int", "types.INT": "int", "FLOAT": "float", "FloatRange": "float", "types.FloatRange": "float", "types.FLOAT": "float"}

// clickOption adds an option as argparse would have it.
func (in *Interp) clickOption(p *ArgumentParser, param clickParam) {
	c := &Call{Name: "add_argument"}
	dest := ""
	flag, off := false, ""
	for _, a := range param.call.Args {
		switch {
		case a.Kind != Str:
		case !strings.HasPrefix(a.Text, "-") && !param.argument:
			dest = a.Text
		default:
			name := a
			if on, no, both := strings.Cut(a.Text, "/"); both {
				name.Text, off, flag = strings.TrimSpace(on), strings.TrimSpace(no), true
			}
			c.Args = append(c.Args, name)
		}
	}
	if dest != "" {
		c.Kw = append(c.Kw, Keyword{"dest", str(dest)})
	}
	var def Value
	hasDefault, hasType := false, false
	for _, k := range param.call.Kw {
		switch k.Name {
		case "default":
			def, hasDefault = k.Value, true
			c.Kw = append(c.Kw, k)
		case "type":
			if e := k.Value.External(); e != nil {
				if b, ok := builtins[clickTypes[strings.TrimPrefix(e.Name, "click.")]]; ok {
					k.Value = b
				}
			}
			if k.Value.Kind == NativeKind || k.Value.Kind == FunctionKind {
				hasType = true
				c.Kw = append(c.Kw, k)
			}
		case "is_flag":
			yes, _ := k.Value.truth()
			flag = flag || yes
		case "multiple":
			if yes, _ := k.Value.truth(); yes {
				c.Kw = append(c.Kw, Keyword{"action", str("append")})
			}
		case "nargs":
			if k.Value.Kind == Int && k.Value.Int < 0 {
				k.Value = str("*")
			}
			c.Kw = append(c.Kw, k)
		}
	}
	if hasDefault && !hasType && !flag { // the type is that of the default
		if b, ok := builtins[typeName(def)]; ok && (def.Kind == Int || def.Kind == Float) {
			c.Kw = append(c.Kw, Keyword{"type", b})
		}
		if def.Kind == Bool {
			flag = true
		}
	}
	if flag {
		c.Kw = append(c.Kw, Keyword{"action", str("store_true")})
		if !hasDefault {
			c.Kw = append(c.Kw, Keyword{"default", boolean(false)})
		}
	}
	line := in.line
	if param.call.Site != nil {
		in.line = param.call.Site
	}
	in.addArgument(p, c)
	if off != "" && len(p.Options) > 0 {
		o := p.Options[len(p.Options)-1]
		p.Options = append(p.Options, &Option{Names: []string{off}, Dest: o.Dest, Default: o.Default, Action: "store_false", Origin: o.Origin, parser: p})
	}
	in.line = line
}
