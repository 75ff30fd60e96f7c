package pyeval

import (
	"path"
	"strconv"
	"strings"
)

func joinPath(a, b string) string {
	if strings.HasPrefix(b, "/") || a == "" {
		return b
	}
	if strings.HasSuffix(a, "/") {
		return a + b
	}
	return a + "/" + b
}

// attribute gives the value of an attribute.
func (in *Interp) attribute(v Value, name string) Value {
	switch v.Kind {
	case CandidatesKind:
		var out Value
		for i, a := range v.Alternatives() {
			got := in.attribute(a, name)
			if i == 0 {
				out = got
			} else {
				out = join(out, got)
			}
		}
		return out
	case ModuleKind:
		return in.moduleAttr(v.Ref.(*Module), name)
	case ExternalKind:
		return in.externalAttr(v, name)
	case ClassKind:
		return in.classAttr(v, name)
	case ObjectKind:
		return in.objectAttr(v, name)
	case DictKind:
		d := v.Dict()
		if d.attrs {
			if got, ok := d.Get(name); ok {
				return got
			}
		}
		if f, ok := styleAttrs[d.style+"."+name]; ok {
			return f(in, v)
		}
		if f, ok := methods[d.style][name]; ok && d.style != "" {
			return bound(v, d.style+"."+name, f)
		}
		if f, ok := methods["dict"][name]; ok {
			return bound(v, "dict."+name, f)
		}
		if d.attrs {
			if d.Open {
				return unknown("%s is not known to be set", name)
			}
			if v, ok := in.absentItem(d.style); ok {
				return v
			}
			return in.fail("AttributeError", "the configuration has no key %s", name)
		}
	case Str:
		if f, ok := methods["str"][name]; ok {
			return bound(v, "str."+name, f)
		}
		if f, ok := pathAttrs[name]; ok { // paths are kept as text
			return f(in, v)
		}
		if f, ok := methods["path"][name]; ok {
			return bound(v, "path."+name, f)
		}
	case ListKind, TupleKind, SetKind:
		if f, ok := methods["list"][name]; ok {
			return bound(v, "list."+name, f)
		}
	case FunctionKind:
		fn := v.Ref.(*Function)
		switch name {
		case "remote":
			return in.remote(v)
		case "options":
			return in.workerOptions(v)
		case "__name__", "__qualname__":
			return str(fn.Name)
		case "__module__":
			return str(fn.module.Name)
		case "__wrapped__":
			return v
		}
	case MethodKind:
		switch name {
		case "__self__":
			return v.Ref.(*Method).Self
		case "__func__":
			return v.Ref.(*Method).Func
		case "remote":
			return in.remote(v)
		}
		return in.attribute(v.Ref.(*Method).Func, name)
	case NativeKind:
		n := v.Ref.(*Native)
		if name == "__name__" {
			return str(n.Name)
		}
		if p := n.partial; p != nil {
			switch name {
			case "func":
				return p.Args[0]
			case "args":
				return tuple(p.Args[1:]...)
			case "keywords":
				d := dict()
				for _, k := range p.Kw {
					d.Dict().set(str(k.Name), k.Value)
				}
				return d
			}
			return unknown("%s of a partial function", name)
		}
		if f, ok := staticMethods[n.Name+"."+name]; ok {
			return f
		}
		if f, ok := methods[n.Name][name]; ok { // str.lower as a function
			return Value{Kind: NativeKind, Ref: &Native{Name: n.Name + "." + name, Run: func(in *Interp, c *Call) Value {
				if len(c.Args) == 0 {
					return unknown("no argument")
				}
				d := *c
				d.Self, d.Args = c.Args[0], c.Args[1:]
				return f(in, &d)
			}}}
		}
	case Unknown:
		return Value{Kind: Unknown, Text: v.Text}
	case Int, Float, Bool:
		if name == "value" || name == "real" {
			return v
		}
		if name == "is_integer" {
			return Value{Kind: NativeKind, Ref: &Native{Name: name, Run: func(*Interp, *Call) Value {
				f, _ := v.Number()
				return boolean(f == float64(int64(f)))
			}}}
		}
	}
	if name == "__class__" {
		return in.typeOf(v)
	}
	if surelyLacks(v, name) {
		return in.fail("AttributeError", "%s has no attribute %s", v.String(), name)
	}
	return unknown("%s has no attribute %s that is followed", v.String(), name)
}

// surelyLacks reports whether a value has no attribute of a name in Python
// either: not all methods of the built-in types are modelled here.
func surelyLacks(v Value, name string) bool {
	switch v.Kind {
	case None, Int, Float, Bool:
		return true
	case ListKind, TupleKind, SetKind, DictKind:
		_, text := methods["str"][name]
		_, list := methods["list"][name]
		_, dict := methods["dict"][name]
		return (text && !list && !dict) || (v.Kind != DictKind && dict && !list)
	}
	return false
}

func bound(self Value, name string, run func(*Interp, *Call) Value) Value {
	return Value{Kind: NativeKind, Ref: &Native{Name: name, Run: func(in *Interp, c *Call) Value {
		c.Self = self
		return run(in, c)
	}}}
}

func (in *Interp) externalAttr(v Value, name string) Value {
	e := v.External()
	full := e.Name + "." + name
	if e.Call == nil {
		if f, ok := constants[full]; ok {
			return f(in)
		}
		if f, ok := natives[canonicalName(full)]; ok && !constructs(name) { // a class stays a name: programs derive from it and compare with it
			return Value{Kind: NativeKind, Ref: &Native{Name: full, Run: f}}
		}
		return Value{Kind: ExternalKind, Ref: &External{Name: full, solid: true}}
	}
	if e.Call != nil {
		if f, ok := resultAttrs[canonicalName(e.Name)+"."+name]; ok {
			return f(in, v)
		}
		if got, ok := in.constructed(e, name); ok {
			return got
		}
		if got, ok := in.unset(e.Name, name); ok {
			return got
		}
	}
	if len(full) > 400 {
		return unknown("a long chain from %s", full[:60])
	}
	return Value{Kind: ExternalKind, Ref: &External{Name: full, Call: e.Call, Args: e.Args}, Origin: v.Origin}
}

var pathAttrs = map[string]func(in *Interp, v Value) Value{
	"name": func(_ *Interp, v Value) Value { return str(path.Base(v.Text)).with(v.Origin) },
	"stem": func(_ *Interp, v Value) Value {
		return str(strings.TrimSuffix(path.Base(v.Text), path.Ext(v.Text))).with(v.Origin)
	},
	"suffix": func(_ *Interp, v Value) Value { return str(path.Ext(v.Text)).with(v.Origin) },
	"parent": func(_ *Interp, v Value) Value { return str(path.Dir(v.Text)).with(v.Origin) },
	"parents": func(_ *Interp, v Value) Value {
		var all []Value
		for p, n := v.Text, 0; p != "." && p != "/" && n < 32; n++ {
			p = path.Dir(p)
			all = append(all, str(p))
		}
		return list(all...)
	},
	"parts": func(_ *Interp, v Value) Value {
		var all []Value
		for _, p := range strings.Split(v.Text, "/") {
			all = append(all, str(p))
		}
		return tuple(all...)
	},
	"value": func(_ *Interp, v Value) Value { return v }, // members of enumerations of text
}

func itoa(i int) string { return strconv.Itoa(i) }
