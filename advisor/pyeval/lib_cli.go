package pyeval

import (
	"strings"

	"schedmate/advisor/conf"
)

// Command lines that are made of dataclasses and of signatures of functions.
func init() {
	native(func(in *Interp, c *Call) Value {
		component := Value{Kind: Unknown}
		if v, ok := c.Arg("component", 0); ok && v.Kind != None {
			component = v
		}
		words := in.commandWords()
		if given, ok := c.Arg("command", 1); ok && given.Kind != None {
			if given.Kind == Str {
				given = in.call(in.attribute(given, "split"), &Call{Name: "split"}, nil)
			}
			words, _ = in.iterate(given, listItems)
		}
		return in.fire(component, words, 6)
	}, "fire.Fire", "fire.core.Fire", "fire")
	native(func(in *Interp, c *Call) Value {
		f, _ := c.Arg("f", 0)
		words := in.commandWords()
		if given, ok := c.Arg("args", -1); ok && given.Kind != None {
			words, _ = in.iterate(given, listItems)
		}
		def, _ := c.Arg("default", -1)
		return in.typedCall(f, words, typedCall{def: def})
	}, "tyro.cli", "dcargs.cli")
	native(func(in *Interp, c *Call) Value {
		configs, _ := c.Arg("configs", 0)
		words := in.commandWords()
		if d := configs.Dict(); d != nil && len(words) > 0 {
			if pair, ok := d.get(words[0]); ok {
				if items, ok := pair.Items(); ok && len(items) == 2 {
					return in.typedCall(none(), words[1:], typedCall{def: items[1]})
				}
			}
		}
		return unknown("one of several configurations")
	}, "tyro.extras.overridable_config_cli")
	native(func(in *Interp, c *Call) Value {
		functions, _ := c.Arg("subcommands", 0)
		words := in.commandWords()
		if d := functions.Dict(); d != nil && len(words) > 0 {
			for i, k := range d.keys {
				if flagKey(k.Text) == flagKey(words[0].Text) {
					return in.typedCall(d.values[i], words[1:], typedCall{})
				}
			}
		}
		return unknown("one of several subcommands")
	}, "tyro.extras.subcommand_cli_from_dict")
	whole := func(name string, position int) func(in *Interp, c *Call) Value {
		return func(in *Interp, c *Call) Value {
			class, _ := c.Arg(name, position)
			words := in.commandWords()
			if given, ok := c.Arg("args", -1); ok && given.Kind != None {
				words, _ = in.iterate(given, listItems)
			}
			t := typedCall{merge: true, config: "--config_path"}
			t.file, _ = c.Arg("config_path", -1)
			return in.typedCall(class, words, t)
		}
	}
	native(whole("config_class", 0), "simple_parsing.parse", "draccus.parse", "draccus.argparsing.parse", "pyrallis.parse", "pyrallis.argparsing.parse")
	wrap := func(in *Interp, c *Call, v Value) Value {
		fn, ok := v.Ref.(*Function)
		if !ok {
			return v
		}
		return Value{Kind: NativeKind, Origin: v.Origin, Ref: &Native{Name: "wrap", Run: func(in *Interp, d *Call) Value {
			if len(d.Args) > 0 {
				return in.call(v, d, nil)
			}
			fields, _ := in.parameters(fn)
			if len(fields) == 0 || fields[0].typ.class == nil {
				return in.call(v, d, nil)
			}
			t := typedCall{merge: true, config: "--config_path"}
			t.file, _ = c.Arg("config_path", 0)
			cfg := in.typedCall(Value{Kind: ClassKind, Ref: fields[0].typ.class}, in.commandWords(), t)
			return in.call(v, &Call{Name: fn.Name, Args: []Value{cfg}}, nil)
		}}}
	}
	for _, n := range []string{"draccus.wrap", "pyrallis.wrap", "draccus.argparsing.wrap", "lerobot.configs.parser.wrap"} {
		decorators[n] = wrap
	}
	native(func(in *Interp, c *Call) Value {
		o := in.object(simpleClass)
		o.data = &simpleParser{plain: &ArgumentParser{defaults: map[string]Value{}, prefix: "-", abbrev: true}}
		return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	}, "simple_parsing.ArgumentParser")
}

// typedCall says how a typed command line is read.
type typedCall struct {
	def    Value  // an object to start from
	merge  bool   // ends of dotted names are enough
	config string // flag of a YAML file below the flags
	file   Value  // a YAML file that is read always
	python bool
}

