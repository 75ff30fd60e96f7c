package pyeval

import (
	"slices"
	"strings"

	"schedmate/advisor/origin"
)

// ArgumentParser is a command-line parser that the program built.
type ArgumentParser struct {
	Options  []*Option
	defaults map[string]Value
	subs     []*subParsers
	Parsed   *Object   // what parse_args gave, if it was called
	Asked    []Keyword // the options as parse_args gave them; programs go on to change Parsed
	Rejected []Value   // words that no option takes
	prefix   string    // '-' unless said otherwise
	abbrev   bool
	resolve  bool // a name given again takes the place of the first
	fromFile string
	plain    bool // of argparse itself
	open     bool // it may have options that were not seen

	configDefaults []Value // files of options that are always read (configargparse)
}

// Option is one argument of a parser.
type Option struct {
	Names      []string // with dashes; the one name of a positional
	Dest       string
	Default    Value
	Type       Value
	Action     string
	Nargs      Value
	Const      Value
	Choices    Value
	Positional bool
	Required   bool
	Origin     *origin.Origin
	parser     *ArgumentParser
	got        bool    // the command gives it
	refused    []Value // what is wrong with what the command gives, for people
	isConfig   bool    // its value is a file of options (configargparse)
}

type subParsers struct {
	dest    string
	parsers map[string]*ArgumentParser
	names   []string
}

var parserClass = nativeClass("ArgumentParser")

var namespaceClass = nativeClass("Namespace")

func init() {
	native(func(in *Interp, c *Call) Value {
		o := in.object(parserClass)
		v := Value{Kind: ObjectKind, Ref: o, Origin: in.line}
		in.initParser(o, c)
		return v
	}, "argparse.ArgumentParser", "configargparse.ArgumentParser", "configargparse.ArgParser", "jsonargparse.ArgumentParser")
	for _, base := range []string{"argparse.ArgumentParser", "configargparse.ArgumentParser"} {
		baseInits[base] = func(in *Interp, self Value, c *Call) { in.initParser(self.Object(), c) }
	}
	for _, n := range []string{"argparse.ArgumentDefaultsHelpFormatter", "argparse.RawTextHelpFormatter"} {
		constants[n] = func(*Interp) Value { return none() }
	}
	constants["argparse.SUPPRESS"] = func(*Interp) Value { return str("==SUPPRESS==") }
	constants["argparse.REMAINDER"] = func(*Interp) Value { return str("...") }
	constants["argparse.ONE_OR_MORE"] = func(*Interp) Value { return str("+") }
	constants["argparse.ZERO_OR_MORE"] = func(*Interp) Value { return str("*") }
	constants["argparse.OPTIONAL"] = func(*Interp) Value { return str("?") }
}

func (in *Interp) initParser(o *Object, c *Call) {
	p := &ArgumentParser{defaults: map[string]Value{}, prefix: "-", abbrev: true, plain: c.Name == "argparse.ArgumentParser"}
	o.data = p
	if parents, ok := c.Arg("parents", -1); ok {
		items, _ := parents.Items()
		for _, v := range items {
			parent := parserOf(v)
			p.open = p.open || parent == nil || parent.open
			if parent != nil {
				p.Options = append(p.Options, parent.Options...)
				for k, d := range parent.defaults {
					p.defaults[k] = d
				}
			}
		}
	}
	if v, ok := c.Arg("allow_abbrev", -1); ok {
		if yes, known := v.truth(); known {
			p.abbrev = yes
		}
	}
	if v, ok := c.text("conflict_handler", -1); ok {
		p.resolve = v == "resolve"
	}
	if v, ok := c.text("fromfile_prefix_chars", -1); ok {
		p.fromFile = v
	}
	if v, ok := c.Arg("default_config_files", -1); ok {
		p.configDefaults, _ = v.Items()
	}
	in.saw.Parsers = append(in.saw.Parsers, p)
}

func parserOf(v Value) *ArgumentParser {
	if o := v.Object(); o != nil {
		if p, ok := o.data.(*ArgumentParser); ok {
			return p
		}
	}
	return nil
}

