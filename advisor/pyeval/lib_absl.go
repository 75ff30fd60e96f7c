package pyeval

import (
	"strings"

	"schedmate/advisor/origin"
)

// abslFlags are the flags of absl that the program defined.
type abslFlags struct {
	flags  map[string]*abslFlag
	order  []string
	object Value
}

// abslFlag is one flag; what the command gives it is looked up when it is
// first asked for, for modules may define flags late.
type abslFlag struct {
	name  string
	kind  string
	def   Value
	class *Class
	done  bool
	value Value
}

var flagsClass = nativeClass("FLAGS")
var holderClass = nativeClass("FlagHolder")

func (in *Interp) abslState() *abslFlags {
	if in.absl == nil {
		o := in.object(flagsClass)
		in.absl = &abslFlags{flags: map[string]*abslFlag{}, object: Value{Kind: ObjectKind, Ref: o}}
		o.data = in.absl
	}
	return in.absl
}

func init() {
	homes := []string{"absl.flags.", "tensorflow.compat.v1.flags.", "tensorflow.flags.", "tensorflow.app.flags.", "tensorflow.compat.v1.app.flags.", "gflags.", "tensorflow.python.platform.flags."}
	kinds := []string{"string", "integer", "float", "bool", "boolean", "enum", "list", "spaceseplist", "multi_string", "multi_integer", "multi_float", "multi_enum"}
	for _, home := range homes {
		constants[home+"FLAGS"] = func(in *Interp) Value { return in.abslState().object }
		for _, kind := range kinds {
			native(func(in *Interp, c *Call) Value { return in.defineFlag(c, kind) }, home+"DEFINE_"+kind)
		}
		native(func(in *Interp, c *Call) Value {
			v := in.defineFlag(c, "enum_class")
			if class, ok := c.Arg("enum_class", 2); ok {
				if f, is := v.Object().data.(*abslFlag); is {
					f.class, _ = class.Ref.(*Class)
				}
			}
			return v
		}, home+"DEFINE_enum_class")
		native(func(in *Interp, c *Call) Value {
			name, _ := c.text("name", 0)
			old, _ := c.text("original_name", 1)
			if f := in.abslState().flags[old]; f != nil {
				in.absl.flags[name] = f
			}
			return none()
		}, home+"DEFINE_alias")
		native(func(in *Interp, c *Call) Value {
			for _, a := range c.Args[:min(1, len(c.Args))] {
				if o := a.Object(); o != nil && len(c.Args) > 1 {
					if f, ok := o.data.(*abslFlag); ok {
						f.def, f.done = c.Args[1], false
					}
				}
			}
			return none()
		}, home+"set_default")
		for _, n := range []string{"mark_flag_as_required", "mark_flags_as_required", "register_validator", "mark_flags_as_mutual_exclusive", "adopt_module_key_flags", "declare_key_flag", "mark_bool_flags_as_mutual_exclusive", "multi_flags_validator"} {
			native(func(in *Interp, c *Call) Value { return none() }, home+n)
		}
	}
	run := func(in *Interp, c *Call) Value {
		main, ok := c.Arg("main", 0)
		if !ok {
			if m := in.saw.Entry; m != nil {
				main, _ = in.lookModule(m, "main")
			}
		}
		rest := in.abslParse()
		return in.call(main, &Call{Name: "main", Args: []Value{list(rest...)}}, nil)
	}
	native(run, "absl.app.run", "tensorflow.app.run", "tensorflow.compat.v1.app.run", "tensorflow.python.platform.app.run")
	native(func(in *Interp, c *Call) Value { return none() }, "jax.config.config_with_absl", "jax.config.parse_flags_with_absl", "absl.logging.set_verbosity", "absl.logging.use_absl_handler")
	for _, home := range []string{"ml_collections.config_flags.", "ml_collections.config_flags.config_flags."} {
		native(func(in *Interp, c *Call) Value { return in.defineFlag(c, "config_file") }, home+"DEFINE_config_file")
		native(func(in *Interp, c *Call) Value { return in.defineFlag(c, "config_dict") }, home+"DEFINE_config_dict", home+"DEFINE_config_dataclass")
	}
}