// typedCall makes the object of a dataclass, or calls a function, with the
// words of a command.
func (in *Interp) typedCall(f Value, words []Value, t typedCall) Value {
	file := &given{}
	if t.file.Kind == Str {
		if n, ok := in.loadConf(t.file, conf.OmegaConf); ok {
			flatten(file, "", in.fromNode(n, false), 12)
		}
	}
	if t.config != "" {
		words = in.configWord(words, t.config, file)
	}
	flags := &typedFlags{leaves: map[string]*leaf{}, merge: t.merge, python: t.python}
	var fields []field
	open := false
	base := t.def.Object()
	switch r := f.Ref.(type) {
	case *Class:
		if r.isData() {
			fields, open = in.classFields(r), hasForeignFields(r)
		} else if init, _, ok := r.lookup("__init__"); ok && init.Kind == FunctionKind {
			fields, open = in.parameters(init.Ref.(*Function))
		}
	case *Function:
		fields, open = in.parameters(r)
	default:
		if base == nil {
			return unknown("a command line of %s", f.String())
		}
	}
	if base != nil {
		fields = in.classFields(base.Class)
	}
	flags.foreign = open
	in.leavesOf(fields, "", 5, flags.leaves)
	set, foreign, positional, rest := in.readFlags(flags, words)
	for _, w := range rest {
		in.note("no option takes %s", w.String())
	}
	all := &given{}
	for _, g := range []*given{file, set, foreign} {
		for _, p := range g.paths {
			all.set(p, g.values[p])
		}
	}
	for _, fd := range fields {
		if _, ok := set.values[fd.name]; !ok && !fd.hasDefault && fd.nested() == nil && len(positional) > 0 {
			v := positional[0]
			if v.Kind == Str {
				v = in.word(fd.typ, v)
			}
			all.set(fd.name, v)
			positional = positional[1:]
		}
	}
	if base != nil {
		out := in.copyOf(t.def, 10)
		for _, p := range all.paths {
			in.setPath(out, p, all.values[p])
		}
		return in.config(out)
	}
	kw := in.buildArgs(fields, all, 6)
	for i, k := range kw { // what a flag beat
		for _, fd := range fields {
			if fd.name == k.Name && fd.hasDefault && k.Value.Kind != ObjectKind && fd.def.Origin != nil && f.Kind == FunctionKind {
				kw[i].Value = setting(k.Value, k.Value.Origin, fd.def)
			}
		}
	}
	if f.Kind == ClassKind {
		return in.config(in.construct(f, &Call{Name: f.Ref.(*Class).Name, Kw: kw}))
	}
	in.calledWith(fields, kw)
	return in.call(f, &Call{Name: f.Ref.(*Function).Name, Kw: kw}, nil)
}

// calledWith keeps what a function that stands for a command line is called
// with: it is the program's configuration.
func (in *Interp) calledWith(fields []field, kw []Keyword) {
	d := newDict()
	d.born = in.born()
	for _, fd := range fields {
		if fd.hasDefault {
			d.set(str(fd.name), fd.def)
		}
	}
	for _, k := range kw {
		d.set(str(k.Name), k.Value)
	}
	in.config(Value{Kind: DictKind, Ref: d, Origin: in.line})
}