func (p *ArgumentParser) attribute(in *Interp, self Value, name string) (Value, bool) {
	m := func(run func(in *Interp, c *Call) Value) (Value, bool) {
		return bound(self, "argparse."+name, run), true
	}
	switch name {
	case "add_argument", "add", "add_arg":
		return m(func(in *Interp, c *Call) Value { return in.addArgument(p, c) })
	case "add_argument_group", "add_mutually_exclusive_group":
		return m(func(in *Interp, c *Call) Value {
			def, ok := c.Arg("argument_default", -1)
			if !ok {
				return self
			}
			o := in.object(self.Object().Class)
			o.data = &argumentGroup{p, def}
			return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
		})
	case "set_defaults":
		return m(func(in *Interp, c *Call) Value {
			for _, k := range c.Kw {
				v := k.Value
				if old, ok := p.defaults[k.Name]; ok && in.weakFrom > 0 {
					v = join(old, v)
				}
				p.defaults[k.Name] = v.by(in.line)
				for _, o := range p.Options {
					if o.Dest == k.Name {
						if v.Origin != nil && o.Default.Origin != nil && v.Known() {
							v.Origin = v.Origin.Over(o.Default.Origin)
						}
						if in.doubt > 0 {
							v = join(o.Default, v)
						}
						o.Default = v
						p.defaults[k.Name] = v
					}
				}
			}
			return none()
		})
	case "get_default":
		return m(func(in *Interp, c *Call) Value {
			key := c.first().Text
			for _, o := range p.Options {
				if o.Dest == key {
					return o.Default
				}
			}
			if v, ok := p.defaults[key]; ok {
				return v
			}
			return none()
		})
	case "parse_args", "parse_known_args", "parse_intermixed_args":
		return m(func(in *Interp, c *Call) Value { return in.parseArgs(p, self, c, name == "parse_known_args") })
	case "add_subparsers":
		return m(func(in *Interp, c *Call) Value {
			s := &subParsers{parsers: map[string]*ArgumentParser{}}
			s.dest, _ = c.text("dest", -1)
			p.subs = append(p.subs, s)
			o := in.object(plainClass)
			o.data = s
			return Value{Kind: ObjectKind, Ref: o}
		})
	case "error":
		return m(func(in *Interp, c *Call) Value {
			panic(raised{class: "SystemExit", text: c.first().String(), site: in.line})
		})
	case "print_help", "print_usage", "exit", "register", "add_help":
		return m(func(in *Interp, c *Call) Value { return none() })
	case "format_help", "prog", "description":
		return str(""), true
	case "_actions":
		return in.parserActions(p), true
	case "_add_action":
		return m(func(in *Interp, c *Call) Value { return in.addAction(p, c.first()) })
	}
	return Value{}, false
}

// argumentGroup is a group of arguments with a default of its own.
type argumentGroup struct {
	parser *ArgumentParser
	def    Value
}

func (g *argumentGroup) attribute(in *Interp, self Value, name string) (Value, bool) {
	if name != "add_argument" {
		return g.parser.attribute(in, self, name)
	}
	return bound(self, "argparse.add_argument", func(in *Interp, c *Call) Value {
		if _, ok := c.Arg("default", -1); !ok {
			c.Kw = append(c.Kw, Keyword{"default", g.def})
		}
		return in.addArgument(g.parser, c)
	}), true
}

func (s *subParsers) attribute(in *Interp, self Value, name string) (Value, bool) {
	if name != "add_parser" {
		return Value{}, false
	}
	return bound(self, "argparse.add_parser", func(in *Interp, c *Call) Value {
		o := in.object(parserClass)
		in.initParser(o, c)
		word, _ := c.text("name", 0)
		p := o.data.(*ArgumentParser)
		s.parsers[word] = p
		s.names = append(s.names, word)
		if aliases, ok := c.Arg("aliases", -1); ok {
			items, _ := aliases.Items()
			for _, a := range items {
				s.parsers[a.Text] = p
			}
		}
		return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	}), true
}

