package pyeval

import (
	"path"
	"strings"

	"schedmate/advisor/conf"
)

// Readers of YAML, JSON, TOML and INI: the values keep their lines.
func init() {
	native(func(in *Interp, c *Call) Value { return in.openFile(c) }, "io.open", "codecs.open", "smart_open.open", "fsspec.open", "tensorflow.io.gfile.GFile", "tf.io.gfile.GFile")
	yaml := func(d conf.Dialect) func(in *Interp, c *Call) Value {
		return func(in *Interp, c *Call) Value {
			return in.parseText(c, func(name string, text []byte) (*conf.Node, error) { return conf.ParseYAML(name, text, d) })
		}
	}
	native(yaml(conf.PyYAML), "yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load", "oyaml.load", "oyaml.safe_load", "yaml.round_trip_load")
	all := func(in *Interp, c *Call) Value {
		return list(in.parseText(c, func(name string, text []byte) (*conf.Node, error) { return conf.ParseYAML(name, text, conf.PyYAML) }))
	}
	native(all, "yaml.safe_load_all", "yaml.load_all")
	native(func(in *Interp, c *Call) Value {
		o := in.object(plainClass)
		d := conf.Ruamel12
		if kind, ok := c.text("typ", 0); ok && kind == "" {
			d = conf.PyYAML
		}
		o.Attrs.set(str("load"), Value{Kind: NativeKind, Ref: &Native{Name: "yaml.YAML.load", Run: yaml(d)}})
		o.Attrs.Open = true
		return Value{Kind: ObjectKind, Ref: o}
	}, "yaml.YAML")
	text := func(parse func(string, []byte) (*conf.Node, error)) func(in *Interp, c *Call) Value {
		return func(in *Interp, c *Call) Value { return in.parseText(c, parse) }
	}
	native(text(conf.ParseJSON), "json.load", "json.loads", "json5.load", "json5.loads", "commentjson.load", "commentjson.loads", "orjson.loads", "_jsonnet.evaluate_file", "pyjson5.load")
	native(text(conf.ParseTOML), "toml.load", "toml.loads", "tomllib.load", "tomllib.loads", "tomli.load", "tomli.loads",
		"pytomlpp.load", "pytomlpp.loads", "rtoml.load", "rtoml.loads", "tomlkit.load", "tomlkit.loads", "tomlkit.parse", "qtoml.load", "qtoml.loads", "pytoml.load", "pytoml.loads")
	native(func(in *Interp, c *Call) Value {
		o := in.object(iniClass)
		o.data = &iniFile{tree: dict()}
		return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	}, "configparser.ConfigParser", "configparser.RawConfigParser", "configparser.SafeConfigParser")
}

// dumps give the text of a value, by canonical name.
var dumps = map[string]bool{"yaml.dump": true, "yaml.safe_dump": true, "json.dumps": true, "orjson.dumps": true}

// parseText reads the text of a file object, of a path, or the text itself.
func (in *Interp) parseText(c *Call, parse func(name string, text []byte) (*conf.Node, error)) Value {
	if len(c.Args)+len(c.Kw) == 0 {
		return unknown("nothing to read")
	}
	v := c.first()
	if stream, ok := c.Arg("stream", 0); ok {
		v = stream
	}
	name := ""
	if o := v.Object(); o != nil {
		f, ok := o.data.(*textFile)
		if !ok {
			return unknown("the contents of %s", v.String())
		}
		name, v = f.path.Text, f.text
	}
	if v.Kind == CandidatesKind {
		return each2(v, none(), func(v, _ Value) Value {
			d := *c
			d.Args, d.Kw = []Value{v}, nil
			return in.parseText(&d, parse)
		})
	}
	if e := v.External(); e != nil && e.Call != nil && dumps[canonicalName(e.Name)] { // written and read again: a copy
		return in.copyOf(e.Call.first(), 40)
	}
	if v.Kind != Str {
		return unknown("the contents of a file: %s", v.Text)
	}
	text := v.Text
	if name == "" {
		if full, ok := in.resolvePath(text); ok && len(text) < 512 && !strings.ContainsAny(text, "\n{") && in.root.IsFile(full) {
			read := in.readText(v)
			name, text = full, read.Text
		} else {
			name = in.fileOf(v)
		}
	}
	if full, ok := in.resolvePath(name); ok && name != "" {
		name = full
	}
	n, err := parse(name, []byte(text))
	if err != nil {
		in.note("%v", err)
		if strings.Contains(c.Name, "json") {
			return in.fail("JSONDecodeError", "%v", err)
		}
		return in.fail("YAMLError", "%v", err)
	}
	out := in.fromNode(n, false)
	if name == "" { // text of the program itself: its own place is all there is
		out.Origin = v.Origin
	}
	if out.Dict() != nil && len(in.saw.Loaded) < mostLoaded {
		in.saw.Loaded = append(in.saw.Loaded, out)
	}
	return out
}