// fire follows Fire: names lead through dicts, objects, classes and modules to
// a function, whose parameters are flags.
func (in *Interp) fire(component Value, words []Value, depth int) Value {
	if depth == 0 {
		return component
	}
	name := func() string {
		if len(words) > 0 && words[0].Kind == Str && !strings.HasPrefix(words[0].Text, "-") {
			return words[0].Text
		}
		return ""
	}
	pick := func(get func(string) (Value, bool)) Value {
		n := name()
		if n == "" {
			return component
		}
		for _, spelling := range []string{n, strings.ReplaceAll(n, "-", "_")} {
			if v, ok := get(spelling); ok {
				return in.fire(v, words[1:], depth-1)
			}
		}
		return component
	}
	switch r := component.Ref.(type) {
	case nil:
		if m := in.saw.Entry; m != nil && component.Kind == Unknown && component.Text == "" {
			return pick(func(n string) (Value, bool) { return in.lookModule(m, n) })
		}
	case *Function:
		return in.fireCall(component, r, words)
	case *Method:
		if fn, ok := r.Func.Ref.(*Function); ok {
			return in.fireCall(component, fn, words)
		}
	case *Dict:
		return pick(r.Get)
	case *Module:
		return pick(func(n string) (Value, bool) { return in.lookModule(r, n) })
	case *Class:
		flags, rest := []Value{}, []Value{}
		fields := in.constructorFields(r)
		for i := 0; i < len(words); i++ {
			key, _, has := strings.Cut(words[i].Text, "=")
			mine := false
			for _, f := range fields {
				mine = mine || f.name == flagKey(key)
			}
			if words[i].Kind != Str || !strings.HasPrefix(key, "-") || !mine {
				rest = append(rest, words[i])
				continue
			}
			flags = append(flags, words[i])
			if !has && i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "-") {
				i++
				flags = append(flags, words[i])
			}
		}
		o := in.typedCall(component, flags, typedCall{python: true})
		return in.fire(o, rest, depth-1)
	case *Object:
		return pick(func(n string) (Value, bool) {
			_, _, ok := r.Class.lookup(n)
			if _, attr := r.Attrs.Get(n); !ok && !attr {
				return Value{}, false
			}
			return in.attribute(component, n), true
		})
	}
	return component
}

func (in *Interp) constructorFields(c *Class) []field {
	if c.isData() {
		return in.classFields(c)
	}
	if init, _, ok := c.lookup("__init__"); ok && init.Kind == FunctionKind {
		fields, _ := in.parameters(init.Ref.(*Function))
		return fields
	}
	return nil
}

func (in *Interp) fireCall(f Value, fn *Function, words []Value) Value {
	fields, open := in.parameters(fn)
	flags := &typedFlags{leaves: map[string]*leaf{}, foreign: open, python: true}
	for _, fd := range fields {
		flags.leaves[fd.name] = &leaf{path: fd.name, field: fd}
	}
	set, foreign, positional, _ := in.readFlags(flags, words)
	c := &Call{Name: fn.Name}
	for _, fd := range fields {
		v, ok := set.values[fd.name]
		if !ok && len(positional) > 0 { // fire gives the words in order, to arguments with defaults too
			v, ok = in.scalar(positional[0]), true
			positional = positional[1:]
		}
		if ok {
			if fd.hasDefault {
				v = setting(v, v.Origin, fd.def)
			}
			c.Kw = append(c.Kw, Keyword{fd.name, v})
		}
	}
	for _, p := range foreign.paths {
		c.Kw = append(c.Kw, Keyword{p, foreign.values[p]})
	}
	in.calledWith(fields, c.Kw)
	return in.call(f, c, nil)
}

var simpleClass = nativeClass("ArgumentParser")

// simpleParser is the parser of simple_parsing: dataclasses beside plain
// options.
type simpleParser struct {
	plain *ArgumentParser
	dests []string
	types []Value
	defs  []Value
}

func (p *simpleParser) attribute(in *Interp, self Value, name string) (Value, bool) {
	m := func(run func(in *Interp, c *Call) Value) (Value, bool) {
		return bound(self, "simple_parsing."+name, run), true
	}
	switch name {
	case "add_arguments":
		return m(func(in *Interp, c *Call) Value {
			dest, _ := c.text("dest", 1)
			def, _ := c.Arg("default", -1)
			p.dests, p.types, p.defs = append(p.dests, dest), append(p.types, c.first()), append(p.defs, def)
			return none()
		})
	case "parse_args", "parse_known_args":
		return m(func(in *Interp, c *Call) Value {
			words := in.commandWords()
			if given, ok := c.Arg("args", 0); ok && given.Kind != None {
				words, _ = in.iterate(given, listItems)
			}
			ns := in.object(namespaceClass)
			in.fill(p.plain, ns, words)
			notes := len(in.saw.Notes)
			for i, dest := range p.dests {
				ns.Attrs.set(str(dest), in.typedCall(p.types[i], words, typedCall{merge: true, def: p.defs[i]}))
			}
			in.saw.Notes = in.saw.Notes[:min(notes, len(in.saw.Notes))] // each takes only its own words
			out := in.config(Value{Kind: ObjectKind, Ref: ns, Origin: in.line})
			if name == "parse_known_args" {
				return tuple(out, list())
			}
			return out
		})
	}
	return p.plain.attribute(in, self, name)
}