func (in *Interp) defineFlag(c *Call, kind string) Value {
	a := in.abslState()
	name, ok := c.text("name", 0)
	if !ok {
		return unknown("a flag with an unknown name")
	}
	def := none()
	if v, has := c.Arg("default", 1); has {
		def = v
	} else if v, has := c.Arg("config", 1); has {
		def = v
	}
	if def.Origin == nil || (def.Origin.Kind == origin.Python && len(def.Origin.From) == 0 && def.Ref == nil && in.line != nil) {
		at := *in.line
		at.Key = name
		if def.Origin != nil && def.Origin.File == at.File {
			at.Line = def.Origin.Line
		}
		def.Origin = &at
	}
	f := &abslFlag{name: name, kind: kind, def: def}
	if _, had := a.flags[name]; !had {
		a.order = append(a.order, name)
	}
	a.flags[name] = f
	o := in.object(holderClass)
	o.data = f
	return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
}

func (f *abslFlag) attribute(in *Interp, self Value, name string) (Value, bool) {
	switch name {
	case "value":
		return in.flagOf(f), true
	case "name":
		return str(f.name), true
	case "default":
		return f.def, true
	case "present", "using_default_value":
		v := in.flagOf(f)
		given := v.Origin != nil && v.Origin.Kind != origin.Python
		return boolean(given == (name == "present")), true
	}
	return Value{}, false
}

func (a *abslFlags) find(in *Interp, name string) *abslFlag {
	if f := a.flags[name]; f != nil {
		return f
	}
	if in.searchPending(name) { // a module that was imported may define it
		return a.flags[name]
	}
	return nil
}

func (a *abslFlags) attribute(in *Interp, self Value, name string) (Value, bool) {
	if f := a.find(in, name); f != nil {
		return in.flagOf(f), true
	}
	m := func(run func(in *Interp, c *Call) Value) (Value, bool) {
		return bound(self, "absl.flags."+name, run), true
	}
	switch name {
	case "flag_values_dict":
		return m(func(in *Interp, c *Call) Value {
			d := dict()
			d.Dict().born = in.born()
			for _, n := range a.order {
				d.Dict().set(str(n), in.flagOf(a.flags[n]))
			}
			return d
		})
	case "is_parsed":
		return m(func(in *Interp, c *Call) Value { return boolean(true) })
	case "set_default":
		return m(func(in *Interp, c *Call) Value {
			if f := a.find(in, c.first().Text); f != nil && len(c.Args) > 1 {
				f.def, f.done = c.Args[1], false
			}
			return none()
		})
	case "append_flags_into_file", "mark_as_parsed", "unparse_flags", "register_flag_by_module":
		return m(func(in *Interp, c *Call) Value { return none() })
	}
	return Value{}, false
}

func (a *abslFlags) call(in *Interp, self Value, c *Call) Value { return list(in.abslParse()...) }

func (a *abslFlags) item(in *Interp, self, key Value) Value {
	if f := a.find(in, key.Text); f != nil && key.Kind == Str {
		o := in.object(holderClass)
		o.data = f
		return Value{Kind: ObjectKind, Ref: o}
	}
	return in.fail("KeyError", "no flag %s", key.String())
}

func (a *abslFlags) contains(in *Interp, key Value) (yes, known bool) {
	return a.find(in, key.Text) != nil, key.Kind == Str
}

// abslWords are the words of the command with flag files in place.
func (in *Interp) abslWords() []Value {
	var out []Value
	for _, w := range in.commandWords() {
		file, ok := strings.CutPrefix(strings.TrimLeft(w.Text, "-"), "flagfile=")
		if !ok || w.Kind != Str || len(out) > 5000 {
			out = append(out, w)
			continue
		}
		text := in.readText(str(file).with(w.Origin))
		full, _ := in.resolvePath(file)
		for i, line := range strings.Split(text.Text, "\n") {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "-") && len(out) < 5000 {
				out = append(out, str(line).with(origin.At(origin.CLI, full, i+1, line)))
			}
		}
	}
	return out
}