const mostLoaded = 100

var iniClass = nativeClass("ConfigParser")

// iniFile is a configparser. Its values are texts.
type iniFile struct{ tree Value }

func (f *iniFile) item(in *Interp, self, key Value) Value { return in.item(f.tree, key) }

func (f *iniFile) contains(in *Interp, key Value) (yes, known bool) { return in.contains(f.tree, key) }

func (f *iniFile) attribute(in *Interp, self Value, name string) (Value, bool) {
	m := func(run func(in *Interp, c *Call) Value) (Value, bool) {
		return bound(self, "configparser."+name, run), true
	}
	add := func(in *Interp, file string, text string) {
		n, err := conf.ParseINI(file, []byte(text))
		if err != nil {
			in.note("%v", err)
			return
		}
		in.mergeDict(f.tree.Dict(), in.fromNode(n, false), mergeRules{})
	}
	get := func(convert func(Value) Value) (Value, bool) {
		return m(func(in *Interp, c *Call) Value {
			if len(c.Args) < 2 {
				return unknown("a setting without a name")
			}
			v := in.item(f.tree, c.Args[0])
			if d := v.Dict(); d != nil {
				if got, ok := d.get(str(strings.ToLower(c.Args[1].Text))); ok {
					return convert(got).with(got.Origin)
				}
				if got, ok := d.get(c.Args[1]); ok {
					return convert(got).with(got.Origin)
				}
			}
			if fallback, ok := c.Arg("fallback", -1); ok {
				return fallback
			}
			return in.fail("NoOptionError", "no setting %s", c.Args[1].String())
		})
	}
	switch name {
	case "read", "read_file":
		return m(func(in *Interp, c *Call) Value {
			v := c.first()
			if o := v.Object(); o != nil {
				if t, ok := o.data.(*textFile); ok {
					add(in, t.path.Text, t.text.Text)
				}
				return none()
			}
			names := []Value{v}
			if items, ok := v.Items(); ok {
				names = items
			}
			for _, p := range names {
				if text := in.readText(p); text.Kind == Str {
					full, _ := in.resolvePath(p.Text)
					add(in, full, text.Text)
				}
			}
			return c.first()
		})
	case "read_string":
		return m(func(in *Interp, c *Call) Value { add(in, "", c.first().Text); return none() })
	case "get":
		return get(func(v Value) Value { return v })
	case "getint":
		return get(toInt)
	case "getfloat":
		return get(toFloat)
	case "getboolean":
		return get(func(v Value) Value {
			switch strings.ToLower(v.Text) {
			case "1", "yes", "true", "on":
				return boolean(true)
			case "0", "no", "false", "off":
				return boolean(false)
			}
			return unknown("a truth value")
		})
	case "sections":
		return m(func(in *Interp, c *Call) Value { return list(append([]Value(nil), f.tree.Dict().keys...)...) })
	case "has_section":
		return m(func(in *Interp, c *Call) Value { _, ok := f.tree.Dict().get(c.first()); return boolean(ok) })
	case "items":
		return m(func(in *Interp, c *Call) Value {
			return in.call(in.attribute(in.item(f.tree, c.first()), "items"), &Call{Name: "items"}, nil)
		})
	}
	return Value{}, false
}

func extension(p string) string { return strings.ToLower(path.Ext(p)) }