func (in *Interp) addArgument(p *ArgumentParser, c *Call) Value {
	o := &Option{Origin: in.line, Default: none(), parser: p}
	for _, a := range c.Args {
		if a.Kind == Str {
			o.Names = append(o.Names, a.Text)
		}
	}
	if len(o.Names) == 0 || len(o.Names) < len(c.Args) {
		p.open = true
	}
	if len(o.Names) == 0 {
		return none()
	}
	o.Positional = !strings.HasPrefix(o.Names[0], "-")
	dest, ok := c.text("dest", -1)
	if !ok {
		dest = o.Names[0]
		for _, n := range o.Names {
			if strings.HasPrefix(n, "--") {
				dest = n
				break
			}
		}
		dest = strings.ReplaceAll(strings.TrimLeft(dest, "-"), "-", "_")
		if o.Positional {
			dest = o.Names[0]
		}
	}
	o.Dest = dest
	o.Type, _ = c.Arg("type", -1)
	o.Nargs, _ = c.Arg("nargs", -1)
	o.Const, _ = c.Arg("const", -1)
	o.Choices, _ = c.Arg("choices", -1)
	if r, ok := c.Arg("is_config_file", -1); ok {
		o.isConfig, _ = r.truth()
	}
	if r, ok := c.Arg("required", -1); ok {
		o.Required, _ = r.truth()
	}
	if a, ok := c.Arg("action", -1); ok {
		switch {
		case a.Kind == Str:
			o.Action = a.Text
		case a.External() != nil:
			o.Action = lastName(a.External().Name)
		default:
			o.Action = "custom"
		}
	}
	switch o.Action {
	case "store_true":
		o.Default = boolean(false)
	case "store_false":
		o.Default = boolean(true)
	}
	if d, ok := c.Arg("default", -1); ok {
		o.Default = d
	}
	if d, ok := p.defaults[o.Dest]; ok { // set_defaults was called before
		o.Default = d
	}
	at := *in.line
	at.Key = o.Dest
	o.Origin = &at
	if o.Default.Origin == nil || (o.Default.Origin.Kind == origin.Python && len(o.Default.Origin.From) == 0 && o.Default.Origin.File == at.File) {
		def := &at
		if d := o.Default.Origin; d != nil && d.Line != 0 {
			line := at
			line.Line = d.Line
			def = &line
		}
		o.Default.Origin = def
	}
	replaced := false
	for i, old := range p.Options {
		if slices.ContainsFunc(old.Names, func(n string) bool { return slices.Contains(o.Names, n) }) && !o.Positional {
			if !p.resolve && in.trying > 0 && in.doubt == 0 {
				in.raise("ArgumentError", "%s is there already", o.Names[0])
			}
			p.Options[i], replaced = o, true
		}
	}
	if !replaced {
		p.Options = append(p.Options, o)
	}
	return none()
}

// parseArgs parses the words of the command, or those that are given.
func (in *Interp) parseArgs(p *ArgumentParser, self Value, c *Call, known bool) Value {
	words := in.sysArgv.Ref.(*List).Items
	if len(words) > 0 {
		words = words[1:]
	}
	command := true
	if given, ok := c.Arg("args", 0); ok && given.Kind != None {
		command = false
		items, whole := in.iterate(given, listItems)
		if !whole {
			in.note("the words of a command line are not known")
		}
		words = items
	}
	in.configFiles(p, words)
	ns := in.object(namespaceClass)
	if given, ok := c.Arg("namespace", 1); ok && given.Object() != nil {
		ns = given.Object()
	}
	line := in.line
	rest := in.fill(p, ns, words)
	in.line = line
	p.Parsed, p.Asked = ns, nil
	ns.Attrs.Each(func(k, v Value) { p.Asked = append(p.Asked, Keyword{k.Text, v}) })
	p.Rejected = rest
	if command {
		in.argErrors(p, self, words, rest, known)
	}
	out := Value{Kind: ObjectKind, Ref: ns, Origin: in.line}
	in.saw.Configs = append(in.saw.Configs, out)
	if known {
		return tuple(out, list(rest...))
	}
	return out
}