// abslParse gives every flag its value and returns the program's name with the
// words that are no flags.
func (in *Interp) abslParse() []Value {
	a := in.abslState()
	var rest []Value
	if l, ok := in.sysArgv.Ref.(*List); ok && len(l.Items) > 0 {
		rest = append(rest, l.Items[0])
	}
	words := in.abslWords()
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.Kind != Str || !strings.HasPrefix(w.Text, "-") {
			rest = append(rest, w)
			continue
		}
		name, _, has := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
		head, _, dotted := strings.Cut(name, ".")
		f := a.find(in, name)
		if f == nil && dotted {
			f = a.find(in, head)
		}
		if f != nil && !has && !strings.HasPrefix(f.kind, "bool") && !(dotted && in.oldIsBool(f, name)) {
			i++
		}
	}
	o := a.object.Object()
	for _, name := range a.order {
		v := in.flagOf(a.flags[name])
		if _, set := o.Attrs.Get(name); !set {
			o.Attrs.set(str(name), v)
		}
	}
	in.config(a.object)
	return rest
}

func (in *Interp) oldIsBool(f *abslFlag, path string) bool {
	_, rest, _ := strings.Cut(path, ".")
	old, ok := in.pathValue(in.flagOf(f), rest)
	return ok && old.Kind == Bool
}

// flagOf is the value of a flag: its default or what the command says, the
// last word strongest.
func (in *Interp) flagOf(f *abslFlag) Value {
	if f.done {
		return f.value
	}
	f.done, f.value = true, f.def
	if strings.HasPrefix(f.kind, "config") {
		f.value = in.configFlag(f)
		return f.value
	}
	v := in.abslDefault(f)
	words := in.abslWords()
	multi := strings.HasPrefix(f.kind, "multi")
	var many []Value
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.Kind != Str || !strings.HasPrefix(w.Text, "-") {
			continue
		}
		name, text, has := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
		at := flagOrigin(w, "--"+name)
		isBool := strings.HasPrefix(f.kind, "bool")
		if isBool && name == "no"+f.name && !has {
			v = setting(boolean(false), at, v)
			continue
		}
		if name != f.name {
			continue
		}
		word := str(text).with(at)
		switch {
		case has:
		case isBool:
			word = str("true").with(at)
		case i+1 < len(words):
			i++
			word = words[i].with(at)
		}
		got := in.abslWord(f, word)
		if multi {
			many = append(many, got)
			got = list(many...)
		}
		v = setting(got, at, v)
	}
	f.value = v
	return v
}

// abslDefault is the default as the flag's parser reads it.
func (in *Interp) abslDefault(f *abslFlag) Value {
	if f.def.Kind == Str && f.kind != "string" && f.kind != "enum" {
		return in.abslWord(f, f.def)
	}
	if strings.HasPrefix(f.kind, "multi") && f.def.Known() && f.def.Kind != ListKind && f.def.Kind != None {
		return list(f.def).with(f.def.Origin)
	}
	return f.def
}

func (in *Interp) abslWord(f *abslFlag, w Value) Value {
	if w.Kind != Str {
		return w
	}
	name := map[string]string{"integer": "int", "multi_integer": "int", "float": "float", "multi_float": "float", "bool": "bool", "boolean": "bool"}[f.kind]
	switch f.kind {
	case "list", "spaceseplist":
		sep := ","
		if f.kind != "list" {
			sep = " "
		}
		out := &List{born: in.born()}
		for _, part := range strings.Split(w.Text, sep) {
			if part = strings.TrimSpace(part); part != "" {
				out.Items = append(out.Items, str(part).with(w.Origin))
			}
		}
		return Value{Kind: ListKind, Ref: out, Origin: w.Origin}
	case "enum_class":
		if f.class != nil {
			return in.word(annotated{name: "enum", class: f.class}, w)
		}
	}
	if name == "" {
		return w
	}
	return in.word(annotated{name: name}, w)
}
